"""Products of a sparse and a dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING, by_loop, conj, dims
from gradtape.ops.indexing import Gather
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceSum, rounded, wide
from gradtape.ops.row_positions import check_integers, check_kind


@declare("sparse_matmul")
class SparseMatMul(Op):
    """A sparse matrix of `count` rows, given by values and where they are, times a dense one. Values at one place add up."""

    kinds = "fVciu"
    homogeneous = False
    validate = True
    lower = NO_LOWERING

    def infer(self, values: Spec, b: Spec, rows: Spec, columns: Spec, *, count: int) -> Spec:
        check_kind(self, "values", values)
        check_integers(self, "rows", rows)
        check_integers(self, "columns", columns)
        if values.dtype is not b.dtype:
            raise self.error(
                errors.DTypeError,
                f"dtypes differ: values is {values}, b is {b}.",
                f"use tf.cast(b, tf.{values.dtype.name}).",
            )
        if b.rank != 2 or values.rank != 1 or not values.shape == rows.shape == columns.shape:
            raise self.error(
                errors.ShapeError,
                f"values is {values}, rows {rows}, columns {columns}, b {b}: these do not match.",
                "give vectors of one length, and a matrix.",
            )
        return Spec((count, b.shape[1]), b.dtype)

    def kernel(self, values: Any, b: Any, rows: Any, columns: Any, *, count: int) -> Any:
        return rounded(_product(wide(values), wide(b), rows, columns, count), b.dtype)

    def vjp(self, dy: Any, values: Any, b: Any, rows: Any, columns: Any, *, count: int, needs: Any) -> Any:
        d_values = d_b = None
        if needs[0]:
            terms = Gather(dy, rows, axis=0) * conj(Gather(b, columns, axis=0))
            d_values = ReduceSum(terms, axis=(1,), keepdims=False)
        if needs[1]:
            d_b = SparseMatMul(conj(values), dy, columns, rows, count=dims(b)[0])
        return d_values, d_b, None, None

    def batch(self, batched: tuple[bool, ...], values: Any, b: Any, rows: Any, columns: Any, *, count: int) -> Any:
        if batched != (False, True, False, False):
            return by_loop(self, batched, (values, b, rows, columns), {"count": count})
        # All dense matrices beside one another.
        size, inner, width = dims(b)
        wide_b = Reshape(Transpose(b, perm=(1, 0, 2)), shape=(inner, size * width))
        y = self(values, wide_b, rows, columns, count=count)
        return Transpose(Reshape(y, shape=(count, size, width)), perm=(1, 0, 2))


@overridable
def _product(values: Any, b: Any, rows: Any, columns: Any, count: int) -> Any:
    from scipy.sparse import csr_matrix

    for name, places, limit in (("rows", rows, count), ("columns", columns, b.shape[0])):
        if places.size and (np.min(places) < 0 or np.max(places) >= limit):
            wrong = int(np.flatnonzero((places < 0) | (places >= limit))[0])
            raise errors.build(
                errors.RangeError,
                f"sparse_matmul: {name}[{wrong}] = {places[wrong]} is not below {limit}.",
                "indices count from 0 to the size of the matrix.",
            )
    return csr_matrix((values, (rows, columns)), shape=(count, b.shape[0]), dtype=values.dtype) @ b
