"""sin, cos and tan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.angle import reduced, reduced_to_pair
from gradtape.compiler.codegen.simd.floats import sign_of, with_sign
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

# (sin(r) - r) / r**3 as a polynomial in r**2, |r| <= pi/4: errors of the sine, relative, of 2**-27.8 and 2**-57.9.
_SIN = {
    4: (-0.16666654, 0.00833212, -0.00019510802),
    8: (
        -0.1666666666666663, 0.008333333333321888, -0.00019841269829418912, 2.7557313565055473e-06,
        -2.5050739216082274e-08, 1.5895744584161562e-10,
    ),
}  # fmt: skip
# (cos(r) - 1 + r**2 / 2) / r**4 as a polynomial in r**2: errors of the cosine, relative, of 2**-33.0 and 2**-63.8.
_COS = {
    4: (0.041666646, -0.001388731, 2.4432338e-05),
    8: (
        0.04166666666666659, -0.0013888888888872318, 2.4801587288437122e-05, -2.7557314069115324e-07,
        2.087568684195601e-09, -1.1357850820763208e-11,
    ),
}  # fmt: skip


def sin(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The sine."""
    q, sine, cosine = _both(cg, x)
    return with_sign(cg, cg.select(_is_odd(cg, q), cosine, sine), sign_of(cg, x) ^ _second_bit(cg, q))


def cos(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The cosine."""
    q, sine, cosine = _both(cg, x)
    return with_sign(cg, cg.select(_is_odd(cg, q), sine, cosine), _second_bit(cg, q + 1))


def _both(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue, VectorValue]:
    """Quarter turns, and sine and cosine of the angle that is left: the sine and the cosine of a value share them."""
    key = ("sine and cosine", x.ir)
    if key not in cg.memo:
        q, r = reduced(cg, x)
        z = r * r
        sine = cg.fma(cg.polynomial(z, _SIN[r.dtype.size]) * z, r, r)
        cosine = cg.fma(z, cg.fma(z, cg.polynomial(z, _COS[r.dtype.size]), -0.5), 1.0)
        cg.memo[key] = q, sine, cosine
    q, sine, cosine = cg.memo[key]
    return q, sine, cosine


def tan(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The tangent: a quotient of pairs, whose remainder corrects it."""
    q, r, error = reduced_to_pair(cg, x)
    sine, sine_rest = _sine(cg, r, error)
    cosine, cosine_rest = _cosine(cg, r, error)
    odd = _is_odd(cg, q)
    above, above_rest = cg.select(odd, cosine, sine), cg.select(odd, cosine_rest, sine_rest)
    below, below_rest = cg.select(odd, sine, cosine), cg.select(odd, sine_rest, cosine_rest)
    inverse = 1.0 / below
    quotient = above * inverse
    left = cg.fma(-quotient, below_rest, cg.fma(-quotient, below, above) + above_rest)
    result = cg.fma(left, inverse, quotient)
    # Subnormal quotients have no remainder that a float could hold; they are right already.
    small = abs(x) < 2.0**-60
    return cg.select(small, x, with_sign(cg, result, sign_of(cg, x) ^ _turned(cg, q)))


def _sine(cg: VectorEmitter, r: VectorValue, error: VectorValue) -> tuple[VectorValue, VectorValue]:
    """sin(r + error) as a pair, for |r| <= pi/4."""
    z = r * r
    tail = cg.fma(cg.polynomial(z, _SIN[r.dtype.size]) * z, r, error)
    total = r + tail
    return total, tail - (total - r)


def _cosine(cg: VectorEmitter, r: VectorValue, error: VectorValue) -> tuple[VectorValue, VectorValue]:
    """cos(r + error) as a pair, for |r| <= pi/4."""
    z = r * r
    half = z * 0.5
    first = 1.0 - half
    # z / 2 is below 1, so that what the difference lost is exact; of z itself the rounding error is taken back.
    lost = (1.0 - first) - half
    z_error = cg.fma(r, r, -z) * 0.5
    tail = cg.fma(z * z, cg.polynomial(z, _COS[r.dtype.size]), cg.fma(-r, error, lost - z_error))
    total = first + tail
    return total, tail - (total - first)


def _is_odd(cg: VectorEmitter, q: VectorValue) -> VectorValue:
    """A mask of the angles in which sine and cosine change places."""
    return _turned(cg, q) < 0


def _second_bit(cg: VectorEmitter, q: VectorValue) -> VectorValue:
    """A sign bit where the second bit of q is set: the half of the circle in which the sine is negative."""
    return cg.shift_up(q & 2, 8 * q.dtype.size - 2)


def _turned(cg: VectorEmitter, q: VectorValue) -> VectorValue:
    """A sign bit, alone, where q is odd: the cotangent comes with the other sign."""
    return cg.shift_up(q, 8 * q.dtype.size - 1)
