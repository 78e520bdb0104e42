"""`tf.nn.dropout`: some elements become zero, the others are scaled up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integers, tensor
from gradtape.core import dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.cast import Cast
from gradtape.ops.family import dims
from gradtape.ops.selection import Keep
from gradtape.ops.stop_gradient import StopGradient
from gradtape.random import _functions as functions

_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """x with each element set to zero with probability `rate`, and the others divided by `1 - rate`.

    Args:
      x: floating numbers.
      rate: a number of `[0, 1)`, or a scalar tensor of the dtype of x.
      noise_shape: a shape that broadcasts with that of x: elements along its axes of length 1 are dropped together. None
        in it means as long as x.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.

    Returns:
      A tensor like x; x itself if the rate is 0.

    >>> sorted(set(tf.nn.dropout(tf.ones([100]), rate=0.5).numpy().tolist()))
    [0.0, 2.0]
    """
    return _dropped(x, rate, noise_shape, lambda shape, dtype: functions.uniform(shape, seed=seed, dtype=_drawn(dtype)))


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """`tf.nn.dropout` determined by the seed alone.

    Args:
      x: floating numbers.
      rate: a number of `[0, 1)`, or a scalar tensor of the dtype of x.
      seed: two integers.
      rng_alg: "philox" or "auto_select".
      noise_shape: as in `tf.nn.dropout`.

    Returns:
      A tensor like x; x itself if the rate is 0.

    >>> a, b = (tf.nn.experimental.stateless_dropout(tf.ones([9]), 0.5, seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """

    def draw(shape: list[int], dtype: dtypes.DType) -> Tensor:
        return functions.stateless_uniform(shape, seed, dtype=_drawn(dtype), alg=rng_alg or "auto_select")

    return _dropped(x, rate, noise_shape, draw)


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Callable[..., Any], noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """`tf.nn.dropout` with a custom source of random numbers.

    Args:
      x: floating numbers.
      rate: a number of `[0, 1)`, or a scalar tensor of the dtype of x.
      uniform_sampler: a function of `shape` and `dtype` that gives numbers of `[0, 1)`; elements whose number is below the
        rate are dropped.
      noise_shape: as in `tf.nn.dropout`.

    Returns:
      A tensor like x; x itself if the rate is 0.

    >>> half = lambda shape, dtype: tf.cast(tf.range(shape[0]) % 2, dtype)
    >>> tf.nn.experimental.general_dropout([1.0, 2.0, 3.0], 0.5, half).numpy()
    array([0., 4., 0.], dtype=float32)
    """
    return _dropped(x, rate, noise_shape, lambda shape, dtype: tensor(uniform_sampler(shape=shape, dtype=dtype)))


def _drawn(dtype: dtypes.DType) -> dtypes.DType:
    """The dtype of the random numbers: those of float16 are so coarse that the rate would be another."""
    return dtype if dtype is dtypes.float64 else dtypes.float32


def _dropped(value: Any, rate: Any, noise_shape: Any, draw: Callable[[list[int], dtypes.DType], Any]) -> Tensor:
    x = tensor(value)
    if not x.dtype.is_floating:
        raise _refusal(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype!r}",
            "use tf.cast(x, tf.float32).",
        )
    is_number = isinstance(rate, _NUMBERS)
    if is_number and not 0 <= rate < 1:
        raise _refusal(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}",
            "rate=0.5 drops half of the elements.",
        )
    if is_number and rate == 0:
        return x
    if not is_number:
        rate = _rate(rate, x.dtype)
    noise = draw(_noise_shape(noise_shape, dims(x)), x.dtype)
    limit = float(rate) if is_number else Cast(StopGradient(rate), dtype=noise.dtype)
    scaled = x * (1.0 / (1.0 - float(rate))) if is_number else x / (1.0 - rate)
    return Keep(scaled, noise >= limit)


def _rate(rate: Any, dtype: dtypes.DType) -> Any:
    """A rate that is a tensor."""
    if not isinstance(rate, (Tensor, Variable, np.ndarray)):
        raise _refusal(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}", "pass a number.")
    rate = tensor(rate)
    if rate.dtype is not dtype:
        raise _refusal(
            f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={dtype!r} and rate.dtype={rate.dtype!r}",
            "use tf.cast, or pass a Python number.",
        )
    if rate.ndim:
        raise _refusal(f"`rate` has shape {list(dims(rate))}, and must have rank 0.", "pass a scalar.")
    return rate


def _noise_shape(noise_shape: Any, shape: tuple[int, ...]) -> list[int]:
    if noise_shape is None:
        return list(shape)
    given = noise_shape.as_list() if hasattr(noise_shape, "as_list") else noise_shape
    if isinstance(given, (list, tuple)) and len(given) == len(shape):
        given = [n if own is None else own for own, n in zip(given, shape, strict=True)]
    return list(integers(given, "dropout", "noise_shape"))


def _refusal(what: str, fix: str) -> Exception:
    return ValueError(errors.compose(f"dropout: {what}", fix, depth=2))
