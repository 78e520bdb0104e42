"""Actor-critic: a policy learns to balance a pole on a cart.

You learn how to put a whole episode inside one compiled step: AutoGraph converts the loop, `tf.numpy_function` calls the
environment, a `TensorArray` collects the results, and one tape differentiates everything.

    python examples/actor_critic.py        saves actor_critic.png, if Matplotlib is installed
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import numpy as np

import gradtape as tf

if TYPE_CHECKING:
    import gymnasium

keras = tf.keras
LONGEST, DISCOUNT = 200, 0.99


class CartPole:
    """A pole on a cart that is pushed to the left or to the right (Barto, Sutton and Anderson 1983), with Gymnasium's interface."""

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, object]]:
        """Put the pole upright; return the state."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.state = self.random.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
        """Push the cart for 20 ms; return the state, the reward and whether the pole fell."""
        _, speed, angle, turn = self.state
        force = 10.0 if action else -10.0
        push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        angular = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        linear = push - 0.05 * angular * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([speed, linear, turn, angular])
        fell = bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 12 * np.pi / 180)
        return self.state.astype(np.float32), 1.0, fell, False, {}


def environment() -> CartPole | gymnasium.Env:
    """Gymnasium's CartPole if it is installed, otherwise the class above."""
    if importlib.util.find_spec("gymnasium") is None:
        return CartPole()
    import gymnasium

    return gymnasium.make("CartPole-v1")


def network() -> keras.Model:
    """One hidden layer with two heads: the logits of the two actions, and the value of the state."""
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(64, activation="relu")(inputs)
    return keras.Model(inputs, [keras.layers.Dense(2)(hidden), keras.layers.Dense(1)(hidden)])


class Agent:
    """A model, its optimizer and its environment."""

    def __init__(self) -> None:
        self.model, self.optimizer, self.environment = network(), keras.optimizers.Adam(0.01), environment()
        self.environment.reset(seed=2)

    def step_environment(self, action: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """The state, the reward and the end flag after an action."""

        def step(action: np.ndarray) -> tuple[np.ndarray, np.float32, np.bool_]:
            state, reward, fell, ended, _ = self.environment.step(int(action))
            return state.astype(np.float32), np.float32(reward), np.bool_(fell or ended)

        # A Python function inside a compiled step. Its results have no static shapes, so we set them.
        state, reward, done = tf.numpy_function(step, [action], [tf.float32, tf.float32, tf.bool])
        state.set_shape([4])
        reward.set_shape([])
        done.set_shape([])
        return state, reward, done

    def episode(self, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """The log probabilities of the actions, the predicted values and the rewards of all steps."""
        log_probabilities = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        values = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        for t in tf.range(LONGEST):  # AutoGraph converts this loop and its `break`
            logits, value = self.model(state[tf.newaxis])
            action = tf.random.categorical(logits, 1)[0, 0]
            log_probabilities = log_probabilities.write(t, tf.nn.log_softmax(logits)[0, action])
            values = values.write(t, value[0, 0])
            state, reward, done = self.step_environment(action)
            rewards = rewards.write(t, reward)
            if done:
                break
        return log_probabilities.stack(), values.stack(), rewards.stack()

    @tf.function
    def train_step(self, state: tf.Tensor) -> tf.Tensor:
        """Play an episode and take one step of the optimizer; return the sum of the rewards."""
        with tf.GradientTape() as tape:
            log_probabilities, values, rewards = self.episode(state)
            # The return of a step: its reward plus the discounted return of the next step, computed from the end.
            returns = tf.scan(lambda later, now: now + DISCOUNT * later, rewards, 0.0, reverse=True)
            returns = (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
            advantage = returns - values
            # The advantage weights the actions. Without stop_gradient, the actor's loss would also change the critic.
            actor = -tf.reduce_sum(log_probabilities * tf.stop_gradient(advantage))
            critic = keras.losses.Huber(reduction="sum")(returns, values)
            loss = actor + critic
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return tf.reduce_sum(rewards)


def save_curve(lengths: list[float], file: str) -> None:
    """Save the lengths of all episodes as a picture, if Matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot(lengths, ".", label="each episode")
    axes.plot([np.mean(lengths[max(0, i - 19) : i + 1]) for i in range(len(lengths))], label="mean of twenty")
    axes.set(title="how long the pole stood", xlabel="episode", ylabel="steps")
    axes.legend()
    figure.savefig(file)
    pyplot.close(figure)
    print(f"\n  picture: {file}")


def run(episodes: int = 300) -> float:
    """Train until the pole stays up; return the mean length of the last twenty episodes."""
    keras.utils.set_random_seed(2)
    agent = Agent()
    lengths: list[float] = []
    for number in range(1, episodes + 1):
        state, _ = agent.environment.reset()
        lengths.append(float(agent.train_step(tf.constant(state))))
        if number % 20 == 0:
            print(f"  episode {number:4}: the pole stood for {np.mean(lengths[-20:]):5.1f} steps")
        if len(lengths) >= 20 and np.mean(lengths[-20:]) > 120.0:
            break
    save_curve(lengths, "actor_critic.png")
    reached = float(np.mean(lengths[-20:]))
    print(f"\n  {reached:.1f} steps in the last twenty of {number} episodes")
    return reached


if __name__ == "__main__":
    print("Actor and critic balance a pole")
    run()
