"""Functions of `tf` that take sparse tensors: those of elements that leave zeros as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import deferral as later
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.api import dispatching

_UNARY = {
    "": (
        "abs asin asinh atan atanh cast ceil erf expm1 floor identity log1p negative round sign sin sinh sqrt square "
        "stop_gradient tan tanh"
    ),
    "nn": "relu",
}


def _of_values(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, *args: Any, **kwargs: Any) -> Any:
        return x.with_values(
            (later.adapt(function) if later.can_wait(function) else function)(x.values, *args, **kwargs)
        )

    of.__name__ = function.__name__
    return of


dispatching.replace(SparseTensor, _UNARY, _of_values)
