"""Methods of variables that change or read some rows. They are attached to `Variable` when this module is imported.

A variable gets a new array each time: tapes may hold the old one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradtape.api.effects import perform
from gradtape.arrays import indexing, joining
from gradtape.core import convert, errors, state
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import NotDifferentiable, Op
from gradtape.core.shape import Spec, spec_of
from gradtape.core.tensor import Tensor, host
from gradtape.core.updates import lock_of
from gradtape.core.variable import Variable
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.row_positions import add_rows, check_range, unfit_updates
from gradtape.ops.scatter import locate
from gradtape.transform.opaque_op import recorded_by

_Combine = Callable[[Any, Any, Any], None]


def _sub(rows: Any, positions: Any, values: Any) -> None:
    add_rows(rows, positions, -values)


def _update(rows: Any, positions: Any, values: Any) -> None:
    rows[positions] = values


class Scatter(Op):
    """A variable's value with some rows, or elements at coordinates, combined with updates.

    Attributes:
      takes_number: whether one number stands for all updates.
    """

    takes_number = True
    differentiable = False
    vjp = NotDifferentiable("no gradient flows through an assignment")
    homogeneous = False
    lower = NO_LOWERING

    def __init__(self, name: str, combine: _Combine) -> None:
        self.name, self.combine = name, combine  # type: ignore[misc]

    def infer(self, old: Spec, indices: Spec, updates: Spec) -> Spec:
        """As the old value, after a look at the shapes."""
        if indices.dtype.kind not in "iu":
            raise self.error(
                errors.DTypeError, f"indices are {indices}, and must be integers.", "use tf.cast(indices, tf.int32)."
            )
        wanted = self.shape_of_updates(old, indices)
        if updates.shape != wanted and not (self.takes_number and updates.shape == ()):
            raise self.error(
                errors.ShapeError, self.mismatch(old, indices, updates), "give one slice of updates for each index."
            )
        return old

    def mismatch(self, old: Spec, indices: Spec, updates: Spec) -> str:
        """What is wrong with the updates."""
        return (
            f"the updates must have shape {list(self.shape_of_updates(old, indices))}, but have {list(updates.shape)}; "
            f"the variable has shape {list(old.shape)}."
        )

    def shape_of_updates(self, old: Spec, indices: Spec) -> tuple[int, ...]:
        """The shape that the updates must have."""
        return indices.shape + old.shape[1:]

    def kernel(self, old: Any, indices: Any, updates: Any) -> Any:
        """A new array: tapes may hold the old one."""
        check_range(self.name, indices, old.shape[0] if old.ndim else 0)
        inner = old.shape[1:]
        rows = np.copy(old)
        shape = (indices.size, *inner)
        values = np.reshape(updates, shape) if updates.ndim else np.broadcast_to(updates, shape)
        self.combine(rows, np.reshape(indices, (-1,)), values)
        return rows


class ScatterNd(Scatter):
    """The same at coordinates, which the last axis of the indices holds."""

    takes_number = False

    def shape_of_updates(self, old: Spec, indices: Spec) -> tuple[int, ...]:
        """The shape that the updates must have."""
        if not old.rank:
            raise self.error(
                errors.ShapeError,
                "Output must be at least 1-D, but the variable is a scalar.",
                "use variable.assign(value).",
            )
        depth = indices.shape[-1] if indices.rank else old.rank + 1
        if depth > old.rank:
            raise self.error(
                errors.ShapeError,
                f"indices must not have more coordinates than the variable has dimensions: indices has shape {list(indices.shape)}, the variable {list(old.shape)}.",
                "the last axis of indices holds the coordinates, at most as many as the variable has dimensions.",
            )
        return indices.shape[:-1] + old.shape[depth:]

    def mismatch(self, old: Spec, indices: Spec, updates: Spec) -> str:
        """What is wrong with the updates."""
        return f"{unfit_updates(indices.shape, updates.shape, old.shape)}."

    def kernel(self, old: Any, indices: Any, updates: Any) -> Any:
        """A new array: tapes may hold the old one."""
        positions, count, inner = locate(self.name, indices, old.shape, 0)
        rows = np.reshape(np.copy(old), (count, *inner))
        self.combine(rows, positions, np.reshape(updates, (positions.size, *inner)))
        return np.reshape(rows, old.shape)


def _apply(variable: Variable, op: Scatter, indices: Any, updates: Any) -> Variable:
    """Update a variable, now or each time the program comes here."""
    places, values = convert.convert_to_tensor(indices), variable._convert(updates)
    trace = state.current.trace
    if trace is not None:
        with recorded_by():  # no gradient flows through an assignment
            new = trace.add(op, (trace.read_for_update(variable), places, values), {})
        trace.assign(variable, new)
        return variable
    with lock_of(variable):
        arrays = [np.asarray(host(x._array)) for x in (variable._value, places, values)]
        op.infer(*[spec_of(a) for a in arrays])
        variable._write(op.kernel(*arrays), values._id)
    return variable


OPS: dict[str, Scatter] = {}  # by the names of the methods


def _scatter(name: str, combine: _Combine, does: str, example: str) -> Any:
    """The method that combines rows of a variable with those of IndexedSlices."""
    op = OPS[name] = Scatter(name, combine)

    def method(self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise errors.build(
                TypeError,
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta!r}",
                "use tf.IndexedSlices(values, indices), or assign for the whole value.",
            )
        return _apply(self, op, sparse_delta.indices, sparse_delta.values)

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
    op = OPS[name] = ScatterNd(name, combine)

    def method(self: Variable, indices: Any, updates: Any, name: str | None = None) -> Variable:
        return _apply(self, op, indices, updates)

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
    indices = convert.convert_to_tensor(sparse_delta.indices)
    lead = np.indices(dims(indices))[:-1].astype(indices.dtype.numpy)
    places = joining.stack([*lead, indices], axis=-1)
    return self.scatter_nd_update(places, sparse_delta.values)


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
    if self.ndim or not self.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            f"count_up_to: the variable must be an integer scalar, got {spec_of(self._value)}.",
            "count with an integer scalar.",
        )
    if state.current.trace is not None:
        return _count(self, limit)
    with lock_of(self):
        return _count(self, limit)


def _count(variable: Variable, limit: int) -> Tensor:
    old = variable.read_value()
    perform("count_up_to", partial(_check_limit, limit), [old])
    variable.assign_add(1)
    return old


def _check_limit(limit: int, value: Tensor) -> None:
    if value._array >= limit:
        raise errors.build(
            errors.OutOfRangeError,
            f"count_up_to: Reached limit of {limit}.",
            "assign a smaller value.",
        )


_METHODS = [
    _scatter("scatter_add", add_rows, "Add to rows; for repeated positions the sums.", "8.0"),
    _scatter("scatter_sub", _sub, "Subtract from rows; for repeated positions the sums.", "0.0"),
    _scatter("scatter_update", _update, "Replace rows; of repeated positions the last wins.", "2.0"),
    _scatter("scatter_mul", np.multiply.at, "Multiply rows; repeated positions one after the other.", "16.0"),
    _scatter("scatter_div", np.divide.at, "Divide rows; repeated positions one after the other.", "1.0"),
    _scatter("scatter_min", np.minimum.at, "Replace elements by smaller ones.", "2.0"),
    _scatter("scatter_max", np.maximum.at, "Replace elements by larger ones.", "4.0"),
    _scatter_nd("scatter_nd_add", add_rows, "Add at coordinates; for repeated ones the sums.", "8.0"),
    _scatter_nd("scatter_nd_sub", _sub, "Subtract at coordinates; for repeated ones the sums.", "0.0"),
    _scatter_nd("scatter_nd_update", _update, "Replace at coordinates; of repeated ones the last wins.", "2.0"),
    _scatter_nd("scatter_nd_min", np.minimum.at, "Replace elements at coordinates by smaller ones.", "2.0"),
    _scatter_nd("scatter_nd_max", np.maximum.at, "Replace elements at coordinates by larger ones.", "4.0"),
    batch_scatter_update, sparse_read, gather_nd, count_up_to,
]  # fmt: skip

for _method in _METHODS:
    setattr(Variable, _method.__name__, _method)
