# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [8, 8],
            "role": "input",
            "encoding": "raw",
            "scale": 0.0625,
            "offset": 0.0,
        },
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "raw",
            "classes": 10,
            "scale": 1.0,
            "offset": 0.0,
        },
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
    """A training run, continued from its last checkpoint."""

    def __init__(self, options, stop):
        self.options, self.stop = options, stop
        self.records, self.learner, self.checkpoints = begin(options, stop)
        if options.fresh:
            self.checkpoints.clear()
        new = {"step": 0, "seconds": 0.0, "waited": None, "history": []}
        self.state, self.saved = self.checkpoints.restore(self.learner) or (new, {})
        self.steps = steps_an_epoch(self.records)
        limits = (options.steps, (options.epochs or 0) * self.steps)
        self.total = min(limit for limit in limits if limit)
        self.feeder = Feeder(self.learner.learn, self.learner.device)
        self.feeder.waited = self.state["waited"] or self.feeder.waited
        self.audit = None

    def path(self, name):
        return os.path.join(self.options.workdir, name)

    def train(self):
        """The steps that are left."""
        options, state, first = self.options, self.state, self.state["step"]
        if options.audit:
            self.audit = Audit(self.path("audit.jsonl"), self.records, first, self.saved)
        if self.at_end() and len(state["history"]) * self.steps < first:
            self.end_epoch()  # which was stopped
        if first < self.total:
            print(
                f"training on {self.learner.device}: steps {first} to {self.total - 1}", flush=True
            )
            batches = training_batches(
                self.records, options.seed, first, self.total, options.slow_input
            )
            self.feeder.start(batches)
        progress = data.Progress("steps", self.total - first)
        began = time.time()
        for step in range(first, self.total):
            loss, batch = self.feeder.advance()
            if self.audit:
                self.audit.write(step, step // self.steps, loss, batch)
            state["step"] = step + 1
            progress.update(step + 1 - first)
            if self.at_end():
                state["seconds"] += time.time() - began
                progress.close()
                self.end_epoch()
                began = time.time()
            if self.stop.received or step + 1 == self.total or (step + 1) % CHECKPOINT_EVERY == 0:
                state.update(
                    seconds=state["seconds"] + time.time() - began, waited=self.feeder.waited
                )
                self.checkpoints.save(
                    self.learner, state, self.audit.arrays() if self.audit else {}
                )
                self.stop.check()
                began = time.time()

    def at_end(self):
        """Whether an epoch, or the run, ends here."""
        return self.state["step"] % self.steps == 0 or self.state["step"] >= self.total

    def end_epoch(self):
        """Add the epoch to the history; a longer run may complete one that --steps cut short."""
        state, learner = self.state, self.learner
        epoch, done = divmod(state["step"] - 1, self.steps)
        rows = min((done + 1) * BATCH_SIZE, self.records.rows("train"))
        record = {"epoch": epoch, "steps": done + 1, "rows": rows}
        record["train_loss"] = learner.loss_sum.numpy() / rows
        due = (epoch + 1) % VALIDATE_EVERY == 0 or state["step"] >= self.total
        record["validation"] = (
            learner.evaluate(self.records, "validation", self.stop) if due else None
        )
        if self.stop.received:
            return  # the next run ends it
        state["history"][epoch:] = [record]
        if done + 1 == self.steps:
            learner.loss_sum.assign(0.0)
            if self.audit:
                self.audit.end_epoch(rows)
        shown = {"train loss": record["train_loss"], **(record["validation"] or {})}
        print(f"epoch {epoch}: {figures(shown)}", flush=True)

    def report(self):
        """Evaluate, and write weights.npz and report.json."""
        state, last = self.state, self.state["history"][-1]
        rows = sum(epoch["rows"] for epoch in state["history"])
        test = self.learner.evaluate(self.records, "test", self.stop)
        self.stop.check()
        print(f"test: {figures(test)}")
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
            "stall_fraction": self.feeder.waited and self.feeder.waited / state["seconds"],
            "placement": self.feeder.placement(),
        }
        if self.audit:
            result.update(self.audit.summary(state["step"]))
        weights = {weight.path: weight.numpy() for weight in self.learner.model.weights}
        write_whole(self.path("weights.npz"), lambda file: np.savez(file, **weights))
        write_json(self.path("report.json"), result)
        print(f"{self.options.workdir}: report.json, weights.npz")
