"""Ragged tensors as dense and as sparse ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integers
from gradtape.arrays import creation, indexing, joining, movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.ragged import _row_partition as row_partition


def default(dtype: dtypes.DType) -> Any:
    """The default value for padding rows."""
    return "" if dtype is dtypes.string else False if dtype.is_bool else 0


def to_tensor(rt: Any, default_value: Any = None, shape: Any = None) -> Any:
    """A dense tensor, with short rows padded."""
    flat, levels = rt.flat_values, rt.nested_row_splits
    inner = tuple(flat.shape)[1:]
    bounds = list(integers(row_partition.bounds(*levels), "RaggedTensor.to_tensor", "shape"))
    places = row_partition.coordinates(*levels)
    value = convert.like(default(rt.dtype) if default_value is None else default_value, rt.dtype)
    if value.ndim > len(inner):
        raise errors.build(
            errors.ShapeError,
            f"to_tensor: default_value.shape={list(value.shape)} and flat_values.shape={list(flat.shape)} are incompatible: "
            f"default_value.rank = {value.ndim} must be less than flat_values.rank = {flat.ndim}.",
            "give one element.",
        )
    if shape is not None:
        wanted = TensorShape(shape).as_list()
        if len(wanted) != len(bounds) + len(inner):
            raise errors.build(
                errors.ShapeError,
                f"to_tensor: shape must have a length for each of {len(bounds) + len(inner)} axes, got {wanted}.",
                "give a length, or None, for each axis.",
            )
        bounds = [n if m is None else m for m, n in zip(wanted, bounds, strict=False)]
        limits = convert.convert_to_tensor(np.array(bounds))
        kept = movement.reshape(elementwise.where(reductions.reduce_all(places < limits, 1)), [-1])
        places, flat = indexing.gather(places, kept), indexing.gather(flat, kept)
        flat, inner = _fitted(flat, value, inner, wanted[len(bounds) :])
    around = movement.broadcast_to(value, [*bounds, *inner])
    return indexing.tensor_scatter_nd_update(around, places, flat)


def _fitted(flat: Any, value: Any, inner: tuple[int, ...], wanted: list[Any]) -> tuple[Any, tuple[int, ...]]:
    """Values whose inner axes are cut or filled up to other lengths."""
    for k, (old, new) in enumerate(zip(inner, wanted, strict=True), 1):
        if new is None or new == old:
            continue
        flat = flat[(*(slice(None),) * k, slice(new))]
        dims = list(flat.shape)
        dims[k] = new - dims[k]
        if dims[k]:
            flat = joining.concat([flat, creation.fill(dims, value)], k)
    return flat, tuple(flat.shape)[1:]


def to_sparse(rt: Any) -> SparseTensor:
    """A sparse tensor of all values."""
    flat, places = rt.flat_values, row_partition.coordinates(*rt.nested_row_splits)
    inner = tuple(flat.shape)[1:]
    if inner:
        count = int(np.prod(inner))
        cells = np.stack(np.unravel_index(np.arange(count), inner), 1)
        rows = movement.repeat(places, count, axis=0)
        columns = movement.tile(convert.convert_to_tensor(cells), [int(places.shape[0]), 1])
        places, flat = joining.concat([rows, columns], 1), movement.reshape(flat, [-1])
    return SparseTensor(places, flat, rt.bounding_shape(out_type=dtypes.int64))
