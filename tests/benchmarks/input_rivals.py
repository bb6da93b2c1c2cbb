"""What the benchmark of the input compares with: other ways to read the same rows, as documented.

Each is a pass over its batches. Data are written once, in the form that each library wants.
"""

import importlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

Rows = Mapping[str, np.ndarray]
Read = Callable[[], Iterable[Any]]

# -- The official guide: https://www.tensorflow.org/guide/data -------------------------------------


def floats(image: np.ndarray) -> tf.train.Feature:
    return tf.train.Feature(float_list=tf.train.FloatList(value=image.ravel() / 255))


def as_bytes(image: np.ndarray) -> tf.train.Feature:
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()]))


def written(
    path: Path, rows: Iterable[tuple[np.ndarray, int]], pixels: Callable[..., tf.train.Feature]
) -> Path:
    """An Example for each row, by one thread."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for image, label in rows:
            feature = {
                "image": pixels(image),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())
    return path


def examples(folder: Path, rows: Iterable[tuple[np.ndarray, int]]) -> tuple[Path, Path]:
    """The same Examples in a plain file and in one by GZIP."""
    plain, gzip = folder / "plain.tfrecord", folder / "gzip.tfrecord"
    written(plain, rows, floats)
    with tf.io.TFRecordWriter(str(gzip), "GZIP") as writer:
        for record in tf.data.TFRecordDataset(str(plain)).as_numpy_iterator():
            writer.write(record)
    return plain, gzip


def guide(path: Path, compression: str, batch: int) -> tf.data.Dataset:
    features = {
        "image": tf.io.FixedLenFeature([28, 28], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }
    records = tf.data.TFRecordDataset(str(path), compression)
    rows = records.map(
        lambda record: tf.io.parse_single_example(record, features),
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    return rows.shuffle(10_000).batch(batch).prefetch(tf.data.AUTOTUNE)


def guide_images(files: list[str], batch: int, is_rounded: bool = False) -> tf.data.Dataset:
    def decoded(path: tf.Tensor) -> tf.Tensor:
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        image = tf.image.resize(image, [224, 224])
        return tf.cast(tf.round(image), tf.uint8) if is_rounded else image

    paths = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files))
    images = paths.map(decoded, num_parallel_calls=tf.data.AUTOTUNE)
    return images.batch(batch).prefetch(tf.data.AUTOTUNE)


def drawn_images(folder: Path, count: int) -> list[str]:
    """JPEG files of 500x375 with the detail of photographs: noise of several sizes."""
    random, files = np.random.RandomState(0), []
    for number in range(count):
        image = np.zeros((375, 500, 3), "float32")
        for size in (4, 16, 64, 200):
            noise = random.uniform(0, 255, (size * 3 // 4, size, 3)).astype("float32")
            image += tf.image.resize(noise, [375, 500]).numpy() * (4 / size) ** 0.5
        image = (image / image.max() * 255).astype("uint8")
        path = folder / "ab"[number % 2] / f"{number:05d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tf.io.encode_jpeg(image, quality=90).numpy())
        files.append(str(path))
    return files


# -- Other libraries -------------------------------------------------------------------------------


def installed(folder: Path, rows: Rows, batch: int, slow: int) -> dict[str, tuple[int, Read]]:
    """How many rows a pass has, and the pass, of each library that is there.

    slow: how many rows those get that read them one by one.
    """
    some, count = {name: values[:slow] for name, values in rows.items()}, len(rows["label"])
    ways: dict[str, tuple[int, Read]] = {}
    if is_there("torch"):
        ways["PyTorch, TensorDataset"] = slow, torch_rows(some, batch)
        ways["PyTorch, __getitems__"] = count, torch_vectorised(rows, batch)
    if is_there("grain"):
        ways["Grain"] = slow, grain_rows(some, batch)
    if is_there("webdataset"):
        ways["WebDataset"] = slow, web_rows(folder, some, batch)
    if is_there("streaming"):
        ways["MosaicML Streaming"] = slow, streamed_rows(folder, some, batch)
    return ways


def is_there(library: str) -> bool:
    """Whether it can be imported, which may also fail by what it imports itself."""
    try:
        module = importlib.import_module(library)
    except Exception as error:
        print(f"{library} is passed over: {error}")
        return False
    print(f"{library} {getattr(module, '__version__', '')}")
    return True


def torch_rows(rows: Rows, batch: int) -> Read:
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    rows_of = TensorDataset(*(torch.from_numpy(values) for values in rows.values()))
    return lambda: DataLoader(rows_of, batch_size=batch, shuffle=True)


def torch_vectorised(rows: Rows, batch: int) -> Read:
    import torch
    from torch.utils.data import DataLoader, Dataset

    columns = [torch.from_numpy(values) for values in rows.values()]

    class Whole(Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return len(columns[0])

        def __getitems__(self, places: list[int]) -> list[Any]:
            at = torch.tensor(places)
            return [column[at] for column in columns]

    return lambda: DataLoader(
        Whole(), batch_size=batch, shuffle=True, collate_fn=lambda batch: batch
    )


def grain_rows(rows: Rows, batch: int) -> Read:
    import grain

    def read() -> Iterable[Any]:
        places = grain.MapDataset.range(len(rows["label"])).shuffle(seed=0)
        found = places.map(lambda at: {name: values[at] for name, values in rows.items()})
        return found.to_iter_dataset().batch(batch)

    return read


def web_rows(folder: Path, rows: Rows, batch: int) -> Read:
    import webdataset

    path = folder / "rows.tar"
    with webdataset.TarWriter(str(path)) as writer:
        for number, (image, label) in enumerate(zip(*rows.values(), strict=True)):
            name = f"{number:08d}"
            writer.write({"__key__": name, "image.npy": image, "label.cls": int(label)})
    return lambda: (
        webdataset.WebDataset(str(path), shardshuffle=False)
        .shuffle(10_000)
        .decode()
        .to_tuple("image.npy", "label.cls")
        .batched(batch)
    )


def streamed_rows(folder: Path, rows: Rows, batch: int) -> Read:
    import streaming
    from torch.utils.data import DataLoader

    place = folder / "streaming"
    shutil.rmtree(place, ignore_errors=True)
    columns = {"image": "ndarray:uint8:28,28", "label": "int"}
    with streaming.MDSWriter(out=str(place), columns=columns) as writer:
        for image, label in zip(*rows.values(), strict=True):
            writer.write({"image": image, "label": int(label)})

    def read() -> Iterator[Any]:
        streaming.base.util.clean_stale_shared_memory()
        rows_of = streaming.StreamingDataset(local=str(place), shuffle=True, batch_size=batch)
        yield from DataLoader(rows_of, batch_size=batch)

    return read
