"""Machine code for single ops, for eager execution: an op is lowered as the only node of a program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.compiler import availability
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.runtime import pool
from gradtape.core import memory
from gradtape.core.patterns.movement import Copy
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec, spec_of

_ndarray, _BYTE = np.ndarray, np.dtype(np.uint8)


def generate(op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> Callable[..., Any] | None:
    """A kernel of an op for arrays like these, by its `lower`, `row` or `scalar` rule; None if there cannot be one."""
    specs = [spec_of(a) for a in arrays]
    if not availability.has_llvm() or not all(availability.supports(s.dtype) for s in specs):
        return None
    promised = op.infer(*specs, **params)
    outputs = [promised] if isinstance(promised, Spec) else list(promised)
    if not all(availability.supports(s.dtype) and math.prod(s.shape) for s in outputs):
        return None
    try:
        lowered = _lower(op, specs, promised, params)
        return None if lowered is None else kernel_of(lowered, len(specs), outputs, isinstance(promised, Spec))
    except Exception as problem:
        availability.warn(problem, op.name)
        return None


def _lower(op: Any, specs: Sequence[Spec], promised: Any, params: dict[str, Any]) -> Any:
    """The launches of an op; None if NumPy's kernel is as good."""
    has_rule = hasattr(op, "row") or callable(getattr(op, "scalar", None))
    if not has_rule:
        pattern = op.lower(*specs, **params) if callable(getattr(op, "lower", None)) else None
        # NumPy makes views of most copies, which cost nothing. A stack of products whose axes cannot be joined is many launches.
        if pattern is None or isinstance(pattern, Copy) or (isinstance(pattern, Product) and len(pattern.axes) > 2):
            return None
    from gradtape.compiler.fusion import pointwise  # loaded for the first kernel
    from gradtape.compiler.lowering.nodes import lower

    graph = Graph(op.name)
    graph.parameters = [Value(spec) for spec in specs]
    graph.nodes = [Node(op, graph.parameters, params, promised)]
    graph.outputs = list(graph.nodes[0].outputs)
    (node,) = pointwise.fuse(graph, availability.supports).nodes if has_rule else graph.nodes
    lowered = None if has_rule and node.op is op else lower(node)
    return None if lowered is None or lowered.views else lowered


def kernel_of(lowered: Any, inputs: int, outputs: Sequence[Spec], is_single: bool) -> Callable[..., Any]:
    """A function of arrays that runs launches and gives the outputs in new arrays, or a single one in the array that it is given."""
    from gradtape.compiler.runtime.entry import LINE, entry  # loaded for the first kernel

    call = entry(lowered, inputs, len(outputs))
    if is_single and inputs <= 2 and not lowered.scratch:
        return _quick(call, outputs[0], inputs)
    made = [(_maker(s.shape), s.shape, s.dtype.numpy) for s in outputs]
    sizes = [(size + LINE,) for size in lowered.scratch]

    def run(*arrays: Any, out: Any = None) -> Any:
        results = [make(shape, dtype) for make, shape, dtype in made] if out is None else [out]
        given = [a if type(a) is _ndarray and a.flags.c_contiguous else np.ascontiguousarray(a) for a in arrays]
        if call(*given, *results, *[memory.empty(size, _BYTE) for size in sizes]):
            pool.raise_interruption()
        return results[0] if is_single else tuple(results)

    return run


def _maker(shape: tuple[int, ...]) -> Callable[..., Any]:
    """What makes an array: large ones use memory again."""
    return memory.empty if math.prod(shape) >= memory.THRESHOLD else np.empty


def _quick(call: Callable[..., int], spec: Spec, count: int) -> Callable[..., Any]:
    """A kernel of one or two inputs and one output, without what only others need."""
    shape, dtype, make = spec.shape, spec.dtype.numpy, _maker(spec.shape)

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
