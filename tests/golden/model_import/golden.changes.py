import importlib

# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {"import": "package.models:classifier", "import_path": "../src"},
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

def layers_of(model):
    """The layers of a model and of the models in it."""
    for layer in getattr(model, "layers", []):
        yield layer
        yield from layers_of(layer)

def build_model(seed):
    """The user's model, with its variables made."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../src")
    sys.path.insert(0, folder)
    try:
        keras.utils.set_random_seed(seed)
        model = importlib.import_module("package.models").classifier()
        outputs = model(tf.zeros((1, 8, 8)))
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

class Learner:
    def learn(self, batch):
        """One step: the mean loss of the rows and, where it is audited, what the model read."""
        with tf.GradientTape() as tape:
            row_losses = losses(batch, self.model(model_input(batch), training=True))
            real = real_rows(batch)
            loss_sum = tf.reduce_sum(row_losses * real)
            loss = loss_sum / tf.reduce_sum(real)
            objective = loss + sum(self.model.losses)  # regularization, if the model has any
        weights = self.model.trainable_variables
        gradients = tape.gradient(objective, weights)
        self.optimizer.apply(gradients, weights)
        self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64))
        return loss, batch if self.audited else None

# gone: import functools

# gone: def glorot
