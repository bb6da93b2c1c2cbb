"""Images in a folder for each class, and images as a column of any source."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median_high

from specgen.survey.found import Column, DataError, Source, from_specs, span, words
from specgen.survey.pictures import Size, size_of
from specgen.wording import listed

_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".bmp")
_PARTS = {"train", "training", "validation", "valid", "val", "test", "testing"}
_HEAD = 1 << 16  # bytes, in which most files tell their size
_LARGEST = 128  # of a height or a width that layers as simple as those of a first spec can take


def is_image(path: Path) -> bool:
    """Whether the name is that of an image."""
    return path.suffix.lower() in _SUFFIXES


def images_in(folder: Path) -> list[Path]:
    """The images in a folder and below, but for hidden ones."""
    inside = (path for path in folder.rglob("*") if is_image(path))
    parts = ((path, path.relative_to(folder).parts) for path in inside)
    return [path for path, names in parts if not any(name.startswith(".") for name in names)]


def survey_images(path: Path, classes: Mapping[Path, Sequence[Path]]) -> Source:
    """The images of all classes, in the order of their numbers, by their folders."""
    if set(words(" ".join(folder.name for folder in classes))) <= _PARTS:
        parts = listed(folder.name for folder in classes)
        raise DataError(path, f"{parts} are no classes, take the folder of one of these parts")
    sizes, counts = Counter[Size](), dict[int | str, int]()
    for number, (folder, files) in enumerate(classes.items()):
        if not files:
            raise DataError(folder, "no image is in this folder, and each class has some")
        sizes.update(map(image_size, files))
        counts[number] = len(files)
    label = Column("label", "int64", high=len(classes) - 1, is_whole=True, counts=counts)
    return Source(
        path,
        {"kind": "images", "path": from_specs(path)},
        sum(counts.values()),
        [image_column("image", sizes), label],
        roles={"image": "input", "label": "label"},
    )


def image_size(path: Path) -> Size:
    """Height, width and channels. DataError where the file is no image."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        size = size_of(head) or size_of(head + file.read())
    if size is None:
        raise DataError(path, "this is no JPEG, PNG, GIF or BMP image")
    return size


def image_column(name: str, sizes: Mapping[Size, int]) -> Column:
    """Encoded images; where they are large or differ in size, what they are resized to is a guess.

    `sizes` has the images of each size.
    """
    shapes = list(Counter(sizes).elements())
    height, width = (min(_LARGEST, median_high(shape[axis] for shape in shapes)) for axis in (0, 1))
    shape = (height, width, max(channels for *_, channels in shapes))
    heights, widths, _ = map(span, zip(*sizes, strict=True))
    note = f"a guess: the size, for images with a height of {heights} and a width of {widths}"
    return Column(
        name,
        "uint8",
        shape,
        encoding="image",
        high=255,
        is_whole=True,
        note="" if {size[:2] for size in sizes} == {shape[:2]} else note,
    )
