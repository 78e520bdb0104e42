"""Array code that gathers and scatters share: checked positions, and sums of rows.

Kernels of CPU arrays check every index, as TensorFlow does. Positions on a device are not looked at: the check would
wait for the device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.op import Op, describe_kinds
from gradtape.core.shape import Spec
from gradtape.ops.summation import wide

_SPARSE_SIZE = 16384  # elements from which a sparse product is quicker than np.add.at


def check_integers(op: Op, name: str, indices: Spec) -> None:
    """DTypeError unless the indices are integers."""
    if indices.dtype.kind not in "iu":
        raise op.error(
            errors.DTypeError,
            f"{name} is {indices}, and must be integers: {indices.dtype.name} is not in the list of allowed values: int16, "
            "int32, int64.",
            f"use tf.cast({name}, tf.int32).",
        )


def check_kind(op: Op, name: str, values: Spec) -> None:
    """DTypeError unless the op takes values of that kind: for ops whose inputs differ in dtype."""
    if values.dtype.kind not in op.kinds:
        raise op.error(
            errors.DTypeError,
            f"{name} is {values}, and must be {describe_kinds(op.kinds)}.",
            f"convert it first: tf.cast({name}, tf.float32).",
        )


_NOT_IN = "{index} = {value} is not in [0, {size})."


def _in_range(who: str, value: int, size: Any, name: str) -> str:
    """What to write in place of a number that is out of range."""
    if value < 0 or not size:
        return f"{name} count from 0; negative ones are not allowed."
    if name == "labels":
        return f"classes are numbered from 0 to {size - 1}: subtract 1 if they count from 1, or give logits of {value + 1} classes."
    embedding = f"; keras.layers.Embedding needs input_dim={value + 1} for this one" if who == "gather" else ""
    return f"{name} count from 0 to {size - 1}{embedding}."


def check_range(who: str, indices: Any, size: int, name: str = "indices", said: str = _NOT_IN) -> None:
    """RangeError unless all indices are from 0 to size - 1; `said` is what the error says about the first of the others."""
    if indices.dtype.kind not in "iu":
        raise TypeError("indices must be integers")
    if not indices.size or not isinstance(indices, (np.ndarray, np.generic)):
        return
    # A negative number is a huge one to an unsigned eye, so one pass sees both ends.
    values: Any = indices
    unsigned = values.view(f"u{values.dtype.itemsize}") if values.dtype.kind == "i" else values
    if np.maximum.reduce(unsigned, axis=None) >= size:
        place = tuple(np.argwhere(np.asarray((values < 0) | (values >= size)))[0])
        where = f"[{','.join(map(str, place))}]" if place else ""
        raise errors.build(
            errors.RangeError,
            f"{who}: " + said.format(index=f"{name}{where}", value=values[place], size=size),
            _in_range(who, int(values[place]), size, name),
        )


def shape_text(shape: Sequence[int]) -> str:
    """A shape as TensorFlow's kernels write it: [2,3]."""
    return f"[{','.join(map(str, shape))}]"


def unfit_updates(indices: Sequence[int], updates: Sequence[int], whole: Sequence[int]) -> str:
    """What is wrong with updates for indices whose last axis holds coordinates into a whole, all given by their shapes."""
    lead, depth = len(indices) - 1, indices[-1]
    if tuple(updates[:lead]) != tuple(indices[:-1]):
        place = f"Dimensions [0,{lead}) of indices[shape={shape_text(indices)}]"
        wrong = f"{place} must match dimensions [0,{lead}) of updates[shape={shape_text(updates)}]"
        return f"Outer dimensions of indices and update must match: {wrong}"
    place = f"Dimensions [{depth},{len(whole)}) of input[shape={shape_text(whole)}]"
    wrong = f"{place} must match dimensions [{lead},{len(updates)}) of updates[shape={shape_text(updates)}]"
    wrong += f" for indices[shape={shape_text(indices)}]"
    return f"Inner dimensions of output shape must match inner dimensions of updates shape: {wrong}"


def flat_positions(who: str, indices: Any, shape: tuple[int, ...], whole: tuple[int, ...]) -> Any:
    """Positions in a flattened array of that shape, for indices whose last axis holds one index per dimension.

    RangeError for the first index outside the shape; its message names the shape of the whole tensor.
    """
    if indices.dtype.kind not in "iu" or indices.shape[-1] != len(shape):
        raise TypeError("indices must be integers, one per dimension")
    if len(shape) == 1 and not isinstance(indices, np.ndarray):
        return np.take(indices, 0, axis=-1)
    if not shape:
        return np.zeros(indices.shape[:-1], np.intp, like=indices)
    columns = tuple([np.take(indices, k, axis=-1) for k in range(len(shape))])
    try:
        return np.ravel_multi_index(columns, shape)
    except ValueError:
        if not math.prod(shape):
            what = (
                "Requested more than 0 entries, but params is"
                if who == "gather_nd"
                else "Indices and updates specified for"
            )
            raise errors.build(
                errors.RangeError,
                f"{who}: indices must not name places of an empty tensor: {what} empty{' output' if who != 'gather_nd' else ''}, "
                f"indices has shape {list(indices.shape)}, the tensor {shape_text(whole)}.",
                "give no indices, or a shape that they fit.",
            ) from None
        wrong = np.any((indices < 0) | (indices >= np.asarray(shape)), axis=-1)
        place = tuple(np.argwhere(wrong)[0])
        raise errors.build(
            errors.RangeError,
            f"{who}: indices[{','.join(map(str, place))}] = {indices[place].tolist()} does not index into "
            f"{'param shape' if who == 'gather_nd' else 'shape'} {shape_text(whole)}.",
            "indices count from 0; negative ones are not allowed.",
        ) from None


def batch_positions(positions: Any, size: int) -> Any:
    """Positions `[batch, n]`, each in one of `batch` arrays of `size` rows, in the array of all their rows."""
    batch = positions.shape[0]
    if batch == 1:
        return positions
    return positions + np.reshape(np.arange(batch, like=positions) * size, (batch, 1))


def sum_rows(positions: Any, values: Any, rows: int) -> Any:
    """`[rows, width]`: row `i` is the sum of `values[j]` for `positions[j] == i`. Sums are made in the order of `j`.

    Args:
      positions: `[n]`, in range.
      values: `[n, width]`.
      rows: how many rows there are.
    """
    work = wide(values)
    if work is not values:
        return sum_rows(positions, work, rows).astype(values.dtype)
    n, width = values.shape
    if type(values) is np.ndarray and width > 1 and values.size >= _SPARSE_SIZE and values.dtype.kind in "fciu":
        from scipy.sparse import csc_array

        ones = np.ones(n, values.dtype)
        return csc_array((ones, positions, np.arange(n + 1)), shape=(rows, n)) @ values
    result = np.zeros_like(values, shape=(rows * width,))
    if width != 1:
        # NumPy has a quick loop for one index array on one axis.
        positions = positions.astype(np.intp) * width
        positions = np.reshape(positions, (n, 1)) + np.arange(width, like=positions)
    np.add.at(result, np.reshape(positions, (n * width,)), np.reshape(values, (n * width,)))
    return np.reshape(result, (rows, width))


def add_rows(rows: Any, positions: Any, values: Any) -> None:
    """Add `values[j]` to `rows[positions[j]]`, in place and in the order of `j`: rounding depends on the order."""
    if type(rows) is not np.ndarray or rows.ndim == 1:  # of numbers, NumPy has a quick loop
        np.add.at(rows, positions, values)
        return
    width = math.prod(rows.shape[1:])
    if 4 * positions.size > len(rows):  # nearly all rows: it is not worth finding out which
        old = np.reshape(rows, (len(rows), width))
        everything = np.concatenate([old, np.reshape(values, (positions.size, width))])
        order = np.concatenate([np.arange(len(rows)), np.reshape(positions, (-1,))])
        rows[...] = np.reshape(sum_rows(order, everything, len(rows)), rows.shape)
        return
    places, which = np.unique(positions, return_inverse=True)
    if places.size == positions.size:
        rows[positions] += values
        return
    old = np.reshape(rows[places], (places.size, width))
    everything = np.concatenate([old, np.reshape(values, (positions.size, width))])
    sums = sum_rows(np.concatenate([np.arange(places.size), which]), everything, places.size)
    rows[places] = np.reshape(sums, (places.size, *rows.shape[1:]))
