"""From a graph to what runs: the passes, then machine code for what can be fused, where llvmlite is installed."""

from __future__ import annotations

import functools
import importlib.util
import warnings
from typing import Any

from gradtape.compiler import fusion, passes
from gradtape.compiler.graph import Graph
from gradtape.compiler.loop import Loop
from gradtape.compiler.recipe import RowLoop
from gradtape.core import gc_pause as garbage, provenance
from gradtape.core.dtypes import DType
from gradtape.core.errors import CompilerWarning
from gradtape.core.shape import Spec


@functools.cache
def has_llvm() -> bool:
    """True if machine code can be made. Programs also say that a package is not there by None among the modules."""
    try:
        return importlib.util.find_spec("llvmlite") is not None
    except (ImportError, ValueError):
        return False


def prepare(graph: Graph) -> Graph:
    """The graph that runs in place of a traced one."""
    with garbage.paused():
        return _prepared(graph)


def _prepared(graph: Graph) -> Graph:
    optimized = passes.optimize(graph)
    if not has_llvm():
        return optimized
    from gradtape.compiler import lowering, segments, translator

    try:
        with translator.together():
            native = segments.segmented(_fused(optimized), lowering.lower)
    except Exception as problem:
        warn(problem, graph.name)
        return optimized
    native.plain = optimized
    return native


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
