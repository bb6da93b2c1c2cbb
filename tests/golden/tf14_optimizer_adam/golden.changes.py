# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {
        "layers": ["flatten", {"dense": {"units": 10, "activation": "none", "use_bias": True}}]
    },
    "train": {
        "batch_size": 64,
        "optimizer": {
            "name": "adam",
            "learning_rate": 0.001,
            "beta_1": 0.8,
            "beta_2": 0.99,
            "epsilon": 1e-8,
        },
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

class Optimizer:
    """Adam as Keras has it, whose epsilon is outside of what corrects the bias."""

    def __init__(self, weights):
        self.weights = weights
        self.steps = untrained("optimizer/steps", ())
        self.means = [
            untrained(f"optimizer/{w.op.name}/mean", w.shape, w.dtype.base_dtype) for w in weights
        ]
        self.squares = [
            untrained(f"optimizer/{w.op.name}/square", w.shape, w.dtype.base_dtype) for w in weights
        ]

    def updates(self, gradients):
        """What a step assigns."""
        steps = self.steps + 1
        yield self.steps.assign(steps)
        rate = 0.001 * tf.sqrt(1 - tf.pow(0.99, steps)) / (1 - tf.pow(0.8, steps))
        states = zip(self.weights, self.means, self.squares, gradients)
        for weight, mean, square, gradient in states:
            new_mean = mean + (gradient - mean) * (1 - 0.8)
            new_square = square + (gradient * gradient - square) * (1 - 0.99)
            yield mean.assign(new_mean)
            yield square.assign(new_square)
            yield weight.assign_sub(new_mean * rate / (tf.sqrt(new_square) + 1e-8))
