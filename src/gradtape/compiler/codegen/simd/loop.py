"""Elements in memory: their addresses, and copies of a few."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.value import memory_type
from gradtape.core.dtypes import DType

_I64 = ir.IntType(64)


def element(builder: ir.IRBuilder, pointer: Any, dtype: DType, index: Any) -> Any:
    """The address of an element."""
    return builder.gep(pointer, [index], source_etype=memory_type(dtype))


def copy(builder: ir.IRBuilder, source: Any, target: Any, dtype: DType, count: Any) -> None:
    """Copy elements, at least one."""
    before = builder.block
    loop, done = builder.append_basic_block("copy"), builder.append_basic_block("copied")
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(_I64)
    one = builder.load(element(builder, source, dtype, index), align=dtype.size, typ=memory_type(dtype))
    builder.store(one, element(builder, target, dtype, index), align=dtype.size)
    following = builder.add(index, _I64(1))
    index.add_incoming(_I64(0), before)
    index.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, done)
    builder.position_at_end(done)
