"""Rules for encoded images: what they become, and what a source of nothing else can give."""

from collections.abc import Iterator

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, called, the_label
from specgen.layers import show
from specgen.spec.how import Pipeline
from specgen.spec.placeholders import Placeholder
from specgen.spec.source import Images, Npz, Source, Synthetic, is_table
from specgen.spec.splits import Splits
from specgen.spec.train import ShuffleFull, Train
from specgen.wording import shown

_CHANNELS = (1, 3)  # grey, and red, green and blue


def check_image_values(source: Source, placeholders: Placeholders) -> Iterator[Finding]:
    """The source has images, and they become arrays of whole numbers with channels."""
    for name, placeholder in _images(placeholders).items():
        path, shape, dtype = ("placeholders", name), placeholder.shape, placeholder.dtype
        if isinstance(source, Npz | Synthetic):
            message, hint = f"{source.kind} has no encoded images", "images and tfrecord have"
            yield Finding((*path, "encoding"), "SG303", message, hint)
        if dtype not in ("uint8", "string"):
            message = f"an image is decoded to uint8, not to {dtype}"
            hint = "uint8 stores its pixels, string what it was encoded to"
            yield Finding((*path, "dtype"), "SG305", message, hint)
        # Where a size is not said, that is wrong in itself.
        if None not in shape and (len(shape) != 3 or shape[-1] not in _CHANNELS):
            message = f"an image is [height, width, 1 or 3 channels], not {_shape(placeholder)}"
            yield Finding((*path, "shape"), "SG305", message)


def check_image_sizes(placeholders: Placeholders) -> Iterator[Finding]:
    """Images are resized to their shape; only where they are, they may be decoded smaller."""
    for name, placeholder in _images(placeholders).items():
        path, image = ("placeholders", name, "image"), placeholder.image
        if image is None:
            continue
        if image.resize is not None and image.resize != placeholder.shape[:2]:
            message = f"resize gives {show(image.resize)}, but the shape is {_shape(placeholder)}"
            yield Finding((*path, "resize"), "SG305", message)
        if image.scaled_decode and image.resize is None:
            message = "how small an image may be decoded depends on what it is resized to"
            yield Finding((*path, "scaled_decode"), "SG303", message, "add resize")


def check_random_crop(
    placeholders: Placeholders, train: Train, pipeline: Pipeline
) -> Iterator[Finding]:
    """What is cut out anew in each epoch is not decoded once for all of them."""
    drawn = [n for n, p in _images(placeholders).items() if p.image and p.image.crop == "random"]
    kept = {
        ("train", "shuffle", "kind"): isinstance(train.shuffle, ShuffleFull),
        ("pipeline", "cache"): pipeline.cache == "memory",
    }
    for path in (path for path, is_kept in kept.items() if is_kept and drawn):
        message = f"it decodes images once, but {called(drawn[0])} is cut out anew in each epoch"
        yield Finding(path, "SG303", message, "crop: center works with it")


def check_image_source(
    source: Source, placeholders: Placeholders, splits: Splits
) -> Iterator[Finding]:
    """Folders give an image and the number of its class; a table also has other numbers."""
    if not isinstance(source, Images):
        return
    images, label = list(_images(placeholders)), the_label(placeholders)
    if not images:
        message = "source.kind images needs a placeholder for the image"
        yield Finding(("placeholders",), "SG303", message, "say encoding: image", of_key=True)
    for name in images[1:]:
        message, path = f"{called(images[0])} is the image already", ("placeholders", name)
        yield Finding((*path, "encoding"), "SG303", message)
    for name, placeholder in placeholders.items():
        if name in images:
            continue
        if not _is_table(source, splits) and (label is None or name != label[0]):
            message = "folders of images have nothing but images and their classes"
            hint = "a .csv of the images' paths may have more columns"
            yield Finding(("placeholders", name), "SG303", message, hint, of_key=True)
        elif placeholder.shape and placeholder.role != "key":
            message = f"there is one number for each image, not {_shape(placeholder)}"
            yield Finding(("placeholders", name, "shape"), "SG305", message, "leave the shape out")


def check_class_names(source: Source, placeholders: Placeholders) -> Iterator[Finding]:
    """There is a name for each class, once."""
    label = the_label(placeholders)
    if not isinstance(source, Images) or source.classes is None:
        return
    for index, name in enumerate(source.classes):
        if name in source.classes[:index]:
            path, message = ("source", "classes", index), f"{shown(name)} is in it already"
            yield Finding(path, "SG303", message, "remove it", of_key=True)
    if label and label[1].classes and label[1].classes != len(source.classes):
        names = f"{len(source.classes)} names"
        message = f"{called(label[0])} has {label[1].classes} classes, but there are {names}"
        yield Finding(("source", "classes"), "SG306", message)


def check_image_parts(source: Source, splits: Splits) -> Iterator[Finding]:
    """Parts by their own paths are all tables, or all folders; only a table has columns."""
    if not isinstance(source, Images) or splits.method != "given":
        return
    if splits.by is not None:
        if not _is_table(source, splits):
            message = "folders of images have no columns that could say where a row belongs"
            yield Finding(("splits", "by"), "SG303", message, "a .csv of the images' paths has")
    elif len({is_table(str(path)) for _, path in splits.parts if path is not None}) > 1:
        message = "some parts are tables, others are folders of images"
        yield Finding(("splits", "parts"), "SG303", message, of_key=True)


def _images(placeholders: Placeholders) -> Placeholders:
    return {name: p for name, p in placeholders.items() if p.encoding == "image"}


def _is_table(source: Images, splits: Splits) -> bool:
    """Whether a table may say more of each image."""
    path = splits.parts.train if splits.method == "given" and splits.by is None else source.path
    return is_table(str(path)) and not (source.files or source.pattern)


def _shape(placeholder: Placeholder) -> str:
    """The shape as a spec writes it."""
    sizes = ("null" if size is None else str(size) for size in placeholder.shape)
    return f"[{', '.join(sizes)}]"
