"""Image files as a source: their pixels, stored or encoded, and all that can be wrong with them."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import REPOSITORY, Project, Spec, changed, make, make_example
from pictures import FOLDERS, FORMATS, TABLE, bmp, drawn, draws, expected, gif, jpeg, png
from running import arguments, call, snapshot, train
from sessions import EACH_TARGET
from test_records_source import read
from tfrecords import SPEC, Prepared, prepared

Make = Callable[..., Prepared]
SEED = 5  # of TINY
WAIT = 60  # seconds, after which something hangs
ENCODED: Spec = {"placeholders": {"x": {"dtype": "string"}}}
each_dtype = pytest.mark.parametrize("dtype", ["uint8", "string"])


def picture(dtype: str, shape: list[int], **image: Any) -> Spec:
    description: Spec = {"dtype": dtype, "shape": shape}
    if image:
        description["image"] = image
    return {"placeholders": {"x": description}}


@pytest.fixture
def make_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Make:
    return lambda *changes: Prepared(tmp_path, capsys, FOLDERS, *changes)


def put(data: Prepared, contents: dict[str, bytes]) -> list[str]:
    """Write files below data/; their names in the order of the rows."""
    for name, content in contents.items():
        path = data.folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return sorted(contents)


def of_all_formats(*sizes: tuple[int, int]) -> dict[str, bytes]:
    """Files of two classes, some of them grey."""
    found = {}
    for number, size in enumerate(sizes):
        for ending, encode in FORMATS.items():
            folder = "ab"[number % 2]
            found[f"{folder}/{number}.{ending}"] = encode(drawn(*size, seed=number))
            if ending in ("jpg", "png"):
                grey = drawn(*size, channels=1, seed=number)
                found[f"{folder}/{number} grey.{ending}"] = encode(grey)
    return found


def read_by(data: Prepared, variant: str) -> dict[int, np.ndarray]:
    """The images of all parts by their row ids, as the pipeline of a script gives them."""
    module = data.project.load(variant)
    records, found = prepared(data.project, module.data), {}
    for part in records.parts:
        for batch in read(module, module.stored_batches(records, part)):
            found.update(zip(batch.row_id.tolist(), batch.x, strict=True))
    return {row: pixels for row, pixels in found.items() if row >= 0}


def assert_pixels(
    data: Prepared, contents: dict[str, bytes], shape: list[int], **image: Any
) -> None:
    """By NumPy and by the pipelines of both targets."""
    names = put(data, contents)
    wanted = np.stack([expected(contents[name], shape, **image) for name in names])
    stored = data.stored()
    assert stored["x"].dtype == wanted.dtype
    assert np.array_equal(stored["x"], wanted)
    assert stored["label"].tolist() == ["ab".index(name[0]) for name in names]
    for variant in EACH_TARGET:
        found = read_by(data, variant)
        assert np.array_equal(np.stack([found[row] for row in range(len(names))]), wanted)


# -- Pixels ---------------------------------------------------------------------------------------


def test_the_files_of_the_tests_are_what_was_drawn() -> None:
    pixels = drawn(9, 7)
    for encode in (png, gif, bmp):
        assert np.array_equal(expected(encode(pixels), [9, 7, 3]), pixels)


@each_dtype
def test_colour_of_all_formats(make_data: Make, dtype: str) -> None:
    """What is grey has three equal channels."""
    data = make_data(picture(dtype, [9, 7, 3]))
    assert_pixels(data, of_all_formats((9, 7), (9, 7)), [9, 7, 3])


@each_dtype
def test_grey(make_data: Make, dtype: str) -> None:
    """Colours become their brightness."""
    contents = of_all_formats((9, 7), (9, 7))
    contents = {name: each for name, each in contents.items() if name.endswith(("jpg", "png"))}
    assert_pixels(make_data(picture(dtype, [9, 7, 1])), contents, [9, 7, 1])


SIZES = ((9, 7), (40, 30), (21, 64), (12, 12))  # smaller and larger than what they become


@each_dtype
@pytest.mark.parametrize(
    "image",
    [
        {"resize": [9, 8]},
        {"resize": [9, 8], "exact": True},
        {"resize": [9, 8], "scaled_decode": True},
        {"resize": [9, 8], "crop": "center"},
        {"resize": [9, 8], "crop": "center", "scaled_decode": True, "exact": True},
    ],
    ids=str,
)
def test_sizes(make_data: Make, dtype: str, image: Spec) -> None:
    data = make_data(picture(dtype, [9, 8, 3], **image))
    contents = of_all_formats(*SIZES)
    assert_pixels(data, contents, [9, 8, 3], **image)


@each_dtype
def test_a_window_in_the_middle(make_data: Make, dtype: str) -> None:
    data = make_data(picture(dtype, [9, 7, 3], crop="center"))
    assert_pixels(data, of_all_formats(*SIZES), [9, 7, 3], crop="center")


@pytest.mark.parametrize("image", [{}, {"resize": [9, 7]}, {"resize": [9, 7], "exact": True}])
@pytest.mark.parametrize("dtype", ["string", "uint8"])
def test_another_window_in_each_epoch(make_data: Make, dtype: str, image: Spec) -> None:
    """It depends on the seed, the epoch and the row alone; what is measured has it in the middle.

    The images stay encoded, whatever the dtype is.
    """
    shape, image = [9, 7, 3], {**image, "crop": "random"}
    parts = {"splits": {"parts": {"train": 0.5, "test": 0.5}}}
    data = make_data(picture(dtype, shape, **image), parts)
    contents = of_all_formats(*SIZES)
    names, tested = put(data, contents), len(contents) // 2
    data.records()
    for variant in EACH_TARGET:
        module = data.project.load(variant)
        records = prepared(data.project, module.data)
        steps, windows = module.steps_an_epoch(records), []
        batches = list(read(module, module.training_batches(records, SEED, 0, 2 * steps)))
        for step, batch in enumerate(batches):
            for row, pixels in zip(batch.row_id.tolist(), batch.x, strict=True):
                if row >= 0:
                    draw = draws(SEED, step // steps, row)
                    windows.append(draw)
                    assert np.array_equal(
                        pixels, expected(contents[names[row]], shape, draw, **image)
                    )
        assert len(set(windows)) == 2 * tested
        for batch in read(module, module.stored_batches(records, "test")):
            for row, pixels in zip(batch.row_id.tolist(), batch.x, strict=True):
                if row >= 0:
                    assert np.array_equal(pixels, expected(contents[names[row]], shape, **image))


def test_decoding_needs_no_thread_that_waits_for_it(make_data: Make) -> None:
    """As many functions of a graph as sessions have threads may ask for images at once."""
    data, threads = make_data(picture("string", [9, 7, 3])), os.cpu_count() or 1
    module, all_ask, found = data.module, threading.Barrier(threads), []
    decoder, content = module.image_decoder(), png(drawn(9, 7))

    def ask() -> np.ndarray:
        all_ask.wait(WAIT)
        return decoder.kept(module.COLUMNS.x, content, str, 0)

    def run() -> None:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            asked = [tf.compat.v1.py_func(ask, [], tf.uint8) for _ in range(threads)]
            found.extend(session.run(asked))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(WAIT)
    assert len(found) == threads


def test_the_example_learns_alike_on_both_targets(tmp_path: Path) -> None:
    make_example(tmp_path / "generated", REPOSITORY / "specs" / "photos.yaml")
    project, runs = Project(tmp_path, "photos"), []
    for variant in ("tf2", "tf14"):
        runs.append(train(project, project.load(variant), "--epochs", "8", label=variant))
    one, other = (run.report for run in runs)
    assert one["order_digest"] == other["order_digest"]
    assert one["content_digest"] == other["content_digest"]
    assert np.allclose(runs[0].losses, runs[1].losses, atol=1e-3)
    assert min(report["test"]["accuracy"] for report in (one, other)) > 0.9


# -- Rows in memory -------------------------------------------------------------------------------


def test_encoded_images_in_memory_are_those_from_the_disk(tmp_path: Path) -> None:
    """In the same order, on both targets; a full shuffle has one of its own."""
    image = picture("string", [9, 7, 3], resize=[9, 7])
    digests: dict[str, set[tuple[str, str]]] = {}
    for kind, change in {
        "window": {},
        "held": {"pipeline": {"cache": "memory"}},
        "full": {"train": {"shuffle": {"kind": "full"}}},
    }.items():
        project = make(tmp_path / kind, changed(SPEC, FOLDERS, image, change))
        for name, content in of_all_formats(*SIZES).items():
            path = project.root / "data" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for variant in EACH_TARGET:
            report = train(project, project.load(variant), label=variant).report
            assert report["rows_seen_once"] is True
            found = report["order_digest"], report["content_digest"]
            digests.setdefault(kind, set()).add(found)
    assert [len(found) for found in digests.values()] == [1, 1, 1]
    assert digests["held"] == digests["window"]
    assert digests["full"] != digests["window"]


@pytest.mark.parametrize("variant", EACH_TARGET)
def test_what_decoded_images_take_is_told_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    """Not what they take as they are encoded: 24 images of 120,000 bytes."""
    image = picture("string", [200, 200, 3], resize=[200, 200])
    limit = {"pipeline": {"cache": "memory", "ram_budget_mb": 2}}
    project = make(tmp_path, changed(SPEC, FOLDERS, image, limit))
    for name, content in of_all_formats(*SIZES).items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    (records,) = (path for path in project.records.iterdir() if path.is_dir())
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    fault = "the rows take 3 MB of memory, at most 2 may be used (pipeline.ram_budget_mb)"
    assert capsys.readouterr().err == f"{records}: {fault}\n"


# -- Which files ----------------------------------------------------------------------------------


def test_images_lie_in_and_below_folders(make_data: Make) -> None:
    """In the order of their paths; what is hidden or no image is none."""
    data, content = make_data(ENCODED), png(drawn(9, 7))
    files = ("b/1.PNG", "b/10.png", "b/c/0.JpEg", "a/z.png")
    others = (".hidden/0.png", "a/.0.png", "b/.c/0.png", "a/notes.txt", "0.png")
    put(data, dict.fromkeys([*files, *others], content))
    records = data.records()
    assert records.rows("train") == len(files)
    assert records.manifest["classes"] == ["a", "b"]
    found = [records.where(row).partition("/data/")[2] for row in range(4)]
    assert found == ["a/z.png", "b/1.PNG", "b/10.png", "b/c/0.JpEg"]
    assert data.stored()["label"].tolist() == [0, 1, 1, 1]


def test_classes_in_the_order_of_the_spec(make_data: Make) -> None:
    data, content = make_data({"source": {"classes": ["b", "a"]}}), png(drawn(9, 7))
    put(data, {"a/0.png": content, "b/0.png": content})
    assert data.stored()["label"].tolist() == [1, 0]


@pytest.mark.parametrize(
    "source",
    [
        {"path": None, "files": ["../data/b/0.png", "../data/a/1.png", "../data/a/0.png"]},
        {"path": None, "pattern": "../data/*/*"},
    ],
    ids=["files", "pattern"],
)
def test_single_files(make_data: Make, source: Spec) -> None:
    """Listed ones in their order, the folder of each names its class."""
    data = make_data({"source": source})
    pixels = {name: drawn(9, 7, seed=n) for n, name in enumerate(["a/0.png", "a/1.png", "b/0.png"])}
    put(data, {name: png(each) for name, each in pixels.items()})
    put(data, {"a/notes.txt": b"no image"})
    stored = data.stored()
    names = ["b/0.png", "a/1.png", "a/0.png"] if "files" in source else list(pixels)
    assert stored["label"].tolist() == ["ab".index(name[0]) for name in names]
    assert np.array_equal(stored["x"], np.stack([pixels[name] for name in names]))


def test_a_folder_for_each_part(make_data: Make) -> None:
    parts = {"train": "../data/one", "test": "../data/two"}
    data = make_data({"source": {"path": None}, "splits": {"method": "given", "parts": parts}})
    names = ["one/a/0.png", "one/a/1.png", "one/b/0.png", "two/a/0.png", "two/b/0.png"]
    put(data, dict.fromkeys(names, png(drawn(9, 7))))
    records = data.records()
    assert (records.rows("train"), records.rows("test")) == (3, 2)


def test_tables_have_more_of_each_image(make_data: Make) -> None:
    """Paths are relative to the table; cells may be quoted; names are numbered, sorted."""
    more = {"height": {"dtype": "float32"}, "fold": {"dtype": "string", "role": "key"}}
    parts = {"method": "given", "by": "fold", "parts": {"train": "1", "test": "2"}}
    models = {"layers": None, "import": {"tf2": "m:f", "tf1.4": "m:f"}}
    data = make_data(TABLE, {"placeholders": more, "splits": parts, "model": models})
    pixels = {"one, two.png": drawn(9, 7), "b/1.bmp": drawn(9, 7, seed=1)}
    put(data, {name: FORMATS[name[-3:]](each) for name, each in pixels.items()})
    lines = 'fold,label,x,height\n2,cat,"one, two.png",1.5\n\n1,ant,b/1.bmp,-2\n'
    put(data, {"table.csv": b"\xef\xbb\xbf" + lines.encode()})
    records, stored = data.records(), data.stored()
    assert records.manifest["classes"] == ["ant", "cat"]
    assert (records.rows("train"), records.rows("test")) == (1, 1)
    assert stored["label"].tolist() == [1, 0]
    assert stored["height"].tolist() == [1.5, -2]
    assert np.array_equal(stored["x"], np.stack(list(pixels.values())))


# -- What is wrong --------------------------------------------------------------------------------


def shown(data: Prepared, name: str) -> str:
    """The path of a file as messages have it, where `path` names the folder or the table."""
    return data.shown(name).replace("/data/", "/generated/../data/")


def refused(data: Prepared) -> str:
    """The one line that `prepare` ends with, which leaves nothing behind."""
    before = snapshot(data.folder)
    status, errors = data.prepare()
    assert status == 2
    assert snapshot(data.folder) == before
    assert errors.endswith("\n")
    assert errors.count("\n") == 1
    return errors[:-1]


def say_of(decode: Callable[[bytes], Any], content: bytes) -> str:
    """What TensorFlow finds wrong with it, without the operation that found it."""
    with pytest.raises(tf.errors.OpError) as error:
        decode(content)
    return re.sub(r"^\{\{.*\}\} | \[Op:.*", "", error.value.message)


SOUND = drawn(9, 7)
SIZE = "pixels, expected 9 x 7; image.resize takes any size"
NO_IMAGE, CUT = "no JPEG, PNG, GIF or BMP image", "a BMP image that is cut"
DAMAGES: dict[str, tuple[str, bytes, str | Callable[[bytes], Any]]] = {
    "empty": ("c.jpg", b"", "an empty image"),
    "text": ("c.png", b"no image at all", NO_IMAGE),
    "TIFF": ("c.jpg", b"II*\0" + bytes(100), NO_IMAGE),
    "cut JPEG": ("c.jpg", jpeg(SOUND)[:-60], tf.io.decode_jpeg),
    "head of a JPEG": ("c.jpg", jpeg(SOUND)[:100], tf.io.decode_jpeg),
    "cut PNG": ("c.png", png(SOUND)[:-30], tf.io.decode_png),
    "cut GIF": ("c.gif", gif(SOUND)[:-30], tf.io.decode_jpeg),
    "cut BMP": ("c.bmp", bmp(SOUND)[:-30], CUT),
    "head of a BMP": ("c.bmp", bmp(SOUND)[:20], tf.io.decode_bmp),
    "taller": ("c.png", png(drawn(10, 7)), f"10 x 7 {SIZE}"),
    "wider": ("c.jpg", jpeg(drawn(9, 8)), f"9 x 8 {SIZE}"),
}


@each_dtype
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_image_is_named(make_data: Make, dtype: str, damage: str) -> None:
    data, (name, content, fault) = make_data(picture(dtype, [9, 7, 3])), DAMAGES[damage]
    put(data, {"a/0.png": png(SOUND), "b/0.png": png(SOUND), f"a/{name}": content})
    fault = fault if isinstance(fault, str) else say_of(fault, content)
    assert refused(data) == f"{shown(data, 'a/' + name)}: x: {fault}"


@pytest.mark.parametrize("encode", [gif, bmp])
def test_what_cannot_be_grey(make_data: Make, encode: Callable[[np.ndarray], bytes]) -> None:
    data = make_data(picture("uint8", [9, 7, 1]))
    put(data, {"a/0.png": encode(SOUND), "b/0.png": png(SOUND)})
    assert refused(data) == f"{shown(data, 'a/0.png')}: x: no JPEG or PNG image"


def test_a_window_does_not_fit_into_a_small_image(make_data: Make) -> None:
    data = make_data(picture("uint8", [9, 7, 3], crop="center"))
    put(data, {"a/0.jpg": jpeg(drawn(20, 6)), "b/0.png": png(SOUND)})
    assert refused(data) == f"{shown(data, 'a/0.jpg')}: x: 9 x 6 {SIZE}"


FOLDERS_OF: dict[str, tuple[list[str], Spec, str]] = {
    "nothing": ([], {}, ": no folder in it, and each class has one"),
    "no folders": (["0.png"], {}, ": no folder in it, and each class has one"),
    "an empty class": (
        ["a/0.png", "b/0.txt"],
        {},
        "/b: no image in it; each class has some, or no folder",
    ),
    "a class more": (["a/0.png", "b/0.png", "c/0.png"], {}, ": 3 classes, but label has 2"),
    "a class less": (["a/0.png"], {}, ": 1 classes, but label has 2"),
    "an unknown class": (
        ["a/0.png", "b/0.png"],
        {"classes": ["a", "c"]},
        "/b/0.png: 'b' is none of the classes a, c",
    ),
}


@pytest.mark.parametrize("wrong", FOLDERS_OF)
def test_folders_that_are_no_classes(make_data: Make, wrong: str) -> None:
    names, source, fault = FOLDERS_OF[wrong]
    data = make_data({"source": source})
    put(data, dict.fromkeys(names, png(SOUND)))
    assert refused(data) == f"{shown(data, '')[:-1]}{fault}"


def test_there_is_no_folder(make_data: Make) -> None:
    data = make_data({"source": {"path": "../elsewhere"}})
    place = f"{data.folder}/generated/../elsewhere"
    assert refused(data) == f"{place}: no such file; --source names another"


def test_nothing_that_matches_is_an_image(make_data: Make) -> None:
    data = make_data({"source": {"path": None, "pattern": "../data/*/*"}})
    put(data, {"a/0.txt": b"", "b/0.txt": b""})
    assert refused(data) == f"{data.folder}/data/a/0.txt: no image, as all that matches"


CELLS = "x,label\na/0.png,ant\n"
HINT = "a placeholder is named as its column"
TABLES: dict[str, tuple[bytes, str]] = {
    "no column": (b"y,label\n", f"line 1: 0 columns 'x' among ['y', 'label']; {HINT}"),
    "a column twice": (
        b"x,label,x\n",
        f"line 1: 2 columns 'x' among ['x', 'label', 'x']; {HINT}",
    ),
    "no file": (CELLS.encode() + b"a/1.png,bee\n", "line 3: a/1.png: no such file"),
    "a cell less": (
        CELLS.encode() + b"a/0.png\n",
        "line 3: not as many cells as there are columns",
    ),
    "a cell more": (CELLS.encode() + b"a,b,c\n", "line 3: not as many cells as there are columns"),
    "an empty cell": (CELLS.encode() + b"a/0.png,\n", "line 3: label: missing"),
    "too many classes": (
        CELLS.encode() + b"a/0.png,bee\na/0.png,cat\n",
        "3 classes, but label has 2",
    ),
    "a label out of range": (
        b"x,label\na/0.png,0\na/0.png,2\n",
        "line 3: a/0.png: label: 2 is not in 0 to 1",
    ),
    "damaged": (
        CELLS.encode() + b"a/0.png,bee\na/\xff.png,bee\n",
        "not UTF-8: invalid start byte at byte 34",
    ),
    "an open quote": (
        CELLS.encode() + b'a/0.png,"bee\n',
        "line 3: no record of a table: unexpected end of data",
    ),
}


@pytest.mark.parametrize("wrong", TABLES)
def test_tables_that_cannot_be_used(make_data: Make, wrong: str) -> None:
    data, (table, fault) = make_data(TABLE), TABLES[wrong]
    put(data, {"a/0.png": png(SOUND), "table.csv": table})
    assert refused(data) == f"{shown(data, 'table.csv')}: {fault}"


def test_a_table_without_rows(make_data: Make) -> None:
    data = make_data(TABLE)
    put(data, {"table.csv": b"x,label\n"})
    assert refused(data) == f"{shown(data, 'table.csv')}: has no rows"


def test_a_damaged_image_of_a_table_is_named_with_its_line(make_data: Make) -> None:
    data = make_data(TABLE)
    put(
        data,
        {"a/0.png": png(SOUND), "a/1.png": b"", "table.csv": CELLS.encode() + b"a/1.png,bee\n"},
    )
    assert refused(data) == f"{shown(data, 'table.csv')}: line 3: a/1.png: x: an empty image"


# -- Damaged images that are skipped --------------------------------------------------------------

SKIP: Spec = {"source": {"on_error": "skip", "max_errors": 2}}


@each_dtype
def test_damaged_images_are_skipped(make_data: Make, dtype: str) -> None:
    """Their ids stay free."""
    data = make_data(picture(dtype, [9, 7, 3]), SKIP)
    pixels = [drawn(9, 7, seed=seed) for seed in range(6)]
    names = [f"{'ab'[row // 3]}/{row}.png" for row in range(6)]
    put(data, {name: png(each) for name, each in zip(names, pixels, strict=True)})
    put(data, {names[1]: b"", names[3]: png(drawn(9, 8))})
    status, errors = data.prepare()
    first, second = (f"{shown(data, names[row])}: x: " for row in (1, 3))
    said = f"{first}an empty image; the image is skipped\n"
    assert (status, errors) == (0, f"{said}{second}9 x 8 {SIZE}; the image is skipped\n")
    stored, kept = data.stored(), [0, 2, 4, 5]
    assert stored["row_id"].tolist() == kept
    assert np.array_equal(stored["x"], np.stack([pixels[row] for row in kept]))
    assert stored["label"].tolist() == [0, 0, 1, 1]
    for variant in EACH_TARGET:
        assert sorted(read_by(data, variant)) == kept


def test_more_damaged_images_than_may_be_skipped(make_data: Make) -> None:
    data = make_data(SKIP, {"source": {"max_errors": 1}})
    put(data, {f"{name}/0.png": b"" for name in "ab"})
    first, second = (f"{shown(data, name + '/0.png')}: x: an empty image; " for name in "ab")
    status, errors = data.prepare()
    said = f"{first}the image is skipped\n{second}source.max_errors is 1\n"
    assert (status, errors) == (2, said)


def test_all_images_are_damaged(make_data: Make) -> None:
    data = make_data(SKIP)
    put(data, {f"{name}/0.png": b"" for name in "ab"})
    status, errors = data.prepare()
    assert (status, errors.splitlines()[-1]) == (2, f"{shown(data, '')[:-1]}: has no rows")


def test_parts_count_what_is_left_of_them(make_data: Make) -> None:
    parts = {"train": "../data/one", "test": "../data/two"}
    given = {"source": {"path": None}, "splits": {"method": "given", "parts": parts}}
    data = make_data(given, SKIP)
    names = ["one/a/0.png", "one/a/1.png", "one/b/0.png", "two/a/0.png", "two/b/0.png"]
    put(data, dict.fromkeys(names, png(SOUND)))
    put(data, dict.fromkeys(["one/a/0.png", "two/b/0.png"], b""))
    records = data.records()
    assert (records.rows("train"), records.rows("test")) == (2, 1)
    assert data.stored()["row_id"].tolist() == [1, 2, 3]
