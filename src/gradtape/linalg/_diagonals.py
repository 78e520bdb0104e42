"""Diagonals, bands and simple products of matrices: `tf.linalg.diag`, `band_part`, `trace`, `cross`, `kron`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.api.families import pair
from gradtape.arrays.movement import matrix_transpose
from gradtape.core import convert, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.diagonal import BandPart, Diag, DiagPart, band_rows, band_shape
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape, Roll
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.selection import Where


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose of matrices in the last two axes.

    Args:
      matrix: a tensor of rank 2 or more.

    Returns:
      A tensor `[..., n, m]` of matrices `[..., m, n]`.

    >>> tf.linalg.adjoint([[1.0, 2.0, 3.0]]).shape
    TensorShape([3, 1])
    """
    return matrix_transpose(matrix, conjugate=True)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with all elements outside of a band around the main diagonal set to zero.

    Args:
      input: matrices `[..., m, n]`.
      num_lower: how many diagonals below the main one to keep; a negative number keeps all.
      num_upper: how many diagonals above the main one to keep; a negative number keeps all.

    Returns:
      A tensor like the input, with zeros outside of the band.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy()
    array([[1, 0],
           [3, 4]], dtype=int32)
    """
    counts = [integer(n, "band_part", name) for n, name in ((num_lower, "num_lower"), (num_upper, "num_upper"))]
    lower, upper = [max(n, -1) for n in counts]
    return BandPart(tensor(input), lower=lower, upper=upper)


def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with given diagonals.

    Args:
      diagonal: one diagonal `[..., length]`, or several `[..., number, length]` with the highest first.
      k: which diagonal, counted upwards from the main one; or the lowest and the highest of several.
      num_rows: rows of the matrices; -1 for as few as the diagonals need, or for square matrices if both are -1.
      num_cols: columns of the matrices, in the same way.
      padding_value: what stands elsewhere.
      align: on which side the elements of short diagonals stand in their rows, first for those above the main one,
        then for those below: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
      A tensor `[..., rows, columns]`.

    >>> tf.linalg.diag([1, 2], k=1).numpy()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)
    """
    x = tensor(diagonal)
    band = _band(k, "diag")
    rank = 1 if band[0] == band[1] else 2
    if x.ndim < rank:
        raise errors.build(
            errors.ShapeError,
            f"diag: diagonal is {spec_of(x)}, and needs rank {rank} or more for k={band}.",
            "give one vector per diagonal, as rows of a matrix where there are several.",
        )
    rows, columns = integer(num_rows, "diag", "num_rows"), integer(num_cols, "diag", "num_cols")
    shape = _matrix_shape(dims(x)[-1], band, rows, columns)
    x, held = _trimmed(x, band, *shape)
    y = Diag(x, k=held, shape=shape, align=align)
    return y if _is_zero(padding_value) else _filled(y, _inside(band, *shape), padding_value)


def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Diagonals of matrices.

    Args:
      input: matrices `[..., m, n]`.
      k: which diagonal, counted upwards from the main one; or the lowest and the highest of several.
      padding_value: what fills up the short ones of several diagonals.
      align: on which side the elements of short diagonals stand in their rows, first for those above the main one,
        then for those below: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
      A tensor `[..., length]`, or `[..., number, length]` of several, the highest first.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 0)).numpy()
    array([[1, 4],
           [3, 0]], dtype=int32)
    """
    x = tensor(input)
    band = _band(k, "diag_part")
    y = DiagPart(x, k=band, align=align)
    if band[0] == band[1] or _is_zero(padding_value):
        return y
    rows, columns = dims(x)[-2:]
    held = np.zeros(band_shape(band, rows, columns), bool)
    for row, (_, place) in enumerate(band_rows(band, rows, columns, align)):
        held[row, place] = True
    return _filled(y, held, padding_value)


def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with some diagonals replaced.

    Args:
      input: matrices `[..., m, n]`.
      diagonal: one diagonal `[..., length]`, or several `[..., number, length]` with the highest first.
      k: which diagonal, counted upwards from the main one; or the lowest and the highest of several.
      align: on which side the elements of short diagonals stand in their rows, first for those above the main one,
        then for those below: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
      A tensor like the input.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy()
    array([[0, 2],
           [3, 0]], dtype=int32)
    """
    x, d = map(tensor, pair(input, diagonal))
    band = _band(k, "set_diag")
    if x.ndim < 2:
        raise errors.build(
            errors.ShapeError,
            f"set_diag: input is {spec_of(x)}, and needs rank 2 or more.",
            "give matrices [..., m, n].",
        )
    rows, columns = dims(x)[-2:]
    inner = Diag(d, k=band, shape=(rows, columns), align=align)
    if dims(inner) != dims(x):
        raise errors.build(
            errors.ShapeError,
            f"set_diag: input is {spec_of(x)}, diagonal is {spec_of(d)}, and their leading dimensions differ.",
            "give diagonals for each matrix of the input.",
        )
    inside = convert.convert_to_tensor(_inside(band, rows, columns))
    return Where(inside, inner, x)


def _band(k: Any, what: str) -> tuple[int, int]:
    """The lowest and the highest diagonal."""
    given = k if isinstance(k, (list, tuple)) else [k] if np.ndim(k) == 0 else k
    found = integers(given, what, "k")
    if len(found) not in (1, 2):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: k must be one int or two, got {k!r}.",
            "give one diagonal, or the lowest and the highest.",
        )
    return found[0], found[-1]


def _matrix_shape(length: int, k: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """The shape of matrices with diagonals of which the longest has a given length."""
    fewest = length - min(k[1], 0), length + max(k[0], 0)
    if rows == columns == -1:
        rows = columns = max(fewest)
    shape = rows if rows != -1 else fewest[0], columns if columns != -1 else fewest[1]
    if shape[0] < fewest[0] or shape[1] < fewest[1] or (shape[0] != fewest[0] and shape[1] != fewest[1]):
        raise errors.build(
            errors.InvalidArgumentError,
            f"diag: num_rows is {rows} and num_cols is {columns}, but diagonals k={k} of length {length} take "
            f"{fewest[0]} rows or {fewest[1]} columns.",
            "leave one of them at -1, or pad the diagonals.",
        )
    return shape


def _trimmed(x: Tensor, k: tuple[int, int], rows: int, columns: int) -> tuple[Tensor, tuple[int, int]]:
    """The diagonals, and which they are, without the rows for those outside of the matrix at the ends of a wide band."""
    lowest, highest = max(k[0], min(1 - rows, 0)), min(k[1], max(columns - 1, 0))
    if (lowest, highest) == k or lowest > highest or k[0] == k[1]:
        return x, k
    x = x[..., k[1] - highest : k[1] - lowest + 1, :]
    return (x[..., 0, :] if lowest == highest else x), (lowest, highest)


def _inside(k: tuple[int, int], rows: int, columns: int) -> Any:
    """A matrix that is true in a band."""
    above = np.arange(columns) - np.arange(rows)[:, np.newaxis]
    return (above >= k[0]) & (above <= k[1])


def _is_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and value == 0


def _filled(y: Tensor, held: Any, value: Any) -> Tensor:
    """A tensor with another value where nothing is held."""
    if y.dtype.is_bool and isinstance(value, (int, float)):
        value = bool(value)
    return Where(convert.convert_to_tensor(held), y, convert.like(value, y.dtype))


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank, with given elements where the first half of the indices equals the second.

    Args:
      diagonal: a tensor of rank 1 or more.

    Returns:
      A tensor of shape `diagonal.shape + diagonal.shape`, zero elsewhere.

    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    x = tensor(diagonal)
    shape = dims(x)
    if not shape:
        raise errors.build(
            errors.ShapeError,
            f"tensor_diag: diagonal is {spec_of(x)}, and must not be a scalar.",
            "give a vector or more.",
        )
    size = math.prod(shape)
    flat = Reshape(x, shape=(size,))
    return Reshape(Diag(flat, k=(0, 0), shape=(size, size)), shape=shape + shape)


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The elements where the first half of the indices equals the second.

    Args:
      input: a tensor of even rank, whose shape is some shape twice.

    Returns:
      A tensor of half the rank.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    x = tensor(input)
    half = dims(x)[: x.ndim // 2]
    if not half or half + half != dims(x):
        raise errors.build(
            errors.ShapeError,
            f"tensor_diag_part: input is {spec_of(x)}, and must have a shape [d1, ..., dn, d1, ..., dn].",
            "for matrices in the last two axes use tf.linalg.diag_part.",
        )
    size = math.prod(half)
    return Reshape(DiagPart(Reshape(x, shape=(size, size)), k=(0, 0)), shape=half)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sums of the main diagonals of matrices.

    Args:
      x: matrices `[..., m, n]`.

    Returns:
      A tensor `[...]`.

    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(5.0)
    """
    x = tensor(x)
    diagonal = DiagPart(x, k=(0, 0))
    return ReduceSum(diagonal, axis=(diagonal.ndim - 1,), keepdims=False)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross products of vectors in three dimensions.

    Args:
      a: a tensor `[..., 3]`.
      b: a tensor of the same shape and dtype.

    Returns:
      A tensor of the same shape.

    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)
    """
    a, b = map(tensor, pair(a, b))
    shape = dims(a)
    if shape != dims(b) or not shape or shape[-1] != 3:
        raise errors.build(
            errors.ShapeError,
            f"cross: a is {spec_of(a)}, b is {spec_of(b)}, and both must have one shape [..., 3].",
            "the last axis holds the three components.",
        )

    def turned(x: Any, places: int) -> Any:
        return Roll(x, shift=(-places,), axis=(len(shape) - 1,))

    result: Tensor = turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1)
    return result


def kron(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The Kronecker products of matrices: each element of `a` times all of `b`. TensorFlow has no such function.

    Args:
      a: matrices `[..., m, n]`.
      b: matrices `[..., p, q]` of the same dtype; leading axes broadcast.

    Returns:
      A tensor `[..., m * p, n * q]`.

    >>> tf.linalg.kron([[1, 2]], [[1], [10]]).numpy()
    array([[ 1,  2],
           [10, 20]], dtype=int32)
    """
    a, b = map(tensor, pair(a, b))
    lead = broadcast(dims(a)[:-2], dims(b)[:-2])
    if a.ndim < 2 or b.ndim < 2 or lead is None:
        raise errors.build(
            errors.ShapeError,
            f"kron: a is {spec_of(a)}, b is {spec_of(b)}, and both must be matrices [..., m, n].",
            "aligned from the right, dimensions before the last two must be equal or 1.",
        )
    (*lead_a, m, n), (*lead_b, p, q) = dims(a), dims(b)
    y = Reshape(a, shape=(*lead_a, m, 1, n, 1)) * Reshape(b, shape=(*lead_b, 1, p, 1, q))
    return Reshape(y, shape=(*lead, m * p, n * q))
