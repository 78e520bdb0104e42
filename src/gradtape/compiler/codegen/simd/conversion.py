"""Casts, and elements in memory: addresses, loads, stores, small copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import computed, is_narrow
from gradtape.compiler.codegen.simd.value import VectorValue, integers_of, memory_type
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter


_POINTER, _WORD = ir.PointerType(), ir.IntType(64)


def cast(cg: VectorEmitter, x: VectorValue, dtype: DType) -> VectorValue:
    """x in another dtype. Floats that 32 or 64 bits cannot hold give the least integer, as x86 does for C and NumPy."""
    if dtype is x.dtype:
        return x
    if dtype.is_bool:
        return cg.ne(x, cg.constant(0, x))
    if dtype.is_floating:
        return _to_float(cg, x, dtype)
    if x.dtype.is_floating:
        return _float_to_integer(cg, x, dtype)
    return _resize(cg, x, dtype)


def _resize(cg: VectorEmitter, x: VectorValue, dtype: DType) -> VectorValue:
    """Integers or masks as integers of another size."""
    builder, vector = cg.builder, cg.vector_type(dtype)
    if x.ir.type == vector:
        return VectorValue(cg, x.ir, dtype)
    if not x.dtype.is_bool and dtype.size < x.dtype.size:
        return VectorValue(cg, builder.trunc(x.ir, vector), dtype)
    return VectorValue(cg, (builder.sext if x.dtype.kind == "i" else builder.zext)(x.ir, vector), dtype)


def _to_float(cg: VectorEmitter, x: VectorValue, dtype: DType) -> VectorValue:
    builder, wide = cg.builder, computed(dtype)
    vector = cg.vector_type(wide)
    if not x.dtype.is_floating:
        result = (builder.sitofp if x.dtype.kind == "i" else builder.uitofp)(x.ir, vector)
    elif wide.size > computed(x.dtype).size:
        result = builder.fpext(x.ir, vector)
    elif wide.size < computed(x.dtype).size:
        result = builder.fptrunc(x.ir, vector)
        if dtype is dtypes.float16:
            result = _to_odd(cg, x, VectorValue(cg, result, wide)).ir
    else:
        result = x.ir
    rounded = VectorValue(cg, result, wide)
    return VectorValue(cg, _unpack(cg, _pack(cg, rounded, dtype), dtype).ir if is_narrow(dtype) else rounded.ir, dtype)


def _to_odd(cg: VectorEmitter, exact: VectorValue, rounded: VectorValue) -> VectorValue:
    """A float32 beside a float64 with an odd last bit unless they are equal: rounding it again is then as good as once."""
    back = VectorValue(cg, cg.builder.fpext(rounded.ir, exact.ir.type), exact.dtype)
    bits = cg.bits(rounded)
    # One step toward zero where it was rounded away from it.
    away = cast(cg, abs(back) > abs(exact), bits.dtype)
    inexact = cast(cg, (back < exact) | (back > exact), bits.dtype)
    return cg.floats((bits - away) | inexact)


def _float_to_integer(cg: VectorEmitter, x: VectorValue, dtype: DType) -> VectorValue:
    """Floats cut off toward zero. Small integers are cut from 32 bits, uint32 from 64; uint64 is moved down by half
    its range."""
    if dtype.size < 4:
        return _resize(cg, _float_to_integer(cg, x, dtypes.int32), dtype)
    if dtype is dtypes.uint32:
        return _resize(cg, _float_to_signed(cg, x, dtypes.int64), dtype)
    if not dtype.is_unsigned:
        return _float_to_signed(cg, x, dtype)
    signed = integers_of(dtype)
    half = 2.0 ** (8 * dtype.size - 1)
    x = VectorValue(cg, x.ir, computed(x.dtype))
    high = x >= half
    low_part = _float_to_signed(cg, cg.select(high, x - half, x), signed)
    return VectorValue(cg, cg.select(high, low_part ^ signed.min, low_part).ir, dtype)


def _float_to_signed(cg: VectorEmitter, x: VectorValue, dtype: DType) -> VectorValue:
    """LLVM promises nothing about a float that does not fit, so that none is given to it."""
    x = VectorValue(cg, x.ir, computed(x.dtype))
    fits = abs(x) < 2.0 ** (8 * dtype.size - 1)
    cut = cg.builder.fptosi(cg.select(fits, x, cg.constant(0, x)).ir, cg.vector_type(dtype))
    return cg.select(fits, VectorValue(cg, cut, dtype), cg.splat(dtype.min, dtype))


def load(cg: VectorEmitter, pointer: Any, dtype: DType) -> VectorValue:
    """The elements that a pointer points to, wherever that is."""
    element = memory_type(dtype)
    vector = ir.VectorType(element, cg.width)
    return _unpack(cg, cg.builder.load(pointer, align=dtype.size, typ=vector), dtype)


def load_one(cg: VectorEmitter, pointer: Any, dtype: DType) -> VectorValue:
    """The one element that a pointer points to, in all lanes."""
    one = cg.builder.load(pointer, align=dtype.size, typ=memory_type(dtype))
    return _unpack(cg, cg.spread(one), dtype)


def load_lanes(cg: VectorEmitter, pointers: Sequence[Any], dtype: DType) -> VectorValue:
    """One element from each of as many places as there are lanes."""
    found = ir.Constant(ir.VectorType(memory_type(dtype), cg.width), ir.Undefined)
    for k, pointer in enumerate(pointers):
        one = cg.builder.load(pointer, align=dtype.size, typ=memory_type(dtype))
        found = cg.builder.insert_element(found, one, ir.IntType(32)(k))
    return _unpack(cg, found, dtype)


def mirror(cg: VectorEmitter, x: VectorValue) -> VectorValue:
    """The lanes from the last to the first."""
    order = ir.Constant(ir.VectorType(ir.IntType(32), cg.width), list(range(cg.width - 1, -1, -1)))
    return VectorValue(cg, cg.builder.shuffle_vector(x.ir, ir.Constant(x.ir.type, ir.Undefined), order), x.dtype)


def load_masked(cg: VectorEmitter, pointer: Any, dtype: DType, mask: VectorValue) -> VectorValue:
    """The elements that a pointer points to, in the lanes of a mask; others are 0, and their memory is not touched."""
    vector = ir.VectorType(memory_type(dtype), cg.width)
    kind = ir.FunctionType(vector, [_POINTER, ir.IntType(32), mask.ir.type, vector])
    function = _intrinsic(cg, f"llvm.masked.load.{_mangled(vector)}.p0", kind)
    found = cg.builder.call(function, [pointer, ir.IntType(32)(dtype.size), mask.ir, ir.Constant(vector, None)])
    return _unpack(cg, found, dtype)


def store_masked(cg: VectorEmitter, x: VectorValue, pointer: Any, mask: VectorValue) -> None:
    """Write the lanes of a mask to where a pointer points."""
    if getattr(mask.ir, "constant", None) == [1, *[0] * (cg.width - 1)]:
        # LLVM would make a store of it that is too wide if the elements were narrowed before: seen with LLVM 22, AVX-512, bfloat16.
        store_one(cg, x, pointer)
        return
    vector = ir.VectorType(memory_type(x.dtype), cg.width)
    kind = ir.FunctionType(ir.VoidType(), [vector, _POINTER, ir.IntType(32), mask.ir.type])
    function = _intrinsic(cg, f"llvm.masked.store.{_mangled(vector)}.p0", kind)
    cg.builder.call(function, [_pack(cg, x, x.dtype), pointer, ir.IntType(32)(x.dtype.size), mask.ir])


def store_one(cg: VectorEmitter, x: VectorValue, pointer: Any) -> None:
    """Write the first lane to where a pointer points."""
    first = cg.builder.extract_element(_pack(cg, x, x.dtype), ir.IntType(32)(0))
    cg.builder.store(first, pointer, align=x.dtype.size)


def _intrinsic(cg: VectorEmitter, name: str, kind: ir.FunctionType) -> Any:
    return cg.module.globals.get(name) or ir.Function(cg.module, kind, name)


def _mangled(vector: ir.VectorType) -> str:
    """A vector type as it stands in the names of intrinsics."""
    text = {"half": "f16", "float": "f32", "double": "f64"}.get(str(vector.element), str(vector.element))
    return f"v{vector.count}{text}"


def store(cg: VectorEmitter, x: VectorValue, pointer: Any) -> None:
    """Write the lanes to where a pointer points, wherever that is."""
    cg.builder.store(_pack(cg, x, x.dtype), pointer, align=x.dtype.size)


def _unpack(cg: VectorEmitter, memory: Any, dtype: DType) -> VectorValue:
    """Lanes of what was in memory."""
    builder, vector = cg.builder, cg.vector_type(dtype)
    if dtype is dtypes.float16:
        memory = builder.fpext(memory, vector)
    elif dtype is dtypes.bfloat16:
        wide = VectorValue(cg, builder.zext(memory, cg.vector_type(dtypes.int32)), dtypes.int32)
        memory = cg.floats(cg.shift_up(wide, 16)).ir
    elif dtype.is_bool:
        memory = builder.icmp_unsigned("!=", memory, ir.Constant(memory.type, [0] * cg.width))
    return VectorValue(cg, memory, dtype)


def _pack(cg: VectorEmitter, x: VectorValue, dtype: DType) -> Any:
    """What is to be written for lanes."""
    builder, vector = cg.builder, ir.VectorType(memory_type(dtype), cg.width)
    if dtype is dtypes.float16:
        return builder.fptrunc(x.ir, vector)
    if dtype is dtypes.bfloat16:
        wide = VectorValue(cg, x.ir, dtypes.float32)
        bits = cg.bits(wide)
        odd = cg.shift_down(bits, 16) & 1
        nearest = cg.select(cg.isnan(wide), bits | (1 << 22), bits + odd + 0x7FFF)
        return builder.trunc(cg.shift_down(nearest, 16).ir, vector)
    return builder.zext(x.ir, vector) if dtype.is_bool else x.ir


def element(builder: ir.IRBuilder, pointer: Any, dtype: DType, index: Any) -> Any:
    """The address of an element."""
    return builder.gep(pointer, [index], source_etype=memory_type(dtype))


def copy(builder: ir.IRBuilder, source: Any, target: Any, dtype: DType, count: Any) -> None:
    """Copy elements, at least one."""
    before = builder.block
    loop, done = builder.append_basic_block("copy"), builder.append_basic_block("copied")
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(_WORD)
    one = builder.load(element(builder, source, dtype, index), align=dtype.size, typ=memory_type(dtype))
    builder.store(one, element(builder, target, dtype, index), align=dtype.size)
    following = builder.add(index, _WORD(1))
    index.add_incoming(_WORD(0), before)
    index.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, done)
    builder.position_at_end(done)
