"""Generated kernels along rows, and single ops for eager execution: they compute what NumPy's kernels compute."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
import gradtape.ops
from gradtape.compiler import eager
from gradtape.compiler.backends.rows.lower import lower
from gradtape.compiler.bodies.rows import Recipe, row_loop
from gradtape.compiler.fusion.pointwise import varies
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import hot_kernels
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, spec_of

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
    loop = row_loop(x.shape, recipe, [value], [(True, True)], [total])
    (found,) = kernels.execute(lower(loop), [x], [Spec((2,), tf.float32)])
    np.testing.assert_allclose(found, np.float32(0.1).astype(np.float64) * 100_003, rtol=1e-7)


def both_ways(shape, inputs, write, specs, outer=0):
    """The outputs of a rule for rows, by the kernel for eager execution and by launches, which must be the same bits."""
    recipe = Recipe(shape[-1])
    handles = [recipe.input(spec_of(x).dtype, x.shape[-1:] == shape[-1:]) for x in inputs]
    made = write(recipe, *handles)
    patterns = [varies(x.shape, shape) for x in inputs]
    loop = row_loop(shape, recipe, handles, patterns, made, outer=outer)
    found, again = (
        eager.kernel_of(lower(loop), len(inputs), specs, False)(*inputs),
        kernels.execute(lower(loop), inputs, specs),
    )
    for a, b in zip(found, again, strict=True):
        np.testing.assert_array_equal(a, b)
    return found


@pytest.mark.parametrize("width", [3, 8, 10, 33, 200])
def test_results_of_several_passes(width):
    """Values that wait for a later pass do so in memory that nothing else needs meanwhile."""

    def write(cg, x, y):
        e = cg.exp(x)
        p = cg.mul(e, cg.div(cg.constant(1, e), cg.row_sum(e)))
        centered = cg.sub(y, cg.row_sum(cg.mul(p, y)))
        q = cg.exp(cg.mul(p, centered))
        return p, centered, cg.mul(q, cg.row_sum(q)), cg.row_maximum(q), cg.column_sum(q)

    x, y = normal(6, width, dtype=np.float64), normal(6, width, dtype=np.float64)
    whole = Spec((6, width), tf.float64)
    specs = [whole, whole, whole, Spec((6,), tf.float64), Spec((width,), tf.float64)]
    found = both_ways((6, width), [x, y], write, specs)
    p = scipy.special.softmax(x, axis=1)
    centered = y - (p * y).sum(1, keepdims=True)
    q = np.exp(p * centered)
    for a, b in zip(found, [p, centered, q * q.sum(1, keepdims=True), q.max(1), q.sum(0)], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("shape", "outer"),
    [
        ((7, 5), 0),
        ((40_000, 3), 0),
        ((3, 500, 70), 1),
        ((2, 3, 4, 5), 2),
        ((9, 2, 6), 1),
        ((5, 300, 16), 1),
        ((4, 90, 31), 1),
    ],
)
@pytest.mark.parametrize("join", ["sum", "prod", "maximum", "minimum"])
def test_columns(shape, outer, join):
    x = RANDOM.uniform(0.99, 1.01, shape).astype(np.float32)
    axis = tuple(range(outer, len(shape) - 1))
    wanted = {"sum": np.sum, "prod": np.prod, "maximum": np.max, "minimum": np.min}[join](x.astype(np.float64), axis)
    spec = Spec(shape[:outer] + shape[-1:], tf.float32)
    (found,) = both_ways(shape, [x], lambda cg, x: (cg.reduced(f"column_{join}", x),), [spec], outer)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if join != "prod" else 2e-3)


def test_one_number_for_each_row_stored_for_each_element():
    recipe = Recipe(6)
    x = recipe.input(tf.float32, True)
    loop = row_loop((4, 6), recipe, [x], [(True, True)], [recipe.row_sum(x)], ["element"])
    value = normal(4, 6)
    (found,) = kernels.execute(lower(loop), [value], [Spec((4, 6), tf.float32)])
    np.testing.assert_allclose(found, np.repeat(value.sum(1)[:, None], 6, 1), rtol=1e-6, atol=1e-6)


def test_signs_of_zero_are_kept():
    (found,) = both_ways(
        (2, 5),
        [normal(2, 5)],
        lambda cg, x: (cg.select(cg.gt(x, x), cg.constant(0.0, x), cg.constant(-0.0, x)),),
        [Spec((2, 5), tf.float32)],
    )
    assert np.signbit(found).all()


def test_same_bits_with_one_thread_and_two():
    x, scale, offset = normal(3000, 96), normal(96), normal(96)
    op = REGISTRY["layer_normalization"]
    run = eager.generate(REGISTRY["layer_normalization_grad"], _cotangents(op, x, scale, offset), {})
    found = []
    for threads in (1, 2, 3):
        pool.set_threads(threads)
        found.append([y.tobytes() for y in run(*_cotangents(op, x, scale, offset))])
    pool.set_threads(0)
    assert found[0] == found[1] == found[2]


def _cotangents(op, x, scale, offset):
    _, h, factor = op.kernel(x, scale, offset, epsilon=1e-3)
    return x, h, factor, scale


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
        ((9, 255, 16), (255, 1), (True, False)), ((9, 16, 257), (257, 1), (False, False)), ((257, 5), (257, 1), (True, False)),
        ((64, 78), (78, 33), (False, False)), ((78, 64), (78, 33), (True, False)), ((64, 78), (33, 78), (False, True)),
        ((78, 64), (33, 78), (True, True)), ((5, 20, 30), (5, 30, 40), (False, False)), ((5, 20, 30), (30, 40), (False, False)),
        ((20, 30), (5, 40, 30), (False, True)), ((2, 3, 9, 8), (2, 3, 8, 7), (False, False)), ((1, 300), (300, 1), (False, False)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrix_products(a, b, flags, dtype):
    check("matmul", normal(*a, dtype=dtype), normal(*b, dtype=dtype), transpose_a=flags[0], transpose_b=flags[1])


def test_stacks_that_broadcast():
    check("matmul", normal(2, 1, 9, 8), normal(2, 3, 8, 7), transpose_a=False, transpose_b=False)


def test_matmul_gets_machine_code_after_some_calls(monkeypatch):
    monkeypatch.setattr(hot_kernels, "_seen", {})
    a, b = tf.constant(normal(64, 784)), tf.constant(normal(784, 128))
    wanted = a.numpy().astype(np.float64) @ b.numpy()
    for _ in range(2 * hot_kernels._SOON):
        found = tf.matmul(a, b)
    assert any(callable(v) for v in hot_kernels._seen.values())
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
    monkeypatch.setattr(hot_kernels, "_seen", {})
    x = tf.constant(normal(256, 300))
    first = tf.nn.softmax(x).numpy()
    for _ in range(2 * hot_kernels._SOON):
        again = tf.nn.softmax(x).numpy()
    assert any(callable(v) for v in hot_kernels._seen.values())
    np.testing.assert_allclose(again, first, rtol=2e-6)


def test_labels_out_of_range_are_found_by_the_generated_kernel_too(monkeypatch):
    monkeypatch.setattr(hot_kernels, "_seen", {})
    logits = tf.constant(normal(4, 3))
    for _ in range(2 * hot_kernels._LATE):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], logits)
    assert any(callable(v) for v in hot_kernels._seen.values())
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"label value of 3 which is outside the valid range of \[0, 3\): labels\[1\]",
    ):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3, 2, 0], logits)


def test_without_a_generator_numpys_kernels_run(monkeypatch):
    monkeypatch.setattr(hot_kernels, "_seen", {})
    monkeypatch.setattr(hot_kernels, "_generator", [])
    x = tf.constant(normal(256, 300))
    for _ in range(2 * hot_kernels._SOON):
        y = tf.nn.softmax(x)
    np.testing.assert_allclose(y, scipy.special.softmax(x.numpy(), axis=1), rtol=2e-6)
