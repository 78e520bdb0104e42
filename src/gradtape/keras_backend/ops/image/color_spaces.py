"""Colours of images."""

from __future__ import annotations

from typing import Any

from keras.src.backend.config import standardize_data_format

import gradtape as tf
from gradtape.keras_backend.convert import cast_tensor, convert_to_tensor, widened
from gradtape.keras_backend.ops.numpy import shaping


def _images(images: Any, data_format: Any) -> Any:
    """Images with the channels last, and the way back."""
    images = convert_to_tensor(images)
    if images.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with "
            f"shape: images.shape={tuple(images.shape)}"
        )
    if standardize_data_format(data_format) == "channels_last":
        return images, lambda y: y
    return shaping.moveaxis(images, -3, -1), lambda y: shaping.moveaxis(y, -1, -3)


def rgb_to_grayscale(images: Any, data_format: Any = None) -> Any:
    """The brightness of coloured images, as one channel."""
    images, back = _images(images, data_format)
    if images.shape[-1] not in (1, 3):
        raise ValueError(
            f"Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: "
            f"images.shape={tuple(images.shape)}"
        )
    if images.shape[-1] == 1:
        return back(images)
    wide = images if images.dtype.name == "float64" else tf.cast(images, "float32")
    grey = tf.tensordot(wide, tf.constant([0.2989, 0.5870, 0.1140], wide.dtype), [[wide.ndim - 1], [0]])
    return back(cast_tensor(tf.expand_dims(grey, -1), images.dtype))


def rgb_to_hsv(images: Any, data_format: Any = None) -> Any:
    """Hue, saturation and value of images in red, green and blue."""
    return _converted(tf.image.rgb_to_hsv, images, data_format)


def hsv_to_rgb(images: Any, data_format: Any = None) -> Any:
    """Red, green and blue of images in hue, saturation and value."""
    return _converted(tf.image.hsv_to_rgb, images, data_format)


def _converted(function: Any, images: Any, data_format: Any) -> Any:
    images, back = _images(images, data_format)
    if images.dtype.kind not in "fV":
        raise ValueError(f"Invalid images dtype: expected float dtype. Received: images.dtype={images.dtype.name}")
    wide, narrow = widened(images)
    return back(narrow(function(wide)))


def sobel_edges(images: Any, data_format: Any = None) -> Any:
    """Differences along the height and the width, as a last axis."""
    images, _ = _images(images, data_format)
    single = images.ndim == 3
    if images.dtype.kind not in "fV":
        images = tf.cast(images, "float32")
    wide, narrow = widened(tf.expand_dims(images, 0) if single else images)
    edges = narrow(tf.image.sobel_edges(wide))
    if standardize_data_format(data_format) == "channels_first":
        edges = shaping.moveaxis(edges, -2, 1)
    return tf.squeeze(edges, 0) if single else edges
