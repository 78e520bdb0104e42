"""Functions of `tf` that take sparse tensors: those of elements that leave zeros as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api import dispatching
from gradtape.core import deferral
from gradtape.core.sparse_tensor import SparseTensor, SparseTensorSpec

__all__ = ["SparseTensor", "SparseTensorSpec"]

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
            (deferral.adapt(function) if deferral.can_wait(function) else function)(x.values, *args, **kwargs)
        )

    of.__name__ = function.__name__
    return of


def _map_fn(function: Callable[..., Any]) -> Callable[..., Any]:
    from gradtape.ragged._map_fn import map_fn

    return map_fn


dispatching.replace(SparseTensor, _UNARY, _of_values)


def _bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, **options: Any) -> Any:
    """`tf.math.bincount` of the values that are there, of all of them or of each row."""
    from gradtape.math._histograms import bincount, length
    from gradtape.ragged._tensor import RaggedTensor

    weights = getattr(weights, "values", weights)
    if options.get("axis") != -1:
        return bincount(arr.values, weights, minlength, maxlength, **options)
    # Rows are filled up with a number that is too large to be counted.
    size = length(arr.values, minlength, maxlength)
    rows = RaggedTensor.from_value_rowids(arr.values, arr.indices[:, 0], nrows=arr.dense_shape[0])
    weights = None if weights is None else rows.with_values(weights).to_tensor()
    return bincount(rows.to_tensor(size), weights, size, size, **options)


dispatching.replace(SparseTensor, {"math": "bincount"}, lambda function: _bincount)
dispatching.replace(SparseTensor, {"": "map_fn"}, _map_fn)
