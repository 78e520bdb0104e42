"""Keras objects that make their variables inside a function: the trace that runs has seen them built."""

import numpy as np
import pytest

import gradtape as tf

X = tf.ones([2, 3])
SEQUENCE = tf.ones([2, 4, 3])


@pytest.mark.parametrize(
    ("make", "x"),
    [
        (lambda keras: keras.layers.Dense(2), X),
        (lambda keras: keras.layers.BatchNormalization(), X),
        (lambda keras: keras.layers.LayerNormalization(), X),
        (lambda keras: keras.layers.LSTM(3), SEQUENCE),
        (lambda keras: keras.Sequential([keras.layers.Dense(2), keras.Sequential([keras.layers.Dense(1)])]), X),
    ],
)
def test_layers(keras, make, x):
    layer, seen = make(keras), []

    @tf.function
    def f(x):
        seen.append(layer.built)
        return layer(x)

    np.testing.assert_allclose(f(x), layer(x), rtol=1e-6)
    f(x)
    assert seen == [False, True]


def test_optimizer_state_is_read_when_the_function_runs(keras):
    inner = keras.optimizers.SGD(0.1)
    optimizer = keras.optimizers.LossScaleOptimizer(inner, initial_scale=1024.0, dynamic_growth_steps=2)
    v = tf.Variable(1.0)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            scaled = optimizer.scale_loss(v * v)
        optimizer.apply_gradients([(tape.gradient(scaled, v), v)])
        return scaled

    losses = [float(step()) for _ in range(4)]
    np.testing.assert_allclose(losses, [1024.0, 1024 * 0.8**2, 2048 * 0.8**4, 2048 * 0.8**6], rtol=1e-5)


def test_metrics_and_seeds(keras):
    kept = []

    @tf.function
    def f(x):
        if not kept:
            kept.extend([keras.metrics.Mean(), keras.random.SeedGenerator(3)])
        kept[0].update_state(x)
        return kept[0].result(), keras.random.uniform([2], seed=kept[1])

    (mean, first), (_, second) = f(X), f(X)
    assert float(mean) == 1.0
    assert not np.array_equal(first, second)
    assert float(f(X * 4.0)[0]) == 2.0


def test_layers_made_on_every_call_are_refused(keras):
    with pytest.raises(ValueError, match="singleton"):
        tf.function(lambda x: keras.layers.Dense(2)(x))(X)


def dense_in_a_function(keras, signature):
    """A layer whose `call` is a function, and whose sublayer is built by the first call."""

    class Outer(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(2, kernel_initializer="ones")

        @tf.function(input_signature=signature)
        def call(self, x):
            return self.dense(x)

    return Outer()


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, 3])]])
def test_call_as_a_function(keras, signature):
    layer = dense_in_a_function(keras, signature)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(X))
    assert float(y) == 12.0
    np.testing.assert_allclose(tape.gradient(y, layer.dense.kernel), np.full([3, 2], 2.0))
    layer.dense.kernel.assign(layer.dense.kernel * 2.0)
    assert float(tf.reduce_sum(layer(X))) == 24.0


def test_the_shape_of_a_variable_is_a_tensor_shape(keras):
    variable = keras.Variable(np.zeros((2, 3)))
    assert variable.shape.rank == 2
    assert variable.shape.is_compatible_with([None, 3])
    assert variable.shape == (2, 3)
