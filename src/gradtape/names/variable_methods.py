"""Methods of variables that change or read some rows. They are attached to `Variable` when this module is imported.

A variable gets a new array each time: tapes may hold the old one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import convert, errors
from gradtape.core.shape import spec_of
from gradtape.core.slices import IndexedSlices
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.core.variable import Variable
from gradtape.names import indexing
from gradtape.ops.rows import check_range, sum_rows
from gradtape.ops.scatter import locate

_Combine = Callable[[Any, Any, Any], None]


def _add(rows: Any, positions: Any, values: Any) -> None:
    places, sums = _summed(positions, values)
    rows[places] += sums


def _sub(rows: Any, positions: Any, values: Any) -> None:
    places, sums = _summed(positions, values)
    rows[places] -= sums


def _summed(positions: Any, values: Any) -> tuple[Any, Any]:
    """The positions without repetition, and the sum of the values for each."""
    places, which = np.unique(positions, return_inverse=True)
    flat = np.reshape(values, (positions.size, math.prod(values.shape[1:])))
    return places, np.reshape(sum_rows(which, flat, places.size), (places.size, *values.shape[1:]))


def _update(rows: Any, positions: Any, values: Any) -> None:
    rows[positions] = values


def _scatter(name: str, combine: _Combine, does: str, example: str) -> Any:
    """The method that combines rows of a variable with those of IndexedSlices."""

    def method(self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                errors.compose(
                    f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta!r}",
                    "use tf.IndexedSlices(values, indices), or assign for the whole value.",
                )
            )
        who, old = method.__name__, self._value._array
        indices, values = _operands(self, who, sparse_delta.indices, sparse_delta.values)
        check_range(who, indices, old.shape[0] if old.ndim else 0)
        inner = old.shape[1:]
        updates = (
            values._array if values.ndim else np.full_like(values._array, values._array, shape=indices.shape + inner)
        )
        _check_updates(self, who, updates, indices.shape + inner)
        rows = np.copy(old)
        combine(rows, np.reshape(indices, (-1,)), np.reshape(updates, (indices.size, *inner)))
        self._write(rows, values._id)
        return self

    method.__name__, method.__qualname__ = name, f"Variable.{name}"
    method.__doc__ = f"""{does}

    Args:
      sparse_delta: `tf.IndexedSlices`: the rows, or one number for all, and their positions.
      use_locking: ignored.
      name: ignored.

    Returns:
      The variable.

    >>> v = tf.Variable([8.0, 4.0])
    >>> v.{name}(tf.IndexedSlices(values=[2.0, 2.0], indices=[1, 1])).numpy().tolist()
    [8.0, {example}]
    """
    return method


def _scatter_nd(name: str, combine: _Combine, does: str, example: str) -> Any:
    """The method that combines elements of a variable at coordinates with updates."""

    def method(self: Variable, indices: Any, updates: Any, name: str | None = None) -> Variable:
        who, old = method.__name__, self._value._array
        places, values = _operands(self, who, indices, updates)
        depth = places.shape[-1] if places.ndim else len(old.shape) + 1
        if depth > old.ndim:
            raise errors.build(
                errors.ShapeError,
                f"{who}: indices has shape {list(places.shape)}, the variable {list(old.shape)}.",
                "the last axis of indices holds the coordinates, at most as many as the variable has dimensions.",
            )
        _check_updates(self, who, values._array, places.shape[:-1] + old.shape[depth:])
        positions, count, inner = locate(who, places, old.shape, 0)
        rows = np.reshape(np.copy(old), (count, *inner))
        combine(rows, positions, np.reshape(values._array, (positions.size, *inner)))
        self._write(np.reshape(rows, old.shape), values._id)
        return self

    method.__name__, method.__qualname__ = name, f"Variable.{name}"
    method.__doc__ = f"""{does}

    Args:
      indices: integers; the last axis holds one index for each of the first dimensions of the variable.
      updates: elements or slices, of shape `indices.shape[:-1] + variable.shape[indices.shape[-1]:]`.
      name: ignored.

    Returns:
      The variable.

    >>> v = tf.Variable([8.0, 4.0])
    >>> v.{name}([[1], [1]], [2.0, 2.0]).numpy().tolist()
    [8.0, {example}]
    """
    return method


def _operands(variable: Variable, who: str, indices: Any, values: Any) -> tuple[Any, Tensor]:
    """The array of indices, and the values as a tensor of the variable's dtype."""
    array = np.asarray(host(convert.convert_to_tensor(indices)._array))
    if array.dtype.kind not in "iu":
        raise errors.build(
            errors.DTypeError,
            f"{who}: indices are {array.dtype.name}, and must be integers.",
            "use tf.cast(indices, tf.int32).",
        )
    return array, variable._convert(values)


def _check_updates(variable: Variable, who: str, updates: Any, wanted: tuple[int, ...]) -> None:
    if updates.shape != wanted:
        raise errors.build(
            errors.ShapeError,
            f"{who}: the updates have shape {list(updates.shape)} instead of {list(wanted)}; the variable "
            f"{variable.name!r} has shape {list(variable._value.shape)}.",
            "give one slice of updates for each index.",
        )


def batch_scatter_update(
    self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
) -> Variable:
    """Replace slices in each entry of a batch.

    Args:
      sparse_delta: `tf.IndexedSlices` whose indices `[b..., n]` count along the axis behind the batch dimensions.
      use_locking: ignored.
      name: ignored.

    Returns:
      The variable.

    >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> v.batch_scatter_update(tf.IndexedSlices(values=[[9.0], [8.0]], indices=[[1], [0]])).numpy()
    array([[1., 9.],
           [8., 4.]], dtype=float32)
    """
    indices, values = _operands(self, "batch_scatter_update", sparse_delta.indices, sparse_delta.values)
    lead = np.indices(indices.shape, sparse=False)[:-1]
    return self.scatter_nd_update(np.stack([*lead, indices], axis=-1), values)  # type: ignore[attr-defined, no-any-return]


def sparse_read(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Rows of the variable, as `tf.gather`; the gradient is `tf.IndexedSlices`.

    Args:
      indices: integers of any shape.
      name: ignored.

    Returns:
      The rows.

    >>> tf.Variable([1.0, 2.0]).sparse_read([1, 1]).numpy()
    array([2., 2.], dtype=float32)
    """
    return indexing.gather(self, indices)


def gather_nd(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Elements or slices of the variable at coordinates, as `tf.gather_nd`.

    Args:
      indices: integers; the last axis holds the coordinates.
      name: ignored.

    Returns:
      The elements.

    >>> tf.Variable([[1.0, 2.0], [3.0, 4.0]]).gather_nd([[0, 1]]).numpy()
    array([2.], dtype=float32)
    """
    return indexing.gather_nd(self, indices)


def count_up_to(self: Variable, limit: int) -> Tensor:
    """The value of an integer scalar before it is incremented; OutOfRangeError once it has reached the limit.

    Args:
      limit: the value that is not passed.

    Returns:
      The value before.

    >>> v = tf.Variable(0)
    >>> v.count_up_to(2).numpy(), v.count_up_to(2).numpy(), v.numpy()
    (np.int32(0), np.int32(1), np.int32(2))
    """
    old = self._value._array
    if old.ndim or old.dtype.kind not in "iu":
        raise errors.build(
            errors.DTypeError, f"count_up_to: the variable is {spec_of(self._value)}.", "count with an integer scalar."
        )
    if old >= limit:
        raise errors.build(errors.OutOfRangeError, f"count_up_to: Reached limit of {limit}.", "assign a smaller value.")
    self._write(old + old.dtype.type(1))
    return wrap(old)


_METHODS = [
    _scatter("scatter_add", _add, "Add to rows; for repeated positions the sums.", "8.0"),
    _scatter("scatter_sub", _sub, "Subtract from rows; for repeated positions the sums.", "0.0"),
    _scatter("scatter_update", _update, "Replace rows; of repeated positions the last wins.", "2.0"),
    _scatter("scatter_mul", np.multiply.at, "Multiply rows; repeated positions one after the other.", "16.0"),
    _scatter("scatter_div", np.divide.at, "Divide rows; repeated positions one after the other.", "1.0"),
    _scatter("scatter_min", np.minimum.at, "Replace elements by smaller ones.", "2.0"),
    _scatter("scatter_max", np.maximum.at, "Replace elements by larger ones.", "4.0"),
    _scatter_nd("scatter_nd_add", _add, "Add at coordinates; for repeated ones the sums.", "8.0"),
    _scatter_nd("scatter_nd_sub", _sub, "Subtract at coordinates; for repeated ones the sums.", "0.0"),
    _scatter_nd("scatter_nd_update", _update, "Replace at coordinates; of repeated ones the last wins.", "2.0"),
    _scatter_nd("scatter_nd_min", np.minimum.at, "Replace elements at coordinates by smaller ones.", "2.0"),
    _scatter_nd("scatter_nd_max", np.maximum.at, "Replace elements at coordinates by larger ones.", "4.0"),
    batch_scatter_update, sparse_read, gather_nd, count_up_to,
]  # fmt: skip

for _method in _METHODS:
    setattr(Variable, _method.__name__, _method)
