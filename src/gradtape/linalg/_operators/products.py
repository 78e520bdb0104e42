"""Products of two operators in the simplest class that represents them; a LinearOperatorComposition otherwise."""

from __future__ import annotations

from gradtape.arrays.movement import expand_dims
from gradtape.linalg._operators.base import DERIVED, LinearOperator, all_known, tensor_of
from gradtape.linalg._operators.blocks import LinearOperatorBlockDiag
from gradtape.linalg._operators.circulant import Circulant
from gradtape.linalg._operators.compositions import LinearOperatorComposition
from gradtape.linalg._operators.dense import LinearOperatorLowerTriangular
from gradtape.linalg._operators.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)


def multiply(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators, which must fit."""
    singular = left.is_non_singular is False or right.is_non_singular is False
    is_square = left.shape[-2] == right.shape[-1]
    whole = LinearOperatorComposition([left, right], is_non_singular=False if singular and is_square else None)
    for one, other in ((left, right), (right, left)):
        if type(one) is LinearOperatorIdentity and not one._dims()[:-2]:
            return other
    non_singular = all_known([left.is_non_singular, right.is_non_singular])
    if isinstance(left, LinearOperatorZeros) or isinstance(right, LinearOperatorZeros):
        *batch, rows, columns = whole._dims()
        return LinearOperatorZeros(rows, columns, batch, whole.dtype, is_square=rows == columns)
    if isinstance(left, LinearOperatorScaledIdentity) and isinstance(right, LinearOperatorScaledIdentity):
        factor = tensor_of(left.multiplier) * tensor_of(right.multiplier)
        return LinearOperatorScaledIdentity(whole._dims()[-1], factor, non_singular)
    if _is_diagonal(left) and _is_diagonal(right):
        return LinearOperatorDiag(left.diag_part() * right.diag_part(), non_singular)
    if isinstance(left, LinearOperatorLowerTriangular) and isinstance(right, LinearOperatorDiag):
        return LinearOperatorLowerTriangular(left.to_dense() * expand_dims(right.diag_part(), -2), non_singular)
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular):
        return LinearOperatorLowerTriangular(expand_dims(left.diag_part(), -1) * right.to_dense(), non_singular)
    if isinstance(left, Circulant) and type(left) is type(right) and left.block_shape == right.block_shape:
        spectrum = left._complex_spectrum() * right._complex_spectrum()
        adjoint = all_known([left.is_self_adjoint, right.is_self_adjoint])
        return type(left)(spectrum, whole.dtype, non_singular, adjoint)
    if isinstance(left, LinearOperatorBlockDiag) and isinstance(right, LinearOperatorBlockDiag) and _match(left, right):
        return LinearOperatorBlockDiag([a @ b for a, b in zip(left.operators, right.operators, strict=True)])
    return whole


def _is_diagonal(operator: LinearOperator) -> bool:
    return isinstance(operator, (LinearOperatorDiag, LinearOperatorScaledIdentity))


def _match(left: LinearOperatorBlockDiag, right: LinearOperatorBlockDiag) -> bool:
    """Whether each block of one can be multiplied by that of the other."""
    return [a.shape[-1] for a in left.operators] == [b.shape[-2] for b in right.operators]


DERIVED["product"] = multiply
