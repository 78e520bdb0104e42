"""Conversions between dtypes. Those to floating and complex dtypes have a derivative, the others do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import log
from gradtape.core.dtypes import DType, as_dtype, uint32
from gradtape.core.op import NotDifferentiable, declare
from gradtape.core.shape import Spec
from gradtape.ops.family import Unary


class Conversion(Unary):
    """The input in another dtype."""

    kinds = "fVciub"

    def infer(self, x: Spec, *, dtype: DType) -> Spec:  # type: ignore[override]
        self.check_dtypes(x)
        return Spec(x.shape, dtype)

    def scalar(self, cg: Any, x: Any, *, dtype: DType) -> Any:
        return cg.cast(x, dtype)


@declare("cast")
class Cast(Conversion):
    """x in a dtype that gradients flow through: floating point or complex. Complex to real takes the real part."""

    def kernel(self, x: Any, *, dtype: DType) -> Any:
        if x.dtype.kind == "c" and not dtype.is_complex:
            log.warning("cast: from %s to %s, which drops the imaginary part.", x.dtype.name, dtype.name)
            x = np.real(x)
        return x.astype(dtype.numpy)

    def vjp(self, dy: Any, x_dtype: Any, *, dtype: DType) -> Any:
        return (Cast(dy, dtype=as_dtype(x_dtype)),)


@declare("cast_to_discrete")
class CastToDiscrete(Conversion):
    """x in a dtype without gradients: floats are cut off toward zero, and all but zero is true."""

    vjp = NotDifferentiable("the result has a dtype without gradients")

    def kernel(self, x: Any, *, dtype: DType) -> Any:
        if x.dtype.kind == "c":
            x = np.real(x)
        if dtype is uint32 and x.dtype.kind in "fV":
            # Of floats out of range NumPy gives other numbers for arrays than for scalars.
            x = x.astype(np.int64)
        return x.astype(dtype.numpy)
