"""The QR decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.core.shape import Spec
from gradtape.ops import blas
from gradtape.ops.decomposition import Decomposition, columns, half_lower, rows, turns, without_rest
from gradtape.ops.diagonal import BandPart
from gradtape.ops.family import conj, dims
from gradtape.ops.joining import Concat
from gradtape.ops.matmul import MatMul
from gradtape.ops.solve import TriangularSolve, adjoint


@declare("qr")
class Qr(Decomposition):
    """Matrices q with orthonormal columns and upper triangular r, with a real diagonal: `x = q r`.

    With `full_matrices` q is square; its columns beyond those of x span what is left, and only that space has a derivative
    (a single column has one of its own). The gradient needs linearly independent columns, of wide matrices the first ones.
    """

    outputs = ("q", "r")
    square = False

    def infer(self, x: Spec, *, full_matrices: bool = False) -> tuple[Spec, Spec]:
        dtype = self.check(x)
        *lead, m, n = x.shape
        k = m if full_matrices else min(m, n)
        return Spec((*lead, m, k), dtype), Spec((*lead, k, n), dtype)

    def kernel(self, x: Any, *, full_matrices: bool = False) -> Any:
        q, r = blas.qr(x, mode="complete" if full_matrices else "reduced")
        n = r.shape[-1]
        if x.dtype.kind == "c" and q.shape[-1] > n:
            rest = q[..., n:]
            q = np.concatenate([q[..., :n], rest * turns(rest)], axis=-1)
        return q, r

    def vjp(self, dy: Any, q: Any, r: Any, *, full_matrices: bool = False) -> Any:
        dq, dr = dy
        m, n = dims(q)[-2], dims(r)[-1]
        if n <= m:
            q, dq = without_rest(q, dq, n)
            return (_tall(dq, rows(dr, 0, n), q, rows(r, 0, n)),)
        # The first m columns determine q; the others are q times the rest of r.
        rest, d_rest = columns(r, m, n), columns(dr, m, n)
        dq = dq + MatMul(MatMul(q, rest), conj(d_rest), transpose_b=True)
        first = _tall(dq, columns(dr, 0, m), q, columns(r, 0, m))
        return (Concat(first, MatMul(q, d_rest), axis=first.ndim - 1),)


def _tall(dq: Any, dr: Any, q: Any, r: Any) -> Any:
    """The cotangent of x = q r, where r is square.

    From q^H dx r^-1 = w + t, where w = q^H dq is antihermitian and t = dr r^-1 is upper triangular with a real diagonal.
    """
    dr = BandPart(dr, lower=0, upper=-1)
    turning = MatMul(conj(q), dq, transpose_a=True)
    w = turning - MatMul(dr, conj(r), transpose_b=True)
    inner = dq + MatMul(q, half_lower(w - adjoint(w)) - turning)
    return adjoint(TriangularSolve(r, adjoint(inner), lower=False)) + MatMul(q, dr)
