"""What kernels compute, without names: elementwise steps, steps along rows, epilogues, and the op that binds them to arrays."""
