"""Elements and slices by coordinates: the last axis of `indices` holds one index for each of the first dimensions.

The first `batch_dims` axes of all inputs run together, which TensorFlow has for `gather_nd` only; the batch rules of
the others need it too.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.indexed_slices import RowCotangent
from gradtape.core.op import Op, declare
from gradtape.core.patterns.indexing import Places, Put, Take
from gradtape.core.shape import Spec
from gradtape.ops.cast import Cast
from gradtape.ops.comparison import Equal
from gradtape.ops.family import NO_LOWERING, boxed, dims
from gradtape.ops.indexing import spread
from gradtape.ops.movement import Reshape
from gradtape.ops.row_positions import (
    add_rows,
    batch_positions,
    check_integers,
    check_kind,
    flat_positions,
    shape_text,
    sum_rows,
    unfit_updates,
)
from gradtape.ops.selection import Keep, number


class Coordinates(Op):
    """An op whose `indices` hold coordinates."""

    kinds = "fVciubO"
    homogeneous = False
    lower: Any = NO_LOWERING

    def check(self, indices: Spec, whole: Spec | tuple[int, ...], batch_dims: int) -> tuple[int, ...]:
        """The shape of all slices that the indices name; raises if they cannot index into the whole."""
        check_integers(self, "indices", indices)
        shape = whole.shape if isinstance(whole, Spec) else whole
        if indices.rank < 1 + batch_dims or batch_dims + indices.shape[-1] > len(shape):
            raise self.error(
                errors.ShapeError,
                f"indices must not have more coordinates than the tensor has dimensions: indices is {indices}, for a tensor of shape {list(shape)}"
                + (f" with batch_dims={batch_dims}." if batch_dims else "."),
                "put the coordinates in the last dimension of indices: [[0], [2]] names two rows.",
            )
        if indices.shape[:batch_dims] != shape[:batch_dims]:
            raise self.error(
                errors.ShapeError,
                f"the first {batch_dims} dimensions must be equal, but indices is {indices}, the tensor {list(shape)}.",
                "give indices for each batch entry.",
            )
        return (*indices.shape[:-1], *shape[batch_dims + indices.shape[-1] :])

    def check_updates(self, indices: Spec, updates: Spec, shape: tuple[int, ...], batch_dims: int) -> None:
        """Raises unless there is one update of the right shape for each index."""
        wanted = self.check(indices, shape, batch_dims)
        if updates.shape != wanted:
            raise self.error(
                errors.ShapeError,
                f"{unfit_updates(indices.shape, updates.shape, shape)}: they must have shape {shape_text(wanted)}.",
                "give one slice of updates for each index.",
            )

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*spread(batched, *inputs), batch_dims=params.get("batch_dims", 0) + 1)


@declare("gather_nd")
class GatherNd(Coordinates):
    """Elements or slices of `params` at coordinates."""

    def infer(self, params: Spec, indices: Spec, *, batch_dims: int = 0) -> Spec:
        return Spec(self.check(indices, params, batch_dims), params.dtype)

    def kernel(self, params: Any, indices: Any, *, batch_dims: int = 0) -> Any:
        positions, rows, inner = locate(self.name, indices, params.shape, batch_dims)
        return boxed(np.take(np.reshape(params, (rows, *inner)), np.reshape(positions, indices.shape[:-1]), axis=0))

    def vjp(self, dy: Any, indices: Any, params_shape: Any, *, batch_dims: int = 0) -> Any:
        if batch_dims or dims(indices)[-1] != 1:
            return ScatterNd(indices, dy, shape=params_shape, batch_dims=batch_dims), None
        n = math.prod(dims(indices))
        values = Reshape(dy, shape=(n, *params_shape[1:]))
        return RowCotangent(values, Reshape(indices, shape=(n,)), params_shape), None

    def batch(self, batched: tuple[bool, ...], params: Any, indices: Any, *, batch_dims: int = 0) -> Any:
        if not batch_dims and batched == (False, True):
            return self(params, indices)
        return self(*spread(batched, params, indices), batch_dims=batch_dims + 1)

    def lower(self, params: Spec, indices: Spec, *, batch_dims: int = 0) -> Any:
        places = _places(params.shape, indices, batch_dims)
        return Take(places, params.dtype.size) if places.fits and params.dtype.kind != "O" else None


@declare("scatter_nd")
class ScatterNd(Coordinates):
    """Zeros of a shape, to which `updates` are added at coordinates; those named twice add up."""

    kinds = "fVciub"

    def infer(self, indices: Spec, updates: Spec, *, shape: tuple[int, ...], batch_dims: int = 0) -> Spec:
        check_kind(self, "updates", updates)
        self.check_updates(indices, updates, shape, batch_dims)
        return Spec(shape, updates.dtype)

    def kernel(self, indices: Any, updates: Any, *, shape: tuple[int, ...], batch_dims: int = 0) -> Any:
        positions, rows, inner = locate(self.name, indices, shape, batch_dims)
        check_shape(updates, indices, inner)
        values = np.reshape(updates, (positions.size, math.prod(inner)))
        return np.reshape(sum_rows(positions, values, rows), shape)

    def vjp(self, dy: Any, indices: Any, *, shape: tuple[int, ...], batch_dims: int = 0) -> Any:
        return None, GatherNd(dy, indices, batch_dims=batch_dims)

    def batch(
        self, batched: tuple[bool, ...], indices: Any, updates: Any, *, shape: tuple[int, ...], batch_dims: int = 0
    ) -> Any:
        indices, updates = spread(batched, indices, updates)
        return self(indices, updates, shape=(indices.shape[0], *shape), batch_dims=batch_dims + 1)

    def lower(self, indices: Spec, updates: Spec, *, shape: tuple[int, ...], batch_dims: int = 0) -> Any:
        places = _places(shape, indices, batch_dims)
        return Put(places, updates.dtype, "add", 0, (None, 0, 1)) if places.fits else None


class TensorScatter(Coordinates):
    """A copy of `tensor` with its elements at coordinates combined with `updates`, in a way that `how` names."""

    how: ClassVar[str]

    def infer(self, tensor: Spec, indices: Spec, updates: Spec, *, batch_dims: int = 0) -> Spec:
        check_kind(self, "tensor", tensor)
        if tensor.dtype is not updates.dtype:
            raise self.error(
                errors.DTypeError,
                f"dtypes differ: tensor is {tensor}, updates is {updates}.",
                f"use tf.cast(updates, {tensor.dtype!r}).",
            )
        self.check_updates(indices, updates, tensor.shape, batch_dims)
        return tensor

    def kernel(self, tensor: Any, indices: Any, updates: Any, *, batch_dims: int = 0) -> Any:
        if tensor.dtype != updates.dtype:
            raise TypeError("dtypes differ")
        positions, rows, inner = locate(self.name, indices, tensor.shape, batch_dims)
        check_shape(updates, indices, inner)
        result = np.reshape(np.copy(tensor), (rows, *inner))
        self.combine(result, positions, np.reshape(updates, (positions.size, *inner)))
        return np.reshape(result, tensor.shape)

    def combine(self, rows: Any, positions: Any, updates: Any) -> None:
        """Change the rows at the positions in place."""
        raise NotImplementedError

    def lower(self, tensor: Spec, indices: Spec, updates: Spec, *, batch_dims: int = 0) -> Any:
        places = _places(tensor.shape, indices, batch_dims)
        return Put(places, tensor.dtype, self.how, 0, (0, 1, 2)) if places.fits else None


@declare("tensor_scatter_nd_update")
class TensorScatterNdUpdate(TensorScatter):
    """A copy of `tensor` with `updates` in place of its elements at coordinates; of two for one place the last wins.

    It also gets the place's cotangent, alone. (TensorFlow gives it to all updates that name the place.)
    """

    how = "replace"

    def combine(self, rows: Any, positions: Any, updates: Any) -> None:
        rows[positions] = updates

    def vjp(self, dy: Any, indices: Any, *, batch_dims: int = 0, needs: Any) -> Any:
        tensor, updates = None, None
        if needs[0]:
            tensor = ClearNd(dy, indices, batch_dims=batch_dims)
        if needs[2]:
            updates = GatherNd(dy, indices, batch_dims=batch_dims)
            updates = KeepLast(updates, indices, shape=dims(dy), batch_dims=batch_dims)
        return tensor, None, updates


@declare("keep_last")
class KeepLast(Coordinates):
    """`updates` for a tensor of a shape, with zeros in place of those that a later one for the same place overwrites."""

    kinds = "fVciub"

    def infer(self, updates: Spec, indices: Spec, *, shape: tuple[int, ...], batch_dims: int = 0) -> Spec:
        check_kind(self, "updates", updates)
        self.check_updates(indices, updates, shape, batch_dims)
        return updates

    def kernel(self, updates: Any, indices: Any, *, shape: tuple[int, ...], batch_dims: int = 0) -> Any:
        positions, rows, inner = locate(self.name, indices, shape, batch_dims)
        check_shape(updates, indices, inner)
        numbers = np.arange(positions.size, like=positions)
        # Of equal positions the last one writes its number last. What is not written is not read either.
        latest = np.empty_like(numbers, shape=(rows,))
        latest[positions] = numbers
        is_last = np.take(latest, positions) == numbers
        is_last = np.reshape(is_last, (*indices.shape[:-1], *(1,) * len(inner)))
        return np.where(is_last, updates, number(0, updates))

    def vjp(self, dy: Any, indices: Any, *, shape: tuple[int, ...], batch_dims: int = 0) -> Any:
        return KeepLast(dy, indices, shape=shape, batch_dims=batch_dims), None

    def batch(
        self, batched: tuple[bool, ...], updates: Any, indices: Any, *, shape: tuple[int, ...], batch_dims: int = 0
    ) -> Any:
        updates, indices = spread(batched, updates, indices)
        return self(updates, indices, shape=(indices.shape[0], *shape), batch_dims=batch_dims + 1)


@declare("clear_nd")
class ClearNd(Coordinates):
    """A copy of `x` with zeros at coordinates: what an update leaves of a cotangent."""

    kinds = "fVciub"

    def infer(self, x: Spec, indices: Spec, *, batch_dims: int = 0) -> Spec:
        check_kind(self, "x", x)
        self.check(indices, x, batch_dims)
        return x

    def kernel(self, x: Any, indices: Any, *, batch_dims: int = 0) -> Any:
        positions, rows, inner = locate(self.name, indices, x.shape, batch_dims)
        result = np.reshape(np.copy(x), (rows, *inner))
        result[positions] = 0
        return np.reshape(result, x.shape)

    def vjp(self, dy: Any, indices: Any, *, batch_dims: int = 0) -> Any:
        return ClearNd(dy, indices, batch_dims=batch_dims), None

    def lower(self, x: Spec, indices: Spec, *, batch_dims: int = 0) -> Any:
        places = _places(x.shape, indices, batch_dims)
        return Put(places, x.dtype, "replace", 0, (0, 1, None)) if places.fits else None


@declare("tensor_scatter_nd_add")
class TensorScatterNdAdd(TensorScatter):
    """A copy of `tensor` to which `updates` are added at coordinates, one after the other where they name one place."""

    kinds = "fVciu"
    how = "add"

    def combine(self, rows: Any, positions: Any, updates: Any) -> None:
        add_rows(rows, np.reshape(positions, (-1,)), updates)

    def vjp(self, dy: Any, indices: Any, *, batch_dims: int = 0, needs: Any) -> Any:
        return dy, None, GatherNd(dy, indices, batch_dims=batch_dims) if needs[2] else None


class TensorExtremum(TensorScatter):
    """The larger or smaller of tensor and updates. Where several attain it, they share the cotangent equally."""

    kinds = "fViu"

    def vjp(self, dy: Any, tensor: Any, indices: Any, updates: Any, y: Any, *, batch_dims: int = 0, needs: Any) -> Any:
        dtype = dtypes.as_dtype(dy.dtype)
        kept, taken = Equal(tensor, y), Equal(updates, GatherNd(y, indices, batch_dims=batch_dims))
        takers = ScatterNd(indices, Cast(taken, dtype=dtype), shape=dims(tensor), batch_dims=batch_dims)
        share = dy / (Cast(kept, dtype=dtype) + takers)
        return (
            Keep(share, kept) if needs[0] else None,
            None,
            Keep(GatherNd(share, indices, batch_dims=batch_dims), taken) if needs[2] else None,
        )


@declare("tensor_scatter_nd_max")
class TensorScatterNdMax(TensorExtremum):
    """A copy of `tensor` with the larger of its elements and `updates` at coordinates."""

    how = "max"

    def combine(self, rows: Any, positions: Any, updates: Any) -> None:
        np.maximum.at(rows, positions, updates)


@declare("tensor_scatter_nd_min")
class TensorScatterNdMin(TensorExtremum):
    """A copy of `tensor` with the smaller of its elements and `updates` at coordinates."""

    how = "min"

    def combine(self, rows: Any, positions: Any, updates: Any) -> None:
        np.minimum.at(rows, positions, updates)


def _places(shape: tuple[int, ...], indices: Spec, batch_dims: int) -> Places:
    """The rows of an array of a shape that coordinates name."""
    split = batch_dims + indices.shape[-1]
    lead, indexed, inner = shape[:batch_dims], shape[batch_dims:split], shape[split:]
    count = math.prod(indices.shape[batch_dims:-1])
    return Places(math.prod(lead), 1, indexed, count, math.prod(inner), indices.dtype)


def locate(who: str, indices: Any, shape: tuple[int, ...], batch_dims: int) -> tuple[Any, int, tuple[int, ...]]:
    """Coordinates as row numbers `[n]`, how many rows the array of that shape has, and the shape of one row."""
    split = batch_dims + indices.shape[-1]
    lead, indexed, inner = shape[:batch_dims], shape[batch_dims:split], shape[split:]
    if indices.shape[:batch_dims] != lead:
        raise ValueError("the leading dimensions differ")
    positions = flat_positions(who, indices, indexed, shape)
    batch, size = math.prod(lead), math.prod(indexed)
    if batch_dims:
        n = math.prod(indices.shape[batch_dims:-1])
        positions = batch_positions(np.reshape(positions, (batch, n)), size)
    return np.reshape(positions, (positions.size,)), batch * size, inner


def check_shape(updates: Any, indices: Any, inner: tuple[int, ...]) -> None:
    """ValueError unless there is one update for each index; `infer` has the words for it."""
    if updates.shape != (*indices.shape[:-1], *inner):
        raise ValueError("updates have a wrong shape")
