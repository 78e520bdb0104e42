"""Kernels for tests of the vector library: a body for one element as a loop of vectors over contiguous arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import conversion
from gradtape.compiler.codegen.simd.conversion import copy, element
from gradtape.compiler.codegen.simd.emitter import VectorEmitter
from gradtape.compiler.codegen.simd.machine import Library, assemble, default_width
from gradtape.compiler.codegen.simd.value import VectorValue, memory_type
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

_POINTER, _I64 = ir.PointerType(), ir.IntType(64)

Body = Callable[..., VectorValue]


class ElementwiseKernel:
    """A compiled loop. Called with the addresses of the inputs and the output, and the range of elements.

    The call releases Python's lock, so that threads may run parts of a range at once. The output may be one of the inputs.

    Attributes:
      library: the machine code.
      address: of the function, for native callers.
    """

    def __init__(self, library: Library, name: str, inputs: int) -> None:
        self.library, self.address = library, library.address(name)
        types = [ctypes.c_void_p] * (inputs + 1) + [ctypes.c_int64] * 2
        self._call = ctypes.CFUNCTYPE(None, *types)(self.address)

    def __call__(self, *arguments: int) -> None:
        self._call(*arguments)


def elementwise_kernel(
    name: str, inputs: Sequence[DType], output: DType, body: Body, scalars: Sequence[bool] = ()
) -> ElementwiseKernel:
    """A kernel that computes `body(emitter, *values)` for every element.

    Args:
      name: of the function.
      inputs: dtypes of the inputs.
      output: the dtype of the result.
      body: gives the result's value for one value per input.
      scalars: for each input, whether it is one element for the whole range; none is if omitted.

    Returns:
      A `ElementwiseKernel`, called with one address per input, that of the output, and the first and last (excluded) element.
    """
    module = ir.Module(name=name)
    emit_elementwise(module, name, inputs, output, body, scalars)
    return ElementwiseKernel(assemble(module), name, len(inputs))


def emit_elementwise(
    module: ir.Module,
    name: str,
    inputs: Sequence[DType],
    output: DType,
    body: Body,
    scalars: Sequence[bool] = (),
    width: int | None = None,
) -> ir.Function:
    """The function of a kernel, added to a module. Arguments as of `elementwise_kernel`; `width` is the number of lanes.

    The body is emitted once, as a loop over whole vectors. What is left over is copied to vectors on the stack and given to
    the same loop, which takes less time to compile than a second body, and reads and writes nothing beyond the range.
    """
    types = [dtypes.as_dtype(d) for d in inputs]
    result = dtypes.as_dtype(output)
    splats = tuple(scalars) or (False,) * len(types)
    lanes = width or default_width([*types, result])
    whole = _emit_vectors(module, f"{name}.vectors", types, result, body, splats, lanes)

    function = ir.Function(module, whole.function_type, name)
    *pointers, start, stop = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    buffers = [_buffer(builder, d, lanes) for d in [*types, result]]
    count = builder.sub(stop, start)
    count = builder.select(builder.icmp_signed("<", count, _I64(0)), _I64(0), count)
    middle = builder.add(start, builder.and_(count, _I64(-lanes)))
    with builder.if_then(builder.icmp_signed(">=", count, _I64(lanes))):
        builder.call(whole, [*pointers, start, middle])
    with builder.if_then(builder.icmp_signed("<", middle, stop)):
        left = builder.sub(stop, middle)
        arguments = []
        for pointer, buffer, dtype, splat in zip(pointers, buffers, types, splats, strict=False):
            if not splat:
                builder.store(ir.Constant(ir.VectorType(memory_type(dtype), lanes), None), buffer, align=dtype.size)
                copy(builder, element(builder, pointer, dtype, middle), buffer, dtype, left)
            arguments.append(pointer if splat else buffer)
        builder.call(whole, [*arguments, buffers[-1], _I64(0), _I64(lanes)])
        copy(builder, buffers[-1], element(builder, pointers[-1], result, middle), result, left)
    builder.ret_void()
    return function


def _emit_vectors(
    module: ir.Module, name: str, types: Sequence[DType], result: DType, body: Body, splats: Sequence[bool], lanes: int
) -> ir.Function:
    """A function that runs the body over a range which is a multiple of the number of lanes, and not empty."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [_POINTER] * (len(types) + 1) + [_I64, _I64]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    *pointers, start, stop = function.args
    entry, loop, done = (function.append_basic_block(n) for n in ("entry", "loop", "done"))
    builder = ir.IRBuilder(entry)
    cg = VectorEmitter(module, builder, lanes)
    fixed = [conversion.load_one(cg, p, d) if s else None for p, d, s in zip(pointers[:-1], types, splats, strict=True)]
    builder.branch(loop)
    builder.position_at_end(loop)
    index = builder.phi(_I64)
    values = [
        one if one is not None else conversion.load(cg, element(builder, p, d, index), d)
        for one, p, d in zip(fixed, pointers[:-1], types, strict=True)
    ]
    value = body(cg, *values)
    conversion.store(cg, value, element(builder, pointers[-1], result, index))
    following = builder.add(index, _I64(lanes))
    index.add_incoming(start, entry)
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, stop), loop, done)
    builder.position_at_end(done)
    builder.ret_void()
    return function


def _buffer(builder: ir.IRBuilder, dtype: DType, lanes: int) -> Any:
    """Room for one vector on the stack."""
    return builder.alloca(ir.VectorType(memory_type(dtype), lanes), 64)
