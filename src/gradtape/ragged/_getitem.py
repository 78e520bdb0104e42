"""Indexing of ragged tensors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradtape.arrays import movement
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ragged import _construct as construct
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._base import is_ragged, ragged

_ALL = slice(None)


def getitem(rt: Any, key: Any) -> Any:
    """`rt[key]`: rows by number or slice; then elements, or parts, of each row."""
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    if sum(k is Ellipsis for k in keys) > 1:
        raise ValueError(
            errors.compose("RaggedTensor: more than one ellipsis cannot be in the index.", "one is enough.")
        )
    for i, k in enumerate(keys):
        if k is Ellipsis:
            count = sum(other is not None for other in keys) - 1
            if count > rt.ndim:
                raise errors.build(
                    errors.RangeError,
                    f"RaggedTensor: cannot take {count} indices for the rank {rt.ndim}: Too many indices for RaggedTensor.",
                    "leave some out.",
                )
            keys[i : i + 1] = [_ALL] * (rt.ndim - count)
            break
    return _taken(rt, keys)


def _taken(rt: Any, keys: list[Any]) -> Any:
    if not keys:
        return rt
    if not is_ragged(rt):
        return rt[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        return _inside(rearrange.expand_dims(rt, 0), rest)
    if isinstance(first, slice):
        return _inside(rt if first == _ALL else _rows(rt, first), rest)
    if isinstance(first, bool):
        raise _refused(first, ValueError)
    if is_ragged(first) or isinstance(first, (list, float)) or (isinstance(first, (Tensor, np.ndarray)) and first.ndim):
        raise _refused(first)
    return _taken(_row(rt, first), rest)


def _refused(key: Any, kind: type[Exception] = TypeError) -> Exception:
    return kind(
        errors.compose(
            "RaggedTensor: Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
            f"tensors are valid indices, got {key!r}.",
            "use an int or a slice, tf.gather for several rows, tf.ragged.boolean_mask for a mask.",
        )
    )


def _row(rt: Any, index: Any) -> Any:
    """One row."""
    number: Any = index
    if not isinstance(index, (Tensor, Variable)):
        try:
            number = operator.index(index)
        except TypeError:
            raise _refused(index) from None
    if type(rt.row_splits) is not Tensor or isinstance(number, (Tensor, Variable)):  # checked when it runs
        return rearrange.gather_rows(rt, movement.reshape(construct.tensor(number), [1]), wraps=True).values
    rows = len(rt)
    if not -rows <= number < rows:
        raise errors.build(
            errors.RangeError,
            f"RaggedTensor: row {number} is out of bounds for {rows} rows.",
            "rows count from 0.",
        )
    starts, limits = rt.row_starts(), rt.row_limits()
    return rt.values[starts[number] : limits[number]]


def _bounds(part: slice, *, outer: bool) -> dict[str, Any]:
    found = {}
    for name in ("start", "stop", "step"):
        value = getattr(part, name)
        try:
            found[name] = None if value is None else operator.index(value)
        except TypeError:
            if outer:
                raise _refused(value) from None
            what = "strides" if name == "step" else "offsets"
            raise TypeError(
                errors.compose(
                    f"RaggedTensor: slice {what} must be integers or None, got {value!r}.", "use whole numbers."
                )
            ) from None
    if found["step"] == 0:
        raise errors.build(errors.ShapeError, "RaggedTensor: the step of a slice must not be zero.", "use 1 or -1.")
    return found


def _rows(rt: Any, part: slice) -> Any:
    return rearrange.gather_rows(rt, row_partition.rows_in(rt.row_splits, **_bounds(part, outer=True)))


def _inside(rt: Any, keys: list[Any]) -> Any:
    """Elements or parts of each row."""
    if not keys:
        return rt
    if not is_ragged(rt):
        return rt[(_ALL, *keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        return _deeper(rearrange.expand_dims(rt, 1), rest)
    if isinstance(first, slice):
        if first != _ALL:
            positions, splits = row_partition.part_of_rows(rt.row_splits, **_bounds(first, outer=False))
            rt = ragged(rearrange.picked(rt.values, positions), splits)
        return _deeper(rt, rest)
    try:
        number = operator.index(first)
    except TypeError:
        raise _refused(first, ValueError) from None
    column = rearrange.picked(rt.values, row_partition.column(rt.row_splits, column=number))
    return _inside(column, rest)


def _deeper(rt: Any, keys: list[Any]) -> Any:
    """The same for the values, with the keys after the first two axes."""
    return rt.with_values(_inside(rt.values, keys)) if keys else rt
