"""The one table: what each target supports, since when or why not, and what gives a key a meaning.

Data alone; `support` answers questions about it. A new method is a new or a changed row here. Keys
are spelt as in the language, with `*` for a name of the user's or a place in a list.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Since:
    """Supported, on TensorFlow from this version on."""

    version: str


@dataclass(frozen=True)
class NotYet:
    """Possible, but not made yet; `instead` is for keys of which no other choice works."""

    instead: str = "leave it out"


@dataclass(frozen=True)
class Never:
    """Impossible on this target: the reason, and what comes nearest."""

    reason: str
    instead: str


Support = Since | NotYet | Never


@dataclass(frozen=True)
class Row:
    """Choices of one key that have the same verdicts, and the keys that they give a meaning."""

    key: str
    choices: tuple[str, ...]
    tf2: Support
    tf14: Support
    gives_meaning_to: tuple[str, ...] = ()

    def on(self, target: str) -> Support:
        """The verdict on a target."""
        return {"tf2": self.tf2, "tf1.4": self.tf14}[target]


# In the place of choices: whatever is given, and whatever the rows above do not name.
ANY = "any value"
OTHER = "any other value"

TF2 = Since("2.16")
TF14 = Since("1.4")
LATER = NotYet()

_SCALING = tuple(f"placeholders.*.{key}" for key in ("scale", "offset", "mean", "std"))
_TEXTS = ("placeholders.*.hash_buckets", "placeholders.*.vocabulary")
_BLOCKS = ("records.rows_per_record", "records.read_cycle")
_STORED = (*_BLOCKS, "records.shards", "records.order", "records.compression")
_REPLICAS = ("distribute.divide", "distribute.cross_device")

_GROWTH = NotYet("growth works now")
_NO_POLICIES = Never("Keras has mixed precision since TensorFlow 2.4", "float32 works there")
_NO_SERVICE = Never("the tf.data service came with TensorFlow 2.3", "leave it out")
_NO_STAGING = Never(
    "StagingArea left the public API with TensorFlow 2.0", "two_variable also waits on the device"
)
_NO_TO_DEVICE = Never(
    "it came with TensorFlow 1.8", "two_variable and staging_area also wait on the device"
)
_NO_FEEDS = Never("TensorFlow 2 has no placeholders to feed", "iterator is the only way there")
_NO_FRACTION = Never("TensorFlow 2 limits memory in MB, not by a share", "limit_mb is its limit")
_NO_ALLOCATOR = Never("it needs CUDA 11.2, TensorFlow 1.4 has CUDA 8", "default works there")
_NO_WORKERS = Never("it came with TensorFlow 1.14", "mirrored uses all devices of one machine")

TABLE: tuple[Row, ...] = (
    Row("source.kind", ("npz", "synthetic"), TF2, TF14),
    Row("source.kind", ("csv",), TF2, TF14, ("placeholders.*.columns", "placeholders.*.default")),
    Row("source.kind", ("tfrecord", "python"), TF2, TF14, ("placeholders.*.default",)),
    Row("source.kind", ("images",), TF2, TF14),
    Row("source.path", (ANY,), TF2, TF14),
    Row("source.files", (ANY,), TF2, TF14),
    Row("source.pattern", (ANY,), TF2, TF14),
    Row("source.arrays", (ANY,), TF2, TF14),
    Row("source.compression", ("auto", "none", "gzip", "zlib"), TF2, TF14),
    Row("source.on_error", ("stop",), TF2, TF14),
    Row("source.on_error", ("skip",), TF2, TF14, ("source.max_errors",)),
    Row(
        "placeholders.*.dtype",
        (
            *("bool", "uint8", "int8", "uint16", "int16", "int32", "int64"),
            *("float16", "float32", "float64"),
        ),
        TF2,
        TF14,
    ),
    Row("placeholders.*.dtype", ("string",), TF2, TF14),
    Row("placeholders.*.shape", ("a fixed shape",), TF2, TF14),
    Row("placeholders.*.shape", ("a size of null",), TF2, TF14, ("placeholders.*.pad",)),
    Row("placeholders.*.pad.buckets", (ANY,), TF2, TF14),
    Row("placeholders.*.role", ("input",), TF2, TF14, _SCALING),
    Row("placeholders.*.role", ("label",), TF2, TF14, ("placeholders.*.classes",)),
    Row("placeholders.*.role", ("key",), TF2, TF14),
    Row("placeholders.*.role", ("weight",), LATER, LATER),
    Row("placeholders.*.encoding", ("raw", "tensor"), TF2, TF14),
    Row("placeholders.*.encoding", ("image",), TF2, TF14, ("placeholders.*.image",)),
    Row("placeholders.*.encoding", ("text", "tokens"), TF2, TF14, _TEXTS),
    Row("splits.method", ("even",), TF2, TF14),
    Row("splits.method", ("stratified",), TF2, TF14, ("splits.by", "splits.seed")),
    Row("splits.method", ("hash", "group"), TF2, TF14, ("splits.by", "splits.seed")),
    Row("splits.method", ("given",), TF2, TF14, ("splits.by",)),
    Row("records.format", ("packed", "example"), TF2, TF14, _STORED),
    Row("records.format", ("source",), TF2, TF14, _BLOCKS),
    Row("records.order", ("shuffled",), TF2, TF14, ("splits.seed",)),
    Row("records.order", ("source",), TF2, TF14),
    Row("records.compression", ("none",), TF2, TF14),
    Row("records.compression", ("gzip", "zlib"), TF2, TF14, ("records.level",)),
    Row("model.layers.*", ("flatten", "reshape", "dense", "conv2d", "max_pool2d"), TF2, TF14),
    Row(
        "model.layers.*",
        (
            *("average_pool2d", "global_average_pool2d", "dropout", "batch_norm"),
            *("embedding", "masked_mean", "concatenate"),
        ),
        LATER,
        LATER,
    ),
    Row("model.layers.*.activation", ("none", "relu", "tanh", "sigmoid", "gelu"), TF2, TF14),
    Row("model.import", (ANY,), TF2, TF14, ("model.import_path",)),
    Row("train.optimizer.name", ("sgd", "adam"), TF2, TF14),
    Row("train.optimizer.name", ("adamw", "rmsprop"), LATER, LATER),
    Row("train.optimizer.learning_rate", ("a number",), TF2, TF14),
    Row("train.optimizer.learning_rate", ("exponential", "cosine", "piecewise"), LATER, LATER),
    Row("train.loss", ("sparse_categorical_crossentropy", "mse"), TF2, TF14),
    Row(
        "train.loss",
        ("categorical_crossentropy", "binary_crossentropy", "mae", "huber"),
        LATER,
        LATER,
    ),
    Row("train.metrics.*", ("accuracy",), TF2, TF14),
    Row("train.metrics.*", ("top_k", "auc", "mae", "mse"), LATER, LATER),
    Row("train.shuffle.kind", ("window", "full", "none"), TF2, TF14),
    Row("train.last_batch", ("keep", "drop"), TF2, TF14),
    Row("train.l2", ("0",), TF2, TF14),
    Row("train.l2", (OTHER,), LATER, LATER),
    Row("train.clip_norm", (ANY,), LATER, LATER),
    Row("train.label_smoothing", ("0",), TF2, TF14),
    Row("train.label_smoothing", (OTHER,), LATER, LATER),
    Row("train.augment.*", ("flip", "shift", "crop", "import"), LATER, LATER),
    Row("train.precision", ("float32",), TF2, TF14),
    Row("train.precision", ("mixed_bfloat16", "mixed_float16"), LATER, _NO_POLICIES),
    Row("train.early_stopping", (ANY,), LATER, LATER),
    Row("train.checkpoint.best", (ANY,), LATER, LATER),
    Row("train.log.tensorboard", ("false",), TF2, TF14),
    Row("train.log.tensorboard", ("true",), LATER, LATER),
    Row("pipeline.cache", ("none", "memory"), TF2, TF14),
    Row("pipeline.threads", (ANY,), TF2, TF14),
    Row("pipeline.ram_budget_mb", (ANY,), TF2, TF14),
    Row("pipeline.service", (ANY,), LATER, _NO_SERVICE),
    Row("buffers.method", ("feed",), LATER, LATER),
    Row("buffers.method", ("prefetch",), TF2, TF14, ("pipeline.host_prefetch",)),
    Row(
        "buffers.method",
        ("two_variable",),
        TF2,
        TF14,
        ("buffers.swap", "buffers.depth", "buffers.input", "pipeline.host_prefetch"),
    ),
    Row(
        "buffers.method",
        ("staging_area",),
        _NO_STAGING,
        LATER,
        ("buffers.depth", "pipeline.host_prefetch"),
    ),
    Row(
        "buffers.method",
        ("prefetch_to_device",),
        LATER,
        _NO_TO_DEVICE,
        ("buffers.depth", "pipeline.host_prefetch"),
    ),
    Row("buffers.swap", ("cond",), TF2, TF14),
    Row("buffers.swap", ("pair", "thread"), LATER, LATER),
    Row("buffers.input", ("iterator",), TF2, TF14),
    Row("buffers.input", ("placeholders",), _NO_FEEDS, TF14),
    Row("buffers.wire", ("narrow", "plain"), TF2, TF14),
    Row("devices.compute", ("auto",), TF2, TF14),
    Row("devices.compute", ("cpu:0", "gpu:N"), TF2, TF14, ("devices.fallback",)),
    Row("devices.compute", ("cpu:1 and up", "a list"), LATER, LATER, ("devices.fallback",)),
    Row("devices.fallback", ("cpu", "error"), TF2, TF14),
    Row("devices.memory.growth", ("true",), TF2, TF14),
    Row("devices.memory.growth", ("false",), LATER, LATER),
    Row("devices.memory.limit_mb", (ANY,), _GROWTH, _GROWTH),
    Row("devices.memory.fraction", (ANY,), _NO_FRACTION, _GROWTH),
    Row("devices.allocator", ("default",), TF2, TF14),
    Row("devices.allocator", ("cuda_malloc_async",), LATER, _NO_ALLOCATOR),
    Row("devices.gpu_threads", (ANY,), LATER, LATER),
    Row("distribute.strategy", ("none",), TF2, TF14),
    Row("distribute.strategy", ("mirrored",), LATER, LATER, _REPLICAS),
    Row("distribute.strategy", ("multi_worker",), LATER, _NO_WORKERS, _REPLICAS),
    Row("distribute.divide", ("even", "stratified"), LATER, LATER),
    Row(
        "distribute.cross_device",
        ("auto", "nccl", "reduction_to_one_device", "hierarchical_copy"),
        LATER,
        LATER,
    ),
)
