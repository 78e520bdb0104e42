"""Machine code of loops: inputs by any strides, rows of any length, sums, and memory that results may share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradtape.compiler import eager
from gradtape.compiler.backends.pointwise.plan import plan
from gradtape.compiler.bodies.kernel_op import Binding, KernelOp
from gradtape.compiler.bodies.loop import Loop, Step, collapse_axes, strides_in
from gradtape.compiler.lowering.nodes import lower_kernel
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.patterns.movement import View
from gradtape.core.shape import Spec

RANDOM = np.random.default_rng(5)


def loop_of(shape, owns, dtype="float32", sums=True):
    """The squares of the sums of some inputs, and their sum."""
    own = dtypes.as_dtype(dtype)
    joined, strides = collapse_axes(shape, [strides_in(o, shape) for o in owns])
    steps = [Step(REGISTRY["add"], (0, 1), ())] if len(owns) > 1 else []
    steps += [Step(REGISTRY["add"], (len(owns) + i - 2, i), ()) for i in range(2, len(owns))]
    steps.append(Step(REGISTRY["square"], (len(owns) + len(steps) - 1 if steps else 0,), ()))
    last = len(owns) + len(steps) - 1
    summed = (last,) if sums and own.is_floating else ()
    return Loop(joined, tuple([(own, s) for s in strides]), (None,) * len(owns), tuple(steps), (last,), summed)


def integers(shape, dtype="float32"):
    return RANDOM.integers(0 if dtype.startswith("u") else -3, 4, shape).astype(dtypes.as_dtype(dtype).numpy)


def check(shape, owns, dtype="float32"):
    loop = loop_of(shape, owns, dtype)
    arrays = [integers(o, dtype) for o in owns]
    wanted = np.square(sum(np.broadcast_to(x, shape).astype(np.float64) for x in arrays))
    own = dtypes.as_dtype(dtype)
    specs = [Spec(shape, own)] + [Spec((), own)] * len(loop.sums)
    lowered = lower_kernel(KernelOp(loop, specs, "test"))
    function = eager.kernel_of(lowered, len(arrays), specs, False)
    for found in (kernels.execute(lowered, arrays, specs), function(*arrays)):
        np.testing.assert_array_equal(found[0].astype(np.float64), wanted)
        if loop.sums:
            assert found[1] == wanted.sum().astype(own.numpy)


SHAPES = [
    ((64, 10), [(64, 10), (10,)]), ((64, 10), [(64, 10), (64, 1)]), ((64, 10), [(64, 1), (10,)]),
    ((64, 10), [(64, 10), ()]), ((33, 3), [(33, 3), (33, 1), (3,)]), ((5, 7, 9), [(5, 7, 9), (7, 1)]),
    ((5, 7, 9), [(5, 7, 9), (5, 1, 9)]), ((5, 7, 3), [(5, 7, 3), (7, 1)]), ((5, 3, 2), [(3, 1), (5, 3, 2), (2,)]),
    ((9, 2, 20), [(2, 1), (9, 2, 20)]), ((9, 2, 3), [(2, 1), (9, 2, 3)]), ((3, 64, 16), [(64, 1), (3, 64, 16)]),
    ((2, 16), [(2, 16), (16,)]), ((100, 20), [(100, 20), (100, 1)]), ((100, 16), [(100, 16), (100, 1)]),
    ((3, 700), [(3, 700), (700,)]), ((3, 701), [(3, 701), (3, 1)]), ((0, 3), [(0, 3), (3,)]),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "owns"), SHAPES)
def test_broadcasting(shape, owns):
    check(shape, owns)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int8", "int64", "uint16"])
@pytest.mark.parametrize(("shape", "owns"), [SHAPES[k] for k in (0, 1, 4, 5, 9, 13)])
def test_dtypes(shape, owns, dtype):
    check(shape, owns, dtype)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 9, 16, 31, 16_384, 16_385, 40_001])
def test_lengths(size):
    check((size,), [(size,)])
    check((size,), [(size,), ()])


@pytest.mark.parametrize(("rows", "inner"), [(4000, 10), (4000, 11), (1700, 16), (40, 900)])
def test_several_chunks(rows, inner):
    check((rows, inner), [(rows, inner), (inner,), (rows, 1)])


def test_a_single_number():
    check((), [()])
    check((), [(), ()])
    check((1, 1), [(1,), ()])


@st.composite
def broadcasts(draw):
    shape = tuple(draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)))
    owns = []
    for _ in range(draw(st.integers(1, 3))):
        own = [d if draw(st.booleans()) else 1 for d in shape]
        owns.append(tuple(own[draw(st.integers(0, len(own))) :]))
    return shape, owns


@given(case=broadcasts())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_broadcasting(case):
    check(*case)


@pytest.mark.parametrize("strides", [(1, 7), (14, 1), (7, -1), (2, 14), (-7, 1), (0, 3), (1, 0)])
@pytest.mark.parametrize("shape", [(5, 7), (7, 5), (4, 32), (70, 3)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_strides(strides, shape, dtype):
    own = dtypes.as_dtype(dtype)
    base = integers((3000,), dtype)
    other = integers(shape, dtype)
    loop = loop_of(shape, [shape, shape], dtype, sums=False)
    turned = loop.see_through(0, View(shape, strides, 1000))
    op = KernelOp(turned, [Spec(shape, own)], "test", [Binding(0, 1000, True), Binding(1)])
    start = base[1000:]
    view = np.lib.stride_tricks.as_strided(start, shape, [s * own.size for s in strides])
    wanted = np.square(view.astype(np.int64) + other.astype(np.int64))
    (found,) = kernels.execute(lower_kernel(op), [base, other], op.specs)
    np.testing.assert_array_equal(found.astype(np.int64), wanted)


def test_views_whose_axes_do_not_fit_are_refused():
    loop = loop_of((6, 4), [(6, 4), (4,)])
    assert loop.see_through(0, View((8, 3), (1, 8))) is None
    assert loop.see_through(0, View((6, 4), (1, 6))).shape == (6, 4)
    assert loop.see_through(0, View((2, 3, 4), (1, 8, 2))).shape == (2, 3, 4)


def test_results_may_be_written_over_inputs_that_are_read_whole():
    shape = (37, 10)
    loop = loop_of(shape, [shape, (10,), shape], sums=False)
    lowered = lower_kernel(KernelOp(loop, [Spec(shape, dtypes.float32)], "test"))
    assert lowered.shares == ((0, 0), (0, 2))
    arrays = [integers(s) for s in (shape, (10,), shape)]
    wanted = np.square(sum(arrays))
    memory = [arrays[0], arrays[1], arrays[2], arrays[2]]  # the last is the output
    (kernel, operands), *_ = lowered.launches
    table = np.array([memory[k].ctypes.data for k in range(4)] + [operands[-1].number], np.int64)
    pool.parallel_for(kernel.address, table.ctypes.data, kernel.chunks)
    np.testing.assert_array_equal(arrays[2], wanted)


def test_nothing_is_shared_with_an_input_that_is_read_twice_in_two_ways():
    shape = (6, 6)
    loop = loop_of(shape, [shape, shape], sums=False).see_through(1, View(shape, (1, 6)))
    op = KernelOp(loop, [Spec(shape, dtypes.float32)], "test", [Binding(0), Binding(0, 0, True)])
    assert lower_kernel(op).shares == ()


def test_loops_of_other_lengths_share_their_code():
    found = set()
    for shape in ((100, 10), (64, 10), (5000, 10)):
        specs = [Spec(shape, dtypes.float32), Spec((), dtypes.float32)]
        op = KernelOp(loop_of(shape, [shape, (10,)]), specs, "test")
        found.add(lower_kernel(op).launches[0].kernel.address)
    assert len(found) == 1
    assert plan(loop_of((100, 10), [(100, 10), (10,)]))[0] == plan(loop_of((64, 10), [(64, 10), (10,)]))[0]


def test_steps_that_are_the_same_for_all_elements_run_once():
    own = dtypes.float32
    steps = (Step(REGISTRY["exp"], (1,), ()), Step(REGISTRY["multiply"], (0, 2), ()))
    loop = Loop((40,), ((own, (1,)), (own, (0,))), (None, None), steps, (3,), ())
    x, y = integers((40,)), np.float32([0.5])
    op = KernelOp(loop, [Spec((40,), own)], "test")
    (found,) = kernels.execute(lower_kernel(op), [x, y], op.specs)
    np.testing.assert_allclose(found, x * np.exp(y), rtol=1e-6)


def test_known_numbers_are_told_apart_by_their_signs():
    own, x = dtypes.float32, np.ones(4, np.float32)
    found = []
    for zero in (0.0, -0.0):
        loop = Loop((4,), ((own, (1,)), (own, (0,))), (None, zero), (Step(REGISTRY["multiply"], (0, 1), ()),), (2,), ())
        op = KernelOp(loop, [Spec((4,), own)], "test")
        lowered = lower_kernel(op)
        function = eager.kernel_of(lowered, 2, op.specs, False)
        found.append([function(x, x)[0], kernels.execute(lowered, [x, x], op.specs)[0]])
    assert not np.signbit(found[0]).any()
    assert np.signbit(found[1]).all()


def test_same_bits_with_one_thread_and_two():
    shape = (3000, 33)
    loop = loop_of(shape, [shape, (33,)])
    specs = [Spec(shape, dtypes.float32), Spec((), dtypes.float32)]
    arrays = [RANDOM.normal(size=s).astype(np.float32) for s in (shape, (33,))]
    found = []
    for threads in (1, 2):
        pool.set_threads(threads)
        lowered = lower_kernel(KernelOp(loop, specs, "test"))
        found.append([y.tobytes() for y in kernels.execute(lowered, arrays, specs)])
    pool.set_threads(0)
    assert found[0] == found[1]
