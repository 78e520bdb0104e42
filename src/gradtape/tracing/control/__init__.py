"""Branches and loops in graphs: ops, gradients, vectorization, loop fission."""
