THREADS = 3  # of the input pipeline

RAM_BUDGET = 500 * 10**6  # bytes that the input pipeline may use

def delivered(batches, count, slow_ms=0):
    """As many batches, as they travel to the device; some of them are ready."""

    def delayed(batch):
        tf.py_function(lambda: time.sleep(slow_ms / 1000), [], [])
        return batch

    if slow_ms:
        batches = batches.map(delayed)
    options = tf.data.Options()
    options.threading.private_threadpool_size = THREADS
    options.autotune.ram_budget = RAM_BUDGET
    batches = batches.with_options(options)
    counted = tf.data.experimental.assert_cardinality(count)
    return batches.apply(counted).prefetch(HOST_PREFETCH)
