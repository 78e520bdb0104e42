"""Matrix products in emitted machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.gemm.problem import Batch, Gemm
from gradtape.core import lazy

if TYPE_CHECKING:
    from gradtape.compiler.gemm.finish import Epilogue, Place
    from gradtape.compiler.gemm.lowering import emit

# What emits is not loaded for products whose code is on disk.
_LATER = {"gradtape.compiler.gemm.finish": "Epilogue Place", "gradtape.compiler.gemm.lowering": "emit"}
__getattr__, __dir__, _ = lazy.attach(__name__, _LATER)

__all__ = ["Batch", "Epilogue", "Gemm", "Place", "emit"]
