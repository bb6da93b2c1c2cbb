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
