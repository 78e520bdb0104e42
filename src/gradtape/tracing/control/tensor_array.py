"""Arrays that are filled row by row: what a `TensorArray` is in a graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import REGISTRY, InstanceOp, NotDifferentiable
from gradtape.core.patterns.indexing import Places, Put
from gradtape.core.shape import ANY, Spec, stacked
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.family import NO_LOWERING, by_loop, dims
from gradtape.ops.indexing import spread
from gradtape.tracing.control.block import blank
from gradtape.tracing.control.fit_rows import FIT_ROWS


class _Write(InstanceOp):
    """x with other rows at places. With `grow`, x gets as many rows as it needs."""

    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = True

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return values[1], likeness(values[2]), _rows(values[0])

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        places, rows, count = residuals
        back = None
        if needs[0]:
            back = self(dy, places, blank(rows), grow=False)
            if params["grow"] and count is not None:
                back = FIT_ROWS(back, np.zeros(count, np.bool_))
        return back, None, REGISTRY["gather"](dy, places, axis=0, batch_dims=0) if needs[2] else None


class WriteRow(_Write):
    """x with another row at an index."""

    name = "write_row"
    inputs = ("x", "index", "row")
    residuals = (("index", ""), ("row", "like"), ("x", "rows"))

    def infer(self, x: Spec, index: Spec, row: Spec, *, grow: bool) -> Spec:
        if not _fit(x.shape[1:], row.shape):
            raise errors.build(
                errors.ShapeError,
                f"TensorArray.write: shapes differ: this row is {list(row.shape)}, the others are {list(x.shape[1:])}.",
                "write elements of one shape.",
            )
        shape = x.shape[1:] if row.shape is ANY or None not in x.shape[1:] else row.shape
        return Spec(stacked(None if grow else x.shape[0], shape), x.dtype)

    def kernel(self, x: Any, index: Any, row: Any, *, grow: bool) -> Any:
        i = checked(index, len(x), grow)
        if not x.size and x.shape[1:] != row.shape:  # nothing was written, and the shape of the rows was not known
            x = np.zeros_like(x, shape=(len(x), *row.shape))
        if i >= len(x):
            y = np.concatenate([x, np.zeros_like(x, shape=(i + 1 - len(x), *x.shape[1:]))])
        else:
            y = np.array(x)
        y[i, ...] = row
        return y

    def in_place(self, x: Any, index: Any, row: Any, *, grow: bool) -> Any:
        """The same, over the array that is given, if it has the row."""
        i = checked(index, len(x), grow)
        if i >= len(x) or x.shape[1:] != row.shape:
            return self.kernel(x, index, row, grow=grow)
        x[i, ...] = row
        return x

    def specialize(self, node: Any, operands: Sequence[Any], trace: Any) -> Sequence[Any] | None:
        """The result of a write to an array that has room for the row, or gets it: None if it is not known how much it needs."""
        x, index, row = operands
        if not node.params["grow"] or not isinstance(x, Tensor):
            return None
        if getattr(x, "value", None) not in getattr(trace, "roomy", ()):
            found, shape = trace.peek(trace.value_of(index)), x.get_shape()
            if found is None or int(found) < 0 or not shape.is_fully_defined():
                return None
            x = with_rows(x, max(shape[0], int(found) + 1))
        return [trace.add(self, (x, index, row), {"grow": False})]

    def lower(self, x: Spec, index: Spec, row: Spec, *, grow: bool) -> Any:
        """A scatter of one row, if there is room for it: the number of rows is fixed."""
        if grow or not x.is_known or x.dtype is not row.dtype:
            return None
        places = Places(1, 1, x.shape[:1], 1, math.prod(x.shape[1:]), index.dtype)
        return Put(places, x.dtype, "replace", 0, (0, 1, 2)) if places.fits else None

    def batch(self, batched: tuple[bool, ...], x: Any, index: Any, row: Any, *, grow: bool) -> Any:
        if not batched[1] and not grow:
            # One place for all examples: rows first, then the examples.
            x, row = spread((batched[0], batched[2]), x, row)
            order = (1, 0, *range(2, x.ndim))
            y = WRITE_ROW(REGISTRY["transpose"](x, perm=order), index, row, grow=False)
            return REGISTRY["transpose"](y, perm=order)
        return by_loop(self, batched, (x, index, row), {"grow": grow})


class WriteRows(_Write):
    """x with other rows at some indices."""

    name = "write_rows"
    inputs = ("x", "indices", "rows")
    residuals = (("indices", ""), ("rows", "like"), ("x", "rows"))
    lower = NO_LOWERING

    def infer(self, x: Spec, indices: Spec, rows: Spec, *, grow: bool) -> Spec:
        return WRITE_ROW.infer(x, Spec((), indices.dtype), Spec(rows.shape[1:], rows.dtype), grow=grow)

    def kernel(self, x: Any, indices: Any, rows: Any, *, grow: bool) -> Any:
        check_rows(len(indices), len(rows))
        places = [checked(i, len(x), grow) for i in indices]
        if not x.size and x.shape[1:] != rows.shape[1:]:  # as for one row
            x = np.zeros_like(x, shape=(len(x), *rows.shape[1:]))
        missing = max([0, *[i + 1 - len(x) for i in places]])
        y = np.concatenate([x, np.zeros_like(x, shape=(missing, *x.shape[1:]))]) if missing else np.array(x)
        y[places] = rows
        return y

    def batch(self, batched: tuple[bool, ...], x: Any, indices: Any, rows: Any, *, grow: bool) -> Any:
        return by_loop(self, batched, (x, indices, rows), {"grow": grow})


def _fit(shape: Any, row: Any) -> bool:
    """True if a row may have the shape that rows have, as far as both are known."""
    if shape is ANY or row is ANY:
        return True
    return len(shape) == len(row) and all(None in (m, n) or m == n for m, n in zip(shape, row, strict=True))


def with_rows(x: Any, rows: int) -> Any:
    """An array padded with rows of zeros to a given length."""
    count, *inner = x.get_shape()
    if count == rows:
        return x
    more = np.zeros((rows - count, *inner), x.dtype.numpy)
    return REGISTRY["concat"](x, more, axis=0) if count else wrap(more)


def _rows(x: Any) -> int | None:
    """The number of rows; None where only a run will tell: an array that grows in a loop."""
    shape: Any = x.get_shape() if isinstance(x, Tensor) else x.shape
    result: int | None = shape[0]
    return result


def likeness(row: Any) -> Any:
    """What a tape keeps of a value of which only the shape and the dtype matter."""
    return np.broadcast_to(np.zeros((), row.dtype), row.shape) if isinstance(row, (np.ndarray, np.generic)) else row


def checked(index: Any, count: int, grow: bool = False) -> int:
    """The index as an int; raises if there is no such row to write to."""
    i = int(index)
    check_place(i, count, grow)
    return i


def checked_to_read(index: Any, count: int) -> int:
    """The index as an int; raises if there is no such element to read."""
    i = int(index)
    if not 0 <= i < count:
        raise errors.build(
            errors.TensorArrayIndexError,
            f"TensorArray: Tried to read from index {i} but array size is: {count}.",
            "use an index from 0 to size - 1.",
        )
    return i


def check_rows(indices: int, rows: int) -> None:
    """Refuse to write as many rows at another number of indices."""
    if indices != rows:
        raise errors.build(
            errors.ShapeError,
            f"TensorArray.scatter: Expected len(indices) == tensor.shape[0], but saw: {indices} vs. {rows}.",
            "give one row for each index.",
        )


def check_place(i: int, count: int, grow: bool) -> None:
    """Refuse an index at which a TensorArray of `count` elements cannot be written."""
    if i < 0:
        raise errors.build(
            errors.TensorArrayIndexError,
            f"TensorArray: Writing to negative indices (index {i}) is not allowed.",
            "count from 0.",
        )
    if i >= count and not grow:
        raise errors.build(
            errors.TensorArrayIndexError,
            f"TensorArray: Tried to write to index {i} but array is not resizeable and size is: {count}.",
            "make it larger, or give dynamic_size=True.",
        )


class NewRows(InstanceOp):
    """Rows of zeros, as many as a number says."""

    name = "new_rows"
    inputs = ("count",)
    kinds = "iu"
    differentiable = False
    takes_needs = False
    residuals = ()
    vjp = NotDifferentiable("zeros do not depend on their number")
    lower = NO_LOWERING

    def infer(self, count: Spec, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Spec:
        return Spec(stacked(None, shape), dtype)

    def kernel(self, count: Any, *, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
        return np.zeros((int(count), *[d or 0 for d in shape]), dtype.numpy)  # the first write tells what is not known

    def batch(self, batched: tuple[bool, ...], count: Any, **params: Any) -> Any:
        return by_loop(self, batched, (count,), params)


class CountRows(InstanceOp):
    """The number of rows."""

    name = "count_rows"
    inputs = ("x",)
    kinds = "fVciubO"
    differentiable = False
    takes_needs = False
    residuals = ()
    vjp = NotDifferentiable("a number of rows has no derivative")
    lower = NO_LOWERING

    def infer(self, x: Spec) -> Spec:
        return Spec((), dtypes.int32)

    def kernel(self, x: Any) -> Any:
        return np.int32(len(x))

    def batch(self, batched: tuple[bool, ...], x: Any) -> Any:
        return np.full(dims(x)[0], dims(x)[1], np.int32)


class JoinRows(InstanceOp):
    """The rows one behind the other, along their own first axis."""

    name = "join_rows"
    inputs = ("x",)
    kinds = "fVciubO"
    any_size = True
    differentiable = True
    takes_needs = False
    residuals = (("x", ""),)
    lower = NO_LOWERING

    def infer(self, x: Spec) -> Spec:
        return Spec(ANY if x.shape is ANY else (_product(x.shape[:2]), *x.shape[2:]), x.dtype)  # type: ignore[arg-type]

    def kernel(self, x: Any) -> Any:
        if x.ndim < 2:
            raise errors.build(
                errors.InvalidArgumentError,
                "TensorArray.concat: Concat saw a scalar shape but requires at least vectors.",
                "use stack.",
            )
        return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[0],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return (PART_ROWS(dy, residuals[0]),)

    def batch(self, batched: tuple[bool, ...], x: Any) -> Any:
        return by_loop(self, batched, (x,), {})


class PartRows(InstanceOp):
    """The rows of which `JoinRows` makes x; `like` are rows of the same shapes."""

    name = "part_rows"
    inputs = ("x", "like")
    kinds = "fVciubO"
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = False
    residuals = ()
    lower = NO_LOWERING

    def infer(self, x: Spec, like: Spec) -> Spec:
        return Spec(like.shape, x.dtype)

    def kernel(self, x: Any, like: Any) -> Any:
        return x.reshape(like.shape)

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return ()

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> Any:
        return JOIN_ROWS(dy), None

    def batch(self, batched: tuple[bool, ...], x: Any, like: Any) -> Any:
        return by_loop(self, batched, (x, like), {})


def _product(sizes: Any) -> int | None:
    return None if None in sizes else math.prod(sizes)


WRITE_ROW, WRITE_ROWS, NEW_ROWS, COUNT_ROWS = WriteRow(), WriteRows(), NewRows(), CountRows()
JOIN_ROWS, PART_ROWS = JoinRows(), PartRows()
