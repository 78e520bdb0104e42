"""Images mirrored, turned and transposed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integer
from gradtape.api.families import family
from gradtape.core.tensor import Tensor
from gradtape.image._arguments import image_tensor
from gradtape.ops.movement import Identity, Transpose
from gradtape.ops.slicing import Reverse


@family("A tensor of the same shape.", image="`[height, width, channels]`, or a batch of such.")
def _flip(who: str, axis: Any) -> Callable[..., Tensor]:
    def function(image: Any) -> Tensor:
        return mirrored(image_tensor(image, who), axis)

    return function


flip_left_right = _flip(
    "flip_left_right",
    "The image mirrored along its width.",
    "tf.image.flip_left_right([[[1], [2]]]).numpy().ravel() -> array([2, 1], dtype=int32)",
    1,
)
flip_up_down = _flip(
    "flip_up_down",
    "The image mirrored along its height.",
    "tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel() -> array([2, 1], dtype=int32)",
    0,
)


def mirrored(x: Any, axis: int) -> Tensor:
    """A tensor of images with the rows (axis 0) or columns (axis 1) of each in reverse order."""
    return Reverse(x, axis=(axis + x.ndim - 3,))


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """The image rotated counter-clockwise by multiples of 90 degrees.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      k: how many right angles; negative ones turn clockwise.

    Returns:
      A tensor, with height and width exchanged if k is odd.

    >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy().ravel()
    array([2, 4, 1, 3], dtype=int32)
    """
    x = image_tensor(image, "rot90")
    turns = integer(k, "rot90", "k") % 4
    if turns == 1:
        return _exchanged(mirrored(x, 1))
    if turns == 2:
        return mirrored(mirrored(x, 0), 1)
    return mirrored(_exchanged(x), 1) if turns else Identity(x)


def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image with height and width exchanged.

    Args:
      image: `[height, width, channels]`, or a batch of such.

    Returns:
      A tensor.

    >>> tf.image.transpose([[[1], [2]], [[3], [4]]]).numpy().ravel()
    array([1, 3, 2, 4], dtype=int32)
    """
    return _exchanged(image_tensor(image, "transpose"))


def _exchanged(x: Any) -> Tensor:
    return Transpose(x, perm=(1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))
