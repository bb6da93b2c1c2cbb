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
