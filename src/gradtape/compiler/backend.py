"""From a graph to what runs: the passes, then machine code for what can be fused, where llvmlite is installed."""

from __future__ import annotations

import functools
import importlib.util
import platform
import sys
import warnings
from typing import Any

from gradtape.compiler import debug, fusion, passes, probe
from gradtape.compiler.graph import Graph
from gradtape.compiler.loop import Loop
from gradtape.compiler.recipe import RowLoop
from gradtape.core import gc_pause, provenance
from gradtape.core.caching import once
from gradtape.core.dtypes import DType
from gradtape.core.errors import CompilerWarning
from gradtape.core.shape import Spec


@once
def has_llvm() -> bool:
    """True if machine code can be made, and without danger for the process. Programs also say that a package is not there by None among
    the modules."""
    try:
        if importlib.util.find_spec("llvmlite") is None:
            return False
    except (ImportError, ValueError):
        return False
    if probe.is_safe():
        return True
    _say(
        f"gradtape's compiler does not work on {sys.platform} {platform.machine()}; functions run with NumPy's kernels instead, with the "
        "same results, and slower. Please report this line."
    )
    return False


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
    from gradtape.compiler import lowering, segments, translator

    try:
        with translator.together():
            native = segments.segmented(_shown(_fused(optimized)), lowering.lower)
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
    if debug.wants("verify"):
        graph.verify()
    if debug.wants("kernels"):
        from gradtape.compiler import kernel_text

        debug.show(f"kernels of {graph.name}", kernel_text.describe(graph))
    return graph


def fused(graph: Graph) -> Graph:
    """A traced graph with its loops fused, ready to be lowered."""
    return _fused(passes.optimize(graph))


def _fused(optimized: Graph) -> Graph:
    from gradtape.compiler import destinations, epilogue, parts, views

    graph = fusion.fuse(optimized, supports, make)
    return parts.absorb(destinations.absorb(views.absorb(epilogue.absorb(graph))))


def supports(dtype: DType) -> bool:
    """Whether loops over a dtype can be emitted."""
    from gradtape.compiler import simd

    return simd.supports(dtype)


def make(loop: Loop | RowLoop, specs: list[Spec], parts: str) -> Any:
    """The op of a fused loop; None, and one warning, if the code generator fails: NumPy's kernels then run as they are."""
    from gradtape.compiler.loops import Fused
    from gradtape.compiler.rows import FusedRows

    try:
        return FusedRows(loop, specs, parts) if isinstance(loop, RowLoop) else Fused(loop, specs, parts)
    except Exception as problem:
        warn(problem, parts)
        return None


def warn(problem: Exception, parts: str) -> None:
    """Say once that something could not be compiled."""
    if isinstance(problem, (ImportError, OSError)):
        _say(
            f"gradtape cannot load llvmlite ({type(problem).__name__}: {problem}); functions run with NumPy's kernels instead, "
            "with the same results, and slower. Install it anew: pip install --force-reinstall llvmlite"
        )
    else:
        _say(
            f"gradtape could not compile {parts} ({type(problem).__name__}: {problem}); it runs with NumPy's kernels instead, "
            "with the same results. Please report this line."
        )


@functools.cache
def _say(text: str) -> None:
    warnings.warn(text, CompilerWarning, stacklevel=provenance.stacklevel())
