"""From a graph to what runs: the passes, then machine code for what can be fused, where llvmlite is installed."""

from __future__ import annotations

import functools
import importlib.util
import warnings
from typing import Any

from gradtape.compiler import fusion, passes
from gradtape.compiler.graph import Graph
from gradtape.compiler.recipe import RowLoop
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec


@functools.cache
def has_llvm() -> bool:
    """True if machine code can be made."""
    return importlib.util.find_spec("llvmlite") is not None


def prepare(graph: Graph) -> Graph:
    """The graph that runs in place of a traced one."""
    graph = passes.optimize(graph)
    return fusion.fuse(graph, supports, make) if has_llvm() else graph


def supports(dtype: DType) -> bool:
    """Whether loops over a dtype can be emitted."""
    from gradtape.compiler import simd

    return simd.supports(dtype)


def make(loop: fusion.Loop | RowLoop, specs: list[Spec], parts: str) -> Any:
    """The op of a fused loop; None, and one warning, if the code generator fails: NumPy's kernels then run as they are."""
    from gradtape.compiler.loops import Fused
    from gradtape.compiler.rows import FusedRows

    try:
        return FusedRows(loop, specs, parts) if isinstance(loop, RowLoop) else Fused(loop, specs, parts)
    except Exception as problem:
        _warn(f"{type(problem).__name__}: {problem}", parts)
        return None


@functools.cache
def _warn(problem: str, parts: str) -> None:
    warnings.warn(
        f"gradtape could not compile {parts} ({problem}); it runs with NumPy's kernels instead, with the same results. "
        "Please report this line.",
        RuntimeWarning,
        stacklevel=2,
    )
