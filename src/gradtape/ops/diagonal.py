"""Diagonals of matrices: taken out, put in, and bands around the main one kept.

A band `k = (lowest, highest)` of diagonals, counted upwards from the main one, is held as rows of one matrix, the highest
diagonal first. Shorter diagonals are filled up to the longest; `align` says for the diagonals above and below the main one
on which side their elements stand, as in "RIGHT_LEFT". A band of one diagonal is held as a vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.dtypes import DType
from gradtape.core.op import Op, declare
from gradtape.core.patterns import movement as places
from gradtape.core.patterns.movement import Copy, Move, Strip, View
from gradtape.core.shape import Spec

ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


@declare("band_part")
class BandPart(Op):
    """x without what lies more than `lower` below or `upper` above the main diagonal; a negative number keeps all."""

    kinds = "fVciub"
    validate = True

    def infer(self, x: Spec, *, lower: int, upper: int) -> Spec:
        dtype = self.check_dtypes(x)
        check_matrices(self, "x", x)
        for name, count, most in (("lower", lower, x.shape[-2]), ("upper", upper, x.shape[-1])):
            if count > most:
                raise self.error(
                    errors.RangeError,
                    f"{name} is {count}, but x is {x} and has {most} {'rows' if name == 'lower' else 'columns'}.",
                    "a negative number keeps all.",
                )
        return Spec(x.shape, dtype)

    def kernel(self, x: Any, *, lower: int, upper: int) -> Any:
        if upper >= 0:
            x = np.tril(x, upper)
        return np.triu(x, -lower) if lower >= 0 else x

    def vjp(self, dy: Any, *, lower: int, upper: int) -> Any:
        return (BandPart(dy, lower=lower, upper=upper),)

    def batch(self, batched: tuple[bool, ...], x: Any, *, lower: int, upper: int) -> Any:
        return self(x, lower=lower, upper=upper)

    def lower(self, x: Spec, *, lower: int, upper: int) -> Strip:
        rows, columns = x.shape[-2:]
        return Strip(rows, columns, rows if lower < 0 else lower, columns if upper < 0 else upper)


class BandOp(Op):
    """Moves a band of diagonals."""

    kinds = "fVciub"
    validate = True

    def check_band(self, k: tuple[int, int], rows: int, columns: int, align: str) -> None:
        """Raises unless the band lies in matrices of a shape."""
        lowest, highest = k
        if lowest > highest:
            raise self.error(
                errors.InvalidArgumentError,
                f"the diagonals in k must rise, got {k}.",
                "give the lowest diagonal first.",
            )
        inside = all(-rows < i < columns or i == 0 for i in k)
        if not inside:
            raise self.error(
                errors.InvalidArgumentError,
                f"k is {k}, but matrices of {rows} rows and {columns} columns have diagonals from {1 - rows} "
                f"to {columns - 1}.",
                "diagonals are counted upwards from the main one, which is 0.",
            )
        if align not in ALIGNMENTS:
            raise self.error(
                errors.InvalidArgumentError,
                f"align must be one of {', '.join(ALIGNMENTS)}, got {align!r}.",
                f"use one of {', '.join(ALIGNMENTS)}.",
            )

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


@declare("matrix_diag_part")
class DiagPart(BandOp):
    """A band of diagonals of matrices [..., rows, columns]; zeros fill up the short ones."""

    def infer(self, x: Spec, *, k: tuple[int, int], align: str = ALIGNMENTS[0]) -> Spec:
        dtype = self.check_dtypes(x)
        check_matrices(self, "x", x)
        self.check_band(k, x.shape[-2], x.shape[-1], align)
        return Spec((*x.shape[:-2], *band_shape(k, x.shape[-2], x.shape[-1])), dtype)

    def kernel(self, x: Any, *, k: tuple[int, int], align: str = ALIGNMENTS[0]) -> Any:
        if k[0] == k[1]:
            return np.diagonal(x, k[0], -2, -1)
        rows, columns = x.shape[-2:]
        y = np.zeros_like(x, shape=(*x.shape[:-2], *band_shape(k, rows, columns)))
        for row, (i, place) in enumerate(band_rows(k, rows, columns, align)):
            y[..., row, place] = np.diagonal(x, i, -2, -1)
        return y

    def vjp(self, dy: Any, x_shape: Any, *, k: tuple[int, int], align: str = ALIGNMENTS[0]) -> Any:
        return (Diag(dy, k=k, shape=tuple(x_shape[-2:]), align=align),)

    def lower(self, x: Spec, *, k: tuple[int, int], align: str = ALIGNMENTS[0]) -> Copy | None:
        held = (*x.shape[:-2], *band_shape(k, x.shape[-2], x.shape[-1]))
        if k[0] == k[1]:
            return places.seen(_diagonal(x.shape, k[0]))
        moves = [Move(0, _diagonal(x.shape, i), view) for i, view in _held(held, k, x.shape, align)]
        return _with_zeros(held, moves, x.dtype)


@declare("matrix_diag")
class Diag(BandOp):
    """Matrices of a shape (rows, columns) with a given band of diagonals and zeros elsewhere.

    What fills up the short diagonals is not read.
    """

    def infer(self, x: Spec, *, k: tuple[int, int], shape: tuple[int, int], align: str = ALIGNMENTS[0]) -> Spec:
        dtype = self.check_dtypes(x)
        self.check_band(k, *shape, align)
        band = band_shape(k, *shape)
        if x.shape[-len(band) :] != band:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, but the diagonals {k} of matrices of shape {list(shape)} are held as [..., "
                f"{', '.join(map(str, band))}].",
                "give as many rows as there are diagonals, and the longest one's length.",
            )
        return Spec((*x.shape[: -len(band)], *shape), dtype)

    def kernel(self, x: Any, *, k: tuple[int, int], shape: tuple[int, int], align: str = ALIGNMENTS[0]) -> Any:
        rows, columns = shape
        single = k[0] == k[1]
        lead = x.shape[: -1 if single else -2]
        flat = np.zeros_like(x, shape=(*lead, rows * columns))
        for row, (i, place) in enumerate(band_rows(k, rows, columns, align)):
            start = max(i, 0) - min(i, 0) * columns
            places = slice(start, start + (place.stop - place.start) * (columns + 1), columns + 1)
            flat[..., places] = x if single else x[..., row, place]
        return np.reshape(flat, (*lead, rows, columns))

    def vjp(self, dy: Any, *, k: tuple[int, int], shape: tuple[int, int], align: str = ALIGNMENTS[0]) -> Any:
        return (DiagPart(dy, k=k, align=align),)

    def lower(self, x: Spec, *, k: tuple[int, int], shape: tuple[int, int], align: str = ALIGNMENTS[0]) -> Copy | None:
        whole = (*x.shape[: -1 if k[0] == k[1] else -2], *shape)
        moves = [Move(0, view, _diagonal(whole, i)) for i, view in _held(x.shape, k, whole, align)]
        return _with_zeros(whole, moves, x.dtype)


_MOST = 64  # diagonals that are moved one by one


def _with_zeros(shape: tuple[int, ...], moves: list[Move], dtype: DType) -> Copy | None:
    """Moves into zeros."""
    zeros = places.fill(places.contiguous(shape), 0, dtype)
    return Copy((zeros, *moves)) if len(moves) <= _MOST else None


def _diagonal(shape: tuple[int, ...], k: int) -> View:
    """Where a diagonal of matrices is."""
    whole = places.contiguous(shape)
    rows, columns = shape[-2:]
    start = max(k, 0) - min(k, 0) * columns
    return View((*shape[:-2], length(k, rows, columns)), (*whole.strides[:-2], columns + 1), start)


def _held(held: tuple[int, ...], k: tuple[int, int], shape: tuple[int, ...], align: str) -> Iterator[tuple[int, View]]:
    """The diagonals of a band, each with the places where its elements are held."""
    for row, (i, place) in enumerate(band_rows(k, shape[-2], shape[-1], align)):
        lead = [(0, n, 1) for n in held[: -1 if k[0] == k[1] else -2]]
        own = () if k[0] == k[1] else (row,)
        yield i, places.sliced(places.contiguous(held), [*lead, *own, (place.start, place.stop, 1)])


def check_matrices(op: Op, name: str, x: Spec) -> None:
    """Raises unless an input has two axes at least."""
    if x.rank < 2:
        raise op.error(
            errors.ShapeError, f"{name} is {x}, and needs rank 2 or more, got {x.rank}.", "give matrices [..., m, n]."
        )


def length(k: int, rows: int, columns: int) -> int:
    """The number of elements on a diagonal."""
    return max(0, min(rows + min(k, 0), columns - max(k, 0)))


def band_shape(k: tuple[int, int], rows: int, columns: int) -> tuple[int, ...]:
    """The shape in which a band of diagonals is held."""
    lowest, highest = k
    longest = length(min(max(0, lowest), highest), rows, columns)
    return (longest,) if lowest == highest else (highest - lowest + 1, longest)


def band_rows(k: tuple[int, int], rows: int, columns: int, align: str) -> Iterator[tuple[int, slice]]:
    """The diagonals from the highest to the lowest, each with the range of its elements in its row."""
    longest = band_shape(k, rows, columns)[-1]
    above, _, below = align.partition("_")
    for i in range(k[1], k[0] - 1, -1):
        own = length(i, rows, columns)
        start = longest - own if (above if i >= 0 else below) == "RIGHT" else 0
        yield i, slice(start, start + own)
