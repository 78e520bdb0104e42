"""Reductions, positions of extremes and scans as kernels alone: they compute what NumPy's kernels compute."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import gradtape as tf
import gradtape.ops
from gradtape.compiler.graph import Node, Value
from gradtape.compiler.lowering import nodes as lowering
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import hot_kernels
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, spec_of

gradtape.ops.load_all()
RANDOM = np.random.default_rng(5)
FLOATS = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
INTEGERS = [np.int8, np.int32, np.int64, np.uint8, np.uint32]
REDUCTIONS = ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min"]
SHAPES = [(3, 4, 5), (2, 9, 1, 17), (33, 40), (1, 1, 3), (7,), (2, 3, 2, 3, 2)]


def run(name, x, **params):
    """The result of an op's kernels, and that of its NumPy kernel."""
    op, spec = REGISTRY[name], spec_of(x)
    promised = op.infer(spec, **params)
    lowered = lowering.lower(Node(op, [Value(spec)], params, promised))
    assert lowered is not None
    (found,) = kernels.execute(lowered, [x], [promised])
    with np.errstate(all="ignore"):
        return found, np.asarray(op.kernel(x, **params))


def check(name, x, tolerance=0.0, **params):
    found, wanted = run(name, x, **params)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if not tolerance:
        np.testing.assert_array_equal(found, wanted)
    else:
        wide = np.asarray(wanted, np.float64)
        finite = wide[np.isfinite(wide)]
        scale = max(1.0, np.abs(finite).max(initial=0.0))
        np.testing.assert_allclose(np.asarray(found, np.float64), wide, rtol=tolerance, atol=tolerance * scale)


def axes_of(rank):
    return [axis for n in range(rank + 1) for axis in itertools.combinations(range(rank), n)]


def epsilon(dtype):
    return 4 * float(ml_dtypes.finfo(dtype).eps)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_all_axes(name, shape):
    x = RANDOM.uniform(0.5, 1.5, shape).astype(np.float32)
    for axis in axes_of(len(shape)):
        check(name, x, 2e-6, axis=axis, keepdims=len(axis) % 2 == 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_floats(name, dtype):
    x = RANDOM.uniform(-1.5, 1.5, (6, 35, 11)).astype(dtype)
    for axis in [(2,), (1,), (0, 2), (0, 1, 2)]:
        check(name, x, epsilon(dtype), axis=axis)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_integers_wrap_as_numpys(name, dtype):
    x = RANDOM.integers(0, 200, (6, 35, 11)).astype(dtype)
    for axis in [(2,), (1,), (0, 2), (0, 1, 2)]:
        check(name, x, axis=axis)


@pytest.mark.parametrize("name", ["reduce_any", "reduce_all"])
def test_bools(name):
    x = RANDOM.uniform(size=(5, 40, 7)) < (0.1 if name == "reduce_any" else 0.9)
    for axis in axes_of(3):
        check(name, x, axis=axis)


@pytest.mark.parametrize("name", ["reduce_max", "reduce_min", "reduce_sum"])
def test_nan_and_infinity(name):
    x = RANDOM.normal(size=(4, 37)).astype(np.float32)
    x[0, 3], x[1, 36], x[2, 0], x[3, 5], x[3, 6] = np.nan, np.inf, -np.inf, np.nan, np.inf
    for axis in axes_of(2):
        check(name, x, 1e-6, axis=axis)


@pytest.mark.parametrize("shape", [(1_000_003,), (100_003, 3), (3, 100_003), (70_000, 16), (2, 30_011, 8)])
def test_long_sums_are_precise(shape):
    x = np.full(shape, 0.1, np.float32)
    for axis in axes_of(len(shape))[1:]:
        found, _ = run("reduce_sum", x, axis=axis)
        count = np.prod([shape[a] for a in axis])
        np.testing.assert_allclose(found, np.float64(np.float32(0.1)) * count, rtol=2e-7)


def test_a_long_mean_of_narrow_floats_does_not_overflow():
    x = np.full(100_000, 6.0, np.float16)
    assert run("reduce_mean", x, axis=(0,))[0] == 6.0


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8, np.int64, np.uint8, np.bool_])
def test_positions_of_extremes(name, dtype):
    x = RANDOM.integers(0, 2 if dtype is np.bool_ else 9, (5, 23, 9)).astype(dtype)
    for axis in range(3):
        check(name, x, axis=axis, output_type=tf.int64)
        check(name, x, axis=axis, output_type=tf.int32)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_of_nan(name):
    x = RANDOM.normal(size=(6, 19)).astype(np.float32)
    x[2, 7] = x[2, 11] = x[4, 0] = np.nan
    x[5] = np.inf
    for axis in range(2):
        check(name, x, axis=axis, output_type=tf.int64)


@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.uint8])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans(name, dtype):
    x = RANDOM.uniform(0.5, 1.5, (3, 13, 21)).astype(dtype) if dtype in FLOATS else np.full((3, 13, 21), 3, dtype)
    for axis, exclusive, reverse in itertools.product(range(3), [False, True], [False, True]):
        tolerance = epsilon(dtype) if dtype in FLOATS else 0.0
        check(name, x, tolerance, axis=axis, exclusive=exclusive, reverse=reverse)


@pytest.mark.parametrize("axis", [(0,), (1,), (0, 1), (2,), (0, 2)])
def test_same_bits_with_one_thread_and_two(axis):
    x = RANDOM.normal(size=(300, 70, 20)).astype(np.float32)
    found = []
    for threads in (1, 2, 3):
        pool.set_threads(threads)
        found.append([run(name, x, axis=axis)[0].tobytes() for name in ("reduce_sum", "reduce_max")])
    pool.set_threads(0)
    assert found[0] == found[1] == found[2]


def test_what_cannot_be_emitted_is_left_to_numpy():
    for x in (np.zeros((2, 3), np.complex64), np.zeros((0, 3), np.float32)):
        spec = spec_of(x)
        node = Node(REGISTRY["reduce_sum"], [Value(spec)], {"axis": (0,)}, Spec((3,), spec.dtype))
        assert lowering.lower(node) is None


@pytest.mark.parametrize("axis", [(0, 1), (0,), (1,)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
def test_eager_reductions_of_large_arrays_get_code_after_some_calls(name, dtype, keepdims, axis):
    op, params = REGISTRY[name], {"axis": axis, "keepdims": keepdims}
    x = RANDOM.uniform(-3.0, 3.0, (512, 601)).astype(dtype)
    first = op.kernel(x, **params)
    for _ in range(12):
        last = op.kernel(x, **params)
    assert hot_kernels.kernel(op, (x,), params) is not None
    assert (last.shape, last.dtype) == (first.shape, first.dtype)
    np.testing.assert_allclose(
        last, first, rtol=2e-3 if dtype is np.float16 else 1e-5, atol=1e-2 if dtype is not np.int8 else 0
    )
