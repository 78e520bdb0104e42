"""`tf.compat.v1.image`: functions of images. Those of version 1 that resize place pixels by their corners, not by their centers."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("image")


class ResizeMethod:
    """How `resize` computes pixels."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_NAMES = {"bilinear": 0, "nearest": 1, "bicubic": 2, "area": 3}


def resize(
    images: Any, size: Any, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False,
    preserve_aspect_ratio: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Images of another size; float32, but of the same dtype if the size stays or the method is the nearest neighbor."""
    if isinstance(images, tf.RaggedTensor):
        if images.shape.rank != 4:
            raise ValueError("RaggedTensor `images` cannot be resized: rank must be 4.")
        options = method, align_corners, preserve_aspect_ratio
        height, width = (None, None) if preserve_aspect_ratio else _size(size)
        is_nearest = method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest")
        signature = tf.TensorSpec([height, width, images.shape[-1]], images.dtype if is_nearest else tf.float32)
        return tf.map_fn(lambda image: resize(_dense(image), size, *options), images, fn_output_signature=signature)
    x = tf.convert_to_tensor(images)
    if x.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if x.shape.rank == 3:
        return resize(x[tf.newaxis], size, method, align_corners, preserve_aspect_ratio)[0]
    method = _NAMES.get(method, method) if isinstance(method, str) else method
    if method not in _NAMES.values():
        raise ValueError(f"Resize method is not implemented: {method}")
    height, width = _size(size)
    rows, columns = x.shape[1:3]
    if preserve_aspect_ratio:
        scale = min(height / rows, width / columns)
        height, width = round(rows * scale), round(columns * scale)
    if (height, width) == (rows, columns):
        return x
    if method == ResizeMethod.NEAREST_NEIGHBOR:
        places = [_nearest(n, count, align_corners) for n, count in ((rows, height), (columns, width))]
        return tf.gather(tf.gather(x, places[0], axis=1), places[1], axis=2)
    weights = [_WEIGHTS[method](n, count, align_corners) for n, count in ((rows, height), (columns, width))]
    return tf.einsum("oh,nhwc,pw->nopc", weights[0], tf.cast(x, tf.float32), weights[1])


resize_images = resize


def _dense(image: Any) -> Any:
    return image.to_tensor() if isinstance(image, tf.RaggedTensor) else image


def _size(size: Any) -> list[int]:
    given = np.asarray(tf.get_static_value(tf.convert_to_tensor(size)))
    if given.shape != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if given.dtype.kind != "i":
        raise ValueError("'size' must be a 1-D int32 Tensor")
    return [int(n) for n in given]


def _scale(n: int, count: int, align_corners: bool) -> Any:
    return np.float32((n - 1) / (count - 1) if align_corners and count > 1 else n / count)


def _places(n: int, count: int, align_corners: bool) -> Any:
    return np.arange(count, dtype=np.float32) * _scale(n, count, align_corners)


def _nearest(n: int, count: int, align_corners: bool) -> Any:
    places = _places(n, count, align_corners)
    return np.minimum(np.floor(places + np.float32(0.5) if align_corners else places), n - 1).astype(np.int32)


def _spread(n: int, count: int, terms: Any) -> Any:
    """A matrix [count, n] of weights, from pairs of places and weights; those outside count for the pixel at the border."""
    matrix = np.zeros([count, n], np.float32)
    for places, weights in terms:
        np.add.at(matrix, (np.arange(count), np.clip(places, 0, n - 1).astype(int)), weights)
    return matrix


def _bilinear(n: int, count: int, align_corners: bool) -> Any:
    places = _places(n, count, align_corners)
    low = np.floor(places)
    part = places - low
    return _spread(n, count, [(low, 1 - part), (low + 1, part)])


def _bicubic(n: int, count: int, align_corners: bool) -> Any:
    places = _places(n, count, align_corners)
    low = np.floor(places)
    part = np.rint((places - low) * 1024) / np.float32(1024)  # TensorFlow looks its weights up in a table
    return _spread(n, count, [(low + i, _cubic(np.abs(part - i))) for i in (-1, 0, 1, 2)])


def _cubic(x: Any, a: float = -0.75) -> Any:
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, far).astype(np.float32)


def _area(n: int, count: int, align_corners: bool) -> Any:
    scale = _scale(n, count, align_corners)
    matrix = np.zeros([count, n], np.float32)
    for i in range(count):
        start, end = i * scale, (i + 1) * scale
        for j in range(int(np.floor(start)), int(np.ceil(end))):
            matrix[i, min(j, n - 1)] += (min(j + 1, end) - max(j, start)) / scale
    return matrix


_WEIGHTS = {ResizeMethod.BILINEAR: _bilinear, ResizeMethod.BICUBIC: _bicubic, ResizeMethod.AREA: _area}


def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Images of another size, float32."""
    if half_pixel_centers:
        return tf.cast(tf.image.resize(images, size), tf.float32)
    return tf.cast(resize(images, size, ResizeMethod.BILINEAR, align_corners), tf.float32)


def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Images of another size, with pixels of the given ones."""
    if half_pixel_centers:
        return tf.image.resize(images, size, "nearest")
    return resize(images, size, ResizeMethod.NEAREST_NEIGHBOR, align_corners)


def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Images of another size, float32."""
    if half_pixel_centers:
        return tf.cast(tf.image.resize(images, size, "bicubic"), tf.float32)
    return tf.cast(resize(images, size, ResizeMethod.BICUBIC, align_corners), tf.float32)


def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Any:
    """Images of another size, float32: the mean of the area that each pixel covers."""
    return tf.cast(resize(images, size, ResizeMethod.AREA, align_corners), tf.float32)
