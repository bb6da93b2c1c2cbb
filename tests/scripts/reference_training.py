"""Training restated in plain NumPy: the equations of Keras 3, in float64.

Rows and the batches of the definition in, the loss of each step and the weights after it out.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reference_order import random

Weights = dict[str, np.ndarray]
Update = Callable[[Weights, Weights], None]


def glorot(seed: int, layer: int, inputs: int, outputs: int) -> np.ndarray:
    """First weights of a dense layer, drawn from the seed and the layer's place in the spec."""
    limit = np.sqrt(6 / (inputs + outputs))
    drawn = random(seed, layer, 0, 0).uniform(-limit, limit, (inputs, outputs))
    return drawn.astype("float32").astype("float64")


@dataclass
class Network:
    """Dense layers with relu between them, ending in logits."""

    weights: Weights

    @classmethod
    def drawn(cls, seed: int, sizes: list[int], first_layer: int = 0) -> "Network":
        weights = {}
        for place, (inputs, outputs) in enumerate(pairwise(sizes)):
            layer = first_layer + place
            weights[f"dense_{layer}/kernel"] = glorot(seed, layer, inputs, outputs)
            weights[f"dense_{layer}/bias"] = np.zeros(outputs)
        return cls(weights)

    def loss_and_gradients(self, x: np.ndarray, labels: np.ndarray) -> tuple[float, Weights]:
        """The mean crossentropy of the rows, and its gradients."""
        names = list(self.weights)
        layers = [(names[i], names[i + 1]) for i in range(0, len(names), 2)]
        values = [x.astype("float64")]
        for kernel, bias in layers:
            sums = values[-1] @ self.weights[kernel] + self.weights[bias]
            values.append(sums if kernel == layers[-1][0] else np.maximum(sums, 0))
        logits = values[-1] - values[-1].max(axis=1, keepdims=True)
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        rows = np.arange(len(labels))
        loss = -np.log(chances[rows, labels]).mean()
        error = chances.copy()
        error[rows, labels] -= 1
        error /= len(labels)
        gradients: Weights = {}
        for (kernel, bias), inputs in reversed(list(zip(layers, values[:-1], strict=True))):
            gradients[kernel] = inputs.T @ error
            gradients[bias] = error.sum(axis=0)
            error = (error @ self.weights[kernel].T) * (inputs > 0)
        return float(loss), gradients

    def train(
        self, x: np.ndarray, labels: np.ndarray, batches: Iterable[np.ndarray], update: Update
    ) -> list[float]:
        """The loss of each step, before its update."""
        losses = []
        for ids in batches:
            loss, gradients = self.loss_and_gradients(x[ids], labels[ids])
            update(self.weights, gradients)
            losses.append(loss)
        return losses


def sgd(learning_rate: float, momentum: float = 0.0, nesterov: bool = False) -> Update:
    velocities: Weights = {}

    def update(weights: Weights, gradients: Weights) -> None:
        for name, gradient in gradients.items():
            velocity = momentum * velocities.get(name, 0.0) - learning_rate * gradient
            velocities[name] = velocity
            weights[name] += (
                momentum * velocity - learning_rate * gradient if nesterov else velocity
            )

    return update


def adam(
    learning_rate: float, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7
) -> Update:
    means: Weights = {}
    squares: Weights = {}
    step = 0

    def update(weights: Weights, gradients: Weights) -> None:
        nonlocal step
        step += 1
        rate = learning_rate * np.sqrt(1 - beta_2**step) / (1 - beta_1**step)
        for name, gradient in gradients.items():
            mean, square = means.get(name, 0.0), squares.get(name, 0.0)
            means[name] = mean + (gradient - mean) * (1 - beta_1)
            squares[name] = square + (gradient**2 - square) * (1 - beta_2)
            weights[name] -= rate * means[name] / (np.sqrt(squares[name]) + epsilon)

    return update
