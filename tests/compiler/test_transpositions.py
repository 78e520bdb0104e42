"""Transpositions around convolutions with the channels first: how many are left, and that results are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler import passes
from gradtape.compiler.passes.transpositions import move_transpositions

FIRST = {"data_format": "NCHW"}


def weights(*shapes: tuple[int, ...]) -> list[Any]:
    random = np.random.default_rng(0)
    return [tf.constant(random.normal(size=s) / np.sqrt(np.prod(s[:-1])), tf.float32) for s in shapes]


X, W, W2, W3, B = weights((2, 8, 9, 10), (3, 3, 8, 16), (3, 3, 16, 16), (3, 3, 16, 16), (16,))


def layer(x: Any, w: Any) -> Any:
    return tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME", **FIRST), B, **FIRST)


def normalized(x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [0, 2, 3], keepdims=True)
    own = tf.reshape(B, [1, 16, 1, 1])
    return (x - mean) * tf.math.rsqrt(variance + 1e-3) * own + own


def residual(x: Any, w: Any, w2: Any, w3: Any) -> Any:
    h = tf.nn.relu(layer(x, w))
    return tf.nn.relu(layer(tf.nn.relu(layer(h, w2)), w3) + h)


def residual_of_the_input(x: Any, w: Any, w2: Any, w3: Any) -> Any:
    """The last addition reads what would have to be transposed for it: it stays behind the transposition."""
    h = tf.nn.relu(layer(x, w))
    return tf.nn.relu(layer(h, w2) + tf.tile(x, [1, 2, 1, 1]))


def batch_norm(x: Any, w: Any, w2: Any, w3: Any) -> Any:
    h = tf.nn.relu(normalized(layer(x, w)))
    return tf.nn.relu(normalized(layer(h, w2)) + h)


def pooling(x: Any, w: Any, w2: Any, w3: Any) -> Any:
    h = tf.nn.max_pool2d(tf.nn.relu(layer(x, w)), 2, 2, "SAME", **FIRST)
    y = tf.nn.avg_pool2d(tf.nn.relu(layer(h, w2)), [1, 3], 1, "SAME", **FIRST)
    return tf.reduce_mean(tf.nn.relu(layer(y, w3) + h), [2, 3])


def squeeze_and_excite(x: Any, w: Any, w2: Any, w3: Any) -> Any:
    """A factor for each example and channel is small enough to be transposed by itself."""
    h = tf.nn.relu(layer(x, w))
    factor = tf.sigmoid(tf.reduce_mean(h, [2, 3], keepdims=True))
    return tf.reduce_sum(layer(h * factor, w2), [2, 3])


def also_seen_outside(x: Any, w: Any, w2: Any, w3: Any) -> Any:
    h = tf.nn.relu(layer(x, w))
    return tf.concat([tf.reshape(h, [2, -1]), tf.reshape(layer(h, w2), [2, -1])], 1)


def gradients(program: Callable[..., Any]) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = tf.reduce_sum(tf.square(program(*inputs)))
        return [g for g in tape.gradient(loss, inputs) if g is not None]

    return run


PROGRAMS = {  # transpositions of a call and of the gradients: of x, of what is returned, and of the gradient by x
    residual: (2, 2),
    residual_of_the_input: (2, 4),
    batch_norm: (2, 2),
    pooling: (1, 2),
    squeeze_and_excite: (1, 3),
    also_seen_outside: (3, 6),
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("derive", [False, True], ids=["call", "gradients"])
def test_transpositions(program: Callable[..., Any], derive: bool) -> None:
    function = gradients(program) if derive else program
    compiled = tf.function(function)
    found, wanted = compiled(X, W, W2, W3), function(X, W, W2, W3)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=3e-5 * np.abs(b.numpy()).max())
    kernels = compiled.explain().traces[0].native
    large = [name for name in kernels if name == "transpose"]
    assert len(large) == PROGRAMS[program][derive], kernels


def test_layers_are_kernels_as_with_the_channels_last() -> None:
    """Between the first layer and the last, derivatives and residuals are parts of convolutions, and sums for biases of the filters' gradients."""
    compiled = tf.function(gradients(residual))
    compiled(X, W, W2, W3)
    kernels = [name for name in compiled.explain().traces[0].native if name not in ("reshape", "transpose")]
    assert kernels == [
        "convolution add relu",
        "convolution add relu",
        "convolution add add relu add relu_grad",
        "convolution_filter_gradient",
        "convolution_input_gradient relu_grad",
        "convolution_filter_gradient",
        "convolution_input_gradient add relu_grad",
        "convolution_input_gradient",
        "convolution_filter_gradient",
    ]


def test_the_pass_is_verified_and_leaves_graphs_without_products_alone() -> None:
    concrete = tf.function(gradients(batch_norm)).get_concrete_function(X, W, W2, W3)
    graph = concrete.graph
    graph.outputs = list(concrete._staged.values)
    passes.optimize(graph, check=True)
    plain = tf.function(lambda x: tf.nn.relu(tf.transpose(x, [0, 3, 1, 2]) + 1.0)).get_concrete_function(X).graph
    assert move_transpositions(plain) is plain
