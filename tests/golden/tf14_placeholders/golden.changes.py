from concurrent.futures import ThreadPoolExecutor

py_func = tf.numpy_function if hasattr(tf, "numpy_function") else tf.py_func

class Input:
    """What gives the graph its batches: placeholders, and a thread that has the next ones ready."""

    def __init__(self):
        self.fed = Batch(*(tf.placeholder(d, (BATCH_SIZE,) + shape) for d, shape in WIRE))
        self.batch = Batch(*map(pinned, self.fed))
        self.ready, self.loader, self.waited = (), None, 0.0

    def start(self, reading):
        self.batches = iter(reading.batches)
        self.loader = ThreadPoolExecutor(1)
        self.ready = collections.deque(self._load() for _ in range(HOST_PREFETCH))

    def run(self, fetches, fed=None):
        """Run what takes a batch; what the reading of it raised is raised here."""
        began = time.perf_counter()
        batch = self.ready.popleft().result()
        self.waited += time.perf_counter() - began  # seconds without data
        self.ready.append(self._load())
        return tf.get_default_session().run(fetches, {**dict(zip(self.fed, batch)), **(fed or {})})

    def close(self):
        """End the thread."""
        for batch in self.ready:
            batch.cancel()
        if self.loader:
            self.loader.shutdown()
        self.batches = None  # and with it the threads that read ahead

    def _load(self):
        return self.loader.submit(next, self.batches)  # past the last one nobody asks for it

# gone: if hasattr

# gone: class Input def _initialize
