"""Matrix products by the BLAS that SciPy brings, called by pointer from emitted code."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from typing import Any

from llvmlite import binding, ir

from gradtape.compiler.gemm import memory
from gradtape.compiler.gemm.code import I8, I32, KERNEL, POINTER, VOID, Code, Index
from gradtape.compiler.gemm.finish import Epilogue, Finish, Frame
from gradtape.compiler.gemm.problem import Gemm
from gradtape.compiler.simd.machine import host

# Elements of the result in a chunk of an epilogue.
_CHUNK_ELEMENTS = 1 << 15
_ROUTINES = {"sgemm": 13, "dgemm": 13, "sgemv": 11, "dgemv": 11}


@functools.cache
def address(routine: str) -> int:
    """The address of a routine of BLAS with Fortran's conventions: every argument is a pointer, integers have 32 bits.

    Args:
      routine: "sgemm", "dgemm", "sgemv" or "dgemv".
    """
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__[routine]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    found: int = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return found


@functools.cache
def bind() -> None:
    """Let machine code find the routines by name. Code that was assembled earlier needs this before it is loaded."""
    for routine in _ROUTINES:
        binding.add_symbol(_symbol(routine), address(routine))


def emit(
    module: ir.Module, gemm: Gemm, epilogue: Epilogue | None = None, scratch: int | None = None
) -> list[tuple[str, int]]:
    """Names of functions `void kernel(i64 argument, i64 chunk)`, to run one after the other, and their numbers of chunks.

    The product is one chunk, for which BLAS takes its own threads; an epilogue is many.

    Args:
      module: where the functions go.
      gemm: the product.
      epilogue: as of the emitted kernel.
      scratch: slot of memory for the product alone, as large as c without gaps. Needed if the epilogue loads c.
    """
    if gemm.empty:
        return []
    bind()
    name = module.get_unique_name(f"blas_{gemm.name}")
    target = gemm
    if epilogue is not None and scratch is not None:
        batch = dataclasses.replace(gemm.batch, stride_c=gemm.m * gemm.n)
        slots = (gemm.slots[0], gemm.slots[1], scratch)
        target = dataclasses.replace(gemm, slots=slots, ldc=gemm.n, accumulate=False, batch=batch)
    _emit_product(ir.Function(module, KERNEL, name), target)
    if epilogue is None:
        return [(name, 1)]
    if scratch is None:
        gemm = dataclasses.replace(gemm, accumulate=False)
    after = f"{name}.epilogue"
    return [(name, 1), (after, _emit_epilogue(ir.Function(module, KERNEL, after), gemm, target, epilogue))]


def _symbol(routine: str) -> str:
    return f"gradtape_{routine}"


def _emit_product(function: ir.Function, gemm: Gemm) -> None:
    """A call of BLAS for every product of the batch."""
    code = Code(function)
    pointers = [code.slot(slot) for slot in gemm.slots]
    element = memory.element_type(gemm.dtype)
    strides = (gemm.batch.stride_a, gemm.batch.stride_b, gemm.batch.stride_c)
    call = _Call(code, element)

    def product(number: Index) -> None:
        places = zip(pointers, strides, strict=True)
        a, b, c = (code.at(pointer, code.mul(number, stride), element) for pointer, stride in places)
        if gemm.k and gemm.n == 1:
            call.gemv(gemm, a, gemm.transpose_a, gemm.lda, (b, 1 if gemm.transpose_b else gemm.ldb), (c, gemm.ldc))
        elif gemm.k and gemm.m == 1:
            call.gemv(gemm, b, not gemm.transpose_b, gemm.ldb, (a, gemm.lda if gemm.transpose_a else 1), (c, 1))
        else:
            call.gemm(gemm, a, b, c)

    code.repeat(gemm.batch.count, product)
    code.builder.ret_void()


class _Call:
    """Calls with arguments in memory, as Fortran wants them. Rows of ours are columns of Fortran's."""

    def __init__(self, code: Code, element: ir.Type) -> None:
        self.code, self.element = code, element
        self.prefix = "s" if isinstance(element, ir.FloatType) else "d"

    def gemm(self, gemm: Gemm, a: Any, b: Any, c: Any) -> None:
        """The transposed product: c' = b' a'."""
        flags = [self._flag(gemm.transpose_b), self._flag(gemm.transpose_a)]
        sizes = [self._integer(size) for size in (gemm.n, gemm.m, gemm.k)]
        operands = [self._number(1.0), b, self._integer(gemm.ldb), a, self._integer(gemm.lda)]
        result = [self._number(float(gemm.accumulate)), c, self._integer(gemm.ldc)]
        self._call("gemm", [*flags, *sizes, *operands, *result])

    def gemv(self, gemm: Gemm, matrix: Any, plain: bool, ld: int, x: tuple[Any, int], y: tuple[Any, int]) -> None:
        """y = matrix x, where `plain` says that the rows of the matrix are Fortran's columns already.

        Vectors are given with the elements from one of their elements to the next.
        """
        length = gemm.m if gemm.n == 1 else gemm.n
        sizes = [self._integer(size) for size in ((length, gemm.k) if plain else (gemm.k, length))]
        operands = [self._number(1.0), matrix, self._integer(ld), x[0], self._integer(x[1])]
        result = [self._number(float(gemm.accumulate)), y[0], self._integer(y[1])]
        self._call("gemv", [self._flag(not plain), *sizes, *operands, *result])

    def _call(self, suffix: str, arguments: list[Any]) -> None:
        routine = self.prefix + suffix
        module, name = self.code.module, _symbol(routine)
        function = module.globals.get(name)
        if function is None:
            function = ir.Function(module, ir.FunctionType(VOID, [POINTER] * _ROUTINES[routine]), name)
        self.code.builder.call(function, arguments)

    def _flag(self, transposed: bool) -> Any:
        return self._stored(I8(ord("T" if transposed else "N")))

    def _integer(self, value: int) -> Any:
        return self._stored(I32(value))

    def _number(self, value: float) -> Any:
        return self._stored(ir.Constant(self.element, value))

    def _stored(self, value: ir.Constant) -> Any:
        place = self.code.stack(value.type, 1)
        self.code.builder.store(value, place)
        return place


def _emit_epilogue(function: ir.Function, gemm: Gemm, source: Gemm, epilogue: Epilogue) -> int:
    """Emit the epilogue over a finished product that lies where `source` put it; gives the number of chunks."""
    code = Code(function)
    lanes = host().lanes(gemm.dtype.size)
    overwritten = gemm.slots[2] if source.slots[2] == gemm.slots[2] else None
    finish = Finish(Frame(gemm, overwritten=overwritten), epilogue, lanes)
    part = finish.emit(function.module, f"{function.name}.finish", source.ldc)
    rows = max(1, min(gemm.m, _CHUNK_ELEMENTS // gemm.n))
    blocks = -(-gemm.m // rows)
    argument, chunk = function.args
    item, first = code.div(chunk, blocks), code.mul(code.rem(chunk, blocks), rows)
    product = code.slot(source.slots[2])
    offset = code.add(code.mul(item, source.batch.stride_c), code.mul(first, source.ldc))
    place = code.at(product, offset, memory.element_type(gemm.dtype))
    numbers = (item, first, 0, code.least(rows, code.sub(gemm.m, first)), gemm.n)
    code.builder.call(part, [argument, place, *map(code.value, numbers)])
    code.builder.ret_void()
    return blocks * gemm.batch.count
