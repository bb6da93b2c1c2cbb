THREADS = os.cpu_count()  # of the input pipeline

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1."""

    def batches():
        steps = steps_an_epoch(records)
        rows = records.held("train", None, THREADS)
        for epoch in range(start // steps, -(-end // steps)):
            first, last = max(0, start - epoch * steps), min(steps, end - epoch * steps)
            order = records.order(epoch, seed)
            for step in range(first, last):
                places = order[step * BATCH_SIZE :][:BATCH_SIZE]
                time.sleep(slow_ms / 1000)
                yield to_wire(Batch(*(values[places] for values in rows)))

    return Reading(end - start, batches())
