"""Parts of images, and images in a larger frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.api.array_op import on_arrays
from gradtape.core import dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.image import _crop_and_resize as crop_resize
from gradtape.image._arguments import image_tensor, number, require
from gradtape.math._conversion import cast
from gradtape.ops.family import dims
from gradtape.ops.movement import Identity
from gradtape.ops.slicing import Pad, StridedSlice


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The central part of the image.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      central_fraction: which part of the height and of the width to keep, above 0 and up to 1.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.central_crop(tf.reshape(tf.range(16), [4, 4, 1]), 0.5).numpy()[..., 0]
    array([[ 5,  6],
           [ 9, 10]], dtype=int32)
    """
    x = image_tensor(image, "central_crop")
    fraction = number(central_fraction)
    if fraction is None:  # while a function is traced; the crop waits until the size is known
        fraction = float(central_fraction)
    require(
        0.0 < fraction <= 1.0,
        "central_crop",
        f"central_fraction must be within (0, 1], got {fraction}.",
        "use a fraction above 0 and at most 1.",
    )
    height, width = dims(x)[-3:-1]
    top, left = (int((n - n * fraction) / 2) for n in (float(height), float(width)))
    return _cropped(x, top, left, height - 2 * top, width - 2 * left) if fraction < 1.0 else Identity(x)


def _cropped(x: Any, top: int, left: int, height: int, width: int) -> Tensor:
    lead = tuple([(0, n, 1) for n in dims(x)[:-3]])
    return StridedSlice(x, index=(*lead, (top, top + height, 1), (left, left + width, 1)))


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A rectangle of the image.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      offset_height: how many rows to leave out above.
      offset_width: how many columns to leave out on the left.
      target_height: how many rows to take.
      target_width: how many columns to take.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.crop_to_bounding_box(tf.reshape(tf.range(9), [3, 3, 1]), 1, 0, 2, 2).numpy()[..., 0]
    array([[3, 4],
           [6, 7]], dtype=int32)
    """
    what = "crop_to_bounding_box"
    x = image_tensor(image, what)
    top, left, height, width = _ints(what, offset_height, offset_width, target_height, target_width)
    require(left >= 0, what, f"offset_width must be >= 0, got {left}.", "use 0 or more.")
    require(top >= 0, what, f"offset_height must be >= 0, got {top}.", "use 0 or more.")
    require(width > 0, what, f"target_width must be > 0, got {width}.", "use a positive number.")
    require(height > 0, what, f"target_height must be > 0, got {height}.", "use a positive number.")
    own_height, own_width = dims(x)[-3:-1]
    require(
        own_width >= left + width,
        what,
        f"width must be >= target + offset, got {own_width}.",
        "use a smaller offset_width or target_width.",
    )
    require(
        own_height >= top + height,
        what,
        f"height must be >= target + offset, got {own_height}.",
        "use a smaller offset_height or target_height.",
    )
    return _cropped(x, top, left, height, width)


def _ints(what: str, *values: Any) -> list[int]:
    names = ("offset_height", "offset_width", "target_height", "target_width")
    return [integer(v, what, n) for v, n in zip(values, names[-len(values) :], strict=True)]


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The image with zeros around it.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      offset_height: how many rows of zeros stand above.
      offset_width: how many columns of zeros stand on the left.
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.pad_to_bounding_box([[[7]]], 0, 1, 2, 3).numpy()[..., 0]
    array([[0, 7, 0],
           [0, 0, 0]], dtype=int32)
    """
    what = "pad_to_bounding_box"
    x = image_tensor(image, what)
    top, left, height, width = _ints(what, offset_height, offset_width, target_height, target_width)
    own_height, own_width = dims(x)[-3:-1]
    below, right = height - top - own_height, width - left - own_width
    require(top >= 0, what, f"offset_height must be >= 0, got {top}.", "use 0 or more.")
    require(left >= 0, what, f"offset_width must be >= 0, got {left}.", "use 0 or more.")
    require(
        right >= 0,
        what,
        f"width must be <= target - offset, got {own_width}.",
        "use a larger target_width or a smaller offset_width.",
    )
    require(
        below >= 0,
        what,
        f"height must be <= target - offset, got {own_height}.",
        "use a larger target_height or a smaller offset_height.",
    )
    lead = ((0, 0),) * (x.ndim - 3)
    return Pad(x, paddings=(*lead, (top, below), (left, right), (0, 0)))


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The image cropped, or padded with zeros, evenly on both sides.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.resize_with_crop_or_pad([[[1], [2], [3]]], 2, 1).numpy().ravel()
    array([2, 0], dtype=int32)
    """
    what = "resize_with_crop_or_pad"
    x = image_tensor(image, what)
    height, width = _ints(what, target_height, target_width)
    require(width > 0, what, f"target_width must be > 0, got {width}.", "use a positive number.")
    require(height > 0, what, f"target_height must be > 0, got {height}.", "use a positive number.")
    more_rows, more_columns = height - dims(x)[-3], width - dims(x)[-2]
    kept = min(height, dims(x)[-3]), min(width, dims(x)[-2])
    x = _cropped(x, max(-more_rows // 2, 0), max(-more_columns // 2, 0), *kept)
    return pad_to_bounding_box(x, max(more_rows // 2, 0), max(more_columns // 2, 0), height, width)


@on_arrays(lambda indices, boxes, *, count: indices)
def fit_for_boxes(indices: Any, boxes: Any, *, count: int) -> Any:
    """The numbers of images, each below `count`, for boxes that must be finite."""
    if np.any(indices < 0) or np.any(indices >= count):
        raise errors.build(
            errors.OutOfRangeError,
            f"crop_and_resize: cannot crop: box_index has values outside [0, batch_size), which is {count}.",
            "give the number of an image for each box.",
        )
    if not np.all(np.isfinite(boxes)):
        raise errors.build(
            errors.InvalidArgumentError,
            "crop_and_resize: Boxes contains at least one element that is not finite.",
            "check them.",
        )
    return np.array(indices)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes of images, all resized to one size. Gradients flow to the images and, with "bilinear", to the boxes.

    Args:
      image: a batch `[batch, height, width, channels]` of numbers.
      boxes: `[n, 4]`, each `[y1, x1, y2, x2]`, where 0 is the middle of the first pixel and 1 that of the last. A box with
        y1 > y2 is flipped. Boxes may reach beyond the image.
      box_indices: `[n]`, which image of the batch each box is on.
      crop_size: height and width of the crops.
      method: "bilinear" or "nearest".
      extrapolation_value: what stands outside the image.

    Returns:
      A float32 tensor `[n, *crop_size, channels]`.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2]).numpy()[0, ..., 0]
    array([[0., 2.],
           [3., 5.]], dtype=float32)
    """
    what = "crop_and_resize"
    x = cast(image_tensor(image, what, ranks=(4,)), dtypes.float32)
    corners, indices = cast(tensor(boxes), dtypes.float32), tensor(box_indices)
    if indices.ndim != 1:
        raise errors.build(
            errors.ShapeError,
            f"{what}: box_indices must be rank 1, got {spec_of(indices)}.",
            "give the number of an image for each box.",
        )
    if corners.ndim != 2 or dims(corners)[1] != 4 or dims(indices) != dims(corners)[:1] or not indices.dtype.is_integer:
        raise errors.build(
            errors.ShapeError,
            f"{what}: boxes is {spec_of(corners)}, box_indices is {spec_of(indices)}: these do not match.",
            "give boxes [n, 4] and the numbers of their images, integers [n].",
        )
    require(method in ("bilinear", "nearest"), what, f"method is {method!r}.", 'use "bilinear" or "nearest".')
    size = integers(crop_size, what, "crop_size")
    require(len(size) == 2 and min(size) > 0, what, f"crop_size is {list(size)}.", "give two positive ints.")
    indices = fit_for_boxes(indices, corners, count=dims(x)[0])
    return crop_resize.crops(x, corners, indices, (size[0], size[1]), method == "nearest", float(extrapolation_value))
