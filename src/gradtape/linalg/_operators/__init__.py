"""Linear operators: matrices defined by their action, so that structure saves memory and work.

base.py        what all have: products, solutions, determinants … by the dense matrix where nothing better is known
dense.py       full and triangular matrices
diagonal.py    diagonal matrices, multiples of the identity, zero
compositions.py  products, adjoints, inverses, Kronecker products
parts.py       the tensors that an operator is made of
blocks.py      block diagonal and block triangular matrices
low_rank_update.py  a matrix and a correction of low rank
products.py    which operator the product of two is
structured.py  Toeplitz, tridiagonal, Householder and permutation matrices
circulant.py   circulant matrices in one, two and three dimensions
late.py        operators whose sizes are known only when a function runs
dispatch.py    functions of `tf.linalg` that take operators
"""

from gradtape.linalg._operators import compositions, dense, products

__all__ = ["compositions", "dense", "products"]  # these define the operators that the base makes from operators
