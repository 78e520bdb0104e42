"""Actor-critic: a policy learns to balance a pole on a cart, with one tape over a whole episode."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
import terminal

keras = tf.keras
LONGEST, DISCOUNT = 200, 0.99


class Pole:
    """A pole on a cart that is pushed to the left or to the right (Barto, Sutton and Anderson 1983)."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.state = rng.uniform(-0.05, 0.05, 4)

    def push(self, right: bool) -> bool:
        """Move on by 20 ms; whether the pole still stands."""
        _, speed, angle, turn = self.state
        force = 10.0 if right else -10.0
        push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        angular = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        linear = push - 0.05 * angular * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([speed, linear, turn, angular])
        return bool(abs(self.state[0]) < 2.4 and abs(self.state[2]) < 0.21)


def network() -> Any:
    """One hidden layer with two heads: the logits of both pushes, and what the state is worth."""
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(64, activation="tanh")(inputs)
    return keras.Model(inputs, [keras.layers.Dense(2)(hidden), keras.layers.Dense(1)(hidden)])


def episode(kernels: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """The states and pushes of an episode that is played with the weights as arrays."""
    w, b, policy, shift = kernels
    pole, states, pushes, stands = Pole(rng), [], [], True
    while stands and len(states) < LONGEST:
        state = pole.state.astype(np.float32)
        left, right = np.tanh(state @ w + b) @ policy + shift
        push = rng.uniform() < 1.0 / (1.0 + np.exp(left - right))
        states.append(state)
        pushes.append(push)
        stands = pole.push(bool(push))
    return np.array(states), np.array(pushes, np.int32)


def returns(steps: int) -> Any:
    """The discounted sum of the rewards that follow each step; every step gives 1."""
    left = np.arange(steps, 0, -1)
    return ((1 - DISCOUNT**left) / (1 - DISCOUNT)).astype(np.float32)


def run(episodes: int = 250) -> float:
    """Play and learn; the mean length of the last twenty episodes."""
    keras.utils.set_random_seed(2)
    rng = np.random.default_rng(2)
    model, optimizer = network(), keras.optimizers.Adam(0.01)

    @tf.function
    def learn(states: Any, pushes: Any, gains: Any, played: Any) -> Any:
        with tf.GradientTape() as tape:
            logits, worth = model(states, training=True)
            advantage = played * (gains - worth[:, 0])
            surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=pushes, logits=logits)
            actor = tf.reduce_sum(tf.stop_gradient(advantage) * surprise)
            critic = 0.5 * tf.reduce_sum(tf.square(advantage))
            loss = (actor + critic) / tf.reduce_sum(played)
        weights = model.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    lengths: list[int] = []
    for number in range(episodes):
        states, pushes = episode([w.numpy() for w in model.weights[:4]], rng)
        steps = len(states)
        lengths.append(steps)
        rest = LONGEST - steps  # episodes are filled up, so that one trace serves all of them
        gains = (returns(steps) - 25.0) / 25.0
        learn(
            np.pad(states, ((0, rest), (0, 0))),
            np.pad(pushes, (0, rest)),
            np.pad(gains, (0, rest)),
            np.pad(np.ones(steps, np.float32), (0, rest)),
        )
        if (number + 1) % (episodes // 5) == 0:
            print(f"  episode {number + 1:4}: the pole stood for {np.mean(lengths[-20:]):5.1f} steps")
    reached = float(np.mean(lengths[-20:]))
    print(f"\n  {np.mean(lengths[:20]):.1f} steps in the first twenty episodes, {reached:.1f} in the last")
    return reached


if __name__ == "__main__":
    terminal.heading("Actor and critic balance a pole")
    run()
