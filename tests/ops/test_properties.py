"""Properties that hold for every op of a family, on shapes that hypothesis chooses: empty ones and rank 0 among them.

They need no knowledge of what an op computes: an op on broadcast inputs is the op on their copies, a reduction commutes
with a permutation of axes, and an array's memory layout does not matter.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradtape.ops
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import wrap
from gradtape.ops.family import Binary, Reduction, Unary
from gradtape.testing import finite_differences
from gradtape.transform.tape import GradientTape

gradtape.ops.load_all()


def members(family):
    """The ops of a family that take float64 and need no parameters of their own."""
    found = [op for op in REGISTRY.values() if isinstance(op, family) and "f" in op.kinds and op.homogeneous]
    return sorted((op for op in found if not own_parameters(op)), key=lambda op: op.name)


def own_parameters(op):
    """Keyword parameters without a default, apart from those that all reductions have."""
    if isinstance(op.kernel, np.ufunc) or not hasattr(op.kernel, "__name__"):
        return set()
    try:
        parameters = inspect.signature(op.kernel).parameters.values()
    except ValueError:  # a function written in C
        return set()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty} - {"axis", "keepdims"}


def named(ops):
    return pytest.mark.parametrize("op", [pytest.param(op, id=op.name) for op in ops])


def values(shape, seed):
    """Numbers between 0.1 and 0.9, where nearly every function is defined."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape)


def run(op, *arrays, **params):
    """The results of an op on arrays, as arrays."""
    return [np.asarray(y._array) for y in finite_differences.leaves(op(*[wrap(x[()]) for x in arrays], **params))]


def gradients(op, *arrays, **params):
    """The gradients of the sum of an op's first result, as arrays; None where there is none."""
    xs = [wrap(x[()]) for x in arrays]
    with GradientTape() as tape:
        tape.watch(xs)
        y = finite_differences.leaves(op(*xs, **params))[0]
    return [None if d is None else np.asarray(d) for d in tape.gradient(y, xs)]


def assert_same(found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


quick = settings(max_examples=12, deadline=None, derandomize=True)
any_shape = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
pairs = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0)


@named(members(Unary))
@given(shape=any_shape)
@quick
def test_unary_op_keeps_every_shape(op, shape):
    x = values(shape, 1)
    (y,) = run(op, x)
    assert y.shape == shape
    if op.differentiable and y.dtype.kind == "f":
        (d,) = gradients(op, x)
        assert d.shape == shape


@named(members(Binary))
@given(shapes=pairs)
@quick
def test_binary_op_broadcasts_as_copies_would(op, shapes):
    a, b = (values(shape, i) for i, shape in enumerate(shapes.input_shapes))
    whole = [np.array(np.broadcast_to(x, shapes.result_shape)) for x in (a, b)]
    assert_same(run(op, a, b), run(op, *whole))
    if not op.differentiable:
        return
    for x, d, full in zip((a, b), gradients(op, a, b), gradients(op, *whole), strict=True):
        assert (d is None) == (full is None)
        if d is not None:
            assert d.shape == x.shape
            np.testing.assert_allclose(d, summed(full, x.shape), rtol=1e-10, atol=1e-12)


def summed(full, shape):
    """A gradient of a copy, summed over the copies of each element."""
    full = full.sum(axis=tuple(range(full.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and full.shape[i] != 1)
    return full.sum(axis=axes, keepdims=True)


@st.composite
def reductions(draw):
    """A shape without empty axes, axes to reduce, and a permutation."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=3))
    rank = len(shape)
    axis = draw(st.sets(st.integers(0, rank - 1), min_size=1))
    return shape, tuple(sorted(axis)), tuple(draw(st.permutations(range(rank))))


@named(members(Reduction))
@given(case=reductions())
@quick
def test_reduction_commutes_with_a_permutation_of_axes(op, case):
    shape, axis, perm = case
    x = values(shape, 2)
    moved = tuple(sorted(perm.index(a) for a in axis))
    plain = run(op, x, axis=axis, keepdims=True)
    turned = run(op, np.transpose(x, perm), axis=moved, keepdims=True)
    assert_same([np.transpose(y, perm) for y in plain], turned)
    if op.differentiable:
        (d,) = gradients(op, x, axis=axis)
        (e,) = gradients(op, np.transpose(x, perm), axis=moved)
        assert_same([np.transpose(d, perm)], [e])


@named([*members(Unary), *members(Binary)])
@given(shape=hnp.array_shapes(min_dims=1, max_dims=3, max_side=3), data=st.data())
@quick
def test_layout_does_not_matter_and_inputs_stay(op, shape, data):
    count = len(op.inputs)
    xs = [values(shape, i) for i in range(count)]
    views = [data.draw(st.sampled_from(LAYOUTS))(x) for x in xs]
    assert_same(run(op, *views), run(op, *xs))
    for view, x in zip(views, xs, strict=True):
        np.testing.assert_array_equal(view, x)


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def strided(x):
    return np.repeat(x, 2, axis=-1)[..., ::2]


def turned_round(x):
    return np.flip(np.flip(x).copy())


LAYOUTS = [np.copy, np.asfortranarray, read_only, strided, turned_round]
