def find_device():
    """The device to train on."""
    return "CPU:0"
