"""Rows by number: `gather` along an axis, and its transpose, which sums rows into place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.indexed_slices import RowCotangent
from gradtape.core.op import Op, declare
from gradtape.core.patterns.indexing import Places, Put, Take
from gradtape.core.shape import Spec
from gradtape.ops.family import boxed, dims
from gradtape.ops.movement import BroadcastTo, Reshape, Transpose
from gradtape.ops.row_positions import batch_positions, check_integers, check_kind, check_range, sum_rows


@declare("gather")
class Gather(Op):
    """Slices of `params` along an axis, at `indices`; the first `batch_dims` axes of both run together."""

    kinds = "fVciubO"
    homogeneous = False

    def infer(self, params: Spec, indices: Spec, *, axis: int, batch_dims: int = 0) -> Spec:
        check_integers(self, "indices", indices)
        if not params.rank:
            raise self.error(
                errors.ShapeError,
                f"params is {params}, and must not be a scalar.",
                "gather from a tensor of rank 1 or more.",
            )
        _check_batch_dims(self, params, indices, axis, batch_dims)
        shape = params.shape
        return Spec((*shape[:axis], *indices.shape[batch_dims:], *shape[axis + 1 :]), params.dtype)

    def kernel(self, params: Any, indices: Any, *, axis: int, batch_dims: int = 0) -> Any:
        size = params.shape[axis]
        if not batch_dims:
            check_range(self.name, indices, size)
            return boxed(np.take(params, indices, axis=axis))
        lead, inner = params.shape[:axis], params.shape[axis + 1 :]
        _check_shared(lead, indices.shape, batch_dims)
        check_range(self.name, indices, size)
        positions = _positions(indices, lead, batch_dims, size)
        rows = np.reshape(params, (math.prod(lead) * size, *inner))
        return np.reshape(np.take(rows, positions, axis=0), (*lead, *indices.shape[batch_dims:], *inner))

    def vjp(self, dy: Any, indices: Any, params_shape: Any, *, axis: int, batch_dims: int = 0) -> Any:
        if axis or batch_dims:
            return ScatterRows(indices, dy, rows=params_shape[axis], axis=axis, batch_dims=batch_dims), None
        n = math.prod(dims(indices))
        values = Reshape(dy, shape=(n, *params_shape[1:]))
        return RowCotangent(values, Reshape(indices, shape=(n,)), params_shape), None

    def batch(self, batched: tuple[bool, ...], params: Any, indices: Any, *, axis: int, batch_dims: int = 0) -> Any:
        if not batch_dims and batched == (True, False):
            return self(params, indices, axis=axis + 1)
        if not batch_dims and batched == (False, True):
            y = self(params, indices, axis=axis)
            return y if not axis else Transpose(y, perm=(axis, *[i for i in range(y.ndim) if i != axis]))
        params, indices = spread(batched, params, indices)
        return self(params, indices, axis=axis + 1, batch_dims=batch_dims + 1)

    def lower(self, params: Spec, indices: Spec, *, axis: int, batch_dims: int = 0) -> Any:
        places = _places(params.shape[:axis], params.shape[axis], params.shape[axis + 1 :], indices, batch_dims)
        return Take(places, params.dtype.size) if places.fits and params.dtype.kind != "O" else None


@declare("scatter_rows")
class ScatterRows(Op):
    """The transpose of `gather`: zeros with `rows` slices along an axis, to which `values` are added at `indices`.

    Rows that are named twice add up.
    """

    kinds = "fVciub"
    homogeneous = False

    def infer(self, indices: Spec, values: Spec, *, rows: int, axis: int = 0, batch_dims: int = 0) -> Spec:
        check_integers(self, "indices", indices)
        check_kind(self, "values", values)
        depth = indices.rank - batch_dims
        if values.shape[axis : axis + depth] != indices.shape[batch_dims:]:
            raise self.error(
                errors.ShapeError,
                f"values is {values}, indices is {indices}: from axis {axis} on, values must have the shape of indices.",
                "give one slice of values for each index.",
            )
        _check_batch_dims(self, values, indices, axis, batch_dims, "values")
        return Spec((*values.shape[:axis], rows, *values.shape[axis + depth :]), values.dtype)

    def kernel(self, indices: Any, values: Any, *, rows: int, axis: int = 0, batch_dims: int = 0) -> Any:
        lead, inner = values.shape[:axis], values.shape[axis + indices.ndim - batch_dims :]
        if values.shape != (*lead, *indices.shape[batch_dims:], *inner):
            raise ValueError("values and indices have different shapes")
        _check_shared(lead, indices.shape, batch_dims)
        check_range(self.name, indices, rows)
        outer, width = math.prod(lead), math.prod(inner)
        if batch_dims or outer == 1:
            positions = np.reshape(_positions(indices, lead, batch_dims, rows), (-1,))
            result = sum_rows(positions, np.reshape(values, (positions.size, width)), outer * rows)
            return np.reshape(result, (*lead, rows, *inner))
        # The same indices for all leading entries: these become part of the rows.
        n = indices.size
        columns = np.reshape(np.swapaxes(np.reshape(values, (outer, n, width)), 0, 1), (n, outer * width))
        result = np.reshape(sum_rows(np.reshape(indices, (n,)), columns, rows), (rows, outer, width))
        return np.reshape(np.swapaxes(result, 0, 1), (*lead, rows, *inner))

    def vjp(self, dy: Any, indices: Any, *, rows: int, axis: int = 0, batch_dims: int = 0) -> Any:
        return None, Gather(dy, indices, axis=axis, batch_dims=batch_dims)

    def batch(
        self, batched: tuple[bool, ...], indices: Any, values: Any, *, rows: int, axis: int = 0, batch_dims: int = 0
    ) -> Any:
        if not batch_dims and batched == (False, True):
            return self(indices, values, rows=rows, axis=axis + 1)
        indices, values = spread(batched, indices, values)
        return self(indices, values, rows=rows, axis=axis + 1, batch_dims=batch_dims + 1)

    def lower(self, indices: Spec, values: Spec, *, rows: int, axis: int = 0, batch_dims: int = 0) -> Any:
        inner = values.shape[axis + indices.rank - batch_dims :]
        places = _places(values.shape[:axis], rows, inner, indices, batch_dims)
        return Put(places, values.dtype, "add", 0, (None, 0, 1)) if places.fits else None


def spread(batched: tuple[bool, ...], *inputs: Any) -> list[Any]:
    """The inputs, each with the batch axis in front."""
    size = next(x.shape[0] for flag, x in zip(batched, inputs, strict=True) if flag)
    return [x if flag else BroadcastTo(x, shape=(size, *dims(x))) for flag, x in zip(batched, inputs, strict=True)]


def _places(lead: tuple[int, ...], rows: int, inner: tuple[int, ...], indices: Spec, batch_dims: int) -> Places:
    """The rows of an array `[*lead, rows, *inner]` that indices name."""
    batch, outer = math.prod(lead[:batch_dims]), math.prod(lead[batch_dims:])
    return Places(batch, outer, (rows,), math.prod(indices.shape[batch_dims:]), math.prod(inner), indices.dtype)


def _positions(indices: Any, lead: tuple[int, ...], batch_dims: int, size: int) -> Any:
    """Row numbers in the array whose axes `lead`, and then `size` slices, are one axis: `[prod(lead), n]`.

    The axes of `lead` behind the first `batch_dims` use the same indices.
    """
    batch, outer = math.prod(lead[:batch_dims]), math.prod(lead[batch_dims:])
    n = math.prod(indices.shape[batch_dims:])
    if outer != 1:
        indices = np.broadcast_to(np.reshape(indices, (batch, 1, n)), (batch, outer, n))
    return batch_positions(np.reshape(indices, (batch * outer, n)), size)


def _check_shared(lead: tuple[int, ...], indices: tuple[int, ...], batch_dims: int) -> None:
    """ValueError unless the batch axes, which come before the axis of the op, are equal; `infer` has the words for it."""
    if len(lead) < batch_dims or lead[:batch_dims] != indices[:batch_dims]:
        raise ValueError("the leading dimensions differ")


def _check_batch_dims(op: Op, x: Spec, indices: Spec, axis: int, batch_dims: int, name: str = "params") -> None:
    if batch_dims > min(indices.rank, axis):
        raise op.error(
            errors.ShapeError,
            f"batch_dims is {batch_dims}, axis is {axis}, indices is {indices}: these do not match.",
            "batch_dims may be at most the axis, and at most the rank of indices.",
        )
    if x.shape[:batch_dims] != indices.shape[:batch_dims]:
        raise op.error(
            errors.ShapeError,
            f"the first {batch_dims} dimensions must be equal, but {name} is {x}, indices is {indices}.",
            "give indices for each batch entry.",
        )
