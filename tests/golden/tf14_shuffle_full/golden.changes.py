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
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "full"},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

THREADS = os.cpu_count()  # of the input pipeline

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1."""

    def batches():
        steps = steps_an_epoch(records)
        rows = records.held("train", None, THREADS)
        for epoch in range(start // steps, -(-end // steps)):
            first, last = max(0, start - epoch * steps), min(steps, end - epoch * steps)
            order = records.order(epoch, seed)
            for step in range(first, last):
                places = order[step * BATCH_SIZE :][:BATCH_SIZE]
                time.sleep(slow_ms / 1000)
                yield to_wire(Batch(*(values[places] for values in rows)))

    return Reading(end - start, batches())
