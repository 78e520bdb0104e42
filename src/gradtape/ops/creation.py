"""Ops that make new tensors in the likeness of others: fill, zeros_like, ones_like, one_hot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.patterns import movement as places
from gradtape.core.patterns.movement import Copy, Marks
from gradtape.core.shape import Spec, normalize_axis
from gradtape.ops.family import dims
from gradtape.ops.movement import BroadcastTo, Movement, Reshape
from gradtape.ops.reduction import ReduceSum


@declare("fill")
class Fill(Movement):
    """A scalar everywhere in a shape."""

    validate = True

    def infer(self, value: Spec, *, shape: tuple[int, ...]) -> Spec:
        if value.rank:
            raise self.error(
                errors.ShapeError,
                f"value must be a scalar, got {value}.",
                "use tf.broadcast_to(value, shape) for other values.",
            )
        return Spec(tuple(shape), value.dtype)

    def kernel(self, value: Any, *, shape: tuple[int, ...]) -> Any:
        return np.full_like(value, value, shape=shape) if shape else value

    def vjp(self, dy: Any, *, shape: tuple[int, ...]) -> Any:
        return (ReduceSum(dy, axis=tuple(range(len(shape))), keepdims=False),)

    def batch(self, batched: tuple[bool, ...], value: Any, *, shape: tuple[int, ...]) -> Any:
        size = dims(value)[0]
        return BroadcastTo(Reshape(value, shape=(size,) + (1,) * len(shape)), shape=(size, *shape))

    def lower(self, value: Spec, *, shape: tuple[int, ...]) -> Copy:
        return places.seen(places.broadcast(places.contiguous(()), shape))


class Likeness(Op):
    """A constant of the shape of x; of another dtype, if one is given."""

    kinds = "fVciubO"
    validate = True
    number: Any

    def infer(self, x: Spec, *, dtype: dtypes.DType | None = None) -> Spec:
        if dtype is None:
            return Spec(x.shape, self.check_dtypes(x))
        if dtype.kind not in self.kinds or dtype is dtypes.resource:
            raise self.error(
                errors.DTypeError, f"dtype must be a dtype of numbers, got {dtype!r}.", "choose a dtype of numbers."
            )
        return Spec(x.shape, dtype)

    def batch(self, batched: tuple[bool, ...], x: Any, *, dtype: dtypes.DType | None = None) -> Any:
        return self(x, dtype=dtype)

    def lower(self, x: Spec, *, dtype: dtypes.DType | None = None) -> Copy | None:
        wanted = x.dtype if dtype is None else dtype
        return None if wanted.kind == "O" else places.filled(x.shape, self.number, wanted)

    def full(self, x: Any, value: Any, dtype: Any) -> Any:
        """The array, or a NumPy scalar for rank 0."""
        result = np.full_like(x, value, dtype=dtype)
        return result if result.ndim or dtype.kind == "O" else result[()]


@declare("zeros_like")
class ZerosLike(Likeness):
    """Zeros of the shape of x; empty strings where it holds strings."""

    number = 0
    vjp = NotDifferentiable("zeros do not depend on the values of x")

    def kernel(self, x: Any, *, dtype: dtypes.DType | None = None) -> Any:
        wanted = x.dtype if dtype is None else dtype.numpy
        return self.full(x, b"" if wanted.kind == "O" else 0, wanted)


@declare("ones_like")
class OnesLike(Likeness):
    """Ones of the shape of x."""

    kinds = "fVciub"
    number = 1
    vjp = NotDifferentiable("ones do not depend on the values of x")

    def kernel(self, x: Any, *, dtype: dtypes.DType | None = None) -> Any:
        return self.full(x, 1, x.dtype if dtype is None else dtype.numpy)


@declare("one_hot")
class OneHot(Op):
    """1 at the places that indices name along a new axis of length `depth`, 0 elsewhere.

    An index outside of the axis gives zeros.
    """

    kinds = "iu"
    validate = True
    vjp = NotDifferentiable("indices have no derivative")

    def infer(self, indices: Spec, *, depth: int, axis: int, dtype: dtypes.DType) -> Spec:
        self.check_dtypes(indices)
        if depth < 0:
            raise self.error(
                errors.ShapeError, f"depth must not be negative, got {depth}.", "give the number of classes."
            )
        axis = normalize_axis(axis, indices.rank + 1, self.name)
        return Spec((*indices.shape[:axis], depth, *indices.shape[axis:]), dtype)

    def kernel(self, indices: Any, *, depth: int, axis: int, dtype: dtypes.DType) -> Any:
        places = np.arange(depth, like=None if isinstance(indices, np.generic) else indices)
        places = np.reshape(places, (depth,) + (1,) * (indices.ndim - axis))
        return (np.expand_dims(indices, axis) == places).astype(dtype.numpy)

    def batch(self, batched: tuple[bool, ...], indices: Any, *, depth: int, axis: int, dtype: dtypes.DType) -> Any:
        return self(indices, depth=depth, axis=axis + 1, dtype=dtype)

    def lower(self, indices: Spec, *, depth: int, axis: int, dtype: dtypes.DType) -> Marks | None:
        if dtype.kind == "O" or dtype.size > 8:
            return None
        one = np.ones((), dtype.numpy).tobytes()
        return Marks(math.prod(indices.shape[:axis]), depth, math.prod(indices.shape[axis:]), one)
