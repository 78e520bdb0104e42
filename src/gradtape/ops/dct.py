"""Discrete cosine transforms of the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


@declare("dct")
class Dct(Op):
    """A cosine transform of kind 1 to 4, as SciPy defines them, or multiplication by the transpose of its matrix.

    With `ortho` the matrix is orthogonal.
    """

    kinds = "f"
    validate = True
    lower = NO_LOWERING

    def infer(self, x: Spec, *, kind: int, ortho: bool = False, transposed: bool = False) -> Spec:
        dtype = self.check_dtypes(x)
        if dtype not in (dtypes.float32, dtypes.float64):
            raise self.error(
                errors.DTypeError, f"x must be float32 or float64, got {x}.", "cast it to tf.float32 or tf.float64."
            )
        if kind not in _INVERSE:
            raise self.error(
                errors.InvalidArgumentError,
                f"kind must be 1, 2, 3 or 4, got {kind}.",
                "use type 2, or its inverse, 3.",
            )
        least = 2 if kind == 1 else 1
        if not x.rank or x.shape[-1] < least:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, and the last axis must have {least} elements at least.",
                "give signals [..., samples].",
            )
        return x

    def kernel(self, x: Any, *, kind: int, ortho: bool = False, transposed: bool = False) -> Any:
        if not x.size:
            return np.zeros_like(x)
        if not transposed:
            return cosines(x, kind, ortho)
        if ortho or kind == 4:
            return cosines(x, _INVERSE[kind], ortho)
        # The transpose is the inverse, but for the weight of the first element, and of the last for kind 1.
        ends = slice(None, None, max(x.shape[-1] - 1, 1)) if kind == 1 else slice(0, 1)
        if kind != 3:
            x = np.copy(x)
            x[..., ends] *= 2.0
        y = cosines(x, _INVERSE[kind], False)
        if kind != 2:
            y[..., ends] *= 0.5
        return y

    def vjp(self, dy: Any, *, kind: int, ortho: bool = False, transposed: bool = False) -> Any:
        return (Dct(dy, kind=kind, ortho=ortho, transposed=not transposed),)

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


@overridable
def cosines(x: Any, kind: int, ortho: bool) -> Any:
    """SciPy's transform."""
    from scipy.fft import dct

    return dct(x, kind, norm="ortho" if ortho else None)
