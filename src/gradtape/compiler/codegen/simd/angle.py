"""Angles modulo pi/2, for all finite numbers."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.floats import format_of, quick_two_sum, two_product, two_sum
from gradtape.compiler.codegen.simd.value import VectorValue, integers_of
from gradtape.core import dtypes

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

_TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts, each rounded to the dtype.
_HALF_PI = {
    4: (1.5707964, -4.371139e-08, -1.7151245e-15),
    8: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
}
# Up to here three parts are enough, and the number of quarter turns is an exact integer.
_LARGE = {4: 2.0**17, 8: 2.0**30}
# The words of 2/pi that the largest float64 needs, and one of zeros before them.
_WORDS = 21

_DOUBLE, _I64, _I128 = ir.DoubleType(), ir.IntType(64), ir.IntType(128)


def reduced(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue]:
    """Integers q and r with |x| = q * pi/2 + r and |r| <= pi/4. The low two bits of q count.

    sin and cos of one value share it.
    """
    key = ("angle", x.ir)
    if key not in cg.memo:
        size = abs(x)
        usual = list(_by_parts(cg, size))
        cg.memo[key] = cg.rarely(size >= _LARGE[x.dtype.size], usual, lambda: _by_integers(cg, size)[:2])
    q, r = cg.memo[key]
    return q, r


def reduced_to_pair(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue, VectorValue]:
    """As `reduced`, with what is beyond the last digit of r as a third value."""
    size = abs(x)
    usual = list(_by_parts_to_pair(cg, size))
    q, r, error = cg.rarely(size >= _LARGE[x.dtype.size], usual, lambda: _by_integers(cg, size))
    return q, r, error


def _by_parts(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue]:
    """Cody and Waite's reduction. With fused operations the first difference is exact; each of the others rounds once."""
    first, second, third = _HALF_PI[x.dtype.size]
    shifter = format_of(x).shifter
    shifted = cg.fma(x, _TWO_OVER_PI, shifter)
    k = shifted - shifter
    return cg.bits(shifted), cg.fma(k, -third, cg.fma(k, -second, cg.fma(k, -first, x)))


def _by_parts_to_pair(cg: VectorEmitter, x: VectorValue) -> tuple[VectorValue, VectorValue, VectorValue]:
    """The same as a pair: the product with the second part is one too."""
    first, second, third = _HALF_PI[x.dtype.size]
    shifter = format_of(x).shifter
    shifted = cg.fma(x, _TWO_OVER_PI, shifter)
    k = shifted - shifter
    exact = cg.fma(k, -first, x)
    product, product_error = two_product(cg, k, cg.constant(-second, x))
    r, error = two_sum(exact, product)
    return cg.bits(shifted), *quick_two_sum(r, cg.fma(k, -third, error + product_error))


def _by_integers(cg: VectorEmitter, x: VectorValue) -> list[VectorValue]:
    """Payne and Hanek's reduction, lane by lane in a function of the module."""
    builder, integers = cg.builder, integers_of(x.dtype)
    angles = cg.cast(x, dtypes.float64)
    function = _lane_function(cg.module)
    parts: list[Any] = [
        ir.Constant(cg.vector_type(d), ir.Undefined) for d in (dtypes.int64, dtypes.float64, dtypes.float64)
    ]
    before = builder.block
    body, done = builder.append_basic_block("lane"), builder.append_basic_block("lanes_done")
    builder.branch(body)
    builder.position_at_end(body)
    lane = builder.phi(ir.IntType(32))
    phis = [builder.phi(p.type) for p in parts]
    found = builder.call(function, [builder.extract_element(angles.ir, lane)])
    after = [builder.insert_element(p, builder.extract_value(found, i), lane) for i, p in enumerate(phis)]
    following = builder.add(lane, ir.IntType(32)(1))
    lane.add_incoming(ir.IntType(32)(0), before)
    lane.add_incoming(following, body)
    for phi, start, next_ in zip(phis, parts, after, strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(next_, body)
    builder.cbranch(builder.icmp_unsigned("<", following, ir.IntType(32)(cg.width)), body, done)
    builder.position_at_end(done)
    q = cg.cast(VectorValue(cg, after[0], dtypes.int64), integers)
    r, error = (VectorValue(cg, v, dtypes.float64) for v in after[1:])
    if x.dtype is dtypes.float64:
        return [q, *quick_two_sum(r, error)]
    short = cg.cast(r, dtypes.float32)
    return [q, short, cg.cast(r - cg.cast(short, dtypes.float64), dtypes.float32)]


@functools.lru_cache(maxsize=1)
def _two_over_pi() -> tuple[int, ...]:
    """2/pi in words of 64 bits after the binary point, with one word of zeros before it; pi is Machin's."""
    bits = 64 * _WORDS + 64

    def arctan_of_inverse(n: int) -> int:
        term = total = (1 << bits) // n
        for i in range(3, bits, 2):
            term //= -n * n
            total += term // i
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    fraction = (1 << (2 * bits + 1)) // pi
    return tuple((fraction >> (bits - 64 * i)) & (2**64 - 1) for i in range(_WORDS))


def _lane_function(module: ir.Module) -> ir.Function:
    """A function of one finite float64 x >= 1: the quarter turns, and the angle that is left as a pair.

    x is an integer times a power of two. That power moves the binary point in 2/pi: digits far before it are whole turns
    and are not looked at, so that 192 bits from the point on give the fraction to more digits than a pair holds.
    """
    name = "gradtape.large_angle"
    if name in module.globals:
        returned: ir.Function = module.globals[name]
        return returned
    result = ir.LiteralStructType([_I64, _DOUBLE, _DOUBLE])
    function = ir.Function(module, ir.FunctionType(result, [_DOUBLE]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    b = ir.IRBuilder(function.append_basic_block("entry"))
    x = function.args[0]
    bits = b.bitcast(x, _I64)
    mantissa = b.or_(b.and_(bits, _I64(2**52 - 1)), _I64(2**52))
    # The first bit of 2/pi that matters weighs 2 after scaling; 62 is the place of the point in the table.
    place = b.add(b.lshr(bits, _I64(52)), _I64(62 - 1075))
    place = b.select(b.icmp_signed("<", place, _I64(0)), _I64(0), place)
    words = _window(module, b, place)
    q, pieces = _quarter_turns(b, mantissa, words)
    high, low = _times_half_pi(module, b, pieces)
    # Infinity has no angle.
    high = b.fadd(high, b.fsub(x, x))
    packed = ir.Constant(result, ir.Undefined)
    for i, part in enumerate((q, high, low)):
        packed = b.insert_value(packed, part, i)
    b.ret(packed)
    return function


def _window(module: ir.Module, b: ir.IRBuilder, place: Any) -> list[Any]:
    """192 bits of 2/pi from a place on, as three words."""
    table_type = ir.ArrayType(_I64, _WORDS)
    table = ir.GlobalVariable(module, table_type, "gradtape.two_over_pi")
    table.linkage, table.global_constant = "internal", True
    signed = [w - 2**64 if w >= 2**63 else w for w in _two_over_pi()]
    table.initializer = ir.Constant(table_type, signed)
    start, inside = b.lshr(place, _I64(6)), b.and_(place, _I64(63))
    loaded = []
    for i in range(4):
        pointer = b.gep(table, [_I64(0), b.add(start, _I64(i))], source_etype=table_type)
        loaded.append(b.load(pointer, align=8, typ=_I64))
    shift = _declared(module, "llvm.fshl.i64", _I64)
    return [b.call(shift, [loaded[i], loaded[i + 1], inside]) for i in range(3)]


def _declared(module: ir.Module, name: str, kind: ir.Type) -> ir.Function:
    """An intrinsic of three operands; another function of the module may use it too."""
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(kind, [kind] * 3), name)


def _quarter_turns(b: ir.IRBuilder, mantissa: Any, words: list[Any]) -> tuple[Any, list[Any]]:
    """The product modulo 4 rounded to an integer, and what is left in three signed pieces of 42 bits."""
    wide = b.zext(mantissa, _I128)
    lower = b.lshr(b.mul(wide, b.zext(words[2], _I128)), _I128(64))
    middle = b.add(b.mul(wide, b.zext(words[1], _I128)), lower)
    top = b.shl(b.zext(b.mul(mantissa, words[0]), _I128), _I128(64))
    product = b.add(top, middle)  # in units of 2**-126
    q = b.lshr(b.add(product, _I128(1 << 125)), _I128(126))
    left = b.sub(product, b.shl(q, _I128(126)))
    mask = _I128(2**42 - 1)
    pieces = [b.ashr(left, _I128(84)), b.and_(b.lshr(left, _I128(42)), mask), b.and_(left, mask)]
    return b.trunc(q, _I64), [b.sitofp(b.trunc(p, _I64), _DOUBLE) for p in pieces]


def _times_half_pi(module: ir.Module, b: ir.IRBuilder, pieces: list[Any]) -> tuple[Any, Any]:
    """A pair: pi/2 times the sum of pieces, the first in units of 2**-42 and each of the others 2**42 times finer."""
    first, second, third = (b.fmul(p, _DOUBLE(2.0**-scale)) for p, scale in zip(pieces, (42, 84, 126), strict=True))
    high = b.fadd(first, second)
    low = b.fadd(b.fsub(second, b.fsub(high, first)), third)
    total = b.fadd(high, low)
    rest = b.fsub(low, b.fsub(total, high))
    fma = _declared(module, "llvm.fma.f64", _DOUBLE)
    half, half_rest, _ = _HALF_PI[8]
    product = b.fmul(total, _DOUBLE(half))
    error = b.call(fma, [total, _DOUBLE(half), b.fneg(product)])
    error = b.call(fma, [total, _DOUBLE(half_rest), error])
    return product, b.call(fma, [rest, _DOUBLE(half), error])
