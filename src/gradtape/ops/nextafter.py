"""The neighbours of floating point numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.family import NO_LOWERING, Binary, unbroadcast_to
from gradtape.ops.selection import zeros


@declare("nextafter")
class Nextafter(Binary):
    """The number next to x1 in the direction of x2, elementwise. Its derivative is 1 for x1 and 0 for x2."""

    kinds = "f"
    numpy = (np.nextafter,)
    lower = NO_LOWERING
    inputs = ("x1", "x2")
    kernel = staticmethod(np.nextafter)

    def vjp(self, dy: Any, x1_shape: Any, x2_shape: Any, *, needs: Any) -> Any:
        return (
            unbroadcast_to(dy, x1_shape) if needs[0] else None,
            unbroadcast_to(zeros(dy), x2_shape) if needs[1] else None,
        )
