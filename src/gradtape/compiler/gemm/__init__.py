"""Matrix products in emitted machine code."""

from __future__ import annotations

from gradtape.compiler.gemm.finish import Epilogue, Place
from gradtape.compiler.gemm.lowering import emit
from gradtape.compiler.gemm.problem import Batch, Gemm

__all__ = ["Batch", "Epilogue", "Gemm", "Place", "emit"]
