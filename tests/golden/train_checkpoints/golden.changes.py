# All that the weights depend on beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "model": {
        "layers": ["flatten", {"dense": {"units": 10, "activation": "none", "use_bias": True}}]
    },
    "train": {
        "batch_size": 64,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 5,
    },
}

VALIDATE_EVERY = 5  # epochs

CHECKPOINT_EVERY = 100  # steps

CHECKPOINTS_KEPT = 1

def end_epoch(records, learner, state, audit, last):
    """Add the epoch to the history; one that --steps cut short may be completed by a later run."""
    epoch, done = divmod(state["step"] - 1, steps_an_epoch(records))
    rows = min((done + 1) * BATCH_SIZE, records.rows("train"))
    record = {"epoch": epoch, "steps": done + 1, "rows": rows, "validation": None}
    record["train_loss"] = float(learner.loss_sum.numpy()) / rows
    if last or (epoch + 1) % VALIDATE_EVERY == 0:
        record["validation"] = learner.evaluate(records, "validation")
    state["history"] = state["history"][:epoch] + [record]
    if done + 1 == steps_an_epoch(records):
        learner.loss_sum.assign(0.0)
        if audit:
            audit.end_epoch(rows)
    shown = {"train loss": record["train_loss"], **(record["validation"] or {})}
    print(f"epoch {epoch}: {figures(shown)}", flush=True)
