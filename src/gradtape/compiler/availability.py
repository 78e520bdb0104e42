"""Whether machine code can be compiled here, and for which dtypes; the message if it cannot."""

from __future__ import annotations

import functools
import importlib.util
import platform
import sys
import warnings

from gradtape.compiler import probe
from gradtape.core import provenance
from gradtape.core.caching import once
from gradtape.core.dtypes import DType
from gradtape.core.errors import CompilerWarning


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


def supports(dtype: DType) -> bool:
    """Whether loops over a dtype can be emitted."""
    from gradtape.compiler.codegen.simd import machine  # loaded with the first function that is compiled

    return machine.supports(dtype)


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
