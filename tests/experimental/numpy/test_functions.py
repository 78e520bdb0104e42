"""`tf.experimental.numpy`: NumPy itself is the reference."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import gradtape as tf
import gradtape.experimental.numpy as tnp
from gradtape.testing import check_grads

A = np.array([[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]])
B = np.array([[1.5, 0.25, -2.0], [0.5, 2.0, 1.0]])
N = np.array([[3, 1, 2], [9, 4, 7]])
Z = A + 1j * B
POSITIVE = np.abs(A) + 1.0
INSIDE = A / 4.0

UNARY: dict[str, Any] = {
    **dict.fromkeys(
        [
            "abs",
            "absolute",
            "ceil",
            "conj",
            "conjugate",
            "cos",
            "cosh",
            "deg2rad",
            "exp",
            "exp2",
            "expm1",
            "fabs",
            "fix",
            "floor",
            "imag",
            "isfinite",
            "isinf",
            "isnan",
            "isneginf",
            "isposinf",
            "isreal",
            "iscomplex",
            "negative",
            "positive",
            "rad2deg",
            "real",
            "reciprocal",
            "sign",
            "signbit",
            "sin",
            "sinc",
            "sinh",
            "square",
            "tan",
            "tanh",
            "arctan",
            "arcsinh",
            "cbrt",
            "around",
            "round",
        ],
        A,
    ),
    **dict.fromkeys(["log", "log10", "log1p", "log2", "sqrt", "arccosh"], POSITIVE),
    **dict.fromkeys(["arccos", "arcsin", "arctanh"], INSIDE),
    "bitwise_not": N,
    "logical_not": N - 3,
}
BINARY: dict[str, Any] = {
    **dict.fromkeys(
        [
            "add",
            "subtract",
            "multiply",
            "divide",
            "true_divide",
            "floor_divide",
            "mod",
            "remainder",
            "maximum",
            "minimum",
            "arctan2",
            "hypot",
            "heaviside",
            "logaddexp",
            "logaddexp2",
            "equal",
            "not_equal",
            "less",
            "less_equal",
            "greater",
            "greater_equal",
            "logical_and",
            "logical_or",
            "logical_xor",
            "isclose",
            "nextafter",
        ],
        (A, B),
    ),
    **dict.fromkeys(["power", "float_power"], (POSITIVE, B)),
    **dict.fromkeys(["gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor"], (N, N[::-1])),
}


def same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
        return
    value = ours.numpy() if isinstance(ours, tf.Tensor) else ours
    np.testing.assert_allclose(value, theirs, rtol=1e-12, atol=1e-14)
    if isinstance(ours, tf.Tensor):
        assert ours.dtype.name == np.asarray(theirs).dtype.name


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    expected = getattr(np, {"fix": "trunc"}.get(name, name))(UNARY[name])
    same(getattr(tnp, name)(UNARY[name]), expected)
    same(tf.function(getattr(tnp, name))(tf.constant(UNARY[name])), expected)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    same(getattr(tnp, name)(*BINARY[name]), getattr(np, name)(*BINARY[name]))


CALLS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {}


def call(name: str, *args: Any, **kwargs: Any) -> None:
    CALLS[f"{name}-{len(CALLS)}"] = (name, args, kwargs)


for reduction in [
    "sum",
    "prod",
    "mean",
    "max",
    "min",
    "amax",
    "amin",
    "ptp",
    "any",
    "all",
    "std",
    "var",
    "nansum",
    "nanprod",
    "nanmean",
    "average",
]:
    call(reduction, A)
    call(reduction, A, axis=1)
call("sum", N, axis=(0, 1))
call("mean", N, axis=0, keepdims=True)
call("var", A, axis=1, ddof=1)
call("average", A, axis=1, weights=[1.0, 2.0, 3.0])
call("average", A, weights=B * B, returned=True)
call("nanmean", np.where(A > 1, np.nan, A), axis=1)
call("count_nonzero", N - 3, axis=1)
for scan in ["cumsum", "cumprod"]:
    call(scan, A)
    call(scan, N, axis=1)
call("argmax", A)
call("argmax", A, axis=0)
call("argmin", A, axis=1)
call("sort", A, axis=0)
call("sort", A, axis=None)
call("argsort", N, axis=-1)
call("diff", A, n=2)
call("diff", N, axis=0)
call("polyval", [1.0, 2.0, 3.0], A)
call("clip", A, -1.0, 1.0)
call("clip", A, None, 1.0)
call("angle", Z, deg=True)
call("divmod", N, 2)
call("allclose", A, A + 1e-12)
call("array_equal", A, B)
call("around", A, 1)
call("zeros", (2, 3))
call("ones", 3)
call("full", (2, 2), [1, 2])
call("zeros_like", N)
call("ones_like", A)
call("full_like", N, 4)
call("arange", 2, 9, 3)
call("arange", 3.0)
call("linspace", 0, 1, 5)
call("linspace", A[0], B[0], 4, axis=1)
call("linspace", 0, 1, 5, endpoint=False)
call("logspace", 0, 2, 4)
call("geomspace", 1, 1000, 4)
call("eye", 2, 3, 1)
call("identity", 3)
call("tri", 3, 4, -1)
call("tril", A, -1)
call("triu", A, 1)
call("diag", [1.0, 2.0], 1)
call("diag", A, -1)
call("diagflat", A)
call("diagonal", np.arange(24.0).reshape(2, 3, 4), 1, 0, 2)
call("diag_indices", 3)
call("vander", [1.0, 2.0, 3.0], 4)
call("meshgrid", [1, 2], [3, 4, 5])
call("meshgrid", [1, 2], [3, 4, 5], indexing="ij")
call("ix_", [0, 1], [2, 0])
call("broadcast_arrays", A, 1.0)
call("copy", A)
call("reshape", A, (3, 2), order="F")
call("reshape", A, -1)
call("ravel", A)
call("transpose", A)
call("swapaxes", A, 0, 1)
call("moveaxis", np.arange(24.0).reshape(2, 3, 4), [0, 1], [-1, 0])
call("expand_dims", A, (0, -1))
call("squeeze", A[None])
call("broadcast_to", A[0], (2, 3))
call("atleast_1d", 1.0, A)
call("atleast_2d", A[0])
call("atleast_3d", A)
call("concatenate", [A, N], axis=1)
call("concatenate", [A, N], axis=None)
call("append", A, B, axis=0)
call("stack", [A, B], axis=1)
call("vstack", [A[0], B])
call("hstack", [A, B])
call("dstack", [A, B])
call("split", A, 3, axis=1)
call("split", A, [1], axis=1)
call("hsplit", A, 3)
call("vsplit", A, 2)
call("dsplit", A[None], 3)
call("flip", A)
call("flipud", A)
call("fliplr", A)
for turns in range(4):
    call("rot90", A, turns)
call("roll", A, 2)
call("roll", A, (1, 1), (0, 1))
call("tile", A, (2, 1, 2))
call("tile", A, 2)
call("repeat", A, [1, 2], axis=0)
call("repeat", A, 2)
call("pad", A, ((1, 0), (2, 1)), "constant", constant_values=3.0)
call("pad", A, 1, "reflect")
call("dot", A, B.T)
call("dot", A, 2)
call("inner", A, B)
call("outer", A[0], B[1])
call("vdot", Z, Z * 2)
call("matmul", A, B.T)
call("matmul", A, B[0])
call("matmul", A[0], B[0])
call("tensordot", A, B, axes=([1], [1]))
call("kron", A, B)
call("kron", A[0], B)
call("einsum", "ij,kj->ik", A, B)
call("trace", A, 1)
call("cross", A, B)
call("cross", A.T, B.T, axis=0)
call("where", A > 0, A, 0)
call("where", A > 0)
call("nonzero", A)
call("select", [A > 1, A > 0], [A, N], 7)
call("take", A, [0, 5, 2], mode="clip")
call("take", A, [0, 4], axis=1, mode="wrap")
call("take_along_axis", A, np.argsort(A, axis=1), axis=1)
call("take_along_axis", A, np.array([[0, 1, 0]]), axis=0)
call("compress", [True, False, True], A, axis=1)
call("iscomplexobj", Z)
call("isrealobj", A)
call("isscalar", 3.0)
call("ndim", A)
call("shape", A)
call("size", A)
call("size", A, 1)
call("issubdtype", np.float32, np.floating)


@pytest.mark.parametrize("key", CALLS)
def test_function(key: str) -> None:
    name, args, kwargs = CALLS[key]
    same(getattr(tnp, name)(*args, **kwargs), getattr(np, name)(*args, **kwargs))


DIFFERENTIABLE: dict[str, Any] = {
    "mean": lambda x: tnp.mean(x, axis=0), "var": lambda x: tnp.var(x, ddof=1), "dot": lambda x: tnp.dot(x, B.T),
    "where": lambda x: tnp.where(A > 0, x * x, 0), "take": lambda x: tnp.take(x, [0, 0, 4]) ** 2,
    "kron": lambda x: tnp.kron(x, x), "hypot": lambda x: tnp.hypot(x, B), "rot90": lambda x: tnp.rot90(x) ** 2,
    "cumsum": lambda x: tnp.cumsum(x) ** 2, "diagonal": lambda x: tnp.diagonal(x) ** 2, "power": lambda x: tnp.power(x, 2),
    "linspace": lambda x: tnp.linspace(x, B, 3) ** 2, "pad": lambda x: tnp.pad(x, 1, "symmetric") ** 2,
    "polyval": lambda x: tnp.polyval(x[0], 1.5), "average": lambda x: tnp.average(x, weights=x * x),
    "sort": lambda x: tnp.sort(x) ** 2, "logaddexp2": lambda x: tnp.logaddexp2(x, B), "cbrt": lambda x: tnp.cbrt(x),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradient(name: str) -> None:
    check_grads(DIFFERENTIABLE[name], [tf.constant(A)], order=2)


@pytest.mark.parametrize(
    ("a", "b", "dtype"),
    [
        (tf.constant([1, 2]), 2.0, "float64"),
        (tf.constant([1.0, 2.0]), 2.0, "float32"),
        (tf.constant([1.0, 2.0]), [2, 3], "float32"),
        (tf.constant([1, 2]), tf.constant([1.0, 2.0]), "float64"),
        (tf.constant([1, 2], tf.int8), 3, "int8"),
        (tf.constant([1, 2], tf.int8), tf.constant([1.0, 2.0]), "float32"),
        (tf.constant([True]), tf.constant([False]), "bool"),
        (1, 2, "int64"),
        (1.0, 1j, "complex128"),
    ],
)
def test_promotion(a: Any, b: Any, dtype: str) -> None:
    assert tnp.add(a, b).dtype.name == dtype


def test_cross_products_of_two_elements() -> None:
    same(tnp.cross([1.0, 2.0], [3.0, 5.0]), np.float64(-1.0))
    same(tnp.cross(A[:, :2], B), np.cross(np.pad(A[:, :2], ((0, 0), (0, 1))), B))


def test_integers_become_wide_or_floating() -> None:
    x = tf.constant([1, 2], tf.int8)
    assert tnp.sum(x).dtype == tnp.prod(x).dtype == tnp.cumsum(x).dtype == tf.int64
    assert tnp.mean(x).dtype == tnp.sin(x).dtype == tf.float64
    unsigned = tf.constant([1, 2], tf.uint64)
    assert tnp.sum(unsigned).dtype == tf.uint64
    assert tnp.cumsum(unsigned).dtype == tnp.cumprod(unsigned).dtype == tf.float64  # which int64 and uint64 fit
    assert tnp.max(x).dtype == tnp.abs(x).dtype == tf.int8
    assert tnp.divide(tf.constant([1]), 2).dtype == tf.float64


def test_lists_of_tensors() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tnp.sum(tnp.array([x, x * x, 1.0]))
    assert float(tape.gradient(y, x)) == 5.0


def test_in_functions_of_unknown_size() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def f(x: Any) -> Any:
        return tnp.var(x, axis=0, ddof=1), tnp.take(x, [0, 5]), tnp.rot90(x), tnp.kron(x, x)

    for rows in (2, 4):
        x = np.linspace(0.0, 1.0, rows * 3).reshape(rows, 3) ** 2
        same(f(tf.constant(x)), (np.var(x, axis=0, ddof=1), np.take(x, [0, 5]), np.rot90(x), np.kron(x, x)))


def test_all_names_are_there() -> None:
    assert len(tnp.__all__) >= 224
    for name in tnp.__all__:
        assert hasattr(tnp, name)


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: tnp.clip(A, None, None), ValueError, "both None"),
        (lambda: tnp.reshape(A, (3, 2), order="K"), ValueError, "order is 'K'"),
        (lambda: tnp.select([A > 0], []), ValueError, "1 conditions for 0 choices"),
        (lambda: tnp.average(A, weights=[1.0, 2.0]), tf.errors.InvalidArgumentError, "weights has shape"),
        (lambda: tnp.pad(A, 1, "edge"), ValueError, "mode is 'edge'"),
        (lambda: tnp.cross([1.0], [2.0]), ValueError, "elements"),
        (lambda: tnp.mean(A, out=A), ValueError, "immutable"),
        (lambda: tnp.gcd(A, A), TypeError, "integers"),
        (lambda: tnp.arange(0, 3, 0), ValueError, "step is 0"),
    ],
)
def test_bad_arguments(wrong: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()


def test_numpy_behavior() -> None:
    program = """
import gradtape as tf, numpy as np
tf.experimental.numpy.experimental_enable_numpy_behavior()
t = tf.constant([[1, 2, 3]])
assert t.T.shape == (3, 1) and t.reshape(3, 1).shape == (3, 1) and t.reshape([3]).shape == (3,)
assert (t + tf.constant(0.5)).dtype == tf.float64 and (t + 0.5).dtype == tf.float64 and (2.5 - t).dtype == tf.float64
assert (t + 1).dtype == tf.int32 and t.astype(tf.float32).sum().dtype == tf.float32 and t.size == 3
assert t.tolist() == [[1, 2, 3]] and int(t.max()) == 3
assert (tf.constant([1.0]) * np.array([2.0], np.float32)).dtype == tf.float32
assert tf.function(lambda x: (x.T + 0.5).sum())(t) == 7.5
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = (v * tf.constant([2, 3])).sum()
assert tape.gradient(y, v).numpy().tolist() == [2.0, 3.0]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_scalar_has_one_element_that_may_not_be_zero() -> None:
    assert [i.numpy().tolist() for i in tnp.nonzero(3)] == [[0]]
    assert [i.numpy().tolist() for i in tnp.nonzero(0.0)] == [[]]
