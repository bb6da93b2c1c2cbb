def build_model(seed):
    return keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            keras.layers.Flatten(),
            keras.layers.Dense(
                10,
                kernel_initializer=drawn(seed, 1),
                name="dense_1",
            ),
        ]
    )

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return (tf.cast(batch.image, tf.float32) * [0.25, 0.5, 1.0] + -0.5 - 0.25) / [1.0, 2.0, 4.0]

def measure(options, stop):
    """Time filling alone, training alone and both together, in rounds that interleave."""
    rounds, steps, warm = 5, 20, HOST_PREFETCH + 2
    records, learner, _ = begin(options, stop)
    with contextlib.closing(Feeder(learner.learn, learner.device)) as feeder:
        batches = 1 + (1 + rounds) * 2 * (warm + steps)
        feeder.start(training_batches(records, options.seed, 0, batches, options.slow_input))
        work = {"fill": feeder.fill, "train": feeder.train, "fused": feeder.advance}
        times = {name: [] for name in work}
        for _ in range(1 + rounds):  # the first one traces
            for name, step in work.items():
                for _ in range(warm):  # what the host has ready by now would flatter
                    step()
                tf.test.experimental.sync_devices()
                began = time.perf_counter()
                for _ in range(steps):
                    step()
                tf.test.experimental.sync_devices()
                times[name].append((time.perf_counter() - began) / steps)
                stop.check()
        placement = feeder.placement()
    seconds = {name: float(np.median(values[1:])) for name, values in times.items()}
    spread = {name: max(values[1:]) - min(values[1:]) for name, values in times.items()}
    smaller, larger = sorted([seconds["fill"], seconds["train"]])
    hidden = smaller + larger - seconds["fused"]
    result = {
        "method": "two_variable",
        "placement": placement,
        "rounds": rounds,
        "steps_a_round": steps,
        "seconds_a_step": seconds,
        "spread": spread,
        # 1 hides all of the smaller time, 0 nothing; null where the spread would decide.
        "overlap_efficiency": hidden / smaller if smaller > max(spread.values()) else None,
        "speedup": (smaller + larger) / seconds["fused"],
        "best_speedup": (smaller + larger) / larger,
        "bound": "input" if seconds["fill"] > seconds["train"] else "training",
        "bytes_per_second": 13312 / seconds["fused"],
    }
    write_json(os.path.join(options.workdir, "measure.json"), result)
    for name, value in seconds.items():
        print(f"{name:5} {1e3 * value:9.3f} ms a step, spread {1e3 * spread[name]:.3f}")
    print(f"overlap efficiency {result['overlap_efficiency']}, bound by {result['bound']}")
