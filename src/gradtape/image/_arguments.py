"""Arguments of image functions: tensors of the right rank, numbers in range, and images as floats."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import tensor
from gradtape.core import dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape


def image_tensor(value: Any, what: str, name: str = "image", ranks: tuple[int, ...] = (3, 4)) -> Any:
    """An image or a batch of images as a tensor; ShapeError unless its rank is among `ranks` and it has pixels.

    Args:
      value: anything that can become a tensor.
      what: the function, for messages.
      name: the argument, for messages.
      ranks: the accepted ranks; none means three or more.
    """
    x = tensor(value)
    if x.ndim < 3 or (ranks and x.ndim not in ranks):
        wanted = (
            "have either 3 or 4 dimensions: it must be at least three-dimensional"
            if ranks == (3, 4)
            else f"have {ranks[0]} dimensions"
            if ranks
            else ""
        )
        raise errors.build(
            errors.ShapeError,
            f"{what}: '{name}' (shape {x.shape}) must {wanted or 'be at least three-dimensional'}.",
            "x[..., tf.newaxis] adds the axis of channels: an image is [height, width, channels], a batch has one more axis in front.",
        )
    if 0 in dims(x)[-3:]:
        raise errors.build(
            errors.ShapeError,
            f"{what}: inner 3 dims of '{name}.shape' must be > 0, it is {spec_of(x)}.",
            "the image has no pixels.",
        )
    return x


def as_batch(x: Any) -> Any:
    """An image as a batch of one; a batch as it is."""
    return x if x.ndim == 4 else Reshape(x, shape=(1, *dims(x)))


def like_before(y: Any, x: Any) -> Any:
    """A result without the batch axis that `as_batch` gave to the image `x`."""
    return y if x.ndim == 4 else Reshape(y, shape=dims(y)[1:])


def require(condition: Any, what: str, rule: str, fix: str) -> None:
    """RangeError, a ValueError and an InvalidArgumentError, with that rule unless a condition holds."""
    if not condition:
        raise errors.RangeError(errors.compose(f"{what}: {rule}", fix, depth=2))


def number(value: Any) -> Any:
    """The number in a scalar tensor or variable, None if it is not known yet (in a vectorised program); others as given."""
    if isinstance(value, Variable):
        value = value._read()
    if isinstance(value, Tensor):
        return host(value._array)[()] if type(value) is Tensor else None
    return value


def wide_float(dtype: dtypes.DType) -> dtypes.DType:
    """The dtype in which images of a dtype are computed: their own if it is floating, else float32."""
    return dtype if dtype.is_floating else dtypes.float32
