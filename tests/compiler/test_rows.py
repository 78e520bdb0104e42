"""Generated kernels along rows, and single ops for eager execution: they compute what NumPy's kernels compute."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
import gradtape.ops
from gradtape.compiler import eager
from gradtape.compiler.recipe import Recipe, row_loop
from gradtape.compiler.rows import FusedRows
from gradtape.core import generated
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec

gradtape.ops.load_all()
RANDOM = np.random.default_rng(11)
WIDTHS = [2, 7, 8, 9, 10, 31, 64, 100, 300]


def normal(*shape, dtype=np.float32):
    return RANDOM.normal(size=shape).astype(dtype)


def check(name, *arrays, tolerance=2e-6, **params):
    """Compare an op's generated kernel with its NumPy kernel."""
    op = REGISTRY[name]
    native = eager.generate(op, arrays, params)
    assert native is not None
    found, wanted = native(*arrays), op.kernel(*arrays, **params)
    for a, b in zip(
        found if type(found) is tuple else (found,), wanted if type(wanted) is tuple else (wanted,), strict=True
    ):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_and_its_kin(width, dtype):
    x, g = normal(5, width, dtype=dtype), normal(5, width, dtype=dtype)
    check("softmax", x, axis=1)
    check("log_softmax", x, axis=1)
    check("softmax_grad", g, scipy.special.softmax(x, axis=1), axis=1)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("labels", [np.int32, np.int64, np.uint8])
def test_sparse_cross_entropy(width, labels):
    places = RANDOM.integers(0, width, 6).astype(labels)
    logits = normal(6, width)
    check("sparse_softmax_cross_entropy_with_logits", places, logits)
    p = scipy.special.softmax(logits, axis=1)
    check("sparse_softmax_cross_entropy_cotangent", normal(6), places, p)


def test_as_many_labels_as_classes():
    check("sparse_softmax_cross_entropy_with_logits", RANDOM.integers(0, 10, 10), normal(10, 10))


@pytest.mark.parametrize("shape", [(4, 33), (2, 3, 8), (300, 40), (1, 1, 5), (7,)])
def test_layer_normalization(shape):
    x, scale, offset = normal(*shape), 1 + normal(*shape[-1:]), normal(*shape[-1:])
    check("layer_normalization", x, scale, offset, epsilon=1e-3, tolerance=5e-6)
    _, h, factor = REGISTRY["layer_normalization"].kernel(x, scale, offset, epsilon=1e-3)
    check("layer_normalization_grad", normal(*shape), h, factor, scale, tolerance=2e-5)


def test_long_rows_are_summed_precisely():
    x = np.full((2, 100_003), 0.1, np.float32)
    recipe = Recipe(x.shape[1])
    value = recipe.input(tf.float32, True)
    total = recipe.row_sum(value)
    op = FusedRows(row_loop(x.shape, recipe, [value], [(True, True)], [total]), [Spec((2,), tf.float32)], "sum")
    np.testing.assert_allclose(op.kernel(x)[0], np.float32(0.1).astype(np.float64) * 100_003, rtol=1e-7)


def test_nan_and_infinity():
    x = np.array([[np.nan, 1.0, 2.0], [np.inf, 1.0, 2.0], [-np.inf, 1.0, 2.0], [-np.inf] * 3], np.float32)
    native = eager.generate(REGISTRY["softmax"], (x,), {"axis": 1})
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(native(x), REGISTRY["softmax"].kernel(x, axis=1), rtol=1e-6)


@pytest.mark.parametrize("name", ["tanh", "sin", "exp", "sigmoid", "log1p", "softplus", "erf"])
def test_elementwise(name):
    check(name, np.abs(normal(3, 1001)))


def test_elementwise_broadcasting_and_parameters():
    check("multiply", normal(4, 5, 6), normal(5, 1))
    check("maximum", normal(100), normal())
    check("leaky_relu", normal(50), alpha=0.3)


@pytest.mark.parametrize(
    ("a", "b", "flags"),
    [
        ((64, 78), (78, 33), (False, False)), ((78, 64), (78, 33), (True, False)), ((64, 78), (33, 78), (False, True)),
        ((78, 64), (33, 78), (True, True)), ((5, 20, 30), (5, 30, 40), (False, False)), ((5, 20, 30), (30, 40), (False, False)),
        ((20, 30), (5, 40, 30), (False, True)), ((2, 3, 9, 8), (2, 3, 8, 7), (False, False)), ((1, 300), (300, 1), (False, False)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrix_products(a, b, flags, dtype):
    check("matmul", normal(*a, dtype=dtype), normal(*b, dtype=dtype), transpose_a=flags[0], transpose_b=flags[1])


def test_stacks_that_broadcast_are_left_to_numpy():
    params = {"transpose_a": False, "transpose_b": False}
    assert eager.generate(REGISTRY["matmul"], (normal(2, 1, 9, 8), normal(2, 3, 8, 7)), params) is None


def test_matmul_gets_machine_code_after_some_calls(monkeypatch):
    monkeypatch.setattr(generated, "_seen", {})
    a, b = tf.constant(normal(64, 784)), tf.constant(normal(784, 128))
    wanted = a.numpy().astype(np.float64) @ b.numpy()
    for _ in range(2 * generated._SOON):
        found = tf.matmul(a, b)
    assert any(callable(v) for v in generated._seen.values())
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_what_has_no_rule_is_not_generated():
    assert eager.generate(REGISTRY["reverse"], (normal(3),), {"axis": (0,)}) is None
    assert eager.generate(REGISTRY["exp"], (normal(3).astype(np.complex64),), {}) is None
    assert eager.generate(REGISTRY["exp"], (normal(0),), {}) is None
    assert eager.generate(REGISTRY["softmax"], (normal(3, 1),), {"axis": 1}) is None
    whole = np.arange(1, 9)
    for name in ("floordiv", "floormod", "pow"):  # their kernels find values that are an error
        assert eager.generate(REGISTRY[name], (whole, whole), {}) is None
        assert eager.generate(REGISTRY[name], (normal(8), normal(8)), {}) is not None
    assert eager.generate(REGISTRY["softmax"], (normal(3, 4),), {"axis": 0}) is None


def test_eager_ops_get_machine_code_after_some_calls(monkeypatch):
    monkeypatch.setattr(generated, "_seen", {})
    x = tf.constant(normal(256, 300))
    first = tf.nn.softmax(x).numpy()
    for _ in range(2 * generated._SOON):
        again = tf.nn.softmax(x).numpy()
    assert any(callable(v) for v in generated._seen.values())
    np.testing.assert_allclose(again, first, rtol=2e-6)


def test_labels_out_of_range_are_found_by_the_generated_kernel_too(monkeypatch):
    monkeypatch.setattr(generated, "_seen", {})
    logits = tf.constant(normal(4, 3))
    for _ in range(2 * generated._LATE):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], logits)
    assert any(callable(v) for v in generated._seen.values())
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"labels\[1\] = 3 is not in \[0, 3\)"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3, 2, 0], logits)


def test_without_a_generator_numpys_kernels_run(monkeypatch):
    monkeypatch.setattr(generated, "_seen", {})
    monkeypatch.setattr(generated, "_generator", [])
    x = tf.constant(normal(256, 300))
    for _ in range(2 * generated._SOON):
        y = tf.nn.softmax(x)
    np.testing.assert_allclose(y, scipy.special.softmax(x.numpy(), axis=1), rtol=2e-6)
