"""sinh, cosh and tanh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.exponential import excess, exp_of_twice, limited, limited_above, reduced
from gradtape.compiler.codegen.simd.floats import scale, sign_of, with_sign
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

# (sinh(x) - x) / x**3 as a polynomial in x**2, |x| <= 1: relative errors of 2**-31.3 and 2**-61.5.
_SINH = {
    4: (0.16666667, 0.008333316, 0.00019841417, 2.791574e-06),
    8: (
        0.16666666666666669, 0.00833333333333297, 0.0001984126984153124, 2.7557319130353786e-06, 2.50521268621724e-08,
        1.605699990432386e-10, 7.76592021399318e-13,
    ),
}  # fmt: skip
# Below this tanh is a polynomial.
_SMALL = 0.55
# (tanh(x) - x) / x**3 as a polynomial in x**2, |x| <= 0.55: relative errors of 2**-29.7 and 2**-60.6.
_TANH = {
    4: (-0.33333316, 0.13332558, -0.053849857, 0.021062966, -0.006263271),
    8: (
        -0.333333333333333, 0.13333333333326602, -0.053968253963756235, 0.02186948838582998, -0.008863232601955963,
        0.003592092041122453, -0.0014555429341546523, 0.000588444888847958, -0.000233382617957651,
        8.331792683594262e-05, -1.949555243196568e-05,
    ),
}  # fmt: skip
# Beyond this, half of exp is infinite.
_LARGE = {4: 90.0, 8: 711.0}
# From here on tanh is 1.
_ONE = {4: 9.1, 8: 19.1}


def _half_exp(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """exp(x) / 2 for x >= 0."""
    k, r, tail = reduced(cg, limited(cg, x, 0.0, _LARGE[x.dtype.size]))
    return scale(cg, (r + excess(cg, r, tail)) + 1.0, k - 1.0)


def sinh(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The hyperbolic sine."""
    size = abs(x)
    half = _half_exp(cg, size)
    large = with_sign(cg, half - 0.25 / half, sign_of(cg, x))
    z = x * x
    small = cg.fma(cg.polynomial(z, _SINH[x.dtype.size]) * z, x, x)
    return cg.select(size < 1.0, small, large)


def cosh(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The hyperbolic cosine."""
    half = _half_exp(cg, abs(x))
    return half + 0.25 / half


def tanh(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The hyperbolic tangent: 1 - 2 / (exp(2 x) + 1), and a polynomial where that would lose digits."""
    size = abs(x)
    power = exp_of_twice(cg, limited_above(cg, size, _ONE[x.dtype.size]))
    large = 1.0 - 2.0 / (power + 1.0)
    z = x * x
    small = cg.fma(cg.polynomial(z, _TANH[x.dtype.size]) * z, size, size)
    return with_sign(cg, cg.select(size >= _SMALL, large, small), sign_of(cg, x))
