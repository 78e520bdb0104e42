"""The writer of LLVM's text: what it writes is what LLVM reads, and runs."""

import ctypes
import math
import struct

import pytest

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import machine

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
FLOAT, DOUBLE, HALF = ir.FloatType(), ir.DoubleType(), ir.HalfType()


@pytest.fixture
def module():
    return ir.Module("test")


def function(module, result, *kinds, name="f"):
    made = ir.Function(module, ir.FunctionType(result, kinds), name)
    return made, ir.IRBuilder(made.append_basic_block("entry"))


def runs(module, result, *kinds, name="f"):
    """The function as one of Python's."""
    library = machine.assemble(module)
    call = ctypes.CFUNCTYPE(result, *kinds)(library.address(name))
    call.library = library
    return call


def test_equal_types_are_the_same():
    assert ir.VectorType(FLOAT, 8) is ir.VectorType(ir.FloatType(), 8)
    assert ir.VectorType(FLOAT, 8) is not ir.ArrayType(FLOAT, 8)
    assert ir.FunctionType(I64, [I64]) is ir.FunctionType(I64, (I64,))
    assert ir.IntType(8) is not ir.IntType(16)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (I64, "i64"),
        (ir.PointerType(), "ptr"),
        (I64.as_pointer(), "ptr"),
        (ir.VectorType(HALF, 4), "<4 x half>"),
        (ir.ArrayType(ir.VectorType(DOUBLE, 2), 3), "[3 x <2 x double>]"),
        (ir.LiteralStructType([I64, DOUBLE]), "{ i64, double }"),
        (ir.FunctionType(ir.VoidType(), [I64, FLOAT]), "void (i64, float)"),
    ],
)
def test_types(kind, text):
    assert kind.text == str(kind) == text


NUMBERS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e-7, 65504.0, math.inf, -math.inf, 2.0**-24]


@pytest.mark.parametrize("number", [*NUMBERS, 1e300, 5e-324])
def test_doubles_keep_their_bits(module, number):
    _, b = function(module, DOUBLE)
    b.ret(DOUBLE(number))
    assert struct.pack("<d", runs(module, ctypes.c_double)()) == struct.pack("<d", number)


@pytest.mark.parametrize("number", [*NUMBERS, 3e38, 1e-45])
def test_floats_are_rounded_once(module, number):
    _, b = function(module, FLOAT)
    b.ret(FLOAT(number))
    assert struct.pack("<f", runs(module, ctypes.c_float)()) == struct.pack("<f", number)


@pytest.mark.parametrize("number", NUMBERS)
def test_halves(module, number):
    _, b = function(module, DOUBLE)
    b.ret(b.fpext(HALF(number), DOUBLE))
    assert runs(module, ctypes.c_double)() == struct.unpack("<e", struct.pack("<e", number))[0]


def test_not_a_number(module):
    _, b = function(module, FLOAT)
    b.ret(FLOAT(math.nan))
    assert math.isnan(runs(module, ctypes.c_float)())


def test_a_number_of_no_number():
    with pytest.raises(TypeError, match="no numbers of type ptr"):
        ir.PointerType()(3)


def test_vectors():
    kind = ir.VectorType(I32, 3)
    assert ir.Constant(kind, [1, 2, 3]).ref == "<i32 1, i32 2, i32 3>"
    assert ir.Constant(kind, [7, 7, 7]).ref == "splat (i32 7)"
    assert ir.Constant(kind, [ir.FormattedConstant(I32, "7")] * 3).ref == "splat (i32 7)"
    assert ir.Constant(kind, None).ref == "zeroinitializer"
    assert ir.Constant(kind, ir.Undefined).ref == "undef"
    assert ir.Constant(ir.VectorType(I32, 1), [5]).ref == "<i32 5>"
    assert ir.Constant(ir.ArrayType(I32, 2), [5, 5]).ref == "[i32 5, i32 5]"


def test_what_was_computed_is_used_again(module):
    f, b = function(module, I64, I64, ir.PointerType())
    x, p = f.args
    assert b.add(x, I64(1)) is b.add(x, I64(1))
    assert b.add(x, I64(1)) is not b.add(x, I64(2))
    assert b.add(x, I64(1)) is not b.add(x, I64(1), flags=["nsw"])
    assert b.load(p, I64) is not b.load(p, I64)  # memory may have changed
    before = b.add(x, I64(1))
    b.position_at_end(b.append_basic_block("other"))
    assert b.add(x, I64(1)) is not before  # perhaps the other block was not run


def test_casts_to_the_same_type_are_nothing(module):
    f, b = function(module, I64, I64)
    assert b.trunc(f.args[0], I64) is f.args[0]


def test_instructions(module):
    """One function of everything that integers go through."""
    f, b = function(module, I64, I64, I64)
    x, y = f.args
    parts = [b.add(x, y), b.sub(x, y), b.mul(x, y), b.sdiv(x, y), b.srem(x, y), b.shl(x, I64(2)), b.ashr(x, I64(1))]
    parts += [b.and_(x, y), b.or_(x, y), b.xor(x, y), b.neg(x), b.select(b.icmp_signed("<", x, y), x, y)]
    parts += [b.zext(b.not_(b.icmp_unsigned(">=", x, y)), I64), b.sext(b.trunc(x, I32), I64)]
    parts += [b.udiv(x, y), b.urem(x, y), b.lshr(x, I64(1))]
    vector = ir.Constant(ir.VectorType(I64, 2), ir.Undefined)
    vector = b.insert_element(b.insert_element(vector, x, I32(0)), y, I32(1))
    swapped = b.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(I32, 2), [1, 0]))
    parts.append(b.extract_element(b.mul(b.sub(vector, swapped), vector), I32(1)))
    room = b.alloca(ir.ArrayType(I64, 4), 64)
    place = b.gep(room, [I64(2)], source_etype=I64)
    b.store(x, place, align=8)
    parts.append(b.mul(b.load(place, I64, align=8), I64(1000)))
    total = I64(0)
    for k, part in enumerate(parts):
        total = b.add(total, b.mul(part, I64(10**k % 9973)))
    b.ret(total)

    def wanted(x, y):
        found = [x + y, x - y, x * y, x // y, x % y, x << 2, x >> 1, x & y, x | y, x ^ y, -x, min(x, y), int(x < y), x]
        found += [x // y, x % y, x >> 1, (y - x) * y, 1000 * x]
        return sum(part * (10**k % 9973) for k, part in enumerate(found))

    call = runs(module, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    for x, y in ((7, 3), (3, 7), (1000, 10), (5, 5)):
        assert call(x, y) == wanted(x, y)


def test_branches_and_loops(module):
    """The sum of the odd numbers below a number, or -1 for a negative one."""
    f, b = function(module, I64, I64)
    (last,) = f.args
    with b.if_then(b.icmp_signed("<", last, I64(0)), likely=False):
        b.ret(I64(-1))
    before = b.block
    head, body, done = (b.append_basic_block(n) for n in ("loop", "loop", "done"))
    b.branch(head)
    b.position_at_end(head)
    index, total = b.phi(I64), b.phi(I64)
    index.add_incoming(I64(0), before)
    total.add_incoming(I64(0), before)
    b.cbranch(b.icmp_signed("<", index, last), body, done)
    b.position_at_end(body)
    room = b.alloca(I64)
    with b.if_else(b.icmp_signed("==", b.and_(index, I64(1)), I64(1)), likely=True) as (odd, even):
        with odd:
            b.store(index, room)
        with even:
            b.store(I64(0), room)
    total.add_incoming(b.add(total, b.load(room, I64)), b.block)
    index.add_incoming(b.add(index, I64(1)), b.block)
    b.branch(head)
    b.position_at_end(done)
    b.ret(total)
    call = runs(module, ctypes.c_int64, ctypes.c_int64)
    assert [call(n) for n in (-3, 0, 1, 2, 10)] == [-1, 0, 0, 1, 25]
    assert str(module).count("branch_weights") == 2


def test_what_is_written_behind_the_end_of_a_block_comes_before_it(module):
    f, b = function(module, I64, I64)
    start, other = b.block, b.append_basic_block("other")
    b.branch(other)
    b.position_at_end(start)
    doubled = b.add(f.args[0], f.args[0])
    b.position_at_end(other)
    b.ret(doubled)
    assert runs(module, ctypes.c_int64, ctypes.c_int64)(21) == 42


def test_calls(module):
    pair = ir.LiteralStructType([I64, I64])
    inner, b = function(module, pair, I64, name="inner")
    inner.linkage = "internal"
    inner.attributes.add("noinline")
    packed = b.insert_value(ir.Constant(pair, ir.Undefined), inner.args[0], 0)
    b.ret(b.insert_value(packed, b.mul(inner.args[0], I64(3)), 1))
    kind = ir.FunctionType(I64, [I64])
    f, b = function(module, I64, I64, I64)
    both = b.call(inner, [f.args[0]])
    again = b.call(b.inttoptr(f.args[1], kind.as_pointer()), [b.extract_value(both, 1)])
    b.ret(b.add(again, b.extract_value(both, 0)))
    negate = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: -x)
    address = ctypes.cast(negate, ctypes.c_void_p).value
    assert runs(module, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(5, address) == 5 - 15


def test_memory(module):
    table = ir.GlobalVariable(module, ir.ArrayType(I64, 3), "table")
    table.linkage, table.global_constant = "internal", True
    table.initializer = ir.Constant(ir.ArrayType(I64, 3), [4, 5, 6])
    f, b = function(module, ir.VoidType(), ir.PointerType())
    copy = module.declare_intrinsic("llvm.memcpy", [ir.PointerType(), ir.PointerType(), I64])
    assert module.declare_intrinsic("llvm.memcpy", [ir.PointerType(), ir.PointerType(), I64]) is copy
    clear = module.declare_intrinsic("llvm.memset", [ir.PointerType(), I64])
    b.call(copy, [f.args[0], table, I64(24), I1(0)])
    b.call(clear, [b.gep(f.args[0], [I64(1)], source_etype=I64), ir.IntType(8)(0), I64(8), I1(0)])
    b.ret_void()
    numbers = (ctypes.c_int64 * 3)(1, 2, 3)
    runs(module, None, ctypes.c_void_p)(ctypes.addressof(numbers))
    assert list(numbers) == [4, 0, 6]


def test_comparisons_of_floats(module):
    f, b = function(module, I64, DOUBLE, DOUBLE)
    bits = [b.fcmp_ordered("<", *f.args), b.fcmp_unordered("!=", *f.args), b.fcmp_unordered("uno", *f.args)]
    total = I64(0)
    for k, bit in enumerate(bits):
        total = b.add(total, b.shl(b.zext(bit, I64), I64(k)))
    b.ret(total)
    call = runs(module, ctypes.c_int64, ctypes.c_double, ctypes.c_double)
    assert [call(*p) for p in ((1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (math.nan, 1.0))] == [3, 0, 2, 6]


def test_names_are_told_apart(module):
    function(module, I64)
    assert module.get_unique_name("f") == "f.1"
    assert module.get_unique_name("g") == "g"
    with pytest.raises(ValueError, match="has a 'f' already"):
        function(module, I64)


def test_blocks_have_one_end(module):
    _, b = function(module, I64)
    with pytest.raises(ValueError, match="has no end"):
        str(module)
    b.ret(I64(1))
    with pytest.raises(ValueError, match="has an end already"):
        b.ret(I64(2))
