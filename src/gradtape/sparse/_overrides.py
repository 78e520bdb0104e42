"""Functions of `tf` that take sparse tensors: those of elements that leave zeros as they are, and those of the shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import deferral, doors, dtypes
from gradtape.core.sparse_tensor import SparseTensor

# Functions of elements that leave zeros as they are, by the room that defines them.
_UNARY = {
    "arrays": "identity",
    "math": "abs asin asinh atan atanh cast ceil erf expm1 floor log1p negative relu round sign sin sinh sqrt square tan tanh",
    "toplevel": "guarantee_const",
    "transform": "stop_gradient",
}


def _of_values(function: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
    call = doors.adapt(function) if deferral.can_wait(function) else function
    return x.with_values(call(x.values, *args, **kwargs))


def _bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, **options: Any) -> Any:
    """`tf.math.bincount` of the values that are there, of all of them or of each row."""
    from gradtape.math._histograms import bincount, length
    from gradtape.ragged._tensor import RaggedTensor
    from gradtape.sparse._conversion import weights_of

    if weights is not None:
        weights = weights_of(arr, weights, "bincount")
    if options.get("axis") != -1:
        return bincount(arr.values, weights, minlength, maxlength, **options)
    # Rows are filled up with a number that is too large to be counted.
    size = length(arr.values, minlength, maxlength)
    rows = RaggedTensor.from_value_rowids(arr.values, arr.indices[:, 0], nrows=arr.dense_shape[0])
    weights = None if weights is None else rows.with_values(weights).to_tensor()
    return bincount(rows.to_tensor(size), weights, size, size, **options)


def _shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """`tf.shape` of the dense tensor."""
    from gradtape.math._conversion import cast

    return cast(input.dense_shape, dtypes.int32 if out_type is None else out_type)


def _size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """`tf.size` of the dense tensor."""
    from gradtape.math import reduce_prod

    return reduce_prod(_shape(input, out_type))


def _rank(input: Any, name: str | None = None) -> Any:
    """`tf.rank` of the dense tensor."""
    from gradtape.arrays.shapes import size

    return size(input.dense_shape)


def _map_fn(*args: Any, **kwargs: Any) -> Any:
    from gradtape.ragged._map_fn import map_fn

    return map_fn(*args, **kwargs)


def _identity_n(input: Any, name: str | None = None) -> Any:
    from gradtape.arrays.movement import identity

    return [x.with_values(identity(x.values)) if isinstance(x, SparseTensor) else identity(x) for x in input]


_OTHERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("arrays", "identity_n"): _identity_n,
    ("arrays", "rank"): _rank,
    ("arrays", "shape"): _shape,
    ("arrays", "size"): _size,
    ("control_flow", "map_fn"): _map_fn,
    ("math", "bincount"): _bincount,
}


def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function of `tf` with sparse tensors among its arguments; NotImplemented if it takes none."""
    room, name = doors.key_of(function)
    if name in _UNARY.get(room, "").split():
        return _of_values(function, *args, **kwargs)
    ours = _OTHERS.get((room, name))
    return NotImplemented if ours is None else doors.adapt(ours)(*args, **kwargs)
