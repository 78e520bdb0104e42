"""LinearOperatorLowRankUpdate: an operator and a correction of low rank."""

from __future__ import annotations

from typing import Any, ClassVar

from gradtape.arrays.movement import expand_dims
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._determinants import det, slogdet
from gradtape.linalg._operators.base import (
    LinearOperator,
    batch_of,
    identity,
    kept,
    product,
    sizes_of,
    spread,
    tensor_of,
)
from gradtape.linalg._operators.diagonal import LinearOperatorDiag, LinearOperatorIdentity
from gradtape.linalg._solvers import solve
from gradtape.math._conversion import conj
from gradtape.math._elementwise import abs as absolute
from gradtape.math._elementwise import log
from gradtape.math._reductions import reduce_prod, reduce_sum
from gradtape.ops.family import dims


class LinearOperatorLowRankUpdate(LinearOperator):
    """`L + U D V^H`, with an operator L, tall matrices U and V, and a diagonal D.

    Solutions and determinants come from those of L and of a matrix as small as the rank (Woodbury's identity).

    Args:
      base_operator: L, square.
      u: U, of shape `[..., n, rank]`.
      diag_update: the diagonal of D, of shape `[..., rank]`; ones by default.
      v: V; U by default.
      is_diag_update_positive: whether D is known to be positive.

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]]).to_dense().numpy()
    array([[2., 1.],
           [1., 3.]], dtype=float32)
    """

    _matrix_ranks: ClassVar = {"u": 2, "diag_update": 1, "v": 2}

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        self._base, self._u = base_operator, kept(u, base_operator.dtype)
        self._v = self._u if v is None else kept(v, base_operator.dtype)
        self._update = None if diag_update is None else kept(diag_update, base_operator.dtype)
        _check_sizes(name, base_operator, self._u, self._v, self._update)
        update_batch = () if self._update is None else sizes_of(self._update)[:-1]
        if not any(
            None in shape for shape in (base_operator.batch_shape, sizes_of(self._u), sizes_of(self._v), update_batch)
        ):
            batch_of(base_operator.batch_shape, sizes_of(self._u)[:-2], sizes_of(self._v)[:-2], update_batch)
        self._is_update_positive = True if diag_update is None else is_diag_update_positive
        if v is None and base_operator.is_self_adjoint and (diag_update is None or not self._u.dtype.is_complex):
            is_self_adjoint = True if is_self_adjoint is None else is_self_adjoint
            if base_operator.is_positive_definite and self._is_update_positive and is_positive_definite is None:
                is_positive_definite = True
        super().__init__(
            base_operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    base_operator = property(lambda self: self._base, doc="The operator that is corrected.")
    u = property(lambda self: self._u, doc="The matrix U.")
    v = property(lambda self: self._v, doc="The matrix V.")
    diag_update = property(lambda self: self._update, doc="The diagonal D, or None.")
    is_diag_update_positive = property(lambda self: self._is_update_positive, doc="Whether D is known to be positive.")

    @property
    def diag_operator(self) -> LinearOperator:
        """D as an operator; the identity if it is left out."""
        if self._update is None:
            return LinearOperatorIdentity(dims(tensor_of(self._u))[-1], dtype=self._dtype)
        return LinearOperatorDiag(self._update, is_positive_definite=self._is_update_positive)

    def _dims(self) -> tuple[Any, ...]:
        update_batch = () if self._update is None else sizes_of(self._update)[:-1]
        batch = batch_of(self._base.batch_shape, sizes_of(self._u)[:-2], sizes_of(self._v)[:-2], update_batch)
        return (*batch, *self._base._dims()[-2:])

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        u, v = tensor_of(self._u), tensor_of(self._v)
        left, right = (v, u) if adjoint else (u, v)
        return self._base.matmul(x, adjoint=adjoint) + product(left, self._scaled(product(right, x, True), adjoint))

    def _scaled(self, x: Tensor, adjoint: bool) -> Any:
        if self._update is None:
            return x
        update = tensor_of(self._update)
        return expand_dims(conj(update) if adjoint and update.dtype.is_complex else update, -1) * x

    def _small(self) -> Any:
        """D^-1 + V^H L^-1 U."""
        inner = product(tensor_of(self._v), self._base.solve(tensor_of(self._u)), True)
        if self._update is None:
            return inner + identity(dims(inner)[-1], (), self._dtype)
        return inner + diagonals.diag(1.0 / tensor_of(self._update))

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        u, v = tensor_of(self._u), tensor_of(self._v)
        left, right = (v, u) if adjoint else (u, v)
        first = self._base.solve(rhs, adjoint=adjoint)
        inner = solve(self._small(), product(right, first, True), adjoint=adjoint)
        return first - self._base.solve(product(left, inner), adjoint=adjoint)

    def _diag_part(self) -> Any:
        v = tensor_of(self._v)
        weighted = tensor_of(self._u) * (conj(v) if v.dtype.is_complex else v)
        if self._update is not None:
            weighted = weighted * expand_dims(tensor_of(self._update), -2)
        return self._base.diag_part() + reduce_sum(weighted, -1)

    def _to_dense(self) -> Any:
        v = diagonals.adjoint(tensor_of(self._v))
        return spread(self._base.to_dense() + product(tensor_of(self._u), self._scaled(v, False)), self._dims()[:-2])

    def _determinant(self) -> Any:
        found = self._base.determinant() * det(self._small())
        return found if self._update is None else found * reduce_prod(tensor_of(self._update), -1)

    def _log_abs_determinant(self) -> Any:
        found = self._base.log_abs_determinant() + slogdet(self._small()).log_abs_determinant
        return found if self._update is None else found + reduce_sum(log(absolute(tensor_of(self._update))), -1)


def _check_sizes(who: str, base: LinearOperator, u: Any, v: Any, update: Any) -> None:
    """ValueError unless U has the rows of the operator, V its columns, and all the same rank."""
    ranks = [sizes_of(u)[-1], sizes_of(v)[-1], *([] if update is None else [sizes_of(update)[-1]])]
    pairs = [
        (base.shape[-2], sizes_of(u)[-2]),
        (base.shape[-1], sizes_of(v)[-2]),
        *[(ranks[0], other) for other in ranks[1:]],
    ]
    for a, b in pairs:
        if a is not None and b is not None and a != b:
            raise ValueError(
                errors.compose(
                    f"{who}: Dimensions {a} and {b} are not compatible: the operator is {base.shape}, u {u.shape}, v {v.shape}, "
                    f"diag_update {None if update is None else update.shape}.",
                    "u and v need as many rows as the operator, and diag_update one element for each of their columns.",
                )
            )
