def configure(threads):
    """What TensorFlow takes before its first operation only. Returns the device to train on."""
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
    return "CPU:0"
