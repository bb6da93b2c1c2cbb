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
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 5,
    },
}

VALIDATE_EVERY = RECIPE["train"]["validate_every"]  # epochs

CHECKPOINT_EVERY = 100  # steps

CHECKPOINTS_KEPT = 1

class Run:
    def end_epoch(self):
        """Add the epoch to the history; a longer run may complete one that --steps cut short."""
        state, learner = self.state, self.learner
        epoch, done = divmod(state["step"] - 1, self.steps)
        rows = min((done + 1) * BATCH_SIZE, self.records.rows("train"))
        record = {"epoch": epoch, "steps": done + 1, "rows": rows}
        record["train_loss"] = learner.epoch_loss() / rows
        due = (epoch + 1) % VALIDATE_EVERY == 0 or state["step"] >= self.total
        record["validation"] = (
            learner.evaluate(self.records, "validation", self.stop) if due else None
        )
        if self.stop.received:
            return  # the next run ends it
        state["history"][epoch:] = [record]
        if done + 1 == self.steps:
            learner.begin_epoch()
            if self.audit:
                self.audit.end_epoch(rows)
        shown = {"train loss": record["train_loss"], **(record["validation"] or {})}
        data.say(f"epoch {epoch}: {figures(shown)}")
