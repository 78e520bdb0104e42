"""Ragged tensors as dense and as sparse ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integers
from gradtape.arrays import indexing, joining, movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
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
            f"to_tensor: default_value.shape={list(value.shape)} and rt_input.flat_values.shape={list(flat.shape)} are incompatible: "
            f"default_value.rank = {value.ndim}  must be less than rt_input.flat_values.rank = {flat.ndim}.",
            "give one element.",
        )
    for k in range(-1, -value.ndim - 1, -1):
        if value.shape[k] not in (1, inner[k]):
            raise errors.build(
                errors.ShapeError,
                f"to_tensor: default_value.shape={list(value.shape)} and rt_input.flat_values.shape={list(flat.shape)} are "
                f"incompatible: default_value.shape[{k}] = {value.shape[k]} but rt_input.flat_values.shape[{k}] = {inner[k]}.",
                "give one element.",
            )
    if shape is not None:
        wanted = _wanted(shape, len(bounds) + len(inner))
        if len(wanted) != len(bounds) + len(inner):
            raise errors.build(
                errors.ShapeError,
                f"to_tensor: shape must have a length for each axis: rt_input.shape and shape={_text(wanted)} are incompatible: "
                f"rt_input.rank = {len(bounds) + len(inner)} but shape.rank = {len(wanted)}.",
                "give a length, or None, for each axis.",
            )
        bounds = [n if m is None else m for m, n in zip(wanted, bounds, strict=False)]
        limits = convert.convert_to_tensor(np.array(bounds))
        kept = movement.reshape(elementwise.where(reductions.reduce_all(places < limits, 1)), [-1])
        places, flat = indexing.gather(places, kept), indexing.gather(flat, kept)
        for k, (own, given) in enumerate(zip(inner, wanted[len(bounds) :], strict=True), len(bounds)):
            if given is not None and given != own:
                raise errors.build(
                    errors.ShapeError,
                    f"to_tensor: inner sizes must stay: rt_input.shape and shape={_text(wanted)} are incompatible: "
                    f"rt_input.shape[{k}] = {own} but shape[{k}] = {given}.",
                    "give None for the axes of the flat values.",
                )
    around = movement.broadcast_to(value, [*bounds, *inner])
    return indexing.tensor_scatter_nd_update(around, places, flat)


def _wanted(shape: Any, rank: int) -> list[Any]:
    """The lengths of a dense tensor; in a tensor, -1 stands for one that is not given, also for all."""
    if isinstance(shape, (Tensor, Variable)):
        given = np.asarray(convert.convert_to_tensor(shape))
        if not given.ndim and given == -1:
            return [None] * rank
        return [None if n == -1 else n for n in integers(shape, "to_tensor", "shape")]
    known = TensorShape(shape)
    return [None] * rank if known.rank is None else known.as_list()


def _text(sizes: list[Any]) -> str:
    return "[" + ",".join(["?" if n is None else str(n) for n in sizes]) + "]"


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
