def configure(threads):
    """What TensorFlow takes before its first operation only. Returns the device to train on."""
    if keras.backend.backend() != "tensorflow":
        raise DataError(f"Keras runs on {keras.backend.backend()}; set KERAS_BACKEND=tensorflow")
    keras.config.set_floatx("float32")
    keras.config.set_image_data_format("channels_last")
    if threads:
        try:
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            tf.config.threading.set_inter_op_parallelism_threads(threads)
        except RuntimeError as error:
            raise DataError(f"--threads {threads}: TensorFlow runs with others already") from error
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    if len(gpus) > 1:
        return "GPU:1"
    raise DataError("gpu:1 is not here, and devices.fallback is error")
