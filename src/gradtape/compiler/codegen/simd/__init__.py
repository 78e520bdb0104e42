"""Explicit SIMD: the `scalar` rules of ops as vector instructions of this machine, with a separate math library.

    machine        the processor; modules become machine code
    value          vectors that know their dtype
    conversion     casts; elements from memory and to it
    instructions   constants, intrinsics, bits, branches for rare lanes
    emitter        VectorEmitter, the protocol that the rules are written against

The other modules are the functions. They are written with the emitter, have no branches but where almost no lane goes,
and are within 2 units in the last place of float32 and float64, for all numbers.

Importing this package imports llvmlite. The emitter is loaded when code is emitted, not for code that is on disk.
"""

from typing import TYPE_CHECKING

from gradtape.compiler.codegen.simd.machine import Code, Library, Machine, assemble, host, load, translate
from gradtape.compiler.codegen.simd.widths import default_width, supports
from gradtape.core import lazy

if TYPE_CHECKING:
    from gradtape.compiler.codegen.simd.emitter import VectorEmitter

_LATER = {"gradtape.compiler.codegen.simd.emitter": "VectorEmitter"}
__getattr__, __dir__, _ = lazy.attach(__name__, _LATER)

__all__ = [
    "Code",
    "Library",
    "Machine",
    "VectorEmitter",
    "assemble",
    "default_width",
    "host",
    "load",
    "supports",
    "translate",
]
