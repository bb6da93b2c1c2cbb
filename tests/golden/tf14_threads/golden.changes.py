PARALLEL_CALLS = 3  # blocks read at once

THREADS = 3  # of the input pipeline

RAM_BUDGET = 500 * 10**6  # bytes that the input pipeline may use

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1."""

    def batches():
        steps = steps_an_epoch(records)
        rows = records.held("train", RAM_BUDGET, THREADS)
        for epoch in range(start // steps, -(-end // steps)):
            first, last = max(0, start - epoch * steps), min(steps, end - epoch * steps)
            order = records.order(epoch, seed)
            for step in range(first, last):
                places = order[step * BATCH_SIZE :][:BATCH_SIZE]
                time.sleep(slow_ms / 1000)
                yield to_wire(Batch(*(values[places] for values in rows)))

    return Reading(end - start, batches())
