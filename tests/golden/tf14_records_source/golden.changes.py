class Run:
    def end_epoch(self):
        """Add the epoch to the history; a longer run may complete one that --steps cut short."""
        state, learner = self.state, self.learner
        epoch, done = divmod(state["step"] - 1, self.steps)
        rows = min((done + 1) * BATCH_SIZE, self.records.rows("train"))
        record = {"epoch": epoch, "steps": done + 1, "rows": rows}
        record["train_loss"] = learner.epoch_loss() / rows
        record["validation"] = None
        if self.stop.received:
            return  # the next run ends it
        state["history"][epoch:] = [record]
        if done + 1 == self.steps:
            learner.begin_epoch()
            if self.audit:
                self.audit.end_epoch(rows)
        data.say(f"epoch {epoch}: train loss {record['train_loss']:.4f}")

    def report(self):
        """Evaluate, and write weights.npz and report.json."""
        state, last = self.state, self.state["history"][-1]
        rows = sum(epoch["rows"] for epoch in state["history"])
        result = {
            "name": "golden",
            "variant": "default",
            "target": "tf1.4",
            "method": "two_variable",
            "batch_size": BATCH_SIZE,
            "epochs": state["step"] // self.steps,
            "steps": state["step"],
            "rows_trained": rows,
            "splits": {part: self.records.rows(part) for part in self.records.parts},
            "history": state["history"],
            "train_loss": last["train_loss"],
            "validation": last["validation"],
            "test": None,
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
