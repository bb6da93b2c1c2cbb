def choose_device(gpus):
    """The device to train on, where there are so many GPUs."""
    if gpus > 1:
        return "GPU:1"
    data.say("gpu:1 is not here: training on the CPU")
    return "CPU:0"
