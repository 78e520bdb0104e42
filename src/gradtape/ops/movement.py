"""Ops that move elements without computing: reshape, transpose, broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops.family import NO_LOWERING, dims, unbroadcast_to


class Movement(Op):
    """One input, whose elements get another place."""

    kinds = "fVciubO"
    lower = NO_LOWERING


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


@declare("reshape")
class Reshape(Movement):
    """The same elements in another shape; `shape` is complete."""

    def infer(self, x: Spec, *, shape: tuple[int, ...]) -> Spec:
        if int(np.prod(x.shape)) != int(np.prod(shape)):
            raise self.error(
                errors.ShapeError,
                f"x is {x} with {int(np.prod(x.shape))} elements, the shape {list(shape)} holds {int(np.prod(shape))}.",
                "the number of elements must stay; use -1 for one dimension to have it computed.",
            )
        return Spec(shape, x.dtype)

    def kernel(self, x: Any, *, shape: tuple[int, ...]) -> Any:
        return np.reshape(x, shape)

    def vjp(self, dy: Any, x_shape: Any, *, shape: tuple[int, ...]) -> Any:
        return (Reshape(dy, shape=x_shape),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, shape: tuple[int, ...]) -> Any:
        return self(x, shape=dims(x)[:1] + shape)


@declare("transpose")
class Transpose(Movement):
    """Axis `i` of the result is axis `perm[i]` of x."""

    def infer(self, x: Spec, *, perm: tuple[int, ...]) -> Spec:
        if sorted(perm) != list(range(x.rank)):
            raise self.error(
                errors.ShapeError,
                f"perm is {list(perm)}, but x is {x} of rank {x.rank}.",
                f"name each axis from 0 to {x.rank - 1} once.",
            )
        return Spec(tuple([x.shape[p] for p in perm]), x.dtype)

    def kernel(self, x: Any, *, perm: tuple[int, ...]) -> Any:
        return np.transpose(x, perm)

    def vjp(self, dy: Any, *, perm: tuple[int, ...]) -> Any:
        inverse = [0] * len(perm)
        for i, p in enumerate(perm):
            inverse[p] = i
        return (Transpose(dy, perm=tuple(inverse)),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, perm: tuple[int, ...]) -> Any:
        return self(x, perm=(0, *[p + 1 for p in perm]))


@declare("broadcast_to")
class BroadcastTo(Movement):
    """x repeated along new and unit axes to fill a shape."""

    validate = True

    def infer(self, x: Spec, *, shape: tuple[int, ...]) -> Spec:
        if broadcast(x.shape, shape) != tuple(shape):
            raise self.error(
                errors.ShapeError,
                f"x is {x}, which does not broadcast to {list(shape)}.",
                "aligned from the right, each dimension of x must be 1 or equal.",
            )
        return Spec(shape, x.dtype)

    def kernel(self, x: Any, *, shape: tuple[int, ...]) -> Any:
        return np.broadcast_to(x, shape)

    def vjp(self, dy: Any, x_shape: Any, *, shape: tuple[int, ...]) -> Any:
        return (unbroadcast_to(dy, x_shape),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, shape: tuple[int, ...]) -> Any:
        size, *rest = dims(x)
        x = Reshape(x, shape=(size,) + (1,) * (len(shape) - len(rest)) + tuple(rest))
        return self(x, shape=(size, *shape))
