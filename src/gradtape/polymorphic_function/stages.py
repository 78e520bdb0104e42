"""The text of a trace at each stage of its way to machine code."""

from __future__ import annotations

from collections.abc import Callable

from gradtape.compiler import backend, passes
from gradtape.compiler.availability import has_llvm
from gradtape.compiler.graph import Graph
from gradtape.core import errors
from gradtape.tracing.specialize import Specialized
from gradtape.tracing.staged import Staged


def text_at(staged: Staged, stage: str) -> str:
    """The program of a trace as text.

    Args:
      staged: the trace.
      stage: one of `STAGES`.
    """
    if stage not in STAGES:
        raise ValueError(
            errors.compose(
                f"Invalid stage {stage!r}: it must be one of {', '.join(map(repr, STAGES))}.",
                "choose one of these; 'kernels' shows what is compiled.",
                depth=2,
            )
        )
    if stage not in _COMPILED:
        return STAGES[stage](staged, _traced(staged))
    if not has_llvm() and stage != "kernels":
        return "llvmlite is not installed: functions run with NumPy's kernels."
    program = staged.compiled
    graphs = program.graphs if isinstance(program, Specialized) else [_traced(staged)]
    if program is None and staged.trace.is_general:
        return f"The sizes are unknown until {staged.name} is called."
    return "\n".join([STAGES[stage](staged, graph) for graph in graphs])


def _traced(staged: Staged) -> Graph:
    graph = staged.trace.graph
    graph.outputs = list(staged.values)
    return graph


def _kernels(staged: Staged, graph: Graph) -> str:
    from gradtape.compiler import kernel_text

    return kernel_text.describe(backend.fused(graph) if has_llvm() else passes.optimize(graph))


def _asm(staged: Staged, graph: Graph) -> str:
    from gradtape.compiler.codegen.simd.machine import assembly

    return "\n".join([assembly(text) for text in _modules(graph)])


def _modules(graph: Graph) -> list[str]:
    """The texts of all kernels for LLVM, each once."""
    from gradtape.compiler.backends.rows import lower as rows
    from gradtape.compiler.lowering import nodes
    from gradtape.compiler.runtime import kernels

    rows.lower.cache_clear()  # so that its kernels are asked for again
    with kernels.texts() as texts:
        for node in backend.fused(graph).nodes:
            nodes.lower(node)
    return list(dict.fromkeys(texts))


STAGES: dict[str, Callable[[Staged, Graph], str]] = {
    "hlo": lambda staged, graph: str(graph),
    "trace": lambda staged, graph: str(graph),
    "passes": lambda staged, graph: str(passes.optimize(graph)),
    "kernels": _kernels,
    "memory": lambda staged, graph: backend.memory_of(graph),
    "llvm": lambda staged, graph: "\n".join(_modules(graph)),
    "asm": _asm,
    "optimized_hlo": lambda staged, graph: str(staged.program.program.graph),
}
_COMPILED = (
    "kernels",
    "memory",
    "llvm",
    "asm",
)  # of the graphs for the sizes that calls had, if the trace does not know them
