BATCH_BYTES = 17408  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="float32", label="int64", row_id="int64")

def to_wire(batch):
    """The batch as it travels to the device: scaled, in the dtypes of WIRE."""
    batch = Batch(*map(tf.cast, batch, WIRE))
    return batch._replace(image=batch.image * 0.0625)

def delivered(batches, count, slow_ms=0):
    """As many batches, as they travel to the device; some of them are ready."""

    def delayed(batch):
        tf.py_function(lambda: time.sleep(slow_ms / 1000), [], [])
        return batch

    batches = batches.map(to_wire, PARALLEL_CALLS)
    if slow_ms:
        batches = batches.map(delayed)
    counted = tf.data.experimental.assert_cardinality(count)
    return batches.apply(counted).prefetch(HOST_PREFETCH)

def model_input(batch):
    """What the model takes; it was cast and scaled on the host."""
    return batch.image

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""
    batch = batch._replace(image=np.rint(batch.image.astype("float64") / 0.0625))
    return Batch(*(v.astype(column.dtype) for v, column in zip(batch, data.COLUMNS)))

class Audit:
    def write(self, step, epoch, loss, batch):
        batch = Batch(*map(np.asarray, batch))
        batch = as_stored(batch)
        batch = Batch(*(values[batch.row_id >= 0] for values in batch))
        line = {"step": step, "epoch": epoch, "rows": len(batch.row_id), "loss": float(loss)}
        line["ids"] = data.ids_digest(batch.row_id)
        line["content"] = hashlib.sha256(b"".join(c.tobytes() for c in batch[:-1])).hexdigest()
        self.file.write(json.dumps(line) + "\n")
        np.add.at(self.seen, batch.row_id, 1)
