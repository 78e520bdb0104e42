"""VectorEmitter: the `Emitter` protocol as LLVM vector instructions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.instructions import Instructions
from gradtape.compiler.codegen.simd.machine import computed, is_narrow, supports
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

_FLOATS = "fV"
_INTEGERS = "iu"


def _function(module: str, name: str) -> Callable[..., VectorValue]:
    """A method for a function of floats, which computes the narrow ones as float32. Its module is loaded with the first call: few programs
    need more than a few functions."""

    def method(self: VectorEmitter, *values: VectorValue) -> VectorValue:
        dtype = self.operands(name, _FLOATS, *values)
        wide = [VectorValue(self, v.ir, computed(dtype)) for v in values]
        rule = getattr(importlib.import_module(f"gradtape.compiler.codegen.simd.{module}"), name)
        return VectorValue(self, rule(self, *wide).ir, dtype)

    method.__name__, method.__doc__ = name, f"{name}, of floats."
    return method


def _comparison(name: str, operator: str) -> Callable[..., VectorValue]:
    """A method that compares; NaN is unequal to all, and neither more nor less."""

    def method(self: VectorEmitter, a: VectorValue, b: VectorValue) -> VectorValue:
        dtype = self.operands(name, "fViub", a, b)
        kind = dtype.kind
        if is_narrow(dtype) and not any(isinstance(v.ir, ir.Constant) for v in (a, b)):
            # Else a number would differ from itself, rounded and stored: a maximum equals none of the elements.
            a, b = (conversion.cast(self, VectorValue(self, v.ir, computed(dtype)), dtype) for v in (a, b))
        if kind in _FLOATS:
            compare = self.builder.fcmp_unordered if operator == "!=" else self.builder.fcmp_ordered
        else:
            compare = self.builder.icmp_signed if kind == "i" else self.builder.icmp_unsigned
        return VectorValue(self, compare(operator, a.ir, b.ir), dtypes.bool_)

    method.__name__, method.__doc__ = name, f"A mask of a {operator} b."
    return method


class VectorEmitter(Instructions):
    """An `Emitter` whose values are vectors of `width` lanes. Operands have one dtype, nothing is promoted.

    One emitter serves one straight run of code: what it remembers is good only where the earlier code has run.
    """

    def operands(self, name: str, kinds: str, *values: VectorValue) -> DType:
        """The common dtype of operands; TypeError if there is none, or its kind has no meaning here."""
        for value in values:
            if not isinstance(value, VectorValue):
                raise TypeError(f"emitter: {name} of the Python value {value!r}; use cg.constant(value, like).")
            if value.dtype is not values[0].dtype:
                raise TypeError(f"emitter: {name} of {values[0].dtype.name} and {value.dtype.name}; use cg.cast.")
        dtype = values[0].dtype
        if dtype.kind not in kinds:
            raise TypeError(f"emitter: {name} of {dtype.name}.")
        return dtype

    def constant(self, value: Any, like: VectorValue) -> VectorValue:
        """A number in the dtype of another value."""
        return self.splat(value, like.dtype)

    def dtype(self, x: VectorValue) -> DType:
        """The DType of a value."""
        return x.dtype

    def cast(self, x: VectorValue, dtype: Any) -> VectorValue:
        """The value in another dtype, truncating toward zero."""
        wanted = dtypes.as_dtype(dtype)
        if not supports(wanted):
            raise TypeError(f"emitter: cast to {wanted.name}.")
        return conversion.cast(self, x, wanted)

    def add(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a + b; of masks, a or b."""
        kind = self.operands("add", "fViub", a, b).kind
        build = self.builder.fadd if kind in _FLOATS else self.builder.or_ if kind == "b" else self.builder.add
        return VectorValue(self, build(a.ir, b.ir), a.dtype)

    def sub(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a - b."""
        kind = self.operands("sub", "fViu", a, b).kind
        return VectorValue(self, (self.builder.fsub if kind in _FLOATS else self.builder.sub)(a.ir, b.ir), a.dtype)

    def mul(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a * b; of masks, a and b."""
        kind = self.operands("mul", "fViub", a, b).kind
        build = self.builder.fmul if kind in _FLOATS else self.builder.and_ if kind == "b" else self.builder.mul
        return VectorValue(self, build(a.ir, b.ir), a.dtype)

    def div(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a / b, of floats."""
        self.operands("div", _FLOATS, a, b)
        return VectorValue(self, self.builder.fdiv(a.ir, b.ir), a.dtype)

    def floordiv(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """floor(a / b); integers divided by 0 give 0."""
        from gradtape.compiler.codegen.simd import division  # loaded with the first one

        if self.operands("floordiv", "fViu", a, b).kind in _FLOATS:
            return self._float_division(division.float_floordiv, a, b)
        return division.floor_division(self, a, b)[0]

    def floormod(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a - floor(a / b) * b; the remainder of integers by 0 is 0."""
        from gradtape.compiler.codegen.simd import division  # loaded with the first one

        if self.operands("floormod", "fViu", a, b).kind in _FLOATS:
            return self._float_division(division.float_floormod, a, b)
        return division.floor_division(self, a, b)[1]

    def truncmod(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """The remainder with the sign of a, as C's fmod; of integers by 0 it is 0."""
        from gradtape.compiler.codegen.simd import division  # loaded with the first one

        if self.operands("truncmod", "fViu", a, b).kind in _FLOATS:
            return self._float_division(division.float_remainder, a, b)
        return division.truncated_division(self, a, b)[1]

    def _float_division(self, rule: Callable[..., VectorValue], a: VectorValue, b: VectorValue) -> VectorValue:
        wide = [VectorValue(self, v.ir, computed(v.dtype)) for v in (a, b)]
        return VectorValue(self, rule(self, *wide).ir, a.dtype)

    def neg(self, x: VectorValue) -> VectorValue:
        """-x."""
        kind = self.operands("neg", "fViu", x).kind
        return VectorValue(self, (self.builder.fneg if kind in _FLOATS else self.builder.neg)(x.ir), x.dtype)

    def abs(self, x: VectorValue) -> VectorValue:
        """|x|."""
        kind = self.operands("abs", "fViu", x).kind
        if kind in _FLOATS:
            return self.intrinsic("fabs", x)
        return x if kind == "u" else self.select(x < 0, -x, x)

    def minimum(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """The smaller; NaN if one is NaN."""
        kind = self.operands("minimum", "fViu", a, b).kind
        smaller = self.select(self.lt(a, b), a, b)
        return self.select(self.isnan(a), a, smaller) if kind in _FLOATS else smaller

    def maximum(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """The larger; NaN if one is NaN."""
        kind = self.operands("maximum", "fViu", a, b).kind
        larger = self.select(self.gt(a, b), a, b)
        return self.select(self.isnan(a), a, larger) if kind in _FLOATS else larger

    eq = _comparison("eq", "==")
    ne = _comparison("ne", "!=")
    lt = _comparison("lt", "<")
    le = _comparison("le", "<=")
    gt = _comparison("gt", ">")
    ge = _comparison("ge", ">=")

    def bit_and(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a & b, of integers or masks."""
        self.operands("bit_and", "iub", a, b)
        return VectorValue(self, self.builder.and_(a.ir, b.ir), a.dtype)

    def bit_or(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a | b, of integers or masks."""
        self.operands("bit_or", "iub", a, b)
        return VectorValue(self, self.builder.or_(a.ir, b.ir), a.dtype)

    def bit_xor(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a ^ b, of integers or masks."""
        self.operands("bit_xor", "iub", a, b)
        return VectorValue(self, self.builder.xor(a.ir, b.ir), a.dtype)

    def bit_not(self, x: VectorValue) -> VectorValue:
        """~x, of integers or masks."""
        kind = self.operands("bit_not", "iub", x).kind
        return self.bit_xor(x, self.constant(kind == "b" or -1, x))

    def shift_left(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a << b, and 0 where b is negative or not below the number of bits."""
        self.operands("shift_left", _INTEGERS, a, b)
        shifted = VectorValue(self, self.builder.shl(a.ir, b.ir), a.dtype)
        return self.select(self._within(b), shifted, self.constant(0, a))

    def shift_right(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a >> b, and all bits as the sign where b is negative or not below the number of bits."""
        signed = self.operands("shift_right", _INTEGERS, a, b).kind == "i"
        last = self.constant(8 * a.dtype.size - 1, b)
        if signed:
            places = self.select(self._within(b), b, last)
            return VectorValue(self, self.builder.ashr(a.ir, places.ir), a.dtype)
        shifted = VectorValue(self, self.builder.lshr(a.ir, b.ir), a.dtype)
        return self.select(self._within(b), shifted, self.constant(0, a))

    def _within(self, places: VectorValue) -> VectorValue:
        """A mask of the numbers of places that a shift can have."""
        count = self.constant(8 * places.dtype.size, places)
        return VectorValue(self, self.builder.icmp_unsigned("<", places.ir, count.ir), dtypes.bool_)

    def select(self, mask: VectorValue, a: VectorValue, b: VectorValue) -> VectorValue:
        """a where the mask is true, else b."""
        if mask.dtype is not dtypes.bool_:
            raise TypeError(f"emitter: select needs a mask, not {mask.dtype.name}.")
        self.operands("select", "fViub", a, b)
        return VectorValue(self, self.builder.select(mask.ir, a.ir, b.ir), a.dtype)

    def isnan(self, x: VectorValue) -> VectorValue:
        """A mask of NaNs."""
        if self.operands("isnan", "fViub", x).kind not in _FLOATS:
            return self.splat(False, dtypes.bool_)
        return VectorValue(self, self.builder.fcmp_unordered("uno", x.ir, x.ir), dtypes.bool_)

    def isfinite(self, x: VectorValue) -> VectorValue:
        """A mask of finite values."""
        if self.operands("isfinite", "fViub", x).kind not in _FLOATS:
            return self.splat(True, dtypes.bool_)
        return abs(x) < float("inf")

    def floor(self, x: VectorValue) -> VectorValue:
        """Rounded down."""
        self.operands("floor", _FLOATS, x)
        return self.intrinsic("floor", x)

    def ceil(self, x: VectorValue) -> VectorValue:
        """Rounded up."""
        self.operands("ceil", _FLOATS, x)
        return self.intrinsic("ceil", x)

    def round_even(self, x: VectorValue) -> VectorValue:
        """Rounded to the nearest integer, ties to even."""
        self.operands("round_even", _FLOATS, x)
        return self.intrinsic("nearbyint", x)

    def pow(self, a: VectorValue, b: VectorValue) -> VectorValue:
        """a to the b. A negative power of an integer has no meaning: ops refuse it."""
        kind = self.operands("pow", "fViub", a, b).kind
        if kind == "b":
            return a | ~b
        if kind in _FLOATS:
            return self._float_pow(a, b)
        from gradtape.compiler.codegen.simd import power  # loaded with the first one

        return power.integer_pow(self, a, b)

    _float_pow = _function("power", "pow")
    sqrt = _function("roots", "sqrt")
    rsqrt = _function("roots", "rsqrt")
    exp = _function("exponential", "exp")
    expm1 = _function("exponential", "expm1")
    log = _function("logarithm", "log")
    log1p = _function("logarithm", "log1p")
    sin = _function("trigonometric", "sin")
    cos = _function("trigonometric", "cos")
    tan = _function("trigonometric", "tan")
    asin = _function("inverse_trigonometric", "asin")
    acos = _function("inverse_trigonometric", "acos")
    atan = _function("inverse_trigonometric", "atan")
    atan2 = _function("inverse_trigonometric", "atan2")
    sinh = _function("hyperbolic", "sinh")
    cosh = _function("hyperbolic", "cosh")
    tanh = _function("hyperbolic", "tanh")
    asinh = _function("inverse_hyperbolic", "asinh")
    acosh = _function("inverse_hyperbolic", "acosh")
    atanh = _function("inverse_hyperbolic", "atanh")
    erf = _function("error_function", "erf")
    erfc = _function("error_function", "erfc")
    normal_cdf = _function("error_function", "normal_cdf")
    normal_density = _function("error_function", "normal_density")
