"""Gradients flow through every family of `keras.ops`, to second order, as central differences say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

RANDOM = np.random.default_rng(3)
X = RANDOM.uniform(0.2, 0.9, (2, 3))
Y = RANDOM.uniform(0.2, 0.9, (2, 3))
M = RANDOM.normal(size=(3, 3)) + 3.0 * np.eye(3)
S = M @ M.T
V = RANDOM.uniform(0.2, 0.9, 5)
IMAGE = RANDOM.uniform(0.1, 0.9, (1, 5, 4, 3))
KERNEL = RANDOM.normal(size=(2, 2, 3, 2))

UNARY = [
    "arccos",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cbrt",
    "cos",
    "cosh",
    "deg2rad",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "log",
    "log10",
    "log1p",
    "log2",
    "negative",
    "rad2deg",
    "reciprocal",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "i0",
    "erf",
    "erfc",
    "erfinv",
    "rsqrt",
    "celu",
    "elu",
    "gelu",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softplus",
    "softsign",
    "sparse_plus",
    "squareplus",
    "tanh_shrink",
    "softmax",
    "log_softmax",
    "sparsemax",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "power",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "arctan2",
    "hypot",
    "logaddexp",
    "logaddexp2",
    "divide_no_nan",
    "outer",
    "inner",
    "vdot",
    "kron",
    "mod",
]
REDUCTIONS = [
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "max",
    "min",
    "amax",
    "amin",
    "ptp",
    "cumsum",
    "cumprod",
    "median",
    "logsumexp",
    "average",
    "nansum",
    "nanprod",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanmax",
    "nanmin",
    "nanmedian",
]

OTHERS: dict[str, tuple[Callable[[Any], Callable[..., Any]], tuple[Any, ...]]] = {
    "matmul": (lambda o: o.matmul, (X, Y.T)),
    "dot": (lambda o: o.dot, (X, V[:3])),
    "tensordot": (lambda o: lambda a, b: o.tensordot(a, b, axes=2), (X, Y)),
    "einsum": (lambda o: lambda a, b: o.einsum("ij,kj->ik", a, b), (X, Y)),
    "concatenate": (lambda o: lambda a, b: o.concatenate([a, b], axis=1), (X, Y)),
    "stack": (lambda o: lambda a, b: o.stack([a, b], axis=1), (X, Y)),
    "split": (lambda o: lambda a: o.split(a, 3, axis=1), (X,)),
    "reshape and transpose": (lambda o: lambda a: o.transpose(o.reshape(a, (3, 2))), (X,)),
    "pad": (lambda o: lambda a: o.pad(a, ((1, 0), (0, 2)), mode="constant"), (X,)),
    "wrapped pad": (lambda o: lambda a: o.pad(a, ((1, 0), (0, 2)), mode="wrap"), (X,)),
    "take": (lambda o: lambda a: o.take(a, [2, 0, 0, -1], axis=1), (X,)),
    "take_along_axis": (lambda o: lambda a: o.take_along_axis(a, [[2, 0], [1, 1]], axis=1), (X,)),
    "where": (lambda o: lambda a, b: o.where(a > 0.5, a * b, b), (X, Y)),
    "clip": (lambda o: lambda a: o.clip(a, 0.3, 0.7), (X,)),
    "roll, flip, tile, repeat": (lambda o: lambda a: o.tile(o.repeat(o.flip(o.roll(a, 1, 1), 0), 2, 0), (1, 2)), (X,)),
    "diag and trace": (lambda o: lambda a: o.trace(a) * o.diag(o.diagonal(a, 1)), (M,)),
    "tril, triu": (lambda o: lambda a: o.matmul(o.tril(a), o.triu(a)), (M,)),
    "sort": (lambda o: lambda a: o.sort(a, axis=1), (X,)),
    "top_k": (lambda o: lambda a: o.top_k(a, 2)[0], (X,)),
    "quantile": (lambda o: lambda a: o.quantile(a, [0.3, 0.6], axis=1), (X,)),
    "cross": (lambda o: o.cross, (X, Y)),
    "correlate": (lambda o: lambda a, b: o.correlate(a, b, mode="full"), (V, V[:3])),
    "norm": (lambda o: lambda a: o.norm(a, ord=3, axis=1), (X,)),
    "det": (lambda o: o.det, (M,)),
    "inv": (lambda o: o.inv, (M,)),
    "solve": (lambda o: o.solve, (M, X.T)),
    "cholesky": (lambda o: lambda a: o.cholesky((a + o.transpose(a)) / 2.0), (S,)),
    "lstsq": (lambda o: o.lstsq, (M, V[:3])),
    "eigh": (lambda o: lambda a: o.eigh((a + o.transpose(a)) / 2.0)[0], (S,)),
    "svd": (lambda o: lambda a: o.svd(a, compute_uv=False), (X,)),
    "qr": (lambda o: lambda a: o.qr(a)[1], (M,)),
    "logdet": (lambda o: o.logdet, (S,)),
    "segment_sum": (lambda o: lambda a: o.segment_sum(a, np.array([0, 1, 0, 2, 1]), 3), (V,)),
    "segment_max": (lambda o: lambda a: o.segment_max(a, np.array([0, 1, 0, 2, 1]), 4)[:3], (V,)),
    "rfft": (lambda o: o.rfft, (V,)),
    "stft": (lambda o: lambda a: o.stft(a, 3, 1, 4), (V,)),
    "conv": (lambda o: lambda a, k: o.conv(a, k, strides=2, padding="same"), (IMAGE, KERNEL)),
    "depthwise_conv": (lambda o: o.depthwise_conv, (IMAGE, KERNEL)),
    "conv_transpose": (lambda o: lambda a, k: o.conv_transpose(a, k, strides=2), (IMAGE[:, :2, :2, :2], KERNEL)),
    "max_pool": (lambda o: lambda a: o.max_pool(a, 2, 1), (IMAGE,)),
    "average_pool": (lambda o: lambda a: o.average_pool(a, 2, 2, padding="same"), (IMAGE,)),
    "adaptive pools": (
        lambda o: lambda a: o.adaptive_average_pool(a, (2, 3)) + o.adaptive_max_pool(a, (2, 3)),
        (IMAGE,),
    ),
    "batch_normalization": (
        lambda o: lambda a, m, v: o.batch_normalization(a, m, v, axis=-1),
        (IMAGE, V[:3], V[1:4]),
    ),
    "moments": (lambda o: lambda a: o.moments(a, [0, 1, 2]), (IMAGE,)),
    "attention": (
        lambda o: lambda q, k, v: o.dot_product_attention(q, k, v, is_causal=True),
        tuple(RANDOM.normal(size=(3, 1, 3, 2, 2))),
    ),
    "categorical_crossentropy": (
        lambda o: lambda a: o.categorical_crossentropy([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], a),
        (X,),
    ),
    "sparse_categorical_crossentropy": (
        lambda o: lambda a: o.sparse_categorical_crossentropy([2, 0], a, from_logits=True),
        (X,),
    ),
    "binary_crossentropy": (lambda o: lambda a: o.binary_crossentropy([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], a), (X,)),
    "ctc_loss": (
        lambda o: lambda a: o.ctc_loss([[1, 2]], a, [2], [4]),
        (RANDOM.normal(size=(1, 4, 3)),),
    ),
    "unfold and fold": (
        lambda o: lambda a: o.fold(o.unfold(a, 2) ** 2, (3, 4), 2),
        (RANDOM.normal(size=(1, 2, 3, 4)),),
    ),
    "resize": (lambda o: lambda a: o.image.resize(a, (7, 3), interpolation="bicubic"), (IMAGE,)),
    "affine_transform": (
        lambda o: lambda a: o.image.affine_transform(a, [0.9, 0.1, 0.3, -0.1, 1.1, 0.2, 0.0, 0.0], fill_mode="reflect"),
        (IMAGE,),
    ),
    "map_coordinates": (lambda o: lambda a, c: o.image.map_coordinates(a, c, 1), (X, RANDOM.uniform(0.1, 0.9, (2, 4)))),
    "gaussian_blur": (lambda o: o.image.gaussian_blur, (IMAGE,)),
    "rgb_to_hsv": (lambda o: o.image.rgb_to_hsv, (IMAGE,)),
    "scatter": (lambda o: lambda a: o.scatter([[1], [1], [3]], a, (4,)), (V[:3],)),
    "scatter_update": (lambda o: lambda a, b: o.scatter_update(a, [[1], [3]], b), (V, V[:2])),
    "slice and slice_update": (
        lambda o: lambda a, b: o.slice_update(a, (0, 1), o.slice(b, (1, 0), (1, 2)) ** 2),
        (X, Y),
    ),
    "scan": (lambda o: lambda a: o.scan(lambda c, x: (c * x, c + x), a[0], a), (V,)),
    "associative_scan": (lambda o: lambda a: o.associative_scan(lambda p, q: p * q, a), (V,)),
    "while_loop": (lambda o: lambda a: o.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), (0, a))[1], (V,)),
    "vectorized_map": (lambda o: lambda a: o.vectorized_map(lambda row: o.sum(row * row), a), (X,)),
    "cdist": (lambda o: lambda a, b: o.cdist(a, b) if hasattr(o, "cdist") else a, (X, Y)),
}


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(keras: Any, name: str) -> None:
    check_grads(getattr(keras.ops, name), (X,), rtol=1e-5, atol=1e-6)


def test_arccosh(keras: Any) -> None:
    check_grads(keras.ops.arccosh, (X + 1.0,))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_tensors(keras: Any, name: str) -> None:
    check_grads(getattr(keras.ops, name), (X, Y + 0.05))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(keras: Any, name: str) -> None:
    function = getattr(keras.ops, name)
    check_grads(lambda a: function(a, axis=1), (X,))


@pytest.mark.parametrize("name", OTHERS)
def test_other_functions(keras: Any, name: str) -> None:
    make, arguments = OTHERS[name]
    check_grads(make(keras.ops), arguments, rtol=1e-5, atol=1e-6)


def test_custom_gradient(keras: Any) -> None:
    @keras.ops.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = keras.ops.exp(x)

        def grad(*args: Any, upstream: Any = None) -> Any:
            if upstream is None:
                (upstream,) = args
            return upstream * (1.0 - 1.0 / (1.0 + e))

        return keras.ops.log(1.0 + e), grad

    x = tf.constant(100.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x)
    assert float(tape.gradient(y, x)) == 1.0


def test_keras_variables_are_sources(keras: Any) -> None:
    v = keras.Variable(np.array([1.0, 2.0], "float32"))
    with tf.GradientTape(persistent=True) as tape:
        y = keras.ops.sum(v * v) + tf.reduce_sum(v)
    np.testing.assert_allclose(tape.gradient(y, v), [3.0, 5.0])
    np.testing.assert_allclose(tape.gradient(y, {"v": [v]})["v"][0], [3.0, 5.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = keras.ops.sum(v * v * v)
        first = inner.gradient(y, v)
    np.testing.assert_allclose(outer.gradient(first, v), [6.0, 12.0])


def test_gradient_in_a_stateless_scope(keras: Any) -> None:
    v = keras.Variable(2.0)
    with keras.StatelessScope(state_mapping=[(v, keras.ops.convert_to_tensor(5.0))]), tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
        assert float(tape.gradient(y, v)) == 10.0
    assert float(v) == 2.0


def test_unused_variable_is_not_trainable(keras: Any) -> None:
    layer = keras.layers.Dense(2)
    layer.build((None, 3))
    layer.trainable = False
    with tf.GradientTape() as tape:
        layer(np.ones((1, 3), "float32"))
    assert tape.watched_variables() == ()
