"""Matrix products: emitted machine code for small and middle sizes, BLAS by pointer for large ones."""

from __future__ import annotations

from gradtape.compiler.gemm.finish import Epilogue, Place
from gradtape.compiler.gemm.lowering import choose, emit, kernels
from gradtape.compiler.gemm.problem import Batch, Gemm

__all__ = ["Batch", "Epilogue", "Gemm", "Place", "choose", "emit", "kernels"]
