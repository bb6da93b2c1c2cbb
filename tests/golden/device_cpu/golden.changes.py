@contextlib.contextmanager
def device_for(threads):
    """The device to train on; TensorFlow takes its settings before its first operation only."""
    if keras.backend.backend() != "tensorflow":
        raise UserError(f"Keras runs on {keras.backend.backend()}; set KERAS_BACKEND=tensorflow")
    keras.config.set_floatx("float32")
    keras.config.set_image_data_format("channels_last")
    try:
        if threads:
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            tf.config.threading.set_inter_op_parallelism_threads(threads)
    except RuntimeError as error:
        raise UserError("TensorFlow already runs in this process, with other settings") from error
    yield "CPU:0"

# gone: def choose_device
