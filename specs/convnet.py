"""The model that own_model.yaml imports."""

import keras


def digits_convnet() -> keras.Model:
    """Images of 8 x 8 in, scaled to 0..1; one logit for each digit out, without a softmax."""
    return keras.Sequential(
        [
            keras.Input((8, 8)),
            keras.layers.Reshape((8, 8, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(2),
            keras.layers.Flatten(),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10),
        ]
    )
