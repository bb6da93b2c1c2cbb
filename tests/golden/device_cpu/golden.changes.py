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
    return "CPU:0"
