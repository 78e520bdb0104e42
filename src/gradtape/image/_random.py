"""Images changed at random. The `stateless` functions depend on their seed alone, the others on `tf.random.set_seed`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors
from gradtape.core.annotations import TensorLike
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


_RGB = "`[..., 3]`, red, green and blue, of floats or integers."
_SAME = "A tensor of the same shape and dtype."
_LIMITS = {"lower": "the lower limit, which is not negative.", "upper": "the upper limit."}
_HIDDEN, _SEEDED = "an integer that gives the call a stream of its own.", "two integers."


def _brightness(image: Any, max_delta: float, draw: Draw, who: str) -> Tensor:
    require(max_delta >= 0, who, "max_delta must be non-negative.", f"it is {max_delta}.")
    return adjust_brightness(image, draw([], -max_delta, max_delta))


def _hue(image: Any, max_delta: float, draw: Draw, who: str) -> Tensor:
    require(max_delta <= 0.5, who, "max_delta must be <= 0.5.", f"it is {max_delta}.")
    require(max_delta >= 0, who, "max_delta must be non-negative.", f"it is {max_delta}.")
    return adjust_hue(image, draw([], -max_delta, max_delta))


@family(_SAME, image=_RGB, max_delta="a number from 0 to 0.5.", seed=_HIDDEN)
def _shift(who: str, shift: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(image: TensorLike, max_delta: float, seed: Any = None) -> Tensor:
        return shift(image, max_delta, _hidden(seed), who)

    return function


@family(_SAME, image=_RGB, max_delta="a number from 0 to 0.5.", seed=_SEEDED)
def _stateless_shift(who: str, shift: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(image: TensorLike, max_delta: float, seed: Any) -> Tensor:
        return shift(image, max_delta, _seeded(seed), who)

    return function


random_brightness = _shift(
    "random_brightness",
    "The image with a random number from `[-max_delta, max_delta)` added to it; see `adjust_brightness`.",
    "tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.2).shape -> TensorShape([2, 2, 3])",
    _brightness,
    image="a tensor of floats or integers.",
    max_delta="a number that is not negative.",
)
stateless_random_brightness = _stateless_shift(
    "stateless_random_brightness",
    "As `random_brightness`, by the seed alone.",
    ">>> x = tf.zeros([1, 1, 1])\n"
    ">>> a, b = [tf.image.stateless_random_brightness(x, 0.2, seed=(1, 2)) for _ in range(2)]\n"
    "bool(a == b) -> True",
    _brightness,
    image="a tensor of floats or integers.",
    max_delta="a number that is not negative.",
)
random_hue = _shift(
    "random_hue",
    "The image with its hue moved by a random number from `[-max_delta, max_delta)`; see `adjust_hue`.",
    "tf.image.random_hue(tf.zeros([2, 2, 3]), 0.2).shape -> TensorShape([2, 2, 3])",
    _hue,
)
stateless_random_hue = _stateless_shift(
    "stateless_random_hue",
    "As `random_hue`, by the seed alone.",
    "tf.image.stateless_random_hue(tf.zeros([2, 2, 3]), 0.2, seed=(1, 2)).shape -> TensorShape([2, 2, 3])",
    _hue,
)


def _check_range(lower: float, upper: float, who: str) -> None:
    require(upper > lower, who, "upper must be > lower.", f"the range is {lower} to {upper}.")
    require(lower >= 0, who, "lower must be non-negative.", f"it is {lower}.")


@family(_SAME, image=_RGB, **_LIMITS, seed=_HIDDEN)
def _scale(who: str, adjust: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(image: TensorLike, lower: float, upper: float, seed: Any = None) -> Tensor:
        _check_range(lower, upper, who)
        return adjust(image, _hidden(seed)([], lower, upper))

    return function


random_contrast = _scale(
    "random_contrast",
    "The image with its contrast scaled by a random number from `[lower, upper)`; see `adjust_contrast`.",
    "tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.2, 0.5).shape -> TensorShape([2, 2, 3])",
    adjust_contrast,
    image="`[..., height, width, channels]` of floats or integers.",
)
random_saturation = _scale(
    "random_saturation",
    "The image with its saturation scaled by a random number from `[lower, upper)`; see `adjust_saturation`.",
    "tf.image.random_saturation(tf.zeros([2, 2, 3]), 0.2, 0.5).shape -> TensorShape([2, 2, 3])",
    adjust_saturation,
)


def stateless_random_contrast(image: TensorLike, lower: float, upper: float, seed: Any) -> Tensor:
    """As `random_contrast`, determined by the seed alone.

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


def stateless_random_saturation(image: TensorLike, lower: float, upper: float, seed: Any = None) -> Tensor:
    """As `random_saturation`, determined by the seed alone.

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


def _flip(image: Any, axis: int, draw: Draw, who: str) -> Tensor:
    x = image_tensor(image, who)
    lead = dims(x)[:-3]
    coins = Reshape(draw(list(lead), 0.0, 1.0) < 0.5, shape=(*lead, 1, 1, 1))
    return Where(coins, mirrored(x, axis), x)


@family(_SAME, image="`[height, width, channels]`, or a batch of such.", seed=_HIDDEN)
def _mirror(who: str, axis: int) -> Callable[..., Tensor]:
    def function(image: TensorLike, seed: Any = None) -> Tensor:
        return _flip(image, axis, _hidden(seed), who)

    return function


@family(_SAME, image="`[height, width, channels]`, or a batch of such.", seed=_SEEDED)
def _stateless_mirror(who: str, axis: int) -> Callable[..., Tensor]:
    def function(image: TensorLike, seed: Any) -> Tensor:
        return _flip(image, axis, _seeded(seed), who)

    return function


random_flip_left_right = _mirror(
    "random_flip_left_right",
    "The image, mirrored along its width with probability 1/2; each image of a batch for itself.",
    "sorted(tf.image.random_flip_left_right([[[1], [2]]]).numpy().ravel().tolist()) -> [1, 2]",
    1,
)
stateless_random_flip_left_right = _stateless_mirror(
    "stateless_random_flip_left_right",
    "As `random_flip_left_right`, by the seed alone.",
    "sorted(tf.image.stateless_random_flip_left_right([[[1], [2]]], seed=(1, 2)).numpy().ravel().tolist()) -> [1, 2]",
    1,
)
random_flip_up_down = _mirror(
    "random_flip_up_down",
    "The image, mirrored along its height with probability 1/2; each image of a batch for itself.",
    "sorted(tf.image.random_flip_up_down([[[1]], [[2]]]).numpy().ravel().tolist()) -> [1, 2]",
    0,
)
stateless_random_flip_up_down = _stateless_mirror(
    "stateless_random_flip_up_down",
    "As `random_flip_up_down`, by the seed alone.",
    "sorted(tf.image.stateless_random_flip_up_down([[[1]], [[2]]], seed=(1, 2)).numpy().ravel().tolist()) -> [1, 2]",
    0,
)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A random crop of a tensor.

    Args:
      value: a tensor of any rank.
      size: the shape of the part, a length for each axis.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same dtype.

    >>> tf.image.random_crop(tf.zeros([8, 8, 3]), size=[4, 4, 3]).shape
    TensorShape([4, 4, 3])
    """
    return _crop(value, size, "random_crop", lambda n: functions.uniform(n, 0, _FAR, dtypes.int32, seed=seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """As `random_crop`, determined by the seed alone.

    Args:
      value: a tensor of any rank.
      size: the shape of the part, a length for each axis.
      seed: two integers.

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
