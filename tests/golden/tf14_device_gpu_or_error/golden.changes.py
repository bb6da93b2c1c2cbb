def find_device():
    """The device to train on."""
    devices = tf.get_default_session().list_devices()
    if any(device.name.endswith("GPU:1") for device in devices):
        return "GPU:1"
    raise UserError("gpu:1 is not here, and devices.fallback is error")
