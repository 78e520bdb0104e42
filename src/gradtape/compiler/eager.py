"""Machine code for single ops, for eager execution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler import availability
from gradtape.compiler.bodies.loop import Loop, Step, collapse_axes, strides_in
from gradtape.compiler.bodies.rows import Recipe, RowLoop, row_loop
from gradtape.compiler.fusion.pointwise import checks_values, varies
from gradtape.compiler.runtime import pool
from gradtape.core import memory
from gradtape.core.patterns.movement import Copy
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec, spec_of

_ndarray = np.ndarray
_BYTE = np.dtype(np.uint8)


def generate(op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> Callable[..., Any] | None:
    """A kernel of an op for arrays like these, by its `lower`, `row` or `scalar` rule; None if there cannot be one."""
    specs = [spec_of(a) for a in arrays]
    if not availability.has_llvm() or not all(availability.supports(s.dtype) for s in specs):
        return None
    promised = op.infer(*specs, **params)
    several = not isinstance(promised, Spec)
    outputs = list(promised) if several else [promised]
    if not all(availability.supports(s.dtype) and math.prod(s.shape) for s in outputs):
        return None
    try:
        return _generated(op, specs, outputs, several, params)
    except Exception as problem:
        availability.warn(problem, op.name)
        return None


def _generated(
    op: Any, specs: list[Spec], outputs: list[Spec], several: bool, params: dict[str, Any]
) -> Callable[..., Any] | None:
    pattern = op.lower(*specs, **params) if callable(getattr(op, "lower", None)) else None
    if isinstance(pattern, Copy):
        return None  # NumPy makes views of most of these, which cost nothing
    if isinstance(pattern, Product):
        return _product(pattern, outputs[0])
    if pattern is not None and not hasattr(op, "row") and not hasattr(op, "scalar"):
        return None if several else _emitted(pattern, specs, outputs[0])
    from gradtape.compiler.backends.pointwise import lower as loops  # loaded for the first kernel
    from gradtape.compiler.backends.rows import lower as rows

    run: Callable[..., Any] | None = None
    if hasattr(op, "row"):
        over_rows = _rows(op, specs, params)
        run = None if over_rows is None else rows.function_of(over_rows, outputs)
    else:
        loop = _elements(op, specs, outputs[0], params)
        if loop is not None and len(specs) <= 2:
            return _quick(loops.compiled(loop, repr(loop.constants)).call, outputs[0], len(specs))
        run = None if loop is None else loops.function_of(loop, outputs)
    if run is None or several:
        return run
    return lambda *arrays: run(*arrays)[0]


def _quick(call: Callable[..., int], spec: Spec, count: int) -> Callable[..., Any]:
    """A kernel of one or two inputs and one output, without what only other loops need. It may be given the array for its
    result."""
    shape, dtype = spec.shape, spec.dtype.numpy
    make = memory.empty if math.prod(shape) >= memory.THRESHOLD else np.empty

    def unary(a: Any, out: Any = None) -> Any:
        if out is None:
            out = make(shape, dtype)
        if call(a if type(a) is _ndarray and a.flags.c_contiguous else np.ascontiguousarray(a), out):
            pool.raise_interruption()
        return out

    def binary(a: Any, b: Any, out: Any = None) -> Any:
        if out is None:
            out = make(shape, dtype)
        if call(
            a if type(a) is _ndarray and a.flags.c_contiguous else np.ascontiguousarray(a),
            b if type(b) is _ndarray and b.flags.c_contiguous else np.ascontiguousarray(b),
            out,
        ):
            pool.raise_interruption()
        return out

    return unary if count == 1 else binary


def _product(pattern: Product, output: Spec) -> Callable[..., Any] | None:
    """A kernel of matrix products; None for stacks whose axes cannot be joined to two."""
    from gradtape.compiler.backends import product as gemm
    from gradtape.compiler.backends.product import pattern as product
    from gradtape.compiler.codegen import ir
    from gradtape.compiler.runtime.entry import Compiled

    if len(pattern.axes) > 2:
        return None
    module = ir.Module(name="product")
    name, chunks = gemm.emit(module, product.problem_of(pattern))
    return _quick(Compiled(module, module.globals[name], 3, chunks).call, output, 2)


def _emitted(pattern: Any, specs: list[Spec], output: Spec) -> Callable[..., Any] | None:
    """A kernel of what an op's `lower` rule names."""
    from gradtape.compiler.backends import emitter_of

    lowered = emitter_of(type(pattern))(pattern, specs, [output])
    return None if lowered is None or lowered.views else _launching(lowered.launches, lowered.scratch, output)


def _launching(launches: Sequence[Any], scratch: Sequence[int], output: Spec) -> Callable[..., Any]:
    """A kernel of some launches, with temporaries and a large result in recycled memory."""
    from gradtape.compiler.runtime import kernels

    shape, dtype = output.shape, output.dtype.numpy
    make = memory.empty if math.prod(shape) >= memory.THRESHOLD else np.empty

    def run(*given: Any, out: Any = None) -> Any:
        if out is None:
            out = make(shape, dtype)
        arrays = {
            "input": [kernels.plain(a) for a in given],
            "output": [out],
            "scratch": [memory.empty((size + 64,), _BYTE) for size in scratch],
        }
        for kernel, operands in launches:
            words = [
                o.number if o.kind == "number" else _line(arrays[o.kind][o.number], o.kind) + o.offset for o in operands
            ]
            table = np.array(words, np.int64)
            pool.parallel_for(kernel.address, table.ctypes.data, kernel.chunks)
        return out

    return run


def _line(array: Any, kind: str) -> int:
    """Where an array begins; a temporary begins with a cache line."""
    address: int = array.ctypes.data
    return -(-address // 64) * 64 if kind == "scratch" else address


def _rows(op: Any, specs: list[Spec], params: dict[str, Any]) -> RowLoop | None:
    found = op.rows(*specs, **params)
    if found is None or found[0][-1] == 1:
        return None
    shape, *beside = found
    recipe = Recipe(shape[-1])
    patterns = [varies(own, shape) for own in beside]
    handles = [recipe.input(s.dtype, p[-1]) for s, p in zip(specs, patterns, strict=True)]
    made = op.row(recipe, *handles, **params)
    return row_loop(shape, recipe, handles, patterns, made if isinstance(made, tuple) else (made,))


def _elements(op: Any, specs: list[Spec], output: Spec, params: dict[str, Any]) -> Loop | None:
    if not callable(getattr(op, "scalar", None)) or checks_values(op, [s.dtype for s in specs]):
        return None
    shape, strides = collapse_axes(output.shape, [strides_in(s.shape, output.shape) for s in specs])
    step = Step(op, tuple(range(len(specs))), tuple(sorted(params.items())))
    inputs = tuple([(s.dtype, own) for s, own in zip(specs, strides, strict=True)])
    return Loop(shape, inputs, (None,) * len(specs), (step,), (len(specs),), ())
