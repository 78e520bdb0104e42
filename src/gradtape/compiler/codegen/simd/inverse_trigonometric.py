"""asin, acos, atan and atan2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.floats import sign_of, with_sign
from gradtape.compiler.codegen.simd.value import VectorValue

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

# pi/4, pi/2 and pi as pairs, each part rounded to the dtype.
_QUARTER = {4: (0.7853982, -2.1855694e-08), 8: (0.7853981633974483, 3.061616997868383e-17)}
_HALF = {4: (1.5707964, -4.371139e-08), 8: (1.5707963267948966, 6.123233995736766e-17)}
_WHOLE = {4: (3.1415927, -8.742278e-08), 8: (3.141592653589793, 1.2246467991473532e-16)}
# (atan(t) - t) / t**3 as a polynomial in t**2, |t| <= 1/2: relative errors of 2**-31.4 and 2**-61.8.
_ATAN = {
    4: (-0.33333325, 0.19999419, -0.14270942, 0.10932674, -0.07955804, 0.03835976),
    8: (
        -0.3333333333333331, 0.19999999999992624, -0.14285714284908474, 0.11111111066323319, -0.09090907612117012,
        0.07692276118315053, -0.06666208163444572, 0.058776871920370004, -0.052293689349806854, 0.045871110375424004,
        -0.03706394407738074, 0.02358010290480774, -0.008320311322102264,
    ),
}  # fmt: skip
# (asin(t) - t) / t**3 as a polynomial in t**2, |t| <= 1/2: relative errors of 2**-31.7 and 2**-59.8.
_ASIN = {
    4: (0.1666666, 0.07500515, 0.044515412, 0.031817805, 0.014407362, 0.03755364),
    8: (
        0.1666666666666676, 0.07499999999971048, 0.044642857174297765, 0.030381942724964518, 0.02237221446897879,
        0.017351621680535938, 0.01398070256804337, 0.011399883105498927, 0.010774824438216462, 0.0037267448301756185,
        0.021658578249008832, -0.020930973186465963, 0.032586801610281546,
    ),
}  # fmt: skip


def atan(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The inverse tangent."""
    size = abs(x)
    one = cg.constant(1, x)
    steep = size > 1.0
    angle = _angle_of(cg, cg.select(steep, one, size), cg.select(steep, size, one), steep)
    return with_sign(cg, angle, sign_of(cg, x))


def atan2(cg: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
    """The angle of the point (b, a)."""
    height, length = abs(a), abs(b)
    # Of equal infinities, and of zeros, the quotient is taken as that of ones, and of zero by one.
    one, infinity = cg.constant(1, a), cg.constant(float("inf"), a)
    both = cg.eq(height, infinity) & cg.eq(length, infinity)
    height, length = cg.select(both, one, height), cg.select(both, one, length)
    steep = height > length
    smaller, larger = cg.select(steep, length, height), cg.select(steep, height, length)
    larger = cg.select(larger.equals(0.0), one, larger)
    angle = _angle_of(cg, smaller, larger, steep)
    high, low = _WHOLE[a.dtype.size]
    behind = sign_of(cg, b) < 0
    angle = cg.select(behind, high - (angle - low), angle)
    result = with_sign(cg, angle, sign_of(cg, a))
    return cg.select(cg.isnan(a) | cg.isnan(b), a + b, result)


def _angle_of(cg: VectorEmitter, smaller: VectorValue, larger: VectorValue, steep: VectorValue) -> VectorValue:
    """atan(smaller / larger), or pi/2 less that where `steep`, of 0 <= smaller <= larger.

    Where the quotient is above 1/2 it is pi/4 + atan((smaller - larger) / (smaller + larger)), with an exact difference;
    both come with one division.
    """
    size = smaller.dtype.size
    turned = smaller + smaller > larger
    # The sum of two huge numbers would overflow.
    shrink = cg.select(larger > 1.0, cg.constant(0.25, larger), cg.constant(1.0, larger))
    a, b = smaller * shrink, larger * shrink
    t = cg.select(turned, a - b, smaller) / cg.select(turned, a + b, larger)
    z = t * t
    tail = cg.polynomial(z, _ATAN[size]) * z * t
    zero = cg.constant(0, t)
    quarter, quarter_rest = (cg.select(turned, cg.constant(v, t), zero) for v in _QUARTER[size])
    half, half_rest = (cg.constant(v, t) for v in _HALF[size])
    # pi/2 - (pi/4 + t) is pi/4 - t.
    start = cg.select(steep, half - quarter, quarter)
    start_rest = cg.select(steep, half_rest - quarter_rest, quarter_rest)
    t, tail = cg.select(steep, -t, t), cg.select(steep, -tail, tail)
    total = start + t
    rest = t - (total - start)
    return total + (rest + (tail + start_rest))


def asin(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The inverse sine: pi/2 - 2 asin(sqrt((1 - x) / 2)) from 1/2 on."""
    size = x.dtype.size
    high, low = _HALF[size]
    x_size = abs(x)
    outside = x_size > 0.5
    t, error, tail = _arc(cg, x_size, outside)
    twice = t + t
    total = high - twice
    rest = (high - total) - twice
    outer = total + (rest - ((tail + error) * 2.0 - low))
    return with_sign(cg, cg.select(outside, outer, t + tail), sign_of(cg, x))


def acos(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The inverse cosine."""
    size = x.dtype.size
    x_size = abs(x)
    outside = x_size > 0.5
    t, error, tail = _arc(cg, x_size, outside)
    high, low = _HALF[size]
    signed_t, signed_tail = with_sign(cg, t, sign_of(cg, x)), with_sign(cg, tail, sign_of(cg, x))
    total = high - signed_t
    inner = total + (((high - total) - signed_t) - (signed_tail - low))
    near_one = (t + (tail + error)) * 2.0
    whole, whole_rest = _WHOLE[size]
    twice = t + t
    total = whole - twice
    near_minus_one = total + (((whole - total) - twice) - ((tail + error) * 2.0 - whole_rest))
    return cg.select(outside, cg.select(x < 0.0, near_minus_one, near_one), inner)


def _arc(cg: VectorEmitter, x: VectorValue, outside: VectorValue) -> tuple[VectorValue, VectorValue, VectorValue]:
    """t, what it lacks, and asin(t) - t, where t is x, or sqrt((1 - x) / 2) where `outside`."""
    square = cg.select(outside, (1.0 - x) * 0.5, x * x)
    root = cg.sqrt(square)
    error = cg.fma(-root, root, square) / cg.select(root.equals(0.0), cg.constant(1, x), root + root)
    t = cg.select(outside, root, x)
    return t, error, cg.polynomial(square, _ASIN[x.dtype.size]) * square * t
