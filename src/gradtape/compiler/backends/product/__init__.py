"""Matrix products in emitted machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtape.compiler.backends.product.problem import Batch, Gemm
from gradtape.core import lazy

if TYPE_CHECKING:
    from gradtape.compiler.backends.product.epilogue import EmitEpilogue, VectorPlace
    from gradtape.compiler.backends.product.kernel import emit

# What emits is not loaded for products whose code is on disk.
_LATER = {
    "gradtape.compiler.backends.product.epilogue": "EmitEpilogue VectorPlace",
    "gradtape.compiler.backends.product.kernel": "emit",
}
__getattr__, __dir__, _ = lazy.attach(__name__, _LATER)

__all__ = ["Batch", "EmitEpilogue", "Gemm", "VectorPlace", "emit"]
