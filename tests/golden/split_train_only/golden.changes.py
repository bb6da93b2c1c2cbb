def end_epoch(records, learner, state, audit, last):
    """Add the epoch to the history; one that --steps cut short may be completed by a later run."""
    epoch, done = divmod(state["step"] - 1, steps_an_epoch(records))
    rows = min((done + 1) * BATCH_SIZE, records.rows("train"))
    record = {"epoch": epoch, "steps": done + 1, "rows": rows, "validation": None}
    record["train_loss"] = float(learner.loss_sum.numpy()) / rows
    state["history"] = state["history"][:epoch] + [record]
    if done + 1 == steps_an_epoch(records):
        learner.loss_sum.assign(0.0)
        if audit:
            audit.end_epoch(rows)
    shown = {"train loss": record["train_loss"], **(record["validation"] or {})}
    print(f"epoch {epoch}: {figures(shown)}", flush=True)

def report(options, records, learner, state, feeder, audit):
    """Write report.json and weights.npz."""
    rows, last = sum(epoch["rows"] for epoch in state["history"]), state["history"][-1]
    result = {
        "name": "golden",
        "variant": "default",
        "target": "tf2",
        "method": "two_variable",
        "batch_size": BATCH_SIZE,
        "epochs": state["step"] // steps_an_epoch(records),
        "steps": state["step"],
        "rows_trained": rows,
        "splits": {part: records.rows(part) for part in records.parts},
        "history": state["history"],
        "train_loss": last["train_loss"],
        "validation": last["validation"],
        "test": None,
        "seconds": state["seconds"],
        "rows_per_second": rows / state["seconds"],
        "stall_fraction": feeder.waited and feeder.waited / state["seconds"],
        "placement": feeder.placement(),
    }
    if audit:
        result.update(audit.summary(state["step"]))
    weights = {weight.path: weight.numpy() for weight in learner.model.weights}
    write_whole(os.path.join(options.workdir, "weights.npz"), lambda f: np.savez(f, **weights))
    write_json(os.path.join(options.workdir, "report.json"), result)
    print(f"{options.workdir}: report.json, weights.npz")
