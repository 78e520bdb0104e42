"""Sizes of images: interpolation as products with matrices of weights, one for each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.config import standardize_data_format

import gradtape as tf
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, widened


def _triangle(x: Any) -> Any:
    return tf.maximum(1.0 - tf.abs(x), 0.0)


def _cubic(x: Any) -> Any:
    """Keys's cubic kernel with a = -0.5."""
    x = tf.abs(x)
    near = ((1.5 * x - 2.5) * x) * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return tf.where(x >= 1.0, tf.where(x >= 2.0, tf.zeros_like(x), far), near)


def _lanczos(radius: Any) -> Any:
    def kernel(x: Any) -> Any:
        return tf.where(tf.abs(x) < radius, tf.math.sinc(x) * tf.math.sinc(x / radius), tf.zeros_like(x))

    return kernel


_KERNELS = {
    "linear": _triangle,
    "bilinear": _triangle,
    "trilinear": _triangle,
    "triangle": _triangle,
    "cubic": _cubic,
    "bicubic": _cubic,
    "tricubic": _cubic,
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}


def _weights(size: Any, new_size: Any, scale: Any, translation: Any, kernel: Any, antialias: Any) -> Any:
    """`[size, new_size]`: how much each old element contributes to each new one."""
    inverse = 1.0 / scale
    width = tf.maximum(inverse, 1.0) if antialias else 1.0
    dtype = scale.dtype
    centres = (tf.cast(tf.range(new_size), dtype) + 0.5) * inverse - translation * inverse - 0.5
    distance = (centres[None, :] - tf.cast(tf.range(size), dtype)[:, None]) / width
    weights = kernel(distance)
    total = tf.reduce_sum(weights, axis=0, keepdims=True)
    usable = tf.greater(tf.abs(total), 1000.0 * float(np.finfo(np.float32).eps))
    weights = tf.where(usable, weights / tf.where(usable, total, tf.ones_like(total)), tf.zeros_like(weights))
    inside = tf.logical_and(centres >= -0.5, centres <= size - 0.5)
    return tf.where(inside[None, :], weights, tf.zeros_like(weights))


def scale_and_translate(
    images: Any, output_shape: Any, scale: Any, translation: Any, spatial_dims: Any, method: Any, antialias: Any = True
) -> Any:
    """Images scaled and moved along some axes."""
    images = as_float(images)
    wide, narrow = widened(images)
    method = str(method).lower()
    if method not in _KERNELS:
        raise ValueError(f"Invalid value for argument `method`. Expected one of {set(_KERNELS)}. Received: {method}")
    scale, translation = [convert_to_tensor(v, wide.dtype) for v in (scale, translation)]
    for number, axis in enumerate(spatial_dims):
        axis = axis % wide.ndim
        weights = _weights(
            wide.shape[axis], output_shape[axis], scale[number], translation[number], _KERNELS[method], antialias
        )
        wide = _along(wide, weights, axis)
    return narrow(wide)


def _along(x: Any, weights: Any, axis: Any) -> Any:
    product = tf.tensordot(x, weights, [[axis], [0]])
    order = list(range(x.ndim - 1))
    order.insert(axis, x.ndim - 1)
    return tf.transpose(product, order)


def resize(
    images: Any,
    size: Any,
    interpolation: Any = "bilinear",
    antialias: Any = False,
    crop_to_aspect_ratio: Any = False,
    pad_to_aspect_ratio: Any = False,
    fill_mode: Any = "constant",
    fill_value: Any = 0.0,
    data_format: Any = None,
) -> Any:
    """Images in another size."""
    data_format = standardize_data_format(data_format)
    if interpolation not in ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic"):
        raise ValueError(
            "Invalid value for argument `interpolation`. Expected of one `('bilinear', 'nearest', 'lanczos3', "
            f"'lanczos5', 'bicubic')`. Received: interpolation={interpolation}"
        )
    if fill_mode != "constant":
        raise ValueError(
            f"Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        raise ValueError(f"Argument `size` must be a tuple of two elements (height, width). Received: size={size}")
    images = convert_to_tensor(images)
    if images.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with "
            f"shape: images.shape={tuple(images.shape)}"
        )
    target = tuple(int(s) for s in size)
    first = images.ndim - (3 if data_format == "channels_last" else 2)
    if crop_to_aspect_ratio:
        images = _cropped(images, first, target)
    elif pad_to_aspect_ratio:
        images = _padded(images, first, target, fill_value)
    if tuple(images.shape)[first : first + 2] == target:
        return images
    wide, _ = widened(as_float(images))
    for axis, length in zip((first, first + 1), target, strict=True):
        wide = _resized(wide, axis, length, interpolation, antialias)
    return _back(wide, images.dtype)


def _back(x: Any, dtype: Any) -> Any:
    """An image in its own dtype; integers are rounded and kept in range."""
    if dtype.kind in "iu":
        return tf.saturate_cast(tf.round(x), dtype)
    return cast_tensor(x, dtype)


def _resized(x: Any, axis: Any, length: Any, interpolation: Any, antialias: Any) -> Any:
    old = x.shape[axis]
    if old == length:
        return x
    if interpolation == "nearest":
        places = np.floor((np.arange(length) + 0.5) * (old / length)).astype("int32")
        return tf.gather(x, np.minimum(places, old - 1), axis=axis)
    scale = tf.constant(length / old, x.dtype)
    return _along(x, _weights(old, length, scale, 0.0, _KERNELS[interpolation], antialias), axis)


def _fitted(shape: Any, target: Any) -> Any:
    """The height and width with the target's ratio that the shape has most of, and of which it is a part."""
    height, width = shape
    by_width, by_height = int(float(width * target[0]) / target[1]), int(float(height * target[1]) / target[0])
    return by_width, by_height


def _cropped(x: Any, first: Any, target: Any) -> Any:
    height, width = tuple(x.shape)[first : first + 2]
    by_width, by_height = _fitted((height, width), target)
    new_height, new_width = max(min(height, by_width), 1), max(min(width, by_height), 1)
    top, left = int(float(height - new_height) / 2), int(float(width - new_width) / 2)
    index = [slice(None)] * x.ndim
    index[first], index[first + 1] = slice(top, top + new_height), slice(left, left + new_width)
    return x[tuple(index)]


def _padded(x: Any, first: Any, target: Any, fill_value: Any) -> Any:
    height, width = tuple(x.shape)[first : first + 2]
    by_width, by_height = _fitted((height, width), target)
    new_height, new_width = max(height, by_width), max(width, by_height)
    top, left = int(float(new_height - height) / 2), int(float(new_width - width) / 2)
    margins = [[0, 0] for _ in range(x.ndim)]
    margins[first] = [top, new_height - height - top]
    margins[first + 1] = [left, new_width - width - left]
    return tf.pad(x, margins, constant_values=_fill(fill_value, x.dtype))


def _fill(value: Any, dtype: Any) -> Any:
    return cast_tensor(value, dtype) if isinstance(value, Tensor) else dtype.numpy.type(value)
