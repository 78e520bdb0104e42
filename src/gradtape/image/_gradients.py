"""Differences between neighbouring pixels."""

from __future__ import annotations

from typing import Any

from gradtape.core.tensor import Tensor
from gradtape.image._arguments import image_tensor
from gradtape.ops.arithmetic import Abs
from gradtape.ops.family import dims
from gradtape.ops.joining import Stack
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.slicing import Pad, StridedSlice


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The differences of each pixel to the next one down and to the next one on the right; 0 at the last.

    Args:
      image: a batch `[batch, height, width, channels]`.

    Returns:
      Two tensors of the same shape, along the height and along the width.

    >>> dy, dx = tf.image.image_gradients(tf.reshape(tf.range(4), [1, 2, 2, 1]))
    >>> dy.numpy().ravel(), dx.numpy().ravel()
    (array([2, 2, 0, 0], dtype=int32), array([1, 0, 1, 0], dtype=int32))
    """
    x = image_tensor(image, "image_gradients", ranks=(4,))
    sides = ((0, 0), (0, 1), (0, 0), (0, 0)), ((0, 0), (0, 0), (0, 1), (0, 0))
    down, right = (Pad(_steps(x, axis), paddings=sides[axis - 1]) for axis in (1, 2))
    return down, right


def _shifted(x: Any, axis: int, start: int, stop: int) -> Any:
    """The part of x from `start` to `stop` along an axis."""
    return StridedSlice(x, index=(*[(0, n, 1) for n in dims(x)[:axis]], (start, stop, 1)))


def _steps(x: Any, axis: int) -> Any:
    """The difference of each element to the next along an axis."""
    n = dims(x)[axis]
    return _shifted(x, axis, 1, n) - _shifted(x, axis, 0, n - 1)


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between neighbouring pixels: a measure of noise.

    Args:
      images: `[height, width, channels]`, or a batch of such.

    Returns:
      A scalar, or a vector with one entry for each image of a batch.

    >>> tf.image.total_variation([[[0.0], [1.0]], [[2.0], [3.0]]]).numpy()
    np.float32(6.0)
    """
    x = image_tensor(images, "total_variation", "images")
    height, width, depth = range(x.ndim - 3, x.ndim)
    sums = [ReduceSum(Abs(_steps(x, axis)), axis=(height, width, depth)) for axis in (height, width)]
    return sums[0] + sums[1]


def sobel_edges(image: Any) -> Tensor:
    """The slopes of images along the height and the width, by Sobel's filters. Borders are mirrored.

    Args:
      image: a batch `[batch, height, width, channels]`, at least two pixels high and wide.

    Returns:
      A tensor `[batch, height, width, channels, 2]`.

    >>> ramp = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.sobel_edges(ramp).numpy()[0, 1, 1, 0]
    array([24.,  8.], dtype=float32)
    """
    x = image_tensor(image, "sobel_edges", ranks=(4,))
    x = Pad(x, paddings=((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    down = _smoothed(_two_steps(x, 1), 2)
    right = _two_steps(_smoothed(x, 1), 2)
    return Stack(down, right, axis=4)


def _two_steps(x: Any, axis: int) -> Any:
    """The difference between the next element and the one before, along an axis, without the borders."""
    n = dims(x)[axis]
    return _shifted(x, axis, 2, n) - _shifted(x, axis, 0, n - 2)


def _smoothed(x: Any, axis: int) -> Any:
    """Each element twice, with its neighbours, along an axis, without the borders."""
    n = dims(x)[axis]
    middle = _shifted(x, axis, 1, n - 1)
    return _shifted(x, axis, 0, n - 2) + middle + middle + _shifted(x, axis, 2, n)
