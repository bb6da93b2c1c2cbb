STEPS = 1000

def main(argv=None, stop=None):
    commands = {
        "prepare": lambda *both: data.prepare(*both, fresh=options.fresh),
        "train": train,
        "evaluate": evaluate,
        "measure": measure,
    }
    parser = argparse.ArgumentParser(description="Train the model.")
    add = parser.add_argument
    add("command", nargs="?", choices=list(commands), default="train")
    add("--workdir", metavar="DIR", default=WORKDIR, help="default: %(default)s")
    data.add_arguments(parser)
    add("--epochs", type=whole(1), metavar="N", help="in all")
    add("--steps", type=whole(1), metavar="N", help="in all")
    add("--seed", type=whole(0, 2**32 - 1), metavar="N", default=SEED, help=f"default: {SEED}")
    add("--threads", type=whole(1, 1024), metavar="N", help="of TensorFlow")
    add("--audit", action="store_true", help="record what the model reads")
    add("--slow-input", type=whole(0), metavar="MS", default=0, help="delay each batch")
    options = parser.parse_args(argv)
    if not options.epochs and not options.steps:
        options.steps = STEPS
    return data.run(commands[options.command], options, stop)

# gone: EPOCHS
