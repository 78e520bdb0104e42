"""Interpolation between the elements of tensors, and padding outside."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, widened


def _mirrored(index: Any, size: Any) -> Any:
    """Indices reflected at the middle of the last element."""
    last = size - 1
    if not last:
        return tf.zeros_like(index)
    return tf.abs(tf.math.floormod(index + last, 2 * last) - last)


def _reflected(index: Any, size: Any) -> Any:
    """Indices reflected at the edge of the last element."""
    return tf.math.floordiv(_mirrored(2 * index + 1, 2 * size + 1) - 1, 2)


_INSIDE: dict[str, Callable[[Any, Any], Any]] = {
    "constant": lambda index, size: tf.clip_by_value(index, 0, size - 1),
    "nearest": lambda index, size: tf.clip_by_value(index, 0, size - 1),
    "wrap": tf.math.floormod,
    "mirror": _mirrored,
    "reflect": _reflected,
}


def map_coordinates(
    inputs: Any, coordinates: Any, order: Any, fill_mode: Any = "constant", fill_value: Any = 0.0
) -> Any:
    """The elements of a tensor at coordinates, of the nearest place (order 0) or interpolated (order 1)."""
    inputs = convert_to_tensor(inputs)
    coordinates = convert_to_tensor(coordinates)
    if coordinates.shape[0] != inputs.ndim:
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: "
            f"{tuple(inputs.shape)} and coordinate leading dim of {coordinates.shape[0]}"
        )
    if coordinates.ndim < 2:
        raise ValueError(f"Invalid coordinates rank: expected at least rank 2. Received input with shape: {tuple(coordinates.shape)}")  # fmt: skip
    if fill_mode not in _INSIDE:
        raise ValueError(f"Invalid value for argument `fill_mode`. Expected one of {set(_INSIDE)}. Received: fill_mode={fill_mode}")  # fmt: skip
    if order not in (0, 1):
        raise ValueError(f"Invalid value for argument `order`. Expected one of [0, 1]. Received: order={order}")
    wide, _ = widened(as_float(inputs))
    places = tf.unstack(cast_tensor(coordinates, wide.dtype) if coordinates.dtype is not wide.dtype else coordinates)
    result = sampled(wide, 0, places, order, fill_mode, fill_value)
    return _rounded(result, inputs.dtype)


def _rounded(x: Any, dtype: Any) -> Any:
    return cast_tensor(tf.round(x) if dtype.kind in "iu" and x.dtype.kind == "f" else x, dtype)


def sampled(x: Any, batch: Any, places: Any, order: Any, fill_mode: Any, fill_value: Any) -> Any:
    """Elements of x at places along the axes that follow the batch axes: one tensor of coordinates for each.

    Coordinates have the batch axes too; axes of x after those with coordinates are kept.
    """
    sizes = tuple(x.shape)[batch : batch + len(places)]
    ends = [_neighbours(place, order) for place in places]
    total = None
    for corner in itertools.product(*ends):
        weight: Any = None
        valid: Any = None
        flat: Any = None
        for (index, part), size in zip(corner, sizes, strict=True):
            inside = tf.logical_and(tf.greater_equal(index, 0), tf.less(index, size))
            fixed = _INSIDE[fill_mode](index, size)
            flat = fixed if flat is None else flat * size + fixed
            valid = inside if valid is None else tf.logical_and(valid, inside)
            weight = part if weight is None or part is None else weight * part
        value = _gathered(x, batch, flat, sizes)
        extra = (1,) * (value.ndim - flat.ndim)
        if fill_mode == "constant":
            value = tf.where(
                tf.reshape(valid, tuple(valid.shape) + extra), value, convert_to_tensor(fill_value, x.dtype)
            )
        if weight is not None:
            value = value * tf.reshape(weight, tuple(weight.shape) + extra)
        total = value if total is None else total + value
    return total


def _neighbours(place: Any, order: Any) -> Any:
    """The indices beside a coordinate, with their weights."""
    if order == 0:
        # Halves are rounded away from zero.
        nearest = tf.where(tf.greater_equal(place, 0.0), tf.floor(place + 0.5), tf.math.ceil(place - 0.5))
        return [(tf.cast(nearest, "int32"), None)]
    low = tf.floor(place)
    above = place - low
    index = tf.cast(low, "int32")
    return [(index, 1.0 - above), (index + 1, above)]


def _gathered(x: Any, batch: Any, flat: Any, sizes: Any) -> Any:
    shape = tuple(x.shape)
    rows = tf.reshape(x, (*shape[:batch], math.prod(sizes), *shape[batch + len(sizes) :]))
    return tf.gather(rows, flat, axis=batch, batch_dims=batch)
