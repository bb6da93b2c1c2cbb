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

def build_model(seed):
    """The user's function, with its variables made, which all of its calls share."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../src")

    def model(inputs, training):
        with tf.variable_scope("golden", reuse=tf.AUTO_REUSE, use_resource=True):
            return function(inputs, training)

    inputs = tf.zeros((BATCH_SIZE,) + (8, 8))
    sys.path.insert(0, folder)
    try:
        tf.set_random_seed(seed)
        function = importlib.import_module("package.models").classifier
        logits = model(inputs, training=True)
        dtype, shape = logits.dtype.name, logits.shape
        made = len(tf.global_variables())
        model(inputs, training=False)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UserError(f"model.import: {fault}; in {folder}") from error
    finally:
        sys.path.remove(folder)
    wanted = (BATCH_SIZE,) + (10,)
    if dtype != "float32" or not shape.is_compatible_with(wanted):
        raise UserError(f"model.import: gives {dtype} {shape}, not float32 {wanted}")
    if not tf.trainable_variables():
        raise UserError("model.import: has nothing to train")
    if len(tf.global_variables()) > made:
        raise UserError("model.import: each call makes new variables; tf.get_variable shares them")
    return model

class Learner:
    def learn(self, batch):
        """One step: the mean loss of the rows and, where it is audited, what the model read."""
        known = len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        row_losses = losses(batch, self.model(model_input(batch), training=True))
        real = real_rows(batch)
        loss_sum = tf.reduce_sum(row_losses * real)
        loss = loss_sum / tf.reduce_sum(real)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)[known:]  # of moving averages
        if updates:
            fault = f"{updates[0].name} would learn from padding"
            raise UserError(f"model.import: {fault}; use train.last_batch: drop")
        objective = tf.add_n([loss] + tf.losses.get_regularization_losses())
        gradients = tf.gradients(objective, self.optimizer.weights)
        for weight, gradient in zip(self.optimizer.weights, gradients):
            if gradient is None:  # as in 1.4 also where tf.cond reads it
                fault = f"{weight.op.name} has no gradient"
                raise UserError(f"model.import: {fault}; read it before tf.cond, or leave it out")
        gradients = list(map(tf.convert_to_tensor, gradients))
        with tf.control_dependencies(gradients):  # no update overtakes what they read
            assigned = list(self.optimizer.updates(gradients))
            assigned.append(self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64)))
        with tf.control_dependencies(updates + [variable.op for variable in assigned]):
            return tf.identity(loss), batch if self.audited else ()

# gone: import functools

# gone: def glorot

# gone: def kernel

# gone: def bias
