"""A spec in; the data, the positions and the diagnostics of its variants out."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specgen.diagnostics import Diagnostic
from specgen.document import Document, dotted
from specgen.parse import parse
from specgen.variants import expand


def expanded(text: str) -> tuple[list[Document], list[Diagnostic]]:
    document, diagnostics = parse(text.encode(), "spec.yaml")
    assert diagnostics == []
    assert document is not None
    return expand(document)


def variants(text: str) -> dict[str | None, dict[str, Any]]:
    documents, diagnostics = expanded(text)
    assert diagnostics == []
    return {document.variant: document.data for document in documents}


def faults(text: str) -> list[str]:
    return [
        f"{d.position.line}:{d.position.column} {d.code} {d.field}: {d.message} [{d.hint}]"
        for d in expanded(text)[1]
        if d.position
    ]


@pytest.mark.parametrize(
    ("base", "changes", "merged"),
    [
        # Mappings merge, everything else replaces.
        ("target: tf2", "target: tf1.4", "target: tf1.4"),
        ("pipeline: {a: 1, b: 2}", "pipeline: {c: 3, b: 4}", "pipeline: {a: 1, b: 4, c: 3}"),
        ("pipeline: {a: {b: 1}}", "pipeline: {a: {c: 2}}", "pipeline: {a: {b: 1, c: 2}}"),
        ("pipeline: {a: {b: 1}}", "pipeline: {a: x}", "pipeline: {a: x}"),
        ("pipeline: {a: x}", "pipeline: {a: {b: 1}}", "pipeline: {a: {b: 1}}"),
        ("pipeline: {a: [1, 2]}", "pipeline: {a: [3]}", "pipeline: {a: [3]}"),
        ("pipeline: {a: 1}", "pipeline: x", "pipeline: x"),
        ("pipeline: x", "pipeline: {a: 1}", "pipeline: {a: 1}"),
        ("pipeline: {a: 1}", "pipeline: {}", "pipeline: {a: 1}"),
        ("pipeline: {a: 1}", "devices: {b: 2}", "pipeline: {a: 1}\ndevices: {b: 2}"),
        # null takes back to the default.
        ("target: tf1.4", "target: null", ""),
        ("pipeline: {a: 1}", "pipeline: null", ""),
        ("pipeline: {a: 1, b: 2}", "pipeline: {a: null}", "pipeline: {b: 2}"),
        ("pipeline: {a: null, b: 2}", "target: tf2", "pipeline: {b: 2}\ntarget: tf2"),
        ("pipeline: {a: null}", "pipeline: {a: 1}", "pipeline: {a: 1}"),
        ("target: tf2", "pipeline: {a: {b: null}}", "target: tf2\npipeline: {a: {}}"),
        (
            "pipeline: {a: 1}",
            "pipeline: {a: [null, {b: null}]}",
            "pipeline: {a: [null, {b: null}]}",
        ),
        # Another method starts empty; a base that does not say has the default.
        (
            "buffers: {method: feed, a: 1}",
            "buffers: {method: prefetch}",
            "buffers: {method: prefetch}",
        ),
        ("buffers: {method: feed, a: 1}", "buffers: {method: null}", "buffers: {}"),
        ("buffers: {method: feed, a: 1}", "buffers: {b: 2}", "buffers: {method: feed, a: 1, b: 2}"),
        (
            "buffers: {method: feed, a: 1}",
            "buffers: {b: 2, method: feed}",
            "buffers: {method: feed, a: 1, b: 2}",
        ),
        ("buffers: {a: 1}", "buffers: {method: prefetch}", "buffers: {method: prefetch}"),
        (
            "buffers: {a: 1}",
            "buffers: {method: two_variable}",
            "buffers: {a: 1, method: two_variable}",
        ),
        ("buffers: {method: null, a: 1}", "buffers: {method: null}", "buffers: {a: 1}"),
        ("buffers: {method: two_variable, a: 1}", "buffers: {method: null}", "buffers: {a: 1}"),
        # The same for the strategy,
        ("distribute: {a: 1}", "distribute: {strategy: x}", "distribute: {strategy: x}"),
        (
            "distribute: {a: 1}",
            "distribute: {strategy: none}",
            "distribute: {a: 1, strategy: none}",
        ),
        ("distribute: {strategy: x, a: 1}", "distribute: {strategy: null}", "distribute: {}"),
        # and for the memory, where the rest of devices merges.
        (
            "devices: {memory: {limit_mb: 5}, a: 1}",
            "devices: {memory: {growth: true}, b: 2}",
            "devices: {memory: {growth: true}, a: 1, b: 2}",
        ),
        (
            "devices: {memory: {limit_mb: 5}}",
            "devices: {memory: {limit_mb: 6}}",
            "devices: {memory: {limit_mb: 6}}",
        ),
        (
            "devices: {memory: {growth: true}}",
            "devices: {memory: {growth: true, limit_mb: null}}",
            "devices: {memory: {growth: true}}",
        ),
        ("devices: {memory: {limit_mb: 5}}", "devices: {memory: null}", "devices: {}"),
        (
            "devices: {memory: {limit_mb: 5}}",
            "devices: {memory: {}}",
            "devices: {memory: {limit_mb: 5}}",
        ),
    ],
)
def test_changes_are_merged_into_the_base(base: str, changes: str, merged: str) -> None:
    found = variants(f"name: x\n{base}\nvariants:\n  v:\n    {changes}\n")
    assert found == {"v": variants(f"name: x\n{merged}\n")[None]}


TWO = """\
buffers: {method: prefetch, wire: plain}
name: x
devices:
  compute: [auto, "gpu:0"]
  fallback: null
variants:
  b: {target: tf1.4, buffers: {depth: 2, wire: narrow}}
  a: {}
  c:
  d:
    buffers: {method: feed}
    devices: {compute: null, memory: {limit_mb: 5}}
"""


def test_variants_come_in_their_order_and_keys_in_that_of_the_base() -> None:
    found = variants(TWO)
    assert list(found) == ["b", "a", "c", "d"]
    assert list(found["b"]) == ["buffers", "name", "devices", "target"]
    assert list(found["b"]["buffers"]) == ["method", "wire", "depth"]
    assert found["a"] == found["c"] == variants(TWO[: TWO.index("variants")])[None]


def test_positions_lead_to_where_each_thing_is_said() -> None:
    document = expanded(TWO)[0][3]
    found = {
        dotted(path): (f"{key.line}:{key.column}", f"{document.values[path].line}")
        for path, key in document.keys.items()
    }
    assert found == {
        "": ("1:1", "1"),
        "name": ("2:1", "2"),
        "variants": ("6:1", "7"),
        "variants.b": ("7:3", "7"),
        "variants.a": ("8:3", "8"),
        "variants.c": ("9:3", "9"),
        "variants.d": ("10:3", "11"),
        "buffers": ("11:5", "11"),
        "buffers.method": ("11:15", "11"),
        "devices": ("12:5", "12"),
        "devices.compute": ("12:15", "12"),
        "devices.fallback": ("5:3", "5"),
        "devices.memory": ("12:30", "12"),
        "devices.memory.limit_mb": ("12:39", "12"),
    }
    assert document.keys.keys() == document.values.keys()


def test_what_a_variant_says_is_known() -> None:
    said = {d.variant: sorted(map(dotted, d.said_by_variant)) for d in expanded(TWO)[0]}
    assert said == {
        "b": ["buffers", "buffers.depth", "buffers.wire", "target"],
        "a": [],
        "c": [],
        "d": [
            "buffers",
            "buffers.method",
            "devices",
            "devices.compute",
            "devices.memory",
            "devices.memory.limit_mb",
        ],
    }


def test_a_list_that_is_replaced_leaves_no_positions() -> None:
    (document,), _ = expanded(
        "devices: {compute: [a, b, c]}\nvariants: {v: {devices: {compute: [d]}}}"
    )
    items = [path for path in document.keys if path[:2] == ("devices", "compute")]
    assert items == [("devices", "compute"), ("devices", "compute", 0)]


def test_merge_keys_work_in_variants() -> None:
    found = variants("""\
variants:
  a: &a {target: tf1.4, buffers: {method: feed}}
  b: {<<: *a, target: tf2}
""")
    assert found["b"] == {"target": "tf2", "buffers": {"method": "feed"}}


@pytest.mark.parametrize("text", ["name: x\n", "name: x\nvariants: null\n", "name: x\nvariants:\n"])
def test_without_variants_there_is_one_document(text: str) -> None:
    (document,), diagnostics = expanded(text)
    assert diagnostics == []
    assert (document.variant, document.data, document.said_by_variant) == (
        (None, {"name": "x"}, frozenset())
    )


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("train: {seed: null, epochs: 1}", {"train": {"epochs": 1}}),
        ("train: null", {}),
        ("placeholders: {a: {shape: [null, 3]}}", {"placeholders": {"a": {"shape": [None, 3]}}}),
        ("placeholders: {a: {scale: null}, b: null}", {"placeholders": {"a": {}, "b": None}}),
        ("placeholders: {concatenate: {scale: null}}", {"placeholders": {"concatenate": {}}}),
        ("source: {path: null, arrays: {a: null}}", {"source": {"arrays": {"a": None}}}),
        ("model: {import: {tf2: x, tf1.4: null}}", {"model": {"import": {"tf2": "x"}}}),
        (
            "model: {layers: [null, dense: null, conv2d: {strides: null}]}",
            {"model": {"layers": [None, {"dense": None}, {"conv2d": {}}]}},
        ),
        (
            "model: {layers: [concatenate: {a: null, b: [dropout: {rate: null}]}]}",
            {"model": {"layers": [{"concatenate": {"a": None, "b": [{"dropout": {}}]}}]}},
        ),
    ],
)
def test_null_means_the_default_where_there_is_one(said: str, left: dict[str, Any]) -> None:
    assert variants(said) == {None: left}


def test_a_null_keeps_its_place() -> None:
    (document,), _ = expanded("name: x\ntrain:\n  seed: null\n")
    assert str(document.where(("train", "seed"))) == "Position(line=3, column=3)"


MORE = "use a to z, 0 to 9 and _, up to 64 in all, and begin with a letter"
RESERVED = "data, records and default"
KEYS = "target, pipeline, buffers, devices and distribute"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("3", ["1:11 SG203 variants: a mapping of names to changes is wanted []"]),
        ("[a, b]", ["1:11 SG203 variants: a mapping of names to changes is wanted []"]),
        ("{}", ["1:11 SG205 variants: at least one variant is wanted here [or leave the key out]"]),
        (
            "{data: {}, records: , default: {}}",
            [
                f"1:{column} SG206 variants.{name}: this name is reserved [any but {RESERVED}]"
                for name, column in [("data", 12), ("records", 22), ("default", 33)]
            ],
        ),
        *[
            (
                f"{{{name}: {{}}}}",
                [f"1:12 SG206 variants.{shown}: this cannot be the name of a variant [{MORE}]"],
            )
            for name, shown in [
                ("Fast", "Fast"),
                ("1st", "1st"),
                ("_a", "_a"),
                ("a-b", "a-b"),
                ("a/../b", '"a/../b"'),
                ('"a\\n"', '"a\\n"'),
                ("naïve", "naïve"),
                ("a" * 65, "a" * 65),
            ]
        ],
        (f"{{{'a' * 64}: {{}}}}", []),
        (
            "{a: prefetch}",
            [f"1:15 SG203 variants.a: a mapping of changes is wanted [the keys are {KEYS}]"],
        ),
        (
            "{a: {train: {}, bufers: {}, name: x}, b: {variants: {}}}",
            [
                "1:16 SG201 variants.a.train: a variant cannot change this key "
                f"[it can change {KEYS}]",
                "1:27 SG201 variants.a.bufers: a variant cannot change this key "
                "[did you mean buffers?]",
                "1:39 SG201 variants.a.name: a variant cannot change this key "
                f"[it can change {KEYS}]",
                "1:53 SG201 variants.b.variants: a variant cannot change this key "
                f"[it can change {KEYS}]",
            ],
        ),
    ],
)
def test_what_is_wrong_in_variants(said: str, expected: list[str]) -> None:
    assert faults(f"variants: {said}\n") == expected


def test_what_is_wrong_is_left_out_and_the_rest_comes_out() -> None:
    documents, _ = expanded("name: x\nvariants: {Bad: {target: tf2, train: {}}, worse: prefetch}\n")
    assert {document.variant: document.data for document in documents} == {
        "Bad": {"name": "x", "target": "tf2"},
        "worse": {"name": "x"},
    }
    assert [d.data for d in expanded("name: x\nvariants: [a]\n")[0]] == [{"name": "x"}]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["method", "memory", "strategy", "a", "concatenate"]), inner),
    max_leaves=8,
)
SECTIONS = st.dictionaries(
    st.sampled_from(["buffers", "devices", "distribute", "model", "a"]), VALUES
)


@given(SECTIONS, VALUES | st.dictionaries(st.text(min_size=1), VALUES | SECTIONS))
def test_no_spec_makes_it_raise(base: dict[str, Any], said: Any) -> None:
    document, _ = parse(json.dumps({**base, "variants": said}).encode(), "spec.yaml")
    assert document is not None
    documents, diagnostics = expand(document)
    assert documents
    for merged in documents:
        assert "variants" not in merged.data
        assert merged.said_by_variant <= merged.keys.keys()
        assert merged.keys.keys() == merged.values.keys()
    for diagnostic in diagnostics:
        assert (diagnostic.field + diagnostic.message + diagnostic.hint).isprintable()
