"""The bodies of kernels, without names: elementwise steps, steps along rows, epilogues, and the op that binds them to arrays."""
