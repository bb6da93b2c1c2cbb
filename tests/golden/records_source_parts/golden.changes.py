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
        "shuffle": {"kind": "none"},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

def epoch_rows(decode, seed, epoch, files, first_window, first_row):
    """The rows of an epoch from a row on, as they are stored."""

    def rest(window, blocks):
        rows = decode(*blocks)
        return Batch(*(values[tf.where(window == first_window, first_row, 0) :] for values in rows))

    # The blocks of earlier windows are passed over as they are, undecoded.
    blocks = tf.data.Dataset.from_tensor_slices(files).flat_map(blocks_of)
    windows = blocks.skip(first_window * data.WINDOW_BLOCKS).ragged_batch(data.WINDOW_BLOCKS)
    return windows.enumerate(first_window).map(rest, PARALLEL_CALLS)

class Run:
    def end_epoch(self):
        """Add the epoch to the history; a longer run may complete one that --steps cut short."""
        state, learner = self.state, self.learner
        epoch, done = divmod(state["step"] - 1, self.steps)
        rows = min((done + 1) * BATCH_SIZE, self.records.rows("train"))
        record = {"epoch": epoch, "steps": done + 1, "rows": rows}
        record["train_loss"] = learner.epoch_loss() / rows
        record["validation"] = learner.evaluate(self.records, "validation", self.stop)
        if self.stop.received:
            return  # the next run ends it
        state["history"][epoch:] = [record]
        if done + 1 == self.steps:
            learner.begin_epoch()
            if self.audit:
                self.audit.end_epoch(rows)
        shown = {"train loss": record["train_loss"], **(record["validation"] or {})}
        data.say(f"epoch {epoch}: {figures(shown)}")

    def report(self):
        """Evaluate, and write weights.npz and report.json."""
        state, last = self.state, self.state["history"][-1]
        rows = sum(epoch["rows"] for epoch in state["history"])
        test = self.learner.evaluate(self.records, "test", self.stop)
        self.stop.check()
        data.say(f"test: {figures(test)}")
        result = {
            "name": "golden",
            "variant": "default",
            "target": "tf2",
            "method": "two_variable",
            "batch_size": BATCH_SIZE,
            "epochs": state["step"] // self.steps,
            "steps": state["step"],
            "rows_trained": rows,
            "splits": {part: self.records.rows(part) for part in self.records.parts},
            "history": state["history"],
            "train_loss": last["train_loss"],
            "validation": last["validation"],
            "test": test,
            "seconds": state["seconds"],
            "rows_per_second": rows / state["seconds"],
            "stall_fraction": state["waited"] and state["waited"] / state["seconds"],
            "placement": self.feeder.placement(),
        }
        if self.audit:
            result.update(self.audit.summary(state["step"]))
        weights = self.learner.named_weights()
        write_whole(self.path("weights.npz"), lambda file: np.savez(file, **weights))
        write_json(self.path("report.json"), result)
        data.say(f"{self.options.workdir}: report.json, weights.npz")
