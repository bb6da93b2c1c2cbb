STEPS = 1000

def main(argv=None, stop=None):
    parser = argparse.ArgumentParser(description="Train the model.")
    commands = {"prepare": prepare, "train": train, "evaluate": evaluate, "measure": measure}
    parser.add_argument("command", nargs="?", choices=list(commands), default="train")
    parser.add_argument("--workdir", metavar="DIR", default=WORKDIR, help="default: %(default)s")
    data.add_arguments(parser)
    parser.add_argument("--epochs", type=whole(1), metavar="N", help="in all")
    parser.add_argument("--steps", type=whole(1), metavar="N", help="in all")
    parser.add_argument(
        "--seed", type=whole(0, 2**32 - 1), metavar="N", default=SEED, help="default: %(default)s"
    )
    parser.add_argument("--threads", type=whole(1), metavar="N", help="of TensorFlow")
    parser.add_argument("--audit", action="store_true", help="record what the model reads")
    parser.add_argument(
        "--slow-input", type=whole(0), metavar="MS", default=0, help="for each batch"
    )
    options = parser.parse_args(argv)
    if not options.epochs and not options.steps:
        options.steps = STEPS

    def command():
        try:
            commands[options.command](options, stop or data.StopSignals())
        except tf.errors.DataLossError as error:
            data.prepare(options, stop).check_blocks()
            raise DataError(error.message) from error

    return data.run(command)

# gone: EPOCHS
