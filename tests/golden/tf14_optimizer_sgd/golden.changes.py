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
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.9, "nesterov": True},
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
    """Gradient descent with momentum as Keras has it: the velocity includes the rate."""

    def __init__(self, weights):
        self.weights = weights
        self.velocities = [
            untrained(f"optimizer/{w.op.name}/velocity", w.shape, w.dtype.base_dtype)
            for w in weights
        ]

    def updates(self, gradients):
        """What a step assigns."""
        for weight, velocity, gradient in zip(self.weights, self.velocities, gradients):
            new = velocity * 0.9 - gradient * 0.1
            yield velocity.assign(new)
            yield weight.assign_add(new * 0.9 - gradient * 0.1)
