"""Machine code for kernels that run repeatedly, from the ops' `lower` rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import hot_kernels

_SMALL = 1 << 12  # elements of the largest array up to which NumPy is not slower than it takes to call the code


def run(op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> Any:
    """The result of an op by code of its own; None if there is none by now, or the arrays are small or not NumPy's."""
    if not all(type(a) is np.ndarray for a in arrays) or max([a.size for a in arrays]) < _SMALL:
        return None
    if not all(a.flags.c_contiguous for a in arrays):
        return None
    native = hot_kernels.kernel(op, arrays, params)
    return None if native is None else native(*arrays)
