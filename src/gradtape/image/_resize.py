"""Resizing images."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers
from gradtape.core import convert, dtypes, errors
from gradtape.core.dims import is_symbolic, new_size
from gradtape.core.tensor import Tensor
from gradtape.image._arguments import as_batch, image_tensor, like_before, require
from gradtape.image._crop_and_pad import pad_to_bounding_box
from gradtape.math._conversion import cast
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.resize_weights import METHODS, Sampling, nearest
from gradtape.ops.resizing import Resample


class ResizeMethod:
    """Names of the methods of `resize`.

    >>> tf.image.ResizeMethod.BICUBIC
    'bicubic'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images resized to another height and width. All methods have gradients.

    Args:
      images: `[height, width, channels]`, or a batch of such.
      size: the new height and width.
      method: one of the names in `ResizeMethod`:
        "bilinear" (the default), "bicubic" (of Keys), "lanczos3", "lanczos5", "gaussian" and "mitchellcubic" weigh the
        pixels around each new one; "area" takes the mean of what a new pixel covers; "nearest" copies the nearest.
      preserve_aspect_ratio: whether `size` is a limit, and the largest image within it that keeps the proportions is made.
      antialias: whether the weighing methods take all pixels that a new one covers into account when the image shrinks.

    Returns:
      A float32 tensor; with "nearest" one of the images' dtype.

    >>> tf.image.resize([[[1.0], [3.0]]], [1, 4]).numpy().ravel()
    array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    x = image_tensor(images, "resize", "images")
    height, width = _size(size)
    if preserve_aspect_ratio:
        height, width = _within(height, width, *dims(x)[-3:-1])
    require(
        height > 0 and width > 0,
        "resize",
        f"output dimensions must be positive, got {[height, width]}.",
        "enlarge size.",
    )
    result: Tensor = like_before(_resized(as_batch(x), height, width, method, bool(antialias)), x)
    return result


def static_size(size: Any) -> tuple[int | None, int | None]:
    """A height and width, where they are known without running the program."""
    try:
        height, width = _size(size)
        return int(height), int(width)
    except (NotImplementedError, TypeError):
        return None, None


def _size(size: Any) -> tuple[int, int]:
    try:
        sides = integers(size, "resize", "size")
    except (TypeError, ValueError, IndexError) as problem:
        if not isinstance(problem, errors.ShapeError):
            raise errors.build(
                ValueError, f"resize: 'size' must be a 1-D int32 Tensor, got {size!r}.", "round it to ints."
            ) from None
        sides = ()
    require(
        len(sides) == 2,
        "resize",
        "'size' must be a 1-D Tensor of 2 elements: new_height, new_width.",
        f"size=[{size}, {size}]: the height and the width." if isinstance(size, int) else "size=[height, width].",
    )
    return sides[0], sides[1]


def _within(height: int, width: int, own_height: int, own_width: int) -> tuple[int, int]:
    """The largest size within limits that keeps the proportions, in the arithmetic of float32 that TensorFlow uses."""
    if is_symbolic((own_height, own_width)):
        return new_size(1), new_size(1)  # type: ignore[return-value]  # either may be the limit
    own = np.array([own_height, own_width], np.float32)
    scale = np.min(np.array([height, width], np.float32) / own)
    rows, columns = np.rint(scale * own).astype(int).tolist()
    return rows, columns


def _resized(x: Any, height: int, width: int, method: str, antialias: bool) -> Any:
    """A batch of images in another size."""
    _, own_height, own_width, _ = dims(x)
    steps = [(1, own_height, height), (2, own_width, width)]
    if height * own_width > own_height * width:
        # The other axis first: less remains for the second step.
        steps.reverse()
    if method == ResizeMethod.NEAREST_NEIGHBOR:
        for axis, n, m in steps:
            x = Gather(x, convert.convert_to_tensor(nearest(n, m)), axis=axis)
        return x
    require(
        method in METHODS,
        "resize",
        f"Resize method is not implemented: {method}.",
        f"use one of {', '.join(map(repr, METHODS))}, or 'nearest'.",
    )
    x = cast(x, dtypes.float32)
    for axis, n, m in steps:
        x = Resample(x, axis=axis, sampling=Sampling(method, n, m, antialias and method != "area"))
    return x


def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR, antialias: bool = False
) -> Tensor:
    """The image resized to fit a size with its aspect ratio kept, and padded with zeros.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      target_height: the height of the result.
      target_width: the width of the result.
      method: see `resize`.
      antialias: see `resize`.

    Returns:
      A tensor of the dtype that `resize` gives.

    >>> tf.image.resize_with_pad([[[1.0], [3.0]]], 3, 2).numpy()[..., 0]
    array([[0., 0.],
           [1., 3.],
           [0., 0.]], dtype=float32)
    """
    x = image_tensor(image, "resize_with_pad")
    target = [integer(target_height, "resize_with_pad", "target_height")]
    target.append(integer(target_width, "resize_with_pad", "target_width"))
    for side, value in zip(("target_height", "target_width"), target, strict=True):
        require(value > 0, "resize_with_pad", f"{side} must be > 0, got {value}.", "use a positive number.")
    own, wanted = np.array(dims(x)[-3:-1], np.float32), np.array(target, np.float32)
    fitting = own / np.max(own / wanted)
    height, width = np.floor(fitting).astype(int).tolist()
    top, left = np.maximum(np.floor((wanted - fitting) / 2), 0).astype(int).tolist()
    resized = resize(x, [height, width], method, antialias=antialias)
    return pad_to_bounding_box(resized, top, left, *target)
