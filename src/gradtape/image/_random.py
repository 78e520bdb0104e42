"""Images changed at random. The `stateless` functions depend on their seed alone, the others on `tf.random.set_seed`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.image._adjust import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from gradtape.image._arguments import image_tensor, require
from gradtape.image._flip import mirrored
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.movement import Reshape
from gradtape.ops.selection import Where
from gradtape.random import _functions as functions

# A function of (shape, low, high) that draws uniform numbers.
Draw = Callable[..., Any]


def _hidden(seed: Any) -> Draw:
    return lambda shape, low, high: functions.uniform(shape, low, high, seed=seed)


def _seeded(seed: Any) -> Draw:
    return lambda shape, low, high: functions.stateless_uniform(shape, seed, low, high)


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """The image with a random number from `[-max_delta, max_delta)` added to it; see `adjust_brightness`.

    Args:
      image: a tensor of floats or integers.
      max_delta: a number that is not negative.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """
    return _brightness(image, max_delta, _hidden(seed), "random_brightness")


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """As `random_brightness`, by the seed alone.

    Args:
      image: a tensor of floats or integers.
      max_delta: a number that is not negative.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> x = tf.zeros([1, 1, 1])
    >>> a, b = [tf.image.stateless_random_brightness(x, 0.2, seed=(1, 2)) for _ in range(2)]
    >>> bool(a == b)
    True
    """
    return _brightness(image, max_delta, _seeded(seed), "stateless_random_brightness")


def _brightness(image: Any, max_delta: float, draw: Draw, what: str) -> Tensor:
    require(max_delta >= 0, what, "max_delta must be non-negative.", f"it is {max_delta}.")
    return adjust_brightness(image, draw([], -max_delta, max_delta))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image with its contrast scaled by a random number from `[lower, upper)`; see `adjust_contrast`.

    Args:
      image: `[..., height, width, channels]` of floats or integers.
      lower: the lower limit, which is not negative.
      upper: the upper limit.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.2, 0.5).shape
    TensorShape([2, 2, 3])
    """
    _check_range(lower, upper, "random_contrast")
    return adjust_contrast(image, _hidden(seed)([], lower, upper))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """As `random_contrast`, by the seed alone.

    Args:
      image: `[..., height, width, channels]` of floats or integers.
      lower: the lower limit, which is not negative.
      upper: the upper limit.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.stateless_random_contrast(tf.zeros([2, 2, 3]), 0.2, 0.5, seed=(1, 2)).shape
    TensorShape([2, 2, 3])
    """
    _check_range(lower, upper, "stateless_random_contrast")
    return adjust_contrast(image, _seeded(seed)([], lower, upper))


def _check_range(lower: float, upper: float, what: str) -> None:
    require(upper > lower, what, "upper must be > lower.", f"the range is {lower} to {upper}.")
    require(lower >= 0, what, "lower must be non-negative.", f"it is {lower}.")


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image with its saturation scaled by a random number from `[lower, upper)`; see `adjust_saturation`.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      lower: the lower limit, which is not negative.
      upper: the upper limit.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_saturation(tf.zeros([2, 2, 3]), 0.2, 0.5).shape
    TensorShape([2, 2, 3])
    """
    _check_range(lower, upper, "random_saturation")
    return adjust_saturation(image, _hidden(seed)([], lower, upper))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """As `random_saturation`, by the seed alone.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      lower: the lower limit, which is not negative.
      upper: the upper limit.
      seed: two integers, which must be given.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.stateless_random_saturation(tf.zeros([2, 2, 3]), 0.2, 0.5, seed=(1, 2)).shape
    TensorShape([2, 2, 3])
    """
    _check_range(lower, upper, "stateless_random_saturation")
    require(seed is not None, "stateless_random_saturation", "seed is None.", "give two integers.")
    return adjust_saturation(image, _seeded(seed)([], lower, upper))


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """The image with its hue moved by a random number from `[-max_delta, max_delta)`; see `adjust_hue`.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      max_delta: a number from 0 to 0.5.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_hue(tf.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """
    return _hue(image, max_delta, _hidden(seed), "random_hue")


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """As `random_hue`, by the seed alone.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      max_delta: a number from 0 to 0.5.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.stateless_random_hue(tf.zeros([2, 2, 3]), 0.2, seed=(1, 2)).shape
    TensorShape([2, 2, 3])
    """
    return _hue(image, max_delta, _seeded(seed), "stateless_random_hue")


def _hue(image: Any, max_delta: float, draw: Draw, what: str) -> Tensor:
    require(max_delta <= 0.5, what, "max_delta must be <= 0.5.", f"it is {max_delta}.")
    require(max_delta >= 0, what, "max_delta must be non-negative.", f"it is {max_delta}.")
    return adjust_hue(image, draw([], -max_delta, max_delta))


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """The image, mirrored along its width with probability 1/2; each image of a batch for itself.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.random_flip_left_right([[[1], [2]]]).numpy().ravel().tolist())
    [1, 2]
    """
    return _flip(image, 1, _hidden(seed), "random_flip_left_right")


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """As `random_flip_left_right`, by the seed alone.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.stateless_random_flip_left_right([[[1], [2]]], seed=(1, 2)).numpy().ravel().tolist())
    [1, 2]
    """
    return _flip(image, 1, _seeded(seed), "stateless_random_flip_left_right")


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """The image, mirrored along its height with probability 1/2; each image of a batch for itself.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.random_flip_up_down([[[1]], [[2]]]).numpy().ravel().tolist())
    [1, 2]
    """
    return _flip(image, 0, _hidden(seed), "random_flip_up_down")


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """As `random_flip_up_down`, by the seed alone.

    Args:
      image: `[height, width, channels]`, or a batch of such.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> sorted(tf.image.stateless_random_flip_up_down([[[1]], [[2]]], seed=(1, 2)).numpy().ravel().tolist())
    [1, 2]
    """
    return _flip(image, 0, _seeded(seed), "stateless_random_flip_up_down")


def _flip(image: Any, axis: int, draw: Draw, what: str) -> Tensor:
    x = image_tensor(image, what)
    lead = dims(x)[:-3]
    coins = Reshape(draw(list(lead), 0.0, 1.0) < 0.5, shape=(*lead, 1, 1, 1))
    return Where(coins, mirrored(x, axis), x)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of a tensor at a random place.

    Args:
      value: a tensor of any rank.
      size: the shape of the part, a length for each axis.
      seed: an integer that gives the call a stream of its own.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.random_crop(tf.zeros([8, 8, 3]), size=[4, 4, 3]).shape
    TensorShape([4, 4, 3])
    """
    return _crop(value, size, "random_crop", lambda n: functions.uniform(n, 0, _FAR, dtypes.int32, seed=seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """As `random_crop`, by the seed alone.

    Args:
      value: a tensor of any rank.
      size: the shape of the part, a length for each axis.
      seed: two integers.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.stateless_random_crop(tf.zeros([8, 8, 3]), size=[4, 4, 3], seed=(1, 2)).shape
    TensorShape([4, 4, 3])
    """
    return _crop(
        value, size, "stateless_random_crop", lambda n: functions.stateless_uniform(n, seed, 0, _FAR, dtypes.int32)
    )


_FAR = 2**31 - 1


def _crop(value: Any, size: Any, what: str, draw: Draw) -> Tensor:
    x, shape = tensor(value), integers(size, what, "size")
    own = dims(x)
    if len(shape) != len(own) or any(not 0 <= n <= m for n, m in zip(shape, own, strict=True)):
        raise errors.build(
            errors.ShapeError,
            f"{what}: Need value.shape >= size, got value {spec_of(x)} and size {list(shape)}.",
            "give a length for each axis, at most that of value.",
        )
    if not x.ndim:
        return x
    room = convert.convert_to_tensor([m - n + 1 for n, m in zip(shape, own, strict=True)])
    starts = draw([len(own)]) % room
    # Reshape stands before the gather so that the gradient is dense.
    x = Reshape(x, shape=own)
    for axis, (n, m) in enumerate(zip(shape, own, strict=True)):
        if n < m:
            # By index, not by slice: in a vectorised program each example has a place of its own.
            x = Gather(x, starts[axis] + convert.convert_to_tensor(range(n), dtypes.int32), axis=axis)
    return x
