"""Kernels that fill the rest with zeros: strips along the diagonals of matrices, and ones at places that
integers name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradtape.compiler.backends import emits, movement
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.emission import I64, POINTER, VOID, least, moved, table_of, upto, walk
from gradtape.compiler.codegen.simd.machine import host
from gradtape.compiler.runtime.kernels import NOTHING, Launch, Lowered, Operand, get_kernel, inputs, outputs
from gradtape.core.patterns.movement import Marks, Strip, contiguous, fill
from gradtape.core.shape import Spec

_CHUNK = 1 << 14  # elements
_I32 = ir.IntType(32)


def _task(module: ir.Module, per_chunk: int) -> tuple[ir.Function, ir.IRBuilder, Any, Any, Any]:
    """The beginning of a task on two arrays and a number: the function, a builder, the arrays, and the first and last
    of a chunk."""
    function = ir.Function(module, ir.FunctionType(VOID, [I64, I64]), "task")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    table, chunk = function.args
    count = builder.load(builder.gep(builder.inttoptr(table, POINTER), [I64(2)], source_etype=I64), typ=I64)
    first = builder.mul(chunk, I64(per_chunk))
    last = least(builder, builder.add(first, I64(per_chunk)), count)
    return function, builder, table_of(builder, table, 2), first, last


@emits(Strip)
def strip(pattern: Strip, specs: Sequence[Spec], results: Sequence[Spec]) -> Lowered:
    """The launch that copies the strip of every matrix."""
    size, rows = specs[0].dtype.size, math.prod(specs[0].shape[:-1])
    if not math.prod(specs[0].shape):
        return Lowered((Launch(NOTHING, outputs(0)),))
    per_chunk = max(1, _CHUNK // pattern.columns)
    kernel = get_kernel(("strip", pattern, size), lambda module: (_emit_strip(module, pattern, size, per_chunk), 1))
    operands = (*inputs(0), *outputs(0), Operand("number", rows))
    return Lowered((Launch(kernel._replace(chunks=-(-rows // per_chunk)), operands),), shares=((0, 0),))


def _emit_strip(module: ir.Module, pattern: Strip, size: int, per_chunk: int) -> ir.Function:
    function, builder, arrays, first, last = _task(module, per_chunk)
    lanes = max(1, host().register_bytes // size) if size <= 8 else 1

    def row(pointers: list[Any], number: Any) -> None:
        at = builder.trunc(builder.urem(number, I64(pattern.rows)), _I32)
        bounds = builder.sub(at, _I32(pattern.below)), builder.add(at, _I32(pattern.above))
        with upto(builder, I64(0), I64(pattern.columns), lanes) as j:
            _keep(builder, pointers, j, lanes, size, bounds)
        if lanes > 1:
            with upto(builder, j, I64(pattern.columns), 1) as j:
                _keep(builder, pointers, j, 1, size, bounds)

    width = pattern.columns * size
    walk(builder, [0], (first, last), arrays, [[width], [width]], row)
    builder.ret_void()
    return function


def _keep(builder: ir.IRBuilder, pointers: list[Any], j: Any, lanes: int, size: int, bounds: tuple[Any, Any]) -> None:
    """Elements from column j on, zero where they are not between the bounds."""
    kind, narrow = ir.VectorType(ir.IntType(8 * size), lanes), ir.VectorType(_I32, lanes)
    order = ir.Constant(narrow, [0] * lanes)

    def spread(number: Any) -> Any:
        nothing = ir.Constant(narrow, ir.Undefined)
        return builder.shuffle_vector(builder.insert_element(nothing, number, _I32(0)), nothing, order)

    numbers = builder.add(spread(builder.trunc(j, _I32)), ir.Constant(narrow, list(range(lanes))))
    low, high = (spread(bound) for bound in bounds)
    mask = builder.and_(builder.icmp_signed(">=", numbers, low), builder.icmp_signed("<=", numbers, high))
    source, target = (moved(builder, p, builder.mul(j, I64(size))) for p in pointers)
    value = builder.load(source, align=size, typ=kind)
    builder.store(builder.select(mask, value, ir.Constant(kind, None)), target, align=size)


@emits(Marks)
def marks(pattern: Marks, specs: Sequence[Spec], results: Sequence[Spec]) -> Lowered:
    """The launches that write zeros, then ones."""
    (index,), size, count = specs, len(pattern.one), pattern.outer * pattern.inner
    if not math.prod(results[0].shape):
        return Lowered((Launch(NOTHING, outputs(0)),))
    zeros = movement.launch(fill(contiguous(results[0].shape), 0, results[0].dtype), size)
    generic = pattern._replace(outer=0)
    kernel = get_kernel(("marks", generic, index.dtype), lambda module: (_emit_marks(module, generic, index), 1))
    operands = (*inputs(0), *outputs(0), Operand("number", count))
    return Lowered((zeros, Launch(kernel._replace(chunks=-(-count // _CHUNK)), operands)))


def _emit_marks(module: ir.Module, pattern: Marks, index: Spec) -> ir.Function:
    function, builder, (source, target), first, last = _task(module, _CHUNK)
    lane, kind = ir.IntType(8 * len(pattern.one)), ir.IntType(8 * index.dtype.size)
    one = ir.Constant(lane, int.from_bytes(pattern.one, "little"))
    with upto(builder, first, last, 1) as i:
        place = builder.load(builder.gep(source, [i], source_etype=kind), align=index.dtype.size, typ=kind)
        if index.dtype.size < 8:
            place = (builder.zext if index.dtype.is_unsigned else builder.sext)(place, I64)
        with builder.if_then(builder.icmp_unsigned("<", place, I64(pattern.depth))):
            outer, inner = builder.udiv(i, I64(pattern.inner)), builder.urem(i, I64(pattern.inner))
            row = builder.add(builder.mul(outer, I64(pattern.depth)), place)
            at = builder.add(builder.mul(row, I64(pattern.inner)), inner)
            builder.store(one, builder.gep(target, [at], source_etype=lane), align=len(pattern.one))
    builder.ret_void()
    return function
