def configure(threads):
    """What TensorFlow takes before its first operation only. Returns the device to train on."""
    if keras.backend.backend() != "tensorflow":
        raise UserError(f"Keras runs on {keras.backend.backend()}; set KERAS_BACKEND=tensorflow")
    keras.config.set_floatx("float32")
    keras.config.set_image_data_format("channels_last")
    gpus = tf.config.list_physical_devices("GPU")
    try:
        if threads:
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            tf.config.threading.set_inter_op_parallelism_threads(threads)
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
    except RuntimeError as error:
        raise UserError("TensorFlow already runs in this process, with other settings") from error
    if len(gpus) > 1:
        return "GPU:1"
    print("gpu:1 is not here: training on the CPU")
    return "CPU:0"
