"""From a graph to an executable program: the passes, then machine code for fused nodes if llvmlite is installed."""

from __future__ import annotations

from gradtape.compiler import debug, passes
from gradtape.compiler.availability import has_llvm, warn
from gradtape.compiler.graph import Graph
from gradtape.core import gc_pause


def prepare(graph: Graph) -> Graph:
    """The graph that runs in place of a traced one."""
    with gc_pause.paused():
        return _prepared(graph)


def _prepared(graph: Graph) -> Graph:
    if debug.wants("trace"):
        debug.show(f"{graph.name}, as it was traced", graph)
    optimized = passes.optimize(graph)
    if debug.wants("native=0") or not has_llvm():
        return optimized
    from gradtape.compiler import pipeline
    from gradtape.compiler.runtime import translator

    try:
        with translator.together():
            native = pipeline.segment(_shown(pipeline.fuse(optimized)))
    except Exception as problem:
        warn(problem, graph.name)
        return optimized
    native.plain = optimized
    if debug.wants("memory"):
        sizes = [node.op.size for node in native.nodes if hasattr(node.op, "launch")]
        debug.show(
            f"memory of {graph.name}", f"{sum(sizes):,} bytes for values between kernels, in {len(sizes)} programs"
        )
    return native


def _shown(graph: Graph) -> Graph:
    """A fused graph, after it was looked at if somebody asks for it."""
    if debug.wants("kernels"):
        from gradtape.compiler import kernel_text

        debug.show(f"kernels of {graph.name}", kernel_text.describe(graph))
    return graph


def fused(graph: Graph) -> Graph:
    """A traced graph with its loops fused, ready to be lowered."""
    from gradtape.compiler import pipeline  # what makes machine code is loaded with the first function

    return pipeline.fuse(passes.optimize(graph))
