"""Ops that move elements without computing: reshape, transpose, broadcast, tile, roll."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.dims import is_symbolic, new_size
from gradtape.core.op import REGISTRY, Op, declare
from gradtape.core.patterns import movement
from gradtape.core.patterns.movement import Copy, Piece, View
from gradtape.core.shape import Spec, broadcast, normalize_axis
from gradtape.ops.family import dims, unbroadcast_to

_ndarray = np.ndarray


class Movement(Op):
    """One input, whose elements get another place."""

    kinds = "fVciubO"


@declare("identity")
class Identity(Movement):
    """The value as a new tensor. A read of a variable is one of these."""

    accepts_slices = True

    def infer(self, x: Spec) -> Spec:
        return x

    def kernel(self, x: Any) -> Any:
        return x

    def vjp(self, dy: Any) -> Any:
        return (dy,)

    def batch(self, batched: tuple[bool, ...], x: Any) -> Any:
        return self(x)

    def lower(self, x: Spec) -> Copy:
        return movement.same(x.shape)


@declare("reshape")
class Reshape(Movement):
    """The same elements in another shape; `shape` is complete."""

    def infer(self, x: Spec, *, shape: tuple[int, ...]) -> Spec:
        if math.prod(x.shape) != math.prod(shape):
            if math.prod(shape) >= 1 << 63:
                raise self.error(
                    errors.ShapeError,
                    f"the shape {list(shape)} has too many elements.",
                    "check the shape: do its sizes mean what they should?",
                )
            raise self.error(
                errors.ShapeError,
                f"Input to reshape is a tensor with {math.prod(x.shape)} values, but the requested shape has "
                f"{math.prod(shape)}: x is {x}, shape is {list(shape)}.",
                "the number of elements must stay; use -1 for one dimension to have it computed.",
            )
        return Spec(tuple(shape), x.dtype)

    def kernel(self, x: Any, *, shape: tuple[int, ...]) -> Any:
        if type(x) is _ndarray:
            # The method is five times quicker than np.reshape. Rank 0 is a NumPy scalar, whose arithmetic is quick.
            return x.reshape(shape) if shape or x.dtype.kind == "O" else x.reshape(())[()]
        return np.reshape(x, shape)

    def vjp(self, dy: Any, x_shape: Any, *, shape: tuple[int, ...]) -> Any:
        return (Reshape(dy, shape=x_shape),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, shape: tuple[int, ...]) -> Any:
        return self(x, shape=dims(x)[:1] + shape)

    def lower(self, x: Spec, *, shape: tuple[int, ...]) -> Copy:
        return movement.same(shape)


def _wrong_axis(perm: tuple[int, ...], rank: int) -> str:
    """Which axis does not exist, or is not named."""
    if is_symbolic(perm):
        return ""
    beyond = [axis for axis in perm if not 0 <= axis < rank]
    missing = [axis for axis in range(rank) if axis not in perm]
    return f": {beyond[0]} is out of range" if beyond else f": {missing[0]} is missing" if missing else ""


@declare("transpose")
class Transpose(Movement):
    """Axis `i` of the result is axis `perm[i]` of x."""

    def infer(self, x: Spec, *, perm: tuple[int, ...]) -> Spec:
        if is_symbolic(perm) and len(perm) == x.rank:
            return Spec(tuple([new_size() for _ in perm]), x.dtype)  # type: ignore[misc]
        if is_symbolic(perm) or sorted(perm) != list(range(x.rank)):
            raise self.error(
                errors.ShapeError,
                f"perm is {list(perm)}, but x is {x} of rank {x.rank}{_wrong_axis(perm, x.rank)}.",
                f"name each axis from 0 to {x.rank - 1} once, as in perm={[*range(x.rank - 2), x.rank - 1, x.rank - 2]}."
                if x.rank > 1
                else "perm=[0]."
                if x.rank
                else "a scalar has no axes: give perm=[].",
            )
        return Spec(tuple([x.shape[p] for p in perm]), x.dtype)

    def kernel(self, x: Any, *, perm: tuple[int, ...]) -> Any:
        return x.transpose(perm) if type(x) is _ndarray else np.transpose(x, perm)

    def vjp(self, dy: Any, *, perm: tuple[int, ...]) -> Any:
        return (Transpose(dy, perm=inverse(perm)),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, perm: tuple[int, ...]) -> Any:
        return self(x, perm=(0, *[p + 1 for p in perm]))

    def lower(self, x: Spec, *, perm: tuple[int, ...]) -> Copy:
        return movement.seen(movement.transposed(movement.contiguous(x.shape), perm))


def inverse(perm: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes another."""
    result = [0] * len(perm)
    for i, p in enumerate(perm):
        result[p] = i
    return tuple(result)


@declare("broadcast_to")
class BroadcastTo(Movement):
    """x repeated along new and unit axes to fill a shape. The result is a read-only view that repeats by stride 0."""

    def infer(self, x: Spec, *, shape: tuple[int, ...]) -> Spec:
        if broadcast(x.shape, shape) != tuple(shape):
            raise self.error(
                errors.ShapeError,
                f"x is {x}, which does not broadcast to [{','.join(map(str, shape))}]: Unable to broadcast tensor of shape "
                f"{list(x.shape)}.",
                "aligned from the right, each dimension of x must be 1 or equal.",
            )
        return Spec(tuple(shape), x.dtype)

    def kernel(self, x: Any, *, shape: tuple[int, ...]) -> Any:
        # Backward passes spend their time here: this is the gradient of a sum.
        if isinstance(x, np.floating):
            # A view of the scalar's own memory, in an eighth of np.broadcast_to's time.
            return _ndarray(shape, x.dtype, x, 0, (0,) * len(shape)) if shape else x
        view = _stretched(x, shape) if type(x) is _ndarray else None
        return np.broadcast_to(x, shape) if view is None else view

    def vjp(self, dy: Any, x_shape: Any, *, shape: tuple[int, ...]) -> Any:
        return (unbroadcast_to(dy, x_shape),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, shape: tuple[int, ...]) -> Any:
        size, *rest = dims(x)
        if len(rest) < len(shape):
            x = Reshape(x, shape=(size,) + (1,) * (len(shape) - len(rest)) + tuple(rest))
        return self(x, shape=(size, *shape))

    def lower(self, x: Spec, *, shape: tuple[int, ...]) -> Copy:
        return movement.seen(movement.broadcast(movement.contiguous(x.shape), shape))


def _stretched(x: Any, shape: tuple[int, ...]) -> Any:
    """What np.broadcast_to gives, in a third of its time, where the memory is simple and the shape fits; else None."""
    extra = len(shape) - x.ndim
    if x.dtype.kind != "f" or not x.size or not x.flags.c_contiguous or extra < 0:
        return None
    strides = [0] * extra
    for n, m, stride in zip(x.shape, shape[extra:], x.strides, strict=True):
        if n != m and n != 1:
            return None
        strides.append(stride if n == m else 0)
    view = _ndarray(shape, x.dtype, x, 0, strides)
    view.flags.writeable = False
    return view


@declare("tile")
class Tile(Movement):
    """x laid side by side, `multiples[i]` times along axis i."""

    validate = True

    def infer(self, x: Spec, *, multiples: tuple[int, ...]) -> Spec:
        if len(multiples) != x.rank:
            raise self.error(
                errors.ShapeError,
                f"multiples has {len(multiples)} entries, but x is {x} of rank {x.rank}.",
                "give one multiple per axis; 1 leaves an axis as it is.",
            )
        if any(m < 0 for m in multiples):
            raise self.error(
                errors.ShapeError,
                f"multiples must not be negative, got {list(multiples)}.",
                "use 0 or more for each axis.",
            )
        return Spec(tuple([m * n for m, n in zip(multiples, x.shape, strict=True)]), x.dtype)

    def kernel(self, x: Any, *, multiples: tuple[int, ...]) -> Any:
        return np.tile(x, multiples)

    def vjp(self, dy: Any, x_shape: Any, *, multiples: tuple[int, ...]) -> Any:
        # Each axis becomes a pair (which copy, place in the copy); the copies are summed.
        pairs = tuple([n for pair in zip(multiples, x_shape, strict=True) for n in pair])
        copies = tuple(range(0, len(pairs), 2))
        return (REGISTRY["reduce_sum"](Reshape(dy, shape=pairs), axis=copies, keepdims=False),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, multiples: tuple[int, ...]) -> Any:
        return self(x, multiples=(1, *multiples))

    def lower(self, x: Spec, *, multiples: tuple[int, ...]) -> Copy:
        # Each axis becomes a pair (which copy, place in the copy).
        pairs = tuple([n for pair in zip(multiples, x.shape, strict=True) for n in pair])
        strides = tuple([s for own in movement.packed(x.shape) for s in (0, own)])
        return movement.seen(View(pairs, strides))


@declare("roll")
class Roll(Movement):
    """x with elements shifted along axes; those pushed off the end come back at the start."""

    validate = True

    def infer(self, x: Spec, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Spec:
        if not x.rank:
            raise self.error(
                errors.ShapeError, f"x is {x}, and must not be a scalar.", "there must be at least one axis to roll."
            )
        if len(shift) != len(axis):
            raise self.error(
                errors.ShapeError,
                f"lengths differ: shift is {list(shift)}, axis is {list(axis)}.",
                "give one shift per axis.",
            )
        for a in axis:
            normalize_axis(a, x.rank, self.name)
        return x

    def kernel(self, x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
        return np.roll(x, shift, axis)

    def vjp(self, dy: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
        return (Roll(dy, shift=tuple([-s for s in shift]), axis=axis),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
        return self(x, shift=shift, axis=tuple([a + 1 for a in axis]))

    def lower(self, x: Spec, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Copy:
        moved = [0] * x.rank
        for s, a in zip(shift, axis, strict=True):
            moved[a] = (moved[a] + s) % max(1, x.shape[a])
        pieces = [[Piece(0, m, n - m), Piece(n - m, 0, m)] for m, n in zip(moved, x.shape, strict=True)]
        return movement.pieced(x.shape, x.shape, pieces)
