"""Scans: sums and products of all elements so far along an axis, with vectors across the axes after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.rows import combine as joining
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import CHUNK, I64, POINTER, VOID, close, counted, table_of
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import computed, default_width, supports
from gradtape.compiler.codegen.simd.value import VectorValue
from gradtape.compiler.runtime import kernels
from gradtape.compiler.runtime.kernels import Launch, Lowered
from gradtape.core.patterns.reduction import Scan
from gradtape.core.shape import Spec


@emits(Scan)
def emit_scan(pattern: Scan, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Lowered | None:
    """The launch of a scan."""
    outer, n, inner = pattern.sizes
    if not supports(pattern.dtype) or not outer * n * inner:
        return None
    kernel = kernels.get_kernel(pattern, lambda module: _emit(module, pattern))
    return Lowered((Launch(kernel, (*kernels.inputs(0), *kernels.outputs(0))),))


def _emit(module: ir.Module, pattern: Scan) -> tuple[ir.Function, int]:
    """The task: some lines along the axis; each is as wide as a vector, or one element where there is no whole vector."""
    outer, n, inner = pattern.sizes
    lanes = default_width([pattern.dtype])
    whole, rest = divmod(inner, lanes)
    lines = whole + rest
    per_chunk = max(1, CHUNK // (n * (lanes if whole else 1)))
    chunks = -(-outer * lines // per_chunk)
    wide = _emit_line(module, pattern, lanes) if whole else None
    single = _emit_line(module, pattern, 1) if rest else None

    function = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    table, chunk = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    pointers = table_of(builder, table, 2)
    first = builder.mul(chunk, I64(per_chunk))
    last = builder.add(first, I64(per_chunk))
    last = builder.select(builder.icmp_signed("<", last, I64(outer * lines)), last, I64(outer * lines))
    loop = counted(builder, first, "lines")
    start = builder.mul(builder.udiv(loop[0], I64(lines)), I64(n * inner))
    number = builder.urem(loop[0], I64(lines))

    def call(line: ir.Function, place: Any) -> None:
        at = builder.add(start, place)
        builder.call(line, [element(builder, p, pattern.dtype, at) for p in pointers])

    if wide is not None and single is not None:
        with builder.if_else(builder.icmp_signed("<", number, I64(whole))) as (then, otherwise):
            with then:
                call(wide, builder.mul(number, I64(lanes)))
            with otherwise:
                call(single, builder.add(number, I64(whole * lanes - whole)))
    elif wide is not None:
        call(wide, builder.mul(number, I64(lanes)))
    elif single is not None:
        call(single, number)
    close(builder, loop, last, 1)
    builder.ret_void()
    return function, chunks


def _emit_line(module: ir.Module, pattern: Scan, lanes: int) -> ir.Function:
    """`line(source, target)`: along the axis once."""
    _, n, inner = pattern.sizes
    dtype, own = pattern.dtype, computed(pattern.dtype)
    function = ir.Function(module, ir.FunctionType(VOID, [POINTER, POINTER]), f"line{lanes}")
    function.linkage = "internal"
    source, target = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    cg = VectorEmitter(module, builder, lanes)
    nothing = cg.splat(joining.start(pattern.join, own), own)
    before = builder.block
    loop = counted(builder, I64(0), "axis")
    total = builder.phi(nothing.ir.type)
    total.add_incoming(nothing.ir, before)
    place = builder.sub(I64(n - 1), loop[0]) if pattern.reverse else loop[0]
    place = builder.mul(place, I64(inner))
    cg = VectorEmitter(module, builder, lanes)
    so_far = VectorValue(cg, total, own)
    x = conversion.load(cg, element(builder, source, dtype, place), dtype)
    joined = joining.combine(cg, pattern.join, so_far, cg.cast(x, own))
    stored = cg.cast(so_far if pattern.exclusive else joined, dtype)
    conversion.store(cg, stored, element(builder, target, dtype, place))
    total.add_incoming(joined.ir, builder.block)
    close(builder, loop, I64(n), 1)
    builder.ret_void()
    return function
