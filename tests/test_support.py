"""The one table knows every choice of the language, and answers in its words."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from specgen.spec import Spec, how
from specgen.spec.model import ImportByTarget
from specgen.support import (
    DEPENDENT_KEYS,
    KEYS,
    Refusal,
    describe,
    givers,
    markdown,
    meaningless,
    unsupported,
)
from specgen.support_table import ANY, OTHER, TABLE
from specgen.targets import TARGETS

# Choices that are open or closed with the one around them, or that every method has.
WITHOUT_ROWS = {
    "target",
    "placeholders.*.image.crop",
    "model.layers.*.padding",
    "train.optimizer.learning_rate.schedule",
    "train.early_stopping.metric",
    "pipeline.parallel_calls",
    "pipeline.host_prefetch",
}


def test_all_tables_have_the_same_targets() -> None:
    targets = list(TARGETS)
    assert list(get_args(how.Target)) == targets
    assert list(ImportByTarget().by_target) == targets
    for target in targets:
        assert TABLE[0].on(target)


def choices_in(schema: Any, defs: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Each key with a text that is one of its choices, as the language's own schema has them."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    for value in [*schema.get("enum", ()), schema.get("const")]:
        if isinstance(value, str):
            yield key, value
    for form in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        yield from choices_in(form, defs, key)
    if "items" in schema:
        yield from choices_in(schema["items"], defs, f"{key}.*")
    if isinstance(schema.get("additionalProperties"), dict) and key == "placeholders":
        yield from choices_in(schema["additionalProperties"], defs, f"{key}.*")
    for name, value in schema.get("properties", {}).items():
        if schema.get("maxProperties") == 1:
            # An item of a list: its name, below which its parameters stand.
            yield key, name
            yield from choices_in(value, defs, key)
        else:
            yield from choices_in(value, defs, f"{key}.{name}".lstrip("."))


def choices_of_the_language() -> dict[str, set[str]]:
    schema = Spec.model_json_schema()
    found: dict[str, set[str]] = defaultdict(set)
    for key, choice in choices_in(schema, schema["$defs"]):
        found[key].add(choice)
    return found


def rows_of(key: str) -> list[str]:
    return [choice for row in TABLE if row.key == key for choice in row.choices]


def test_the_table_has_every_choice_of_the_language() -> None:
    language = choices_of_the_language()
    assert set(language) - set(KEYS) == WITHOUT_ROWS
    for key in set(language) & set(KEYS):
        assert rows_of(key) == [ANY] or sorted(rows_of(key)) == sorted(language[key]), key


def test_each_choice_has_one_row_and_the_rest_comes_last() -> None:
    for key in KEYS:
        choices = rows_of(key)
        assert len(set(choices)) == len(choices)
        assert ANY not in choices or choices == [ANY]
        assert OTHER not in choices[:-1]


@pytest.mark.parametrize(
    ("key", "choice", "target", "refusal"),
    [
        ("buffers.method", "two_variable", "tf2", None),
        (
            "buffers.method",
            "feed",
            "tf2",
            Refusal(
                "feed is not supported yet on target tf2",
                "prefetch and two_variable work now",
            ),
        ),
        (
            "buffers.method",
            "staging_area",
            "tf2",
            Refusal(
                "staging_area cannot work on target tf2: "
                "StagingArea left the public API with TensorFlow 2.0",
                "two_variable also waits on the device",
            ),
        ),
        (
            "buffers.method",
            "prefetch_to_device",
            "tf1.4",
            Refusal(
                "prefetch_to_device cannot work on target tf1.4: it came with TensorFlow 1.8",
                "two_variable and staging_area also wait on the device",
            ),
        ),
        (
            "buffers.swap",
            "thread",
            "tf2",
            Refusal("thread is not supported yet on target tf2", "cond works now"),
        ),
        ("train.l2", "0", "tf2", None),
        (
            "train.l2",
            "0.1",
            "tf2",
            Refusal("this value is not supported yet on target tf2", "0 works now"),
        ),
        (
            "devices.gpu_threads",
            "4",
            "tf2",
            Refusal(
                "this key is not supported yet on target tf2",
                "leave it out",
                of_key=True,
            ),
        ),
        (
            "devices.memory.limit_mb",
            "a value",
            "tf2",
            Refusal(
                "this key is not supported yet on target tf2",
                "growth works now",
                of_key=True,
            ),
        ),
        ("model.import", "m:f", "tf2", None),
        ("name", "digits", "tf2", None),
    ],
)
def test_unsupported(key: str, choice: str, target: str, refusal: Refusal | None) -> None:
    assert unsupported(key, choice, target) == refusal


@pytest.mark.parametrize(
    ("key", "chosen", "refusal"),
    [
        ("buffers.swap", {"buffers.method": "two_variable"}, None),
        (
            "buffers.swap",
            {"buffers.method": "prefetch"},
            Refusal(
                "has no effect under buffers.method prefetch",
                "it belongs to buffers.method two_variable",
                of_key=True,
            ),
        ),
        ("splits.seed", {"splits.method": "even", "records.order": "shuffled"}, None),
        (
            "splits.seed",
            {"splits.method": "even", "records.order": "source"},
            Refusal(
                "has no effect under splits.method even and records.order source",
                "it belongs to splits.method stratified, hash or group, or records.order shuffled",
                of_key=True,
            ),
        ),
        ("model.import_path", {"model.import": "m:f"}, None),
        (
            "model.import_path",
            {"model.import": None},
            Refusal(
                "has no effect without model.import", "it belongs to model.import", of_key=True
            ),
        ),
        (
            "placeholders.*.scale",
            {"placeholders.*.role": "label"},
            Refusal("has no effect under role label", "it belongs to role input", of_key=True),
        ),
        ("buffers.method", {}, None),
    ],
)
def test_meaningless(key: str, chosen: dict[str, str | None], refusal: Refusal | None) -> None:
    assert meaningless(key, chosen) == refusal


def test_what_gives_meaning_is_in_the_table_itself() -> None:
    for key in DEPENDENT_KEYS:
        assert givers(key)
        assert set(givers(key)) <= set(KEYS)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("name", ""),
        ("buffers.wire", ""),
        (
            "buffers.method",
            "On tf2 not supported yet: feed and prefetch_to_device. "
            "On tf2 impossible: staging_area. "
            "On tf1.4 not supported yet: feed and staging_area. "
            "On tf1.4 impossible: prefetch_to_device.",
        ),
        (
            "buffers.swap",
            "Has an effect only with buffers.method two_variable. "
            "On tf2 not supported yet: pair and thread. "
            "On tf1.4 not supported yet: pair and thread.",
        ),
        (
            "devices.gpu_threads",
            "On tf2 not supported yet: any value. On tf1.4 not supported yet: any value.",
        ),
    ],
)
def test_describe(key: str, text: str) -> None:
    assert describe(key) == text


def test_markdown() -> None:
    lines = markdown().splitlines()
    assert len(lines) == 2 + len(TABLE)
    assert lines[:3] == [
        "| key | choice | tf2 | tf1.4 |",
        "|---|---|---|---|",
        "| `source.kind` | `npz`, `synthetic` | since 2.16 | since 1.4 |",
    ]
    assert (
        "| `buffers.input` | `placeholders` | never: TensorFlow 2 has no placeholders to feed "
        "| since 1.4 |"
    ) in lines
