"""The pseudo-inverse of matrices, and with it least squares of any rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops import blas
from gradtape.ops.decomposition import singular
from gradtape.ops.diagonal import check_matrices
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.matmul import MatMul
from gradtape.ops.reduction import wide
from gradtape.ops.selection import number
from gradtape.ops.solve import adjoint, conj_swapped


@declare("pseudo_inverse")
class PseudoInverse(Op):
    """The Moore-Penrose inverses of matrices; singular values up to `rcond` times the largest count as zero.

    The derivative is that along which the rank stays.
    """

    kinds = "fVc"
    lower = NO_LOWERING

    def infer(self, a: Spec, *, rcond: float) -> Spec:
        dtype = self.check_dtypes(a)
        check_matrices(self, "a", a)
        return Spec((*a.shape[:-2], a.shape[-1], a.shape[-2]), dtype)

    def kernel(self, a: Any, *, rcond: float) -> Any:
        # Not np.linalg.pinv, which fails on nan and may never end on inf.
        u, s, vh = singular(wide(a), full_matrices=False)
        large = s > s.dtype.type(rcond) * np.max(s, axis=-1, keepdims=True, initial=0)
        inverse = np.where(large, 1 / np.where(large, s, number(1, s)), number(0, s))
        y = blas.matmul(conj_swapped(vh), inverse[..., np.newaxis] * conj_swapped(u))
        return y if y.dtype == a.dtype else y.astype(a.dtype)

    def vjp(self, dy: Any, a: Any, y: Any, *, rcond: float) -> Any:
        # dy is G and y is P: -P^H G P^H + (1 - A P) G^H P P^H + P^H P G^H (1 - P A).
        # Golub & Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems".
        p, g = adjoint(y), adjoint(dy)
        first = -MatMul(p, MatMul(dy, p))
        right = MatMul(MatMul(g, y), p)
        left = MatMul(p, MatMul(y, g))
        da = first + (right - MatMul(a, MatMul(y, right))) + (left - MatMul(MatMul(left, y), a))
        return (da,)

    def batch(self, batched: tuple[bool, ...], a: Any, *, rcond: float) -> Any:
        return self(a, rcond=rcond)
