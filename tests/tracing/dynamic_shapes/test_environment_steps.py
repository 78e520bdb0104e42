"""A program in the manner of TensorFlow's actor-critic tutorial: an environment in NumPy, its steps in a compiled loop."""

import numpy as np

import gradtape as tf

SIZE = 4


class Environment:
    """A pole that falls: a state of four numbers, a reward, and whether the episode is over."""

    def __init__(self):
        self.state = np.array([0.02, -0.01, 0.03, 0.04], np.float32)
        self.steps = 0

    def step(self, action):
        push = np.float32(0.1 if action else -0.1)
        self.state = (self.state + push * np.array([0.1, 1.0, -0.2, -1.0], np.float32)).astype(np.float32)
        self.steps += 1
        over = self.steps >= 6 or abs(self.state[2]) > 1.0
        return self.state.astype(np.float32), np.array(1.0 + self.steps / 8, np.int32), np.array(over, np.int32)


def tf_step(environment):
    return lambda action: tf.numpy_function(environment.step, [action], [tf.float32, tf.int32, tf.int32])


def run_episode(initial_state, weights, environment, max_steps):
    probabilities = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    shape = initial_state.shape
    state = initial_state
    for t in tf.range(max_steps):
        logits = tf.matmul(tf.expand_dims(state, 0), weights)
        action = tf.argmax(logits[0, :2])
        values = values.write(t, tf.squeeze(logits[:, 2]))
        probabilities = probabilities.write(t, tf.nn.softmax(logits[:, :2])[0, action])
        state, reward, done = tf_step(environment)(action)
        state.set_shape(shape)
        rewards = rewards.write(t, reward)
        if tf.cast(done, tf.bool):
            break
    return probabilities.stack(), values.stack(), rewards.stack()


def expected_returns(rewards, gamma):
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(tf.float32, size=n)
    rewards = tf.cast(rewards[::-1], tf.float32)
    total = tf.constant(0.0)
    shape = total.shape
    for i in tf.range(n):
        total = rewards[i] + gamma * total
        total.set_shape(shape)
        returns = returns.write(i, total)
    returns = returns.stack()[::-1]
    return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)


def train_step(initial_state, weights, environment):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        probabilities, values, rewards = run_episode(initial_state, weights, environment, 10)
        returns = expected_returns(rewards, 0.9)
        probabilities, values, returns = [tf.expand_dims(x, 1) for x in (probabilities, values, returns)]
        loss = -tf.reduce_sum(tf.math.log(probabilities) * (returns - values)) + tf.reduce_sum((values - returns) ** 2)
    return loss, tape.gradient(loss, weights), tf.reduce_sum(rewards)


def test_steps_of_an_environment_in_a_function():
    weights = tf.constant(np.linspace(-0.5, 0.5, SIZE * 3, dtype=np.float32).reshape(SIZE, 3))
    start = tf.constant(Environment().state)
    wanted = train_step(start, weights, Environment())
    environment = Environment()
    found = tf.function(lambda s, w: train_step(s, w, environment))(start, weights)
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
    assert environment.steps == 6
