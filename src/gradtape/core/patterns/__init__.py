"""Patterns: the kernels other than elementwise loops, described by sizes and positions without names.

An op's `lower` rule gets the specs of the inputs and the op's parameters, and says which pattern the op is:

    def lower(self, x, *, perm):
        return seen(transposed(contiguous(x.shape), perm))

It returns None where the pattern does not fit (a dtype, a size); the op's kernel runs then. Patterns are hashable and equal if
their machine code is: `compiler/lowering/nodes.py` makes the code of each once.
"""
