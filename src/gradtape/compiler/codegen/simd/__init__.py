"""Explicit SIMD: the `scalar` rules of ops as vector instructions of this machine, with a separate math library.

    machine        the processor; modules become machine code
    value          vectors that know their dtype
    conversion     casts; elements from memory and to it
    instructions   constants, intrinsics, bits, branches for rare lanes
    emitter        VectorEmitter, the protocol that the rules are written against

The other modules are the functions. They are written with the emitter, have no branches but where almost no lane goes,
and are within 2 units in the last place of float32 and float64, for all numbers.
"""
