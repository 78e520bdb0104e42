"""How patterns become machine code: one module for each family of patterns, loaded when the first is needed."""

from gradtape.compiler import blocks  # noqa: F401
from gradtape.compiler.emitters import convolution, indexing, marks, movement, pooling, product, random  # noqa: F401
from gradtape.compiler.emitters import reduction, scan  # noqa: F401
