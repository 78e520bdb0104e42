"""Explicit SIMD: the `scalar` rules of ops as vector instructions of this machine, with a math library of their own.

    machine        the processor; modules become machine code
    value          vectors that know their dtype
    instructions   constants, intrinsics, bits, branches for rare lanes
    emitter        VectorEmitter, the protocol that the rules are written against
    loop           kernels over contiguous arrays

The other modules are the functions. They are written with the emitter, have no branches but where almost no lane goes,
and are within 2 units in the last place of float32 and float64, for all numbers.

Importing this package imports llvmlite.
"""

from gradtape.compiler.simd.emitter import VectorEmitter, supports
from gradtape.compiler.simd.loop import Kernel, elementwise_kernel, emit_elementwise
from gradtape.compiler.simd.machine import Code, Library, Machine, assemble, host, load, translate

__all__ = [
    "Code",
    "Kernel",
    "Library",
    "Machine",
    "VectorEmitter",
    "assemble",
    "elementwise_kernel",
    "emit_elementwise",
    "host",
    "load",
    "supports",
    "translate",
]
