"""Splits by a key of each row: as defined, fast, and without leaks; the manifest certifies them.

A key is handed to a module's own `split`, without files; a few splits are prepared whole.
"""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reference_order
from making import EACH_VARIANT, PARTS, TINY, Once, Project, Spec, changed, make, points
from running import Run, call, train
from sessions import EACH_TARGET

SEED = 7
FRACTIONS = tuple(PARTS.values())
INTEGERS = ("bool", "uint8", "int8", "uint16", "int16", "int32", "int64")
FLOATS = ("float16", "float32", "float64")
DTYPES = (*INTEGERS, *FLOATS, "string")
few = settings(
    max_examples=settings().max_examples // 2,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Keys:
    """A source that has nothing but what rows are dealt by; its row ids may leave gaps."""

    def __init__(self, values: Any, ids: np.ndarray | None = None) -> None:
        self.values = np.asarray(values)
        self.ids = np.arange(len(self.values)) if ids is None else ids

    def read(self, column: Any, ids: np.ndarray) -> np.ndarray:
        return self.values[np.searchsorted(self.ids, ids)]

    def where(self, row: int) -> str:
        return f"source: row {row}"


def dealt_by(method: str, dtype: str, **splits: Any) -> Spec:
    return changed(
        TINY,
        {"placeholders": {"who": {"dtype": dtype, "role": "key"}}},
        {"splits": {"method": method, "by": "who", "parts": PARTS, "seed": SEED, **splits}},
    )


@pytest.fixture(scope="module")
def modules(once: Once) -> dict[tuple[str, str], ModuleType]:
    """The data module of each method and dtype of the key."""

    def fill(folder: Path) -> None:
        for method in ("hash", "group"):
            for dtype in DTYPES:
                make(folder / method / dtype, dealt_by(method, dtype))

    folder = once("splits", fill)
    return {
        (method, dtype): Project(folder / method / dtype, "tiny").load("data")
        for method in ("hash", "group")
        for dtype in DTYPES
    }


def split(module: ModuleType, source: Keys) -> list[list[int]]:
    """The row ids of each part."""
    parts = module.split(source)
    assert list(parts) == list(PARTS)
    return [ids.tolist() for ids in parts.values()]


def keys_of(dtype: str) -> st.SearchStrategy[np.ndarray]:
    """Keys of which some are the same."""
    if dtype == "string":
        texts = st.text("aé日😀 \udc80", max_size=3)
        return st.lists(texts, min_size=1, max_size=60).map(np.array)
    if dtype in FLOATS:
        number = st.floats(-9, 9, width=int(dtype[5:]))
    elif dtype == "bool":
        number = st.booleans()
    else:
        number = st.integers(np.iinfo(dtype).min, np.iinfo(dtype).max) | st.integers(0, 9)
    return st.lists(number, min_size=1, max_size=60).map(lambda found: np.array(found, dtype))


EACH_KEY = st.sampled_from(DTYPES).flatmap(lambda dtype: st.tuples(st.just(dtype), keys_of(dtype)))


def as_defined(dtype: str, keys: np.ndarray) -> list[bytes]:
    """The bytes of each key: int64 or its own float, little-endian, or UTF-8."""
    if dtype == "string":
        return [str(key).encode("utf-8", "surrogatepass") for key in keys]
    wide = keys.astype("<i8" if dtype in INTEGERS else keys.dtype.newbyteorder("<"))
    return [key.tobytes() for key in wide]


# -- As defined -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "keys", "sizes"),
    [("hash", np.arange(1000), [797, 102, 101]), ("group", np.arange(1000) // 20, [800, 100, 100])],
)
def test_the_figures_of_the_definition(
    modules: dict[tuple[str, str], ModuleType], method: str, keys: np.ndarray, sizes: list[int]
) -> None:
    assert [len(ids) for ids in split(modules[method, "int64"], Keys(keys))] == sizes


@few
@given(EACH_KEY)
def test_hashing_is_as_defined(
    modules: dict[tuple[str, str], ModuleType], key: tuple[str, np.ndarray]
) -> None:
    dtype, keys = key
    expected = reference_order.hashed(as_defined(dtype, keys), FRACTIONS, SEED)
    assert split(modules["hash", dtype], Keys(keys)) == [ids.tolist() for ids in expected]


@few
@given(EACH_KEY)
def test_grouping_is_as_defined(
    modules: dict[tuple[str, str], ModuleType], key: tuple[str, np.ndarray]
) -> None:
    dtype, keys = key
    same = np.array(as_defined(dtype, keys), object) if dtype == "string" else keys
    expected = reference_order.grouped(same, FRACTIONS, SEED)
    assert split(modules["group", dtype], Keys(keys)) == [ids.tolist() for ids in expected]


@pytest.mark.parametrize("method", ["hash", "group"])
@pytest.mark.parametrize("kept", [{"train": 1.0}, {"train": 0.6, "test": 0.4}])
def test_other_parts(tmp_path: Path, method: str, kept: dict[str, float]) -> None:
    module = make(tmp_path, dealt_by(method, "int64", parts=kept)).load("data")
    keys = np.arange(300) // 3
    if method == "hash":
        expected = reference_order.hashed(as_defined("int64", keys), list(kept.values()), SEED)
    else:
        expected = reference_order.grouped(keys, list(kept.values()), SEED)
    found = module.split(Keys(keys))
    assert {part: ids.tolist() for part, ids in found.items()} == {
        part: ids.tolist() for part, ids in zip(kept, expected, strict=True)
    }


def test_many_groups_of_many_rows(modules: dict[tuple[str, str], ModuleType]) -> None:
    """As many as a loop over rows for each group would never end with."""
    groups = np.random.RandomState(0).randint(100_000, size=1_000_000)
    parts = modules["group", "int64"].split(Keys(groups))
    seen = [set(np.unique(groups[ids]).tolist()) for ids in parts.values()]
    assert sum(map(len, seen)) == len(set.union(*seen)) == len(np.unique(groups))
    assert [len(ids) for ids in parts.values()] == pytest.approx([8e5, 1e5, 1e5], abs=50)


# -- Without leaks --------------------------------------------------------------------------------


@few
@given(EACH_KEY, st.data())
def test_rows_that_are_appended_move_none(
    modules: dict[tuple[str, str], ModuleType], key: tuple[str, np.ndarray], data: st.DataObject
) -> None:
    dtype, keys = key
    more = data.draw(keys_of(dtype))
    before = split(modules["hash", dtype], Keys(keys))
    after = split(modules["hash", dtype], Keys(np.concatenate([keys, more])))
    assert [[row for row in ids if row < len(keys)] for ids in after] == before


@few
@given(EACH_KEY, st.sampled_from(["hash", "group"]))
def test_a_key_is_never_on_two_sides(
    modules: dict[tuple[str, str], ModuleType], key: tuple[str, np.ndarray], method: str
) -> None:
    dtype, keys = key
    parts = split(modules[method, dtype], Keys(keys))
    seen = [set(as_defined(dtype, keys[ids])) for ids in parts if ids]
    if method == "group":  # to which 0.0 and -0.0 are one key
        seen = [set(keys[ids].tolist()) for ids in parts if ids]
    assert sum(map(len, seen)) == len(set.union(*seen))
    assert sorted(row for ids in parts for row in ids) == list(range(len(keys)))


@pytest.mark.parametrize("method", ["hash", "group"])
def test_ids_may_leave_gaps(modules: dict[tuple[str, str], ModuleType], method: str) -> None:
    """Of rows that were skipped."""
    keys = np.arange(200) % 60
    ids = np.sort(np.random.RandomState(0).permutation(1000)[:200])
    module = modules[method, "int64"]
    for part, places in module.split(Keys(keys)).items():
        assert module.split(Keys(keys, ids))[part].tolist() == ids[places].tolist()


# -- Given ----------------------------------------------------------------------------------------


def given_by(column: dict[str, Any], parts: dict[str, Any], by: str = "who") -> Spec:
    splits = {"method": "given", "by": by, "parts": parts}
    return changed(TINY, {"placeholders": column, "splits": splits})


def test_given_by_the_value_of_a_column_as_text(tmp_path: Path) -> None:
    """Which is no placeholder; texts, bytes and numbers are told by what they look like."""
    parts = {"train": 0, "validation": "1", "test": 2.5}
    module = make(tmp_path, given_by({}, parts)).load("data")
    for values in (["2.5", "0", "1", "0"], [b"2.5", b"0", b"1", b"0"]):
        assert split(module, Keys(values)) == [[1, 3], [2], [0]]
    numbers = np.array([0, 1, 1, 0], object)
    numbers[1] = np.float32(2.5)
    assert split(module, Keys(numbers)) == [[0, 3], [2], [1]]


@pytest.mark.parametrize("role", ["key", "input"])
def test_given_by_a_placeholder(tmp_path: Path, role: str) -> None:
    column = {"who": {"dtype": "int8", "role": role}}
    spec = given_by(column, {"train": 1, "validation": -1, "test": "0"})
    module = make(tmp_path, {**spec, "model": {"import": "m:f"}}).load("data")
    assert split(module, Keys([-1.0, 1.0, 0.0, 1.0])) == [[1, 3], [0], [2]]


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ({}, ["a", "b", "c", "d"], "'c'"),
        ({}, ["a", "b", "", "d"], "''"),
        ({}, [b"a", b"b", b"\xff", b"d"], r"'\\xff'"),
        ({"who": {"dtype": "int8", "role": "key"}}, [0, 0, 3, 4], "'3'"),
    ],
)
def test_a_row_that_no_part_has(
    tmp_path: Path, column: dict[str, Any], values: list[Any], said: str
) -> None:
    parts = {"train": "a", "test": "b"} if not column else {"train": 0, "test": 1}
    module = make(tmp_path, given_by(column, parts)).load("data")
    with pytest.raises(module.UserError) as error:
        module.split(Keys(values, np.array([2, 3, 5, 7])))
    wanted = ", ".join(map(str, parts.values()))
    assert str(error.value) == f"source: row 5: who: {said} is not the value of a part: {wanted}"


# -- Prepared -------------------------------------------------------------------------------------

ROWS = 200
WRITERS = np.array([f"w{row % 40}" for row in range(ROWS)])
BY_PATHS = {"train": "../data/rows.npz", "test": "../data/more.npz"}
PREPARED: dict[str, Spec] = {
    "hash": dealt_by("hash", "string"),
    "group": dealt_by("group", "string"),
    "given": given_by({}, {"train": "w1", "validation": "w0", "test": "w2"}, "fold"),
    "given paths": changed(
        TINY, {"source": {"path": None}, "splits": {"method": "given", "parts": BY_PATHS}}
    ),
}


@pytest.mark.parametrize("name", PREPARED)
def test_the_manifest_certifies_the_split(tmp_path: Path, name: str) -> None:
    fold = np.array([f"w{row % 3}" for row in range(ROWS)])
    rows = {**points(ROWS), "who": WRITERS, "fold": fold}
    project = make(tmp_path, PREPARED[name], rows)
    more = points(30, seed=2)
    np.savez(project.data.with_name("more.npz"), **more)
    labels = rows["label"]
    if name == "hash":
        keys = as_defined("string", WRITERS)
        dealt = reference_order.hashed(keys, FRACTIONS, SEED)
    elif name == "group":
        dealt = reference_order.grouped(WRITERS, FRACTIONS, SEED)
    elif name == "given":
        dealt = [np.arange(ROWS)[np.arange(ROWS) % 3 == rest] for rest in (1, 0, 2)]
    else:
        dealt = [np.arange(ROWS), np.arange(ROWS, ROWS + 30)]
        labels = np.concatenate([labels, more["label"]])
    module = project.load("data")
    assert call(module, ["--records", str(project.records)]) == 0
    (path,) = project.records.glob("*/manifest.json")
    manifest = json.loads(path.read_text())
    assert (manifest["disjoint"], manifest["complete"]) == (True, True)
    assert manifest["rows"] == len(labels)
    assert list(manifest["parts"]) == list(module.PARTS)
    seed = manifest["recipe"]["splits"]["seed"]
    for (part, entry), ids in zip(manifest["parts"].items(), dealt, strict=True):
        stored = reference_order.stored(ids, part, seed)
        assert entry["rows"] == len(ids)
        assert entry["ids"] == reference_order.ids_digest(stored)
        assert entry["classes"] == np.bincount(labels[ids], minlength=4).tolist()


def test_what_is_not_a_split_is_not_certified(modules: dict[tuple[str, str], ModuleType]) -> None:
    """It would be a fault of the module's own, and no records come of it."""
    module, source = modules["hash", "int64"], Keys(np.arange(6))
    whole = {"train": np.array([0, 1, 4]), "test": np.array([2, 3, 5])}
    assert module.certificate("x", source, whole) == {"disjoint": True, "complete": True}
    for wrong, said in (
        ({**whole, "test": np.array([2, 3, 4, 5])}, "'disjoint': False, 'complete': True"),
        ({**whole, "test": np.array([2, 5])}, "'disjoint': True, 'complete': False"),
        ({**whole, "test": np.array([2, 5, 0])}, "'disjoint': False, 'complete': False"),
    ):
        with pytest.raises(AssertionError, match=said):
            module.certificate("x", source, wrong)
    with pytest.raises(module.UserError) as error:
        module.certificate("x.npz", source, {"train": source.ids, "test": source.ids[:0]})
    fault = "of its 6 rows test gets none"
    remedy = "it needs more rows, or other splits.parts"
    assert str(error.value) == f"x.npz: {fault}; {remedy}"


@pytest.mark.parametrize("variant", EACH_TARGET)
def test_no_model_sees_a_key(tmp_path: Path, variant: str) -> None:
    """It trains on each row of its part once, by the values of the placeholders alone."""
    spec = changed(PREPARED["group"], EACH_VARIANT)
    project = make(tmp_path, spec, {**points(ROWS), "who": WRITERS})
    run: Run = train(project, project.load(variant))
    assert run.report["splits"] == {"train": 160, "validation": 20, "test": 20}
    assert run.report["rows_seen_once"] is True


@pytest.mark.parametrize(
    ("column", "fault"),
    [
        (np.zeros(ROWS), "holds float64, not a text"),
        (np.zeros(ROWS, "V3"), "holds void, not a text"),
        (np.zeros(ROWS, "datetime64[s]"), "holds datetime64, not a text"),
    ],
)
def test_a_key_that_is_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: np.ndarray, fault: str
) -> None:
    project = make(tmp_path, PREPARED["group"], {**points(ROWS), "who": column})
    assert call(project.load("data"), ["--records", str(project.records)]) == 2
    assert capsys.readouterr().err == f"{source_of(project)}: row 0: who: {fault}\n"


def source_of(project: Project) -> str:
    return f"{project.root}/generated/../data/rows.npz"
