"""Distributions that TensorFlow 2 has no public function for: gradtape's own, with gradients where there are any."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import shape as as_shape
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.ops.exponential import Log1p
from gradtape.ops.random import FLOATS, RandomBits
from gradtape.ops.slicing import StridedSlice
from gradtape.random import _sampling as sampling
from gradtape.random._distributions import categorical, stateless_categorical, stateless_gamma
from gradtape.random._functions import from_seed, split, streams


def beta(
    shape: Any, alpha: Any, beta: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Numbers of the beta distribution, between 0 and 1. Gradients flow to `alpha` and `beta`.

    Args:
      shape: the shape of the result, to which alpha and beta broadcast.
      alpha: the first parameter, a tensor of positive floats; far below 0.01 numbers lose their digits.
      beta: the second one.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.beta([5, 2], [2.0, 0.5], 3.0).shape
    TensorShape([5, 2])
    """
    pair = RandomBits(streams.find("beta", dtype, seed).take((2,)), shape=(2,), dtype=dtypes.int64)
    return stateless_beta(shape, pair, alpha, beta, dtype)


def stateless_beta(
    shape: Any, seed: Any, alpha: Any, beta: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Numbers of the beta distribution that depend on the seed alone. Gradients flow to `alpha` and `beta`.

    Args:
      shape: the shape of the result, to which alpha and beta broadcast.
      seed: two integers.
      alpha: the first parameter, a tensor of positive floats.
      beta: the second one.
      dtype: float16, bfloat16, float32 or float64.

    >>> tf.random.stateless_beta([5], [1, 2], 2.0, 3.0).shape
    TensorShape([5])
    """
    first, second = (StridedSlice(split(seed), index=(i,)) for i in range(2))
    # A beta number is one gamma number's share of two.
    x: Any = stateless_gamma(shape, first, alpha, dtype=dtype)
    y: Any = stateless_gamma(shape, second, beta, dtype=dtype)
    result: Tensor = x / (x + y)
    return result


def laplace(
    shape: Any,
    mean: Any = 0.0,
    scale: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of the Laplace distribution. Gradients flow to `mean` and `scale`.

    Args:
      shape: the shape of the result, to which mean and scale broadcast.
      mean: the centre, a tensor.
      scale: how fast the distribution falls off on both sides, a tensor.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.laplace([3, 4], scale=2.0).shape
    TensorShape([3, 4])
    """
    return _laplace(streams.find("laplace", dtype, seed).take, shape, mean, scale, dtype)


def stateless_laplace(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    scale: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers of the Laplace distribution that depend on the seed alone. Gradients flow to `mean` and `scale`.

    Args:
      shape: the shape of the result, to which mean and scale broadcast.
      seed: two integers.
      mean: the centre, a tensor.
      scale: how fast the distribution falls off on both sides, a tensor.
      dtype: float16, bfloat16, float32 or float64.

    >>> tf.random.stateless_laplace([3], [1, 2]).shape
    TensorShape([3])
    """
    return _laplace(from_seed(seed, None), shape, mean, scale, dtype)


def _laplace(take: sampling.Take, shape: Any, mean: Any, scale: Any, dtype: Any) -> Tensor:
    """The difference of two exponential numbers, which never meets the logarithm of 0."""
    wanted = dtypes.as_dtype(dtype)
    if wanted.name not in FLOATS:
        raise errors.build(
            errors.DTypeError,
            f"laplace: dtype is {wanted.name}, and must be one of {', '.join(FLOATS)}.",
            "draw floats, and convert them with tf.cast.",
        )
    u: Any = sampling.uniform(take, (2, *as_shape(shape, "laplace")), 0.0, 1.0, dtype)
    waits = Log1p(-u)
    centred = StridedSlice(waits, index=(1,)) - StridedSlice(waits, index=(0,))
    return centred * convert.convert_to_tensor(scale, u.dtype) + convert.convert_to_tensor(mean, u.dtype)


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Class numbers, each drawn with the probability softmax(logits): another name of `tf.random.categorical`.

    Args:
      logits: `[batch, classes]`.
      num_samples: how many are drawn for each row.
      seed: an integer that gives the call a stream of its own; see `set_seed`.
      output_dtype: int32 or int64; int64 by default.

    >>> tf.random.multinomial([[0.0, 0.0]], 5).shape
    TensorShape([1, 5])
    """
    return categorical(logits, num_samples, dtype=output_dtype, seed=seed)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Class numbers that depend on the seed alone: another name of `tf.random.stateless_categorical`.

    Args:
      logits: `[batch, classes]`.
      num_samples: how many are drawn for each row.
      seed: two integers.
      output_dtype: int32 or int64.

    >>> tf.random.stateless_multinomial([[0.0, 0.0]], 5, seed=[1, 2]).shape
    TensorShape([1, 5])
    """
    return stateless_categorical(logits, num_samples, seed, dtype=output_dtype)
