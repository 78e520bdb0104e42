"""Kernels that move elements, against NumPy."""

import itertools
import math

import numpy as np
import pytest

import gradtape as tf
from gradtape import ops
from gradtape.compiler.graph import Node, Value
from gradtape.compiler.lowering import nodes as lowering
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.patterns import movement
from gradtape.core.patterns.movement import View, contiguous
from gradtape.core.shape import Spec, spec_of

ops.load_all()
RANDOM = np.random.default_rng(3)
DTYPES = ["bool", "int8", "float16", "bfloat16", "float32", "int64", "complex64", "complex128"]


def some(shape, dtype="float32"):
    return RANDOM.integers(0, 100, shape).astype(dtypes.as_dtype(dtype).numpy)


def run(name, *arrays, **params):
    """The outputs of an op by its launches, and what it was lowered to."""
    op = REGISTRY[name]
    specs = [spec_of(a) for a in arrays]
    node = Node(op, [Value(s) for s in specs], params, op.infer(*specs, **params))
    lowered = lowering.lower(node)
    assert lowered is not None
    return kernels.execute(lowered, arrays, [v.spec for v in node.outputs]), lowered


def check(name, *arrays, **params):
    """An op's launches give what its kernel gives, bit for bit."""
    found, lowered = run(name, *arrays, **params)
    wanted = REGISTRY[name].kernel(*arrays, **params)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    return lowered


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 5), (17, 33), (8, 8), (2, 7, 9), (5, 1, 40), (3, 64, 2), (2, 3, 4, 5)])
def test_transposes(shape, dtype):
    x = some(shape, dtype)
    for perm in itertools.permutations(range(len(shape))):
        check("transpose", x, perm=perm)


@pytest.mark.parametrize("shape", [(130, 70), (300, 257), (64, 1000), (1000, 3), (3, 1000), (20, 150, 40)])
def test_transposes_of_several_panels_and_chunks(shape):
    x = some(shape)
    check("transpose", x, perm=tuple(range(len(shape)))[::-1])
    check("transpose", x, perm=(*range(len(shape) - 2), len(shape) - 1, len(shape) - 2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_and_repetitions(dtype):
    x = some((6, 11, 5), dtype)
    check("strided_slice", x, index=((1, 4, 1),))
    check("strided_slice", x, index=(2, (0, 11, 3)))
    check("strided_slice", x, index=((5, -1, -2), (10, 0, -1), (0, 5, 2)))
    check("strided_slice", x, index=((0, 6, 1), 3, (4, -1, -1)))
    check("reverse", x, axis=(0, 2))
    check("broadcast_to", x[:, :1], shape=(2, 6, 7, 5))
    check("broadcast_to", x[..., :1], shape=(6, 11, 9))
    check("broadcast_to", some((), dtype), shape=(3, 41))
    check("tile", x, multiples=(2, 1, 3))
    check("roll", x, shift=(2, -1, 4), axis=(0, 1, 1))
    check("strided_slice_grad", some((3, 4, 5), dtype), shape=(6, 11, 5), index=((0, 6, 2), (1, 9, 2)))
    check("strided_slice_grad", some((2, 5), dtype), shape=(6, 11, 5), index=((1, 3, 1), 4))


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "complex128"])
def test_joining_and_parting(dtype):
    a, b, c = some((3, 2, 5), dtype), some((3, 4, 5), dtype), some((3, 0, 5), dtype)
    check("concat", a, b, c, axis=1)
    for axis in range(4):
        check("stack", a, a[::-1].copy(), axis=axis)
    check("split", b, sizes=(1, 0, 3), axis=1)
    check("split", b, sizes=(4,), axis=1)
    for axis in range(3):
        check("unstack", b, axis=axis)


@pytest.mark.parametrize("mode", ["constant", "reflect", "symmetric"])
@pytest.mark.parametrize("dtype", ["int8", "bfloat16", "float64"])
def test_padding(mode, dtype):
    x = some((4, 5, 3), dtype)
    check("pad", x, paddings=((1, 2), (0, 3), (2, 0)), mode=mode, value=0)
    check("pad", x, paddings=((0, 0), (0, 0), (0, 0)), mode=mode, value=0)
    if mode == "constant":
        check("pad", x, paddings=((1, 0), (0, 0), (2, 2)), mode=mode, value=7)


def test_padding_of_large_arrays_writes_each_place_once():
    x = some((40, 50, 30))
    lowered = check("pad", x, paddings=((1, 1), (2, 2), (0, 3)), mode="constant", value=1.5)
    assert len(lowered.launches) == 6
    check("strided_slice_grad", some((20, 1, 10)), shape=(40, 50, 30), index=((5, 25, 1), (49, 48, -1), (29, 19, -1)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants(dtype):
    for name in ("zeros_like", "ones_like"):
        for shape in ((), (1,), (3, 7), (1000,)):
            check(name, some(shape), dtype=dtypes.as_dtype(dtype))
    check("fill", some((), dtype), shape=(3, 50))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "uint64"])
def test_one_hot(dtype):
    indices = RANDOM.integers(0, 9, (4, 5)).astype(dtype)
    if dtype.startswith("int"):
        indices[1] = -1
    for axis in range(3):
        for to in ("float32", "bool", "float64"):
            check("one_hot", indices, depth=6, axis=axis, dtype=dtypes.as_dtype(to))
    check("one_hot", np.zeros(40_000, dtype), depth=3, axis=1, dtype=dtypes.float32)


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "complex128"])
def test_diagonals(dtype):
    x = some((2, 37, 41), dtype)
    for below, above in ((0, 0), (3, -1), (-1, 5), (40, 2)):
        check("band_part", x, lower=min(below, 37), upper=above)
    check("matrix_diag_part", x, k=(2, 2))
    check("matrix_diag_part", x, k=(-3, 2), align="RIGHT_LEFT")
    held = REGISTRY["matrix_diag_part"].kernel(x, k=(-3, 2), align="LEFT_RIGHT")
    check("matrix_diag", np.ascontiguousarray(held), k=(-3, 2), shape=(37, 41), align="LEFT_RIGHT")
    check("matrix_diag", some((3, 4), dtype), k=(-1, -1), shape=(5, 7))


def test_parts_of_complex_numbers_and_frames():
    z = (some((3, 40)) + 1j * some((3, 40))).astype(np.complex64)
    check("real", z)
    check("imag", z)
    check("complex", some((3, 40)), some((40,)))
    check("frame", some((2, 50)), length=7, step=3)


def test_what_has_its_elements_in_order_costs_nothing():
    x = some((4, 6))
    for name, params in (
        ("identity", {}), ("reshape", {"shape": (3, 8)}), ("stop_gradient", {}), ("bitcast", {"dtype": dtypes.int32}),
        ("transpose", {"perm": (0, 1)}), ("broadcast_to", {"shape": (1, 4, 6)}), ("tile", {"multiples": (1, 1)}),
        ("strided_slice", {"index": ((0, 4, 1),)}),
    ):  # fmt: skip
        lowered = check(name, x, **params)
        assert lowered.views == ((0, 0),)
        assert not lowered.launches


def test_strings_have_no_kernels():
    op = REGISTRY["transpose"]
    spec = Spec((2, 3), dtypes.string)
    node = Node(op, [Value(spec)], {"perm": (1, 0)}, op.infer(spec, perm=(1, 0)))
    assert lowering.lower(node) is None


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_empty_arrays(shape):
    x = some(shape)
    check("transpose", x, perm=tuple(range(len(shape)))[::-1])
    check("reverse", x, axis=(0,))
    check("concat", x, x, axis=0)
    check("roll", x, shift=(1,), axis=(0,))
    check("zeros_like", x)


@pytest.mark.parametrize("size", [1, 3, 31, 32, 33, 32_768, 100_001])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_long_rows(size, dtype):
    x = some((size + 2,), dtype)
    check("strided_slice", x, index=((1, size + 1, 1),))
    check("strided_slice", x, index=((size, 0, -1),))
    check("strided_slice", x, index=((0, size + 2, 2),))
    check("broadcast_to", x[:1], shape=(size,))


def test_moves_that_differ_in_offsets_and_outer_length_share_their_code():
    x = some((50, 6, 16))
    seen = set()
    for axis, count in ((0, 50), (0, 20), (1, 6)):
        entry = [(0, n, 1) for n in x.shape]
        for i in range(count):
            index = list(entry)
            index[axis] = i
            _, lowered = run("strided_slice", x[:count] if axis == 0 else x, index=tuple(index))
            seen.add(lowered.launches[0].kernel.address)
    assert len(seen) == 2


def test_same_bits_with_one_thread_and_two():
    x = some((700, 600))
    found = []
    for threads in (1, 2):
        pool.set_threads(threads)
        found.append([run("transpose", x, perm=(1, 0))[0][0], run("reverse", x, axis=(1,))[0][0]])
    pool.set_threads(0)
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_views_say_where_elements_are():
    x = np.arange(24).reshape(2, 3, 4)
    whole = contiguous(x.shape)
    for view, wanted in (
        (movement.transposed(whole, (2, 0, 1)), x.transpose(2, 0, 1)),
        (movement.sliced(whole, (1, (2, -1, -1))), x[1, ::-1]),
        (movement.reversed_along(whole, (1,)), x[:, ::-1]),
        (movement.broadcast(contiguous((3, 1)), (5, 3, 4)), np.broadcast_to(np.arange(3)[:, None], (5, 3, 4))),
        (movement.part(x.shape, (0, 1, 2), (2, 2, 1)), x[:, 1:, 2:3]),
    ):
        np.testing.assert_array_equal(_through(view), wanted)
    assert movement.only_view(movement.seen(View((2,), (3,), 1)), (2,)) == View((2,), (3,), 1)
    assert movement.only_view(movement.joined([(2,), (3,)], 0), (5,)) is None


def _through(view):
    places = np.full(view.shape, view.offset)
    for axis, stride in enumerate(view.strides):
        places = places + (np.arange(view.shape[axis]) * stride).reshape(
            [-1 if a == axis else 1 for a in range(len(view.shape))]
        )
    assert math.prod(view.shape) == places.size
    return places


def test_in_functions():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = tf.split(tf.transpose(x), [2, 3], axis=0)
            y = tf.concat([tf.reverse(parts[1], [1]), tf.pad(parts[0], [[0, 0], [1, 1]])[:, 1:-1]], 0)
            z = tf.reduce_sum(tf.stack([y, tf.roll(y, 1, 0)], -1) * y[..., None])
        return z, tape.gradient(z, x)

    x = tf.constant(some((4, 5)))
    for found, wanted in zip(f(x), f.python_function(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
