# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "class": {"dtype": "float32", "shape": [], "role": "input"},
        "from": {"dtype": "float32", "shape": [], "role": "input"},
        "None": {"dtype": "float32", "shape": [], "role": "input"},
        "Global": {"dtype": "float32", "shape": [], "role": "input"},
        "1st": {"dtype": "float32", "shape": [], "role": "input"},
        "a-b": {"dtype": "float32", "shape": [], "role": "input"},
        "a b": {"dtype": "float32", "shape": [], "role": "input"},
        "naïve": {"dtype": "float32", "shape": [], "role": "input"},
        "__init__": {"dtype": "float32", "shape": [], "role": "input"},
        "日本": {"dtype": "float32", "shape": [], "role": "input"},
        "row_id": {"dtype": "float32", "shape": [], "role": "input"},
        "count": {"dtype": "float32", "shape": [], "role": "input"},
        '"quoted" \\': {"dtype": "float32", "shape": [], "role": "input"},
        "{{ plan }}": {"dtype": "float32", "shape": [], "role": "input"},
        "a_b": {"dtype": "float32", "shape": [], "role": "input"},
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

BATCH_BYTES = 4864  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(
    class_="float32",
    from_="float32",
    none="float32",
    global_="float32",
    field_1st="float32",
    a_b="float32",
    a_b_2="float32",
    naive="float32",
    init="float32",
    field="float32",
    row_id_2="float32",
    count_="float32",
    quoted="float32",
    plan="float32",
    a_b_3="float32",
    label="int64",
    row_id="int64",
)

def build_model(seed):
    """The user's model, with its variables made."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")
    sys.path.insert(0, folder)
    try:
        keras.utils.set_random_seed(seed)
        model = importlib.import_module("models").classifier()
        outputs = model(
            {
                "class": tf.zeros((1,)),
                "from": tf.zeros((1,)),
                "None": tf.zeros((1,)),
                "Global": tf.zeros((1,)),
                "1st": tf.zeros((1,)),
                "a-b": tf.zeros((1,)),
                "a b": tf.zeros((1,)),
                "naïve": tf.zeros((1,)),
                "__init__": tf.zeros((1,)),
                "日本": tf.zeros((1,)),
                "row_id": tf.zeros((1,)),
                "count": tf.zeros((1,)),
                '"quoted" \\': tf.zeros((1,)),
                "{{ plan }}": tf.zeros((1,)),
                "a_b": tf.zeros((1,)),
            }
        )
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
        "class": batch.class_,
        "from": batch.from_,
        "None": batch.none,
        "Global": batch.global_,
        "1st": batch.field_1st,
        "a-b": batch.a_b,
        "a b": batch.a_b_2,
        "naïve": batch.naive,
        "__init__": batch.init,
        "日本": batch.field,
        "row_id": batch.row_id_2,
        "count": batch.count_,
        '"quoted" \\': batch.quoted,
        "{{ plan }}": batch.plan,
        "a_b": batch.a_b_3,
    }
