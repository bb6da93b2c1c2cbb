# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "left_handed": {"dtype": "bool", "shape": [], "role": "input"},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {"import": "models:classifier"},
    "train": {
        "batch_size": 64,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

BATCH_BYTES = 5184  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="uint8", left_handed="bool", label="int64", row_id="int64")

def column_of(raw, column):
    """The values of a column out of their bytes."""
    if column.dtype == bool:  # which `bitcast` does not know
        return tf.reshape(tf.cast(raw, tf.bool), (-1,) + column.shape)
    size = column.dtype.itemsize
    values = tf.bitcast(tf.reshape(raw, (-1, size)) if size > 1 else raw, column.dtype)
    return tf.reshape(values, (-1,) + column.shape)

def build_model(seed):
    """The user's model, with its variables made."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")
    sys.path.insert(0, folder)
    try:
        keras.utils.set_random_seed(seed)
        model = importlib.import_module("models").classifier()
        outputs = model({"image": tf.zeros((1, 8, 8)), "left_handed": tf.zeros((1,))})
        dtype, shape = outputs.dtype.name, tuple(outputs.shape)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UserError(f"model.import: {fault}; in {folder}") from error
    finally:
        sys.path.remove(folder)
    wanted = (1,) + (10,)
    if dtype != "float32" or shape != wanted:
        raise UserError(f"model.import: gives {dtype} {shape} for a row, not float32 {wanted}")
    if not model.trainable_variables:
        raise UserError("model.import: has nothing to train")
    for layer in layers_of(model):
        if isinstance(layer, keras.layers.BatchNormalization) and layer.trainable:
            raise UserError(
                f"model.import: {layer.name} would learn from padding; use train.last_batch: drop"
            )
    return model

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return {
        "image": tf.cast(batch.image, tf.float32) * 0.0625,
        "left_handed": tf.cast(batch.left_handed, tf.float32),
    }
