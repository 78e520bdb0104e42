"""Sets in the last dimension: the values of a row, without order and repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, state
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.transform.py_function import numpy_function


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values in a row of `a` or of `b`, in ascending order.

    Args:
      a: a tensor or SparseTensor; the rows along its last dimension are sets.
      b: one of the same shape, but for the last dimension, and the same dtype.
      validate_indices: refuse sparse indices that are not in row-major order.

    Returns:
      A SparseTensor with the sets as rows.

    >>> tf.sparse.to_dense(tf.sets.union([[1, 2]], [[2, 3]])).numpy()
    array([[1, 2, 3]], dtype=int32)
    """
    return _combined("union", lambda x, y: x | y, a, b, validate_indices)


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that are in a row of `a` and in that of `b`, in ascending order; see `union`.

    >>> tf.sets.intersection([[1, 2]], [[2, 3]]).values.numpy()
    array([2], dtype=int32)
    """
    return _combined("intersection", lambda x, y: x & y, a, b, validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The values that are in a row of `a` and not in that of `b`; the other way round if `aminusb` is false.

    >>> tf.sets.difference([[1, 2]], [[2, 3]]).values.numpy()
    array([1], dtype=int32)
    """
    return _combined("difference", lambda x, y: x - y if aminusb else y - x, a, b, validate_indices)


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """The number of distinct values in each row of a SparseTensor: int32, without the last dimension.

    >>> tf.sets.size(tf.sparse.from_dense([[1, 1], [2, 0]])).numpy()
    array([1, 1], dtype=int32)
    """
    if not isinstance(a, SparseTensor):
        raise errors.build(
            TypeError, f"size: expected SparseTensor, got {a!r}.", "convert it with tf.sparse.from_dense."
        )

    def count(indices: Any, values: Any, shape: Any) -> Any:
        _check("size", indices, shape, validate_indices)
        result = np.zeros(tuple(int(n) for n in shape[:-1]), np.int32)
        for place, found in _rows(indices, values).items():
            result[place] = len(found)
        return (result,)

    found: Tensor = _run(count, _parts("size", a), [dtypes.int32])[0]
    return found


def _combined(
    what: str, combine: Callable[[set[Any], set[Any]], set[Any]], a: Any, b: Any, validate: bool
) -> SparseTensor:
    first, second = _parts(what, a), _parts(what, b)
    if first[1].dtype is not second[1].dtype:
        raise errors.build(
            errors.DTypeError,
            f"{what}: dtypes differ: a is {first[1].dtype.name}, b is {second[1].dtype.name}.",
            "cast one of them.",
        )

    def run(i: Any, x: Any, m: Any, j: Any, y: Any, n: Any) -> Any:
        if m[:-1].tolist() != n[:-1].tolist():
            raise errors.build(
                errors.ShapeError,
                f"{what}: a has shape {m.tolist()}, b {n.tolist()}: they may differ in the last dimension only.",
                "make as many rows in both.",
            )
        _check(what, i, m, validate)
        _check(what, j, n, validate)
        mine, other = _rows(i, x), _rows(j, y)
        places = sorted({*mine, *other})
        found = [(place, sorted(combine(mine.get(place, set()), other.get(place, set())))) for place in places]
        return _sparse([(p, v) for p, v in found if v], m[:-1], x.dtype)

    indices, values, shape = _run(run, [*first, *second], [dtypes.int64, first[1].dtype, dtypes.int64])
    rank = first[0].shape[1]
    indices.set_shape([None, rank])
    values.set_shape([None])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def _parts(what: str, value: Any) -> list[Any]:
    """Indices, values and shape of a sparse tensor; those of all elements of a dense one."""
    given = value if isinstance(value, SparseTensor) else convert.convert_to_tensor(value)
    if given.dtype is not dtypes.string and not given.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            f"{what}: sets must hold strings or integers, got {given.dtype.name}.",
            "tf.cast(x, tf.int64).",
        )
    if given.get_shape().rank in (0, 1):
        raise errors.build(
            errors.ShapeError,
            f"{what}: the rank must be 2 or more, got shape {given.get_shape()}.",
            "rows are sets: put one set into a list.",
        )
    if isinstance(given, SparseTensor):
        return [given.indices, given.values, given.dense_shape]
    dense = given

    def spread(array: Any) -> Any:
        places = np.indices(array.shape).reshape(array.ndim, -1).T.astype(np.int64)
        return places, np.reshape(array, -1), np.array(array.shape, np.int64)

    parts = _run(spread, [dense], [dtypes.int64, dense.dtype, dtypes.int64])
    for part, shape in zip(parts, ([None, dense.ndim], [None], [dense.ndim]), strict=True):
        part.set_shape(shape)
    return list(parts)


def _check(what: str, indices: Any, shape: Any, ordered: bool) -> None:
    """Raise unless indices are inside a shape, and in row-major order if that is wanted."""
    inside = ((indices >= 0) & (indices < shape)).all(axis=1)
    if not inside.all():
        place = indices[int(np.argmin(inside))].tolist()
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: Index out of range: {place} is not inside the shape {shape.tolist()}.",
            "indices count from 0.",
        )
    same: Any = np.flatnonzero((indices[1:] == indices[:-1]).all(axis=1))
    if ordered and same.size:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: indices[{same[0] + 1}] = {indices[same[0] + 1].tolist()} must not be repeated.",
            "give each place once, or validate_indices=False.",
        )
    if ordered and len(indices) > 1 and (np.lexsort(indices.T[::-1]) != np.arange(len(indices))).any():
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: indices are out of order: they must be in row-major order, got {indices.tolist()[:20]}.",
            "use tf.sparse.reorder first, or validate_indices=False.",
        )


def _rows(indices: Any, values: Any) -> dict[tuple[int, ...], set[Any]]:
    """The sets by their place."""
    found: dict[tuple[int, ...], set[Any]] = {}
    for place, value in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place), set()).add(value)
    return found


def _sparse(rows: list[tuple[tuple[int, ...], list[Any]]], outer: Any, dtype: Any) -> Any:
    """Indices, values and shape of rows."""

    def places() -> Iterator[tuple[int, ...]]:
        for place, found in rows:
            for k in range(len(found)):
                yield (*place, k)

    widest = max([len(found) for _, found in rows], default=0)
    indices = np.array(list(places()), np.int64).reshape(-1, len(outer) + 1)
    values = np.empty(len(indices), dtype)
    values[:] = [value for _, found in rows for value in found]
    return indices, values, np.array([*outer, widest], np.int64)


def _run(function: Callable[..., Any], inputs: list[Any], kinds: list[Any]) -> Any:
    """What a function of arrays gives, now or when the function runs that is being traced."""
    if state.current.trace is None:
        return [wrap(y) for y in function(*[host(x._array) for x in inputs])]
    return numpy_function(lambda *arrays: [*function(*arrays)], inputs, kinds)
