"""Linear operators: matrices by what they do, so that structure saves memory and work.

base.py        what all have: products, solutions, determinants … by the dense matrix where nothing better is known
dense.py       full and triangular matrices
diagonal.py    diagonal matrices, multiples of the identity, zero
combined.py    products, adjoints, inverses, Kronecker products
blocks.py      block diagonal and block triangular matrices
low_rank.py    a matrix and a correction of low rank
structured.py  Toeplitz, tridiagonal, Householder and permutation matrices
circulant.py   circulant matrices in one, two and three dimensions
dispatch.py    functions of `tf.linalg` that take operators
"""
