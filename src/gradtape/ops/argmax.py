"""Positions of extreme values, and of values in a sorted sequence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.op import NotDifferentiable, Op, declare
from gradtape.core.patterns.reduction import Extreme, around
from gradtape.core.shape import Spec, normalize_axis
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.indexing import spread
from gradtape.ops.movement import Reshape
from gradtape.ops.row_positions import check_integers

_search: Any = np.searchsorted


class ArgExtremum(Op):
    """The position of an extreme value along an axis; of equal ones the first. Numbers are more extreme than nan."""

    kinds = "fViub"
    join = ""
    vjp = NotDifferentiable("a position is an integer")

    def infer(self, x: Spec, *, axis: int, output_type: dtypes.DType) -> Spec:
        self.check_dtypes(x)
        axis = normalize_axis(axis, x.rank, self.name)
        if x.shape[axis] == 0:
            raise self.error(
                errors.ShapeError,
                f"Reduction axis {axis} is empty in shape {list(x.shape)}: x is {x}.",
                "an empty axis has no extreme value.",
            )
        return Spec(x.shape[:axis] + x.shape[axis + 1 :], output_type)

    def batch(self, batched: tuple[bool, ...], x: Any, *, axis: int, output_type: dtypes.DType) -> Any:
        return self(x, axis=axis + 1, output_type=output_type)

    def lower(self, x: Spec, *, axis: int, output_type: dtypes.DType) -> Extreme:
        return Extreme(self.join, around(x.shape, axis), x.dtype, output_type)


def _without_nan(x: Any, least: float) -> Any:
    """x with the least extreme value in place of nan, which NumPy would take for the most extreme."""
    if x.dtype.kind not in "fV" or not x.size:
        return x
    if type(x) is np.ndarray and x.dtype.kind == "f" and x.flags.c_contiguous:
        top = x.item(x.argmax())  # which is nan if there is one
    else:
        top = np.maximum.reduce(x, axis=None)
    return x if top == top else np.where(np.isnan(x), x.dtype.type(least), x)


@declare("argmax")
class ArgMax(ArgExtremum):
    """The position of the largest value along an axis."""

    join = "maximum"

    def kernel(self, x: Any, *, axis: int, output_type: dtypes.DType) -> Any:
        if type(x) is np.ndarray and x.ndim == 1 and axis == 0 and x.dtype.kind == "f":
            at = x.argmax(0)
            # NumPy finds a nan if there is one.
            if x[at] == x[at]:
                return at.astype(output_type.numpy)
        x = _without_nan(x, -np.inf)
        at = x.argmax(axis) if type(x) is np.ndarray else np.argmax(x, axis=axis)
        return at.astype(output_type.numpy, copy=False)


@declare("argmin")
class ArgMin(ArgExtremum):
    """The position of the smallest value along an axis."""

    join = "minimum"

    def kernel(self, x: Any, *, axis: int, output_type: dtypes.DType) -> Any:
        if type(x) is np.ndarray and x.ndim == 1 and axis == 0 and x.dtype.kind == "f":
            at = x.argmin(0)
            # NumPy finds a nan if there is one.
            if x[at] == x[at]:
                return at.astype(output_type.numpy)
        x = _without_nan(x, np.inf)
        at = x.argmin(axis) if type(x) is np.ndarray else np.argmin(x, axis=axis)
        return at.astype(output_type.numpy, copy=False)


@declare("searchsorted")
class SearchSorted(Op):
    """Where `values` would be put into the sorted last axis of `sequence`; leading axes run together."""

    kinds = "fViu"
    lower = NO_LOWERING
    vjp = NotDifferentiable("a position is an integer")

    def infer(self, sequence: Spec, values: Spec, *, side: str, output_type: dtypes.DType) -> Spec:
        self.check_dtypes(sequence, values)
        if not sequence.rank or not values.rank or sequence.shape[:-1] != values.shape[:-1]:
            raise self.error(
                errors.ShapeError,
                f"sequence is {sequence}, values is {values}: all dimensions but the last must be equal.",
                "give the values to look up for each sorted row.",
            )
        return Spec(values.shape, output_type)

    def kernel(self, sequence: Any, values: Any, *, side: str, output_type: dtypes.DType) -> Any:
        lead = sequence.shape[:-1]
        if not values.ndim or values.shape[:-1] != lead:
            raise ValueError("the leading dimensions differ")
        if math.prod(lead) == 1:
            found = _positions(np.reshape(sequence, (-1,)), np.reshape(values, (-1,)), side)
            return np.reshape(found, values.shape).astype(output_type.numpy)
        count = math.prod(lead)
        rows = zip(
            np.reshape(sequence, (count, sequence.shape[-1])),
            np.reshape(values, (count, values.shape[-1])),
            strict=True,
        )
        found = [_positions(row, wanted, side).astype(output_type.numpy) for row, wanted in rows]
        empty = np.zeros_like(values, shape=(0, *values.shape[-1:]), dtype=output_type.numpy)
        return np.reshape(np.stack(found) if found else empty, values.shape)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*spread(batched, *inputs), **params)


def _positions(row: Any, wanted: Any, side: str) -> Any:
    """Where the binary search of TensorFlow ends: nothing is less than nan, so it stays in front."""
    found = _search(row, wanted, side=side)
    if side == "right" or wanted.dtype.kind not in "fV":
        return found
    unordered = np.isnan(wanted)
    return np.where(unordered, 0, found) if np.any(unordered) else found


@declare("in_top_k")
class InTopK(Op):
    """Whether fewer than `k` predictions of a row are larger than that for the target; false where this has no answer."""

    kinds = "fViu"
    homogeneous = False
    lower = NO_LOWERING
    vjp = NotDifferentiable("the result is true or false")

    def infer(self, targets: Spec, predictions: Spec, *, k: int) -> Spec:
        check_integers(self, "targets", targets)
        if predictions.dtype.kind not in "fV" or predictions.rank != 2 or targets.shape != predictions.shape[:1]:
            raise self.error(
                errors.ShapeError if predictions.dtype.kind in "fV" else errors.DTypeError,
                f"targets must be [n] for predictions [n, classes], got {targets} and {predictions}.",
                "give class numbers [n] and floating predictions [n, classes].",
            )
        return Spec(targets.shape, dtypes.bool_)

    def kernel(self, targets: Any, predictions: Any, *, k: int) -> Any:
        if targets.dtype.kind not in "iu" or predictions.dtype.kind not in "fV":
            raise TypeError("targets must be integers, predictions floating")
        n, classes = predictions.shape
        inside = (targets >= 0) & (targets < classes)
        if not predictions.size:
            return inside
        column = np.reshape(np.where(inside, targets, 0), (n, 1))
        own = np.take_along_axis(predictions, column, axis=1)
        larger = np.sum(predictions > own, axis=1)
        return inside & (larger < k) & np.all(np.isfinite(predictions), axis=1)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        targets, predictions = spread(batched, *inputs)
        size, n, classes = dims(predictions)
        found = self(Reshape(targets, shape=(size * n,)), Reshape(predictions, shape=(size * n, classes)), **params)
        return Reshape(found, shape=(size, n))
