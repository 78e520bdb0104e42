"""Singular values and singular vectors. What `decomposition` says about equal values and phases holds here."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.core.shape import Spec
from gradtape.ops.decomposition import (
    Decomposition,
    before_turning,
    column,
    columns,
    diagonal,
    gaps,
    inverted,
    least,
    like,
    row,
    turns,
    without_rest,
)
from gradtape.ops.family import conj, dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.selection import zeros
from gradtape.ops.solve import adjoint, conj_swapped


@declare("svd")
class Svd(Decomposition):
    """Singular values, descending, and left and right singular vectors as columns: `x = u s v^H`.

    A matrix with nan or inf gives nan, and spoils no other.

    With `full_matrices` there are as many vectors as rows and columns; those beyond the singular values span what is
    left, and only that space has a derivative (a single vector has one of its own).
    """

    outputs = ("s", "u", "v")
    square = False
    takes_none = True

    def infer(self, x: Spec, *, full_matrices: bool = False) -> tuple[Spec, Spec, Spec]:
        dtype = self.check(x)
        *lead, m, n = x.shape
        k = min(m, n)
        return (
            Spec((*lead, k), dtype.real_dtype),
            Spec((*lead, m, m if full_matrices else k), dtype),
            Spec((*lead, n, n if full_matrices else k), dtype),
        )

    def kernel(self, x: Any, *, full_matrices: bool = False) -> Any:
        u, s, vh = self.singular(x, full_matrices=full_matrices)
        v = conj_swapped(vh)
        if x.dtype.kind == "c":
            k = s.shape[-1]
            of_u = turns(u)
            v = v * np.concatenate([of_u[..., :k], turns(v)[..., k:]], axis=-1)
            u = u * of_u
        return s, u, v

    def vjp(self, dy: Any, s: Any, u: Any, v: Any, *, full_matrices: bool = False) -> Any:
        ds, du, dv = dy
        k = dims(s)[-1]
        if du is None and dv is None:
            u, v = columns(u, 0, k), columns(v, 0, k)
            return (MatMul(u * like(row(ds), u), conj(v), transpose_b=True),)
        du, dv = zeros(u) if du is None else du, zeros(v) if dv is None else dv
        (u, du), (v, dv) = without_rest(u, du, k), without_rest(v, dv, k)
        du = before_turning(du, u, dw=dv, w=v)
        x, y = MatMul(conj(u), du, transpose_a=True), MatMul(conj(v), dv, transpose_a=True)
        a, b = x - adjoint(x), y - adjoint(y)
        zero = least(s)
        sums = inverted(row(s) + column(s), column(zero))
        inner = 0.5 * (like(gaps(s), u) * (a + b) + like(sums, u) * (a - b))
        if ds is not None:
            inner = inner + diagonal(like(ds, u))
        left, inverse = MatMul(u, inner), like(row(inverted(s, zero)), u)
        if dims(u)[-2] > k:
            left = left + (du - MatMul(u, x)) * inverse
        dx = MatMul(left, conj(v), transpose_b=True)
        if dims(v)[-2] > k:
            dx = dx + MatMul(u, conj((dv - MatMul(v, y)) * inverse), transpose_b=True)
        return (dx,)


@declare("singular_values")
class SingularValues(Decomposition):
    """Singular values, descending; nan of a matrix with nan or inf."""

    square = False

    def infer(self, x: Spec) -> Spec:
        dtype = self.check(x)
        return Spec((*x.shape[:-2], min(x.shape[-2:])), dtype.real_dtype)

    def kernel(self, x: Any) -> Any:
        return self.singular(x, compute_uv=False)

    def vjp(self, dy: Any, x: Any) -> Any:
        _, u, v = Svd(x)
        return (MatMul(u * like(row(dy), u), conj(v), transpose_b=True),)
