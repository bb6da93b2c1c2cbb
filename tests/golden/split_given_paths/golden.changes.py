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
