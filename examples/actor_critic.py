"""Actor-critic: a policy learns to balance a pole on a cart. A whole episode runs inside one compiled step: the environment is
called from the loop by `tf.numpy_function`, and one tape sees all that the network decided."""

from __future__ import annotations

import collections
import importlib.util
import sys
from typing import Any

import numpy as np

import gradtape as tf
import terminal

keras = tf.keras
LONGEST, DISCOUNT = 200, 0.99


class CartPole:
    """A pole on a cart that is pushed to the left or to the right (Barto, Sutton and Anderson 1983), as Gymnasium has it."""

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Stand the pole up; its state."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.state = self.random.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Push, and move on by 20 ms; the state, the reward and whether the pole fell."""
        _, speed, angle, turn = self.state
        force = 10.0 if action else -10.0
        push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        angular = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        linear = push - 0.05 * angular * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([speed, linear, turn, angular])
        fell = bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * np.pi / 180)
        return self.state.astype(np.float32), 1.0, fell, False, {}


def environment() -> Any:
    """Gymnasium's CartPole where it is installed, ours elsewhere."""
    if importlib.util.find_spec("gymnasium") is None:
        return CartPole()
    import gymnasium

    return gymnasium.make("CartPole-v1")


def network() -> Any:
    """One hidden layer with two heads: the logits of both pushes, and what the state is worth."""
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(64, activation="relu")(inputs)
    return keras.Model(inputs, [keras.layers.Dense(2)(hidden), keras.layers.Dense(1)(hidden)])


class Agent:
    """A model, its optimizer and the environment that it acts in."""

    def __init__(self) -> None:
        self.model, self.optimizer, self.environment = network(), keras.optimizers.Adam(0.01), environment()
        self.environment.reset(seed=2)

    def step_environment(self, action: Any) -> Any:
        """State, reward and end after an action; runs when the compiled step does."""

        def step(action: Any) -> tuple[Any, Any, Any]:
            state, reward, fell, ended, _ = self.environment.step(int(action))
            return state.astype(np.float32), np.float32(reward), np.bool_(fell or ended)

        state, reward, done = tf.numpy_function(step, [action], [tf.float32, tf.float32, tf.bool])
        state.set_shape([4])
        reward.set_shape([])
        done.set_shape([])
        return state, reward, done

    def episode(self, state: Any) -> tuple[Any, Any, Any]:
        """The logarithms of the probabilities of what was done, the values that were expected, and the rewards, step by step."""
        chances = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        values = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        for t in tf.range(LONGEST):
            logits, value = self.model(state[tf.newaxis])
            action = tf.random.categorical(logits, 1)[0, 0]
            chances = chances.write(t, tf.nn.log_softmax(logits)[0, action])
            values = values.write(t, value[0, 0])
            state, reward, done = self.step_environment(action)
            rewards = rewards.write(t, reward)
            if done:
                break
        return chances.stack(), values.stack(), rewards.stack()

    @tf.function
    def train_step(self, state: Any) -> Any:
        """The sum of the rewards of an episode, after a step of learning from it."""
        with tf.GradientTape() as tape:
            chances, values, rewards = self.episode(state)
            returns = tf.scan(lambda later, now: now + DISCOUNT * later, rewards, 0.0, reverse=True)
            returns = (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
            advantage = returns - values
            actor = -tf.reduce_sum(chances * tf.stop_gradient(advantage))
            critic = keras.losses.Huber(reduction="sum")(returns, values)
            loss = actor + critic
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return tf.reduce_sum(rewards)


def run(episodes: int = 300) -> float:
    """Play and learn until the pole stands for long; the mean length of the last twenty episodes."""
    keras.utils.set_random_seed(2)
    agent = Agent()
    lengths: collections.deque[float] = collections.deque(maxlen=20)
    for number in range(1, episodes + 1):
        state, _ = agent.environment.reset()
        lengths.append(float(agent.train_step(state)))
        if number % 20 == 0:
            print(f"  episode {number:4}: the pole stood for {np.mean(lengths):5.1f} steps")
        if len(lengths) == 20 and np.mean(lengths) > 120.0:
            break
    reached = float(np.mean(lengths))
    print(f"\n  {reached:.1f} steps in the last twenty of {number} episodes")
    return reached


if __name__ == "__main__":
    terminal.heading("Actor and critic balance a pole")
    run(*map(int, sys.argv[1:]))
