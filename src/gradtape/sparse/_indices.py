"""Where the values of sparse tensors are: functions of indices and shapes, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.array_op import on_arrays
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec

OPEN: Any = (None,)


def _vector(*specs: Spec, **params: Any) -> Spec:
    return Spec(OPEN, dtypes.int64)


def _in_order(indices: Any) -> Any:
    return np.lexsort(indices.T[::-1]) if indices.shape[1] else np.arange(len(indices))


def _starts(indices: Any) -> Any:
    """True at the first of equal rows, of rows in order."""
    starts = np.ones(len(indices), bool)
    starts[1:] = (indices[1:] != indices[:-1]).any(axis=1)
    return starts


def _numbers(rows: Any) -> tuple[Any, Any]:
    """The distinct rows in order, and for each row the number of its equal among them."""
    order = _in_order(rows)
    ordered = rows[order]
    starts = _starts(ordered)
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.cumsum(starts) - 1
    return ordered[starts], numbers


@on_arrays(lambda indices: Spec((indices.shape[0],), dtypes.int64))
def row_major(indices: Any) -> Any:
    """The positions that put indices in row-major order."""
    return _in_order(indices).astype(np.int64)


@on_arrays(lambda indices, dense_shape, who: indices)
def within(indices: Any, dense_shape: Any, *, who: str) -> Any:
    """The indices, after a check that they are inside."""
    _check_inside(indices, dense_shape, who)
    return indices


def _check_inside(indices: Any, dense_shape: Any, who: str) -> None:
    is_inside = ((indices >= 0) & (indices < dense_shape)).all(axis=1)
    if not is_inside.all():
        i = int(np.argmin(is_inside))
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: indices[{i}] = {indices[i].tolist()} is out of bounds: need 0 <= index < {dense_shape.tolist()}; "
            "it is an invalid index.",
            "indices count from 0.",
        )


@on_arrays(lambda indices, dense_shape, who: indices)
def checked(indices: Any, dense_shape: Any, *, who: str) -> Any:
    """The indices, after a check that they are inside, in order, and distinct."""
    _check_inside(indices, dense_shape, who)
    if len(indices) > 1 and indices.shape[1]:
        steps = np.diff(indices, axis=0)
        first = np.take_along_axis(steps, (steps != 0).argmax(axis=1)[:, None], 1)[:, 0]
        if (first <= 0).any():
            i = int((first <= 0).argmax()) + 1
            kind = "repeated" if first[i - 1] == 0 else "out of order"
            raise errors.build(
                errors.InvalidArgumentError,
                f"{who}: indices must be sorted and unique, but indices[{i}] = {indices[i].tolist()} is {kind}.",
                "use tf.sparse.reorder first, or validate_indices=False.",
            )
    return indices


def _union_specs(indices: Spec) -> tuple[Spec, Spec]:
    return Spec((None, indices.shape[1]), dtypes.int64), Spec((indices.shape[0],), dtypes.int64)  # type: ignore[arg-type]


@on_arrays(_union_specs)
def distinct(indices: Any) -> Any:
    """The distinct indices in order, and for each index the number of its equal among them."""
    return _numbers(indices)


def _kept_axes(indices: Spec, *, axes: tuple[int, ...]) -> tuple[Spec, Spec]:
    return Spec((None, len(axes)), dtypes.int64), Spec((indices.shape[0],), dtypes.int64)  # type: ignore[arg-type]


@on_arrays(_kept_axes)
def grouped(indices: Any, *, axes: tuple[int, ...]) -> Any:
    """As `distinct`, of the indices of some axes."""
    return _numbers(indices[:, list(axes)])


@on_arrays(_vector)
def inside(indices: Any, start: Any, size: Any) -> Any:
    """The positions of the indices in a box."""
    return np.flatnonzero(((indices >= start) & (indices < start + size)).all(axis=1))


def _reshaped(indices: Spec, dense_shape: Spec, shape: Spec) -> tuple[Spec, Spec]:
    return Spec((indices.shape[0], shape.shape[0]), dtypes.int64), Spec(shape.shape, dtypes.int64)


@on_arrays(_reshaped)
def reshaped(indices: Any, dense_shape: Any, shape: Any) -> Any:
    """The indices in another shape, with at most one length of -1, and that shape."""
    size = int(np.prod(dense_shape))
    found = np.array(shape, np.int64)
    if (found == -1).any():
        others = int(np.prod(found[found != -1]))
        if not others:
            raise errors.build(
                errors.ShapeError,
                f"sparse.reshape: cannot infer the missing size of shape {found.tolist()}, of which another is 0.",
                "give all sizes.",
            )
        found[found == -1] = size // others if others else 0
    if int(np.prod(found)) != size:
        raise errors.build(
            errors.ShapeError,
            f"sparse.reshape: {size} elements of shape {dense_shape.tolist()} do not fit the shape {np.asarray(shape).tolist()}.",
            "the product of the lengths must stay.",
        )
    flat = np.ravel_multi_index(tuple(indices.T), tuple(dense_shape)) if len(indices) else np.zeros(0, np.int64)
    moved = np.stack(np.unravel_index(flat, tuple(found)), axis=1) if len(indices) else np.zeros((0, len(found)))
    return moved.astype(np.int64), found


def _filled_specs(indices: Spec, dense_shape: Spec) -> tuple[Spec, Spec, Spec]:
    unknown: Any = (None, indices.shape[1])
    return Spec(unknown, dtypes.int64), Spec(OPEN, dtypes.int64), Spec(OPEN, dtypes.bool_)


@on_arrays(_filled_specs)
def without_empty_rows(indices: Any, dense_shape: Any) -> Any:
    """Indices with one in each row, the positions of the values (the last for a new one), and which rows were empty."""
    rows = indices[:, 0]
    if len(rows) and (rows.min() < 0 or rows.max() >= dense_shape[0]):
        i = int(((rows < 0) | (rows >= dense_shape[0])).argmax())
        raise errors.build(
            errors.InvalidArgumentError,
            f"sparse.fill_empty_rows: indices({i}, 0) is invalid: {rows[i]} is not a row below {int(dense_shape[0])}.",
            "indices count from 0.",
        )
    is_empty = np.ones(int(dense_shape[0]), bool)
    is_empty[indices[:, 0]] = False
    new = np.zeros((int(is_empty.sum()), indices.shape[1]), np.int64)
    new[:, 0] = np.flatnonzero(is_empty)
    together = np.concatenate([indices, new])
    positions = np.concatenate([np.arange(len(indices)), np.full(len(new), len(indices))])
    order = np.argsort(together[:, 0], kind="stable")
    return together[order], positions[order].astype(np.int64), is_empty


@on_arrays(lambda indices, dense_shape: dense_shape)
def bounds(indices: Any, dense_shape: Any) -> Any:
    """The smallest shape that holds all indices."""
    return indices.max(axis=0) + 1 if len(indices) else np.zeros_like(dense_shape)


@on_arrays(lambda old, new, indices: old)
def wide_enough(old: Any, new: Any, indices: Any) -> Any:
    """The new shape, after a check that it is not smaller than the old one."""
    if (new < old).any():
        raise errors.build(
            errors.ShapeError,
            f"sparse.reset_shape: new_shape should have dimension sizes that are not below those of the tensor, got "
            f"{new.tolist()} for {old.tolist()}.",
            "give lengths that are not below those of the tensor.",
        )
    return new


def _positions_kept(rows: Spec, gone: Spec) -> Spec:
    return Spec(OPEN, dtypes.int64)


@on_arrays(_positions_kept)
def not_among(rows: Any, gone: Any) -> Any:
    """The positions of the rows that are not among others."""
    return np.flatnonzero(~np.isin(rows, gone))


@on_arrays(lambda a, b, who, what="indices": a)
def equal_places(a: Any, b: Any, *, who: str, what: str = "indices") -> Any:
    """The first indices, or the first shape, after a check that the second are the same."""
    if a.shape != b.shape or not np.array_equal(a, b):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: sparse tensors must have the same {what}.",
            "give values at the same places, of the same shape.",
        )
    return a
