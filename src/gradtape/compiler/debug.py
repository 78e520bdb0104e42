"""Windows into the compiler: what `GRADTAPE_DEBUG` asks for, printed to standard error while functions are compiled.

    trace      the graph of every function, as it was traced
    passes     the graph after each pass that changed it
    kernels    what every kernel computes, with the user's lines, floating-point operations and bytes
    llvm       the text that is handed to LLVM for every kernel, once in a process
    asm        the instructions that LLVM makes of it
    memory     the bytes that are planned for values between kernels, and those of results
    verify     check graphs, kernels and memory after every pass
    native=0   run NumPy's kernels, no machine code
    tier=0     keep the code that was made quickly, do not make better code

Several are separated by commas: `GRADTAPE_DEBUG=passes,verify`. Nothing is looked at, and nothing is paid, while it is not set.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_SHOWN = ("trace", "passes", "kernels", "llvm", "asm", "memory", "verify")
_SWITCHES = ("native", "tier")


def _parse(text: str) -> frozenset[str]:
    """What is asked for; switches as `native=0`."""
    asked = {part.strip() for part in text.split(",") if part.strip()}
    known = {*_SHOWN, *(f"{name}={value}" for name in _SWITCHES for value in "01")}
    if unknown := sorted(asked - known):
        raise ValueError(
            f"GRADTAPE_DEBUG cannot show {', '.join(unknown)}; it takes {', '.join(_SHOWN)}, native=0 and tier=0, separated by commas."
        )
    return frozenset(asked)


asked: frozenset[str] = _parse(os.environ.get("GRADTAPE_DEBUG", ""))


def wants(what: str) -> bool:
    """Whether something is asked for."""
    return what in asked


def show(title: str, text: Any) -> None:
    """Print something, with a line above it that says what it is."""
    print(f"--- gradtape: {title}\n{text}", file=sys.stderr, flush=True)
