@contextlib.contextmanager
def device_for(threads):
    """The device to train on, in a graph and a session of their own, which are the default ones."""
    config = tf.ConfigProto(
        intra_op_parallelism_threads=threads or 0,
        # Never one alone: Input.close waits in one for what is still to run in another.
        inter_op_parallelism_threads=max(2, threads or os.cpu_count()),
        use_per_session_threads=bool(threads),
        allow_soft_placement=True,  # the places of the buffers are checked
        # Memory as it is needed; and on the host pinned, for copies that leave the GPU to compute.
        gpu_options=tf.GPUOptions(allow_growth=True, force_gpu_compatible=True),
    )
    with tf.Session(graph=tf.Graph(), config=config):
        yield "CPU:0"

# gone: def choose_device
