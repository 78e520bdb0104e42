"""Machine code for single ops, for eager execution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler import backend
from gradtape.compiler.fusion import Loop, Step, checks_values, collapsed, varies
from gradtape.compiler.recipe import Recipe, RowLoop, row_loop
from gradtape.core import large
from gradtape.core.shape import Spec, spec_of

_ndarray = np.ndarray


def generate(op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> Callable[..., Any] | None:
    """A kernel of an op for arrays like these, by its `product`, `row` or `scalar` rule; None if there cannot be one."""
    specs = [spec_of(a) for a in arrays]
    if not backend.has_llvm() or not all(backend.supports(s.dtype) for s in specs):
        return None
    promised = op.infer(*specs, **params)
    several = not isinstance(promised, Spec)
    outputs = list(promised) if several else [promised]
    if not all(backend.supports(s.dtype) and math.prod(s.shape) for s in outputs):
        return None
    if hasattr(op, "product"):
        return _product(op.product(*specs, **params), outputs[0])
    loop: Loop | RowLoop | None
    loop = _rows(op, specs, params) if hasattr(op, "row") else _elements(op, specs, outputs[0], params)
    made = None if loop is None else backend.make(loop, outputs, op.name)
    if made is None:
        return None
    if isinstance(loop, Loop) and len(specs) <= 2:
        return _quick(made.code.call, outputs[0], len(specs))
    run: Callable[..., Any] = made.kernel
    return run if several else lambda *arrays: run(*arrays)[0]


def _quick(call: Callable[..., None], spec: Spec, count: int) -> Callable[..., Any]:
    """A kernel of one or two inputs and one output, without what only other loops need. It may be given the array for its
    result."""
    shape, dtype = spec.shape, spec.dtype.numpy
    make = large.empty if math.prod(shape) >= large.THRESHOLD else np.empty

    def unary(a: Any, out: Any = None) -> Any:
        if out is None:
            out = make(shape, dtype)
        call(a if type(a) is _ndarray and a.flags.c_contiguous else np.ascontiguousarray(a), out)
        return out

    def binary(a: Any, b: Any, out: Any = None) -> Any:
        if out is None:
            out = make(shape, dtype)
        call(
            a if type(a) is _ndarray and a.flags.c_contiguous else np.ascontiguousarray(a),
            b if type(b) is _ndarray and b.flags.c_contiguous else np.ascontiguousarray(b),
            out,
        )
        return out

    return unary if count == 1 else binary


def _product(sizes: Any, output: Spec) -> Callable[..., Any] | None:
    """A kernel of matrix products, if emitted code is faster for them than BLAS."""
    if sizes is None or output.dtype.name not in ("float32", "float64"):
        return None
    from llvmlite import ir

    from gradtape.compiler import gemm
    from gradtape.compiler.emission import Compiled

    (m, n, k), (transpose_a, transpose_b), (count, stride_a, stride_b) = sizes
    batch = gemm.Batch(count, stride_a, stride_b, m * n if count > 1 else 0)
    problem = gemm.Gemm(m, n, k, output.dtype, transpose_a, transpose_b, batch=batch)
    if gemm.choose(problem) != "emitted":
        return None
    module = ir.Module(name="product")
    name, chunks = gemm.emit(module, problem)
    return _quick(Compiled(module, module.globals[name], 3, chunks).call, output, 2)


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
    shape, patterns = collapsed(output.shape, [varies(s.shape, output.shape) for s in specs])
    step = Step(op, tuple(range(len(specs))), tuple(sorted(params.items())))
    inputs = tuple([(s.dtype, p) for s, p in zip(specs, patterns, strict=True)])
    return Loop(shape, inputs, (None,) * len(specs), (step,), (len(specs),), ())
