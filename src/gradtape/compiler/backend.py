"""From a graph to an executable program: the passes, then machine code for fused nodes if llvmlite is installed."""

from __future__ import annotations

from gradtape.compiler import debug, passes
from gradtape.compiler.availability import has_llvm, warn
from gradtape.compiler.graph import Graph
from gradtape.core import gc_pause


def prepare(graph: Graph) -> Graph:
    """The graph that runs in place of a traced one."""
    with gc_pause.paused():
        return _prepare(graph)


def _prepare(graph: Graph) -> Graph:
    if debug.wants("trace"):
        debug.show(f"{graph.name}, as it was traced", graph)
    optimized = passes.optimize(graph)
    if debug.wants("native=0") or not has_llvm():
        return optimized
    from gradtape.compiler import pipeline  # loaded with the first function that is compiled
    from gradtape.compiler.runtime import translator

    try:
        with translator.together():
            native = pipeline.segment(_show(pipeline.fuse(optimized)))
    except Exception as problem:
        warn(problem, graph.name)
        return optimized
    native.plain = optimized
    if debug.wants("memory"):
        debug.show(f"memory of {graph.name}", memory_of(graph))
    return native


def _show(graph: Graph) -> Graph:
    """A fused graph, after it was looked at if somebody asks for it."""
    if debug.wants("kernels"):
        from gradtape.compiler import kernel_text  # loaded to look at kernels

        debug.show(f"kernels of {graph.name}", kernel_text.describe(graph))
    return graph


def fused(graph: Graph) -> Graph:
    """A traced graph with its loops fused, ready to be lowered."""
    from gradtape.compiler import pipeline  # what makes machine code is loaded with the first function

    return pipeline.fuse(passes.optimize(graph))


def memory_of(graph: Graph) -> str:
    """Where the values of a traced graph lie while it runs, as text."""
    from gradtape.compiler import memory_text, pipeline  # loaded to look at memory

    found: list[str] = []
    pipeline.segment(fused(graph), lambda planned: found.append(memory_text.describe(planned)))
    return "\n".join(found) or "No part of this function runs natively."
