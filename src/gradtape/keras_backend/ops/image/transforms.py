"""Rotating, warping and blurring images."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.config import standardize_data_format
from keras.src.random.seed_generator import draw_seed

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, operands, widened
from gradtape.keras_backend.ops.image.sampling import sampled
from gradtape.keras_backend.ops.numpy import shaping

_ORDERS = {"nearest": 0, "bilinear": 1}
_FILL_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")


class _Batch:
    """Images as a batch with the channels last, as floating point numbers; `restore` leads back."""

    def __init__(self, images: Any, data_format: Any) -> None:
        images = convert_to_tensor(images)
        if images.ndim not in (3, 4):
            raise ValueError(
                "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with "
                f"shape: images.shape={tuple(images.shape)}"
            )
        self.dtype, self.is_single = images.dtype, images.ndim == 3
        self.is_first = standardize_data_format(data_format) == "channels_first"
        if self.is_single:
            images = tf.expand_dims(images, 0)
        if self.is_first:
            images = shaping.moveaxis(images, 1, -1)
        self.images = widened(as_float(images))[0]

    def restore(self, images: Any) -> Any:
        if self.is_first:
            images = shaping.moveaxis(images, -1, 1)
        if self.is_single:
            images = tf.squeeze(images, 0)
        if self.dtype.kind in "iu":
            return tf.saturate_cast(tf.round(images), self.dtype)
        return cast_tensor(images, self.dtype)


def _check(interpolation: Any, fill_mode: Any = "constant") -> Any:
    if interpolation not in _ORDERS:
        raise ValueError(
            f"Invalid value for argument `interpolation`. Expected of one {set(_ORDERS)}. Received: "
            f"interpolation={interpolation}"
        )
    if fill_mode not in _FILL_MODES:
        raise ValueError(
            f"Invalid value for argument `fill_mode`. Expected of one {set(_FILL_MODES)}. Received: fill_mode={fill_mode}"
        )


def _grid(height: Any, width: Any, dtype: Any) -> Any:
    return tf.meshgrid(
        tf.cast(tf.range(width), dtype), tf.cast(tf.range(height), dtype), indexing="xy"
    )  # x and y, each of shape [height, width]


def _transformed(batch: Any, transforms: Any, interpolation: Any, fill_mode: Any, fill_value: Any) -> Any:
    """Each output pixel looks up the input at the place that the 8 numbers of a projection name."""
    images = batch.images
    count, height, width, _ = tuple(images.shape)
    transforms = cast_tensor(transforms, images.dtype)
    if transforms.shape[0] != count:
        transforms = tf.broadcast_to(transforms, (count, 8))
    a0, a1, a2, b0, b1, b2, c0, c1 = [v[:, None, None] for v in tf.unstack(transforms, axis=1)]
    x, y = _grid(height, width, images.dtype)
    scale = c0 * x + c1 * y + 1.0
    places = [(b0 * x + b1 * y + b2) / scale, (a0 * x + a1 * y + a2) / scale]
    return batch.restore(sampled(images, 1, places, _ORDERS[interpolation], fill_mode, fill_value))


def affine_transform(
    images: Any,
    transform: Any,
    interpolation: Any = "bilinear",
    fill_mode: Any = "constant",
    fill_value: Any = 0,
    data_format: Any = None,
) -> Any:
    """Images under the affine (or projective) maps of 8 numbers each."""
    _check(interpolation, fill_mode)
    transform = convert_to_tensor(transform)
    batch = _Batch(images, data_format)
    if transform.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). Received input "
            f"with shape: transform.shape={tuple(transform.shape)}"
        )
    if transform.ndim == 1:
        transform = tf.expand_dims(transform, 0)
    return _transformed(batch, transform, interpolation, fill_mode, fill_value)


def compute_homography_matrix(start_points: Any, end_points: Any) -> Any:
    """The 8 numbers of the projections that take four end points to four start points."""
    start, end = operands(as_float(start_points), as_float(end_points))
    (sx, sy), (ex, ey) = [tf.unstack(points, axis=-1) for points in (start, end)]
    zero, one = tf.zeros_like(sx), tf.ones_like(sx)
    of_x = tf.stack([ex, ey, one, zero, zero, zero, -sx * ex, -sx * ey], axis=-1)
    of_y = tf.stack([zero, zero, zero, ex, ey, one, -sy * ex, -sy * ey], axis=-1)
    matrix, narrow = widened(tf.concat([of_x, of_y], axis=-2))
    target = cast_tensor(tf.concat([sx, sy], axis=-1), matrix.dtype)
    return narrow(tf.squeeze(tf.linalg.solve(matrix, tf.expand_dims(target, -1)), -1))


def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: Any = "bilinear",
    fill_value: Any = 0,
    data_format: Any = None,
) -> Any:
    """Images warped so that the start points move to the end points."""
    _check(interpolation)
    start, end = convert_to_tensor(start_points), convert_to_tensor(end_points)
    batch = _Batch(images, data_format)
    for name, points in (("start_points", start), ("end_points", end)):
        if points.ndim not in (2, 3) or tuple(points.shape)[-2:] != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. Received shape: "
                f"{tuple(points.shape)}"
            )
    if tuple(start.shape) != tuple(end.shape):
        raise ValueError(
            f"start_points and end_points must have the same shape. Received start_points.shape={tuple(start.shape)}, "
            f"end_points.shape={tuple(end.shape)}"
        )
    if start.ndim == 2:
        start, end = tf.expand_dims(start, 0), tf.expand_dims(end, 0)
    transforms = compute_homography_matrix(cast_tensor(start, "float32"), cast_tensor(end, "float32"))
    return _transformed(batch, transforms, interpolation, "constant", fill_value)


def gaussian_blur(images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: Any = None) -> Any:
    """Images smoothed with a bell curve."""
    batch = _Batch(images, data_format)
    return batch.restore(_blurred(batch.images, kernel_size, convert_to_tensor(sigma)))


def _blurred(images: Any, kernel_size: Any, sigma: Any) -> Any:
    """A convolution along the rows and one along the columns, for each channel."""
    channels = images.shape[-1]
    sigma = cast_tensor(sigma, images.dtype)
    for axis, number in ((0, 1), (1, 0)):  # sizes and widths are given as (width, height)
        size = int(kernel_size[number])
        places = tf.cast(tf.range(size), images.dtype) - (size - 1) / 2
        weights = tf.exp(-0.5 * tf.square(places / sigma[number]))
        weights = weights / tf.reduce_sum(weights)
        shape = (size, 1, 1, 1) if axis == 0 else (1, size, 1, 1)
        kernel = tf.tile(tf.reshape(weights, shape), (1, 1, channels, 1))
        images = tf.nn.depthwise_conv2d(images, kernel, (1, 1, 1, 1), "SAME")
    return images


def elastic_transform(
    images: Any,
    alpha: Any = 20.0,
    sigma: Any = 5.0,
    interpolation: Any = "bilinear",
    fill_mode: Any = "reflect",
    fill_value: Any = 0.0,
    seed: Any = None,
    data_format: Any = None,
) -> Any:
    """Images whose pixels were moved by a smooth random field."""
    _check(interpolation, fill_mode)
    batch = _Batch(images, data_format)
    images = batch.images
    count, height, width, _ = tuple(images.shape)
    noise = tf.random.stateless_normal(
        (count, height, width, 2), seed=cast_tensor(draw_seed(seed), "int64"), dtype=images.dtype
    )
    noise = noise * convert_to_tensor(sigma, images.dtype)
    size = int(6 * np.asarray(sigma)) | 1
    smooth = _blurred(noise, (size, size), convert_to_tensor([sigma, sigma], images.dtype))
    shift = smooth * convert_to_tensor(alpha, images.dtype)
    x, y = _grid(height, width, images.dtype)
    places = [y + shift[..., 1], x + shift[..., 0]]
    return batch.restore(sampled(images, 1, places, _ORDERS[interpolation], fill_mode, fill_value))
