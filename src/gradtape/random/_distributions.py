"""Distributions of `tf.random` beyond the uniform and the normal ones.

>>> def beta(shape, a, b):  # a beta number is one gamma number's share of two
...     x, y = tf.random.gamma(shape, a), tf.random.gamma(shape, b)
...     return x / (x + y)
>>> beta([5], 2.0, 3.0).shape
TensorShape([5])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.api.arguments import shape as as_shape
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.ops.random import FLOATS, RandomUniform
from gradtape.ops.random_categorical import CategoricalQuantile
from gradtape.ops.random_counts import RandomPoisson
from gradtape.ops.random_gamma import RandomGamma
from gradtape.ops.selection import Maximum
from gradtape.ops.truncated_normal import TruncatedNormalQuantile
from gradtape.random._functions import from_seed, streams
from gradtape.random._sampling import Take, binomial
from gradtape.transform.stop_gradient import stop_gradient

# The least normal number, which TensorFlow gives where a gamma number is smaller.
_TINY = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Numbers of the gamma distribution. Gradients flow to `alpha` and `beta`.

    A number's derivative with respect to alpha is that of the quantile that it is; so the gradient of a mean of
    functions of such numbers is an unbiased estimate of the gradient of their expectation.

    Args:
      shape: the shape of what is drawn for each pair of alpha and beta.
      alpha: the shape of the distribution, a tensor.
      beta: the inverse scale, a tensor that broadcasts with alpha; None means 1.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.gamma([10], [0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    a, b = _gamma_parameters(alpha, beta, dtype)
    lead = as_shape(shape, "gamma")
    return _gamma(streams.find("gamma", a.dtype, seed).take, lead + _common("gamma", alpha=a, beta=b), a, b)


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Numbers of the gamma distribution that depend on the seed alone. Gradients flow to `alpha` and `beta`.

    Args:
      shape: the shape of the result, to which alpha and beta broadcast.
      seed: two integers.
      alpha: the shape of the distribution, a tensor.
      beta: the inverse scale, a tensor; None means 1.
      dtype: float16, bfloat16, float32 or float64.

    >>> tf.random.stateless_gamma([10, 2], seed=[1, 2], alpha=[0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    a, b = _gamma_parameters(alpha, beta, dtype)
    return _gamma(from_seed(seed, None), as_shape(shape, "stateless_gamma"), a, b)


def _gamma_parameters(alpha: Any, beta: Any, dtype: Any) -> tuple[Any, Any]:
    wanted = dtypes.as_dtype(dtype)
    if wanted.name not in FLOATS:
        raise errors.build(
            errors.DTypeError,
            f"gamma: dtype is {wanted.name}, and must be one of {', '.join(FLOATS)}.",
            "draw floats, and convert them with tf.cast.",
        )
    return convert.convert_to_tensor(alpha, wanted), None if beta is None else convert.convert_to_tensor(beta, wanted)


def _gamma(take: Take, shape: tuple[int, ...], alpha: Any, beta: Any) -> Tensor:
    drawn = RandomGamma(take(shape), alpha, shape=shape)
    if beta is not None:
        drawn = drawn / beta
    return Maximum(drawn, np.array(_TINY[alpha.dtype.name]).astype(alpha.dtype.numpy)[()])


def _common(what: str, **parameters: Any) -> tuple[int, ...]:
    """The shape that parameters broadcast to; those that are None are left out."""
    shape: tuple[int, ...] | None = ()
    given = {name: p for name, p in parameters.items() if p is not None}
    for p in given.values():
        shape = None if shape is None else broadcast(shape, dims(p))
    if shape is None:
        listed = ", ".join(f"{name} is {spec_of(p)}" for name, p in given.items())
        raise errors.build(
            errors.ShapeError, f"{what}: shapes do not broadcast: {listed}.", "dimensions must be equal or 1."
        )
    return shape


def poisson(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None) -> Tensor:
    """Numbers of the Poisson distribution.

    Args:
      shape: the shape of what is drawn for each element of `lam`.
      lam: the mean, a tensor of floats.
      dtype: of the result: float16, bfloat16, float32, float64, int32 or int64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.poisson([10], [0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    rate, wanted = tensor(lam), dtypes.as_dtype(dtype)
    whole = as_shape(shape, "poisson") + dims(rate)
    state = streams.find("poisson", wanted, seed).take(whole)
    return RandomPoisson(state, rate, shape=whole, dtype=wanted)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Numbers of the Poisson distribution that depend on the seed alone.

    Args:
      shape: the shape of the result, to which `lam` broadcasts.
      seed: two integers.
      lam: the mean, a tensor of floats.
      dtype: of the result: float16, bfloat16, float32, float64, int32 or int64.

    >>> tf.random.stateless_poisson([10, 2], seed=[1, 2], lam=[0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    whole = as_shape(shape, "stateless_poisson")
    state = from_seed(seed, None)(whole)
    return RandomPoisson(state, tensor(lam), shape=whole, dtype=dtypes.as_dtype(dtype))


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Numbers of the binomial distribution that depend on the seed alone.

    Args:
      shape: the shape of the result, to which counts and probs broadcast.
      seed: two integers.
      counts: the number of trials.
      probs: the probability of success in each.
      output_dtype: float16, bfloat16, float32, float64, int32 or int64.

    >>> tf.random.stateless_binomial([3], seed=[1, 2], counts=10, probs=1.0).numpy()
    array([10, 10, 10], dtype=int32)
    """
    return binomial(from_seed(seed, None), shape, counts, probs, output_dtype)


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Random classes, `[batch_size, num_samples]`.

    Args:
      logits: `[batch_size, num_classes]`, the logarithms of the probabilities, each row up to a constant.
      num_samples: how many to draw for each row.
      dtype: int32 or int64; None means int64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.categorical([[0.0, -np.inf]], 3).numpy()
    array([[0, 0, 0]])
    """
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    return _categorical(streams.find("categorical", wanted, seed).take, logits, num_samples, wanted)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Random classes, `[batch_size, num_samples]`, that depend on the seed alone.

    Args:
      logits: `[batch_size, num_classes]`, the logarithms of the probabilities, each row up to a constant.
      num_samples: how many to draw for each row.
      seed: two integers.
      dtype: int32 or int64.

    >>> tf.random.stateless_categorical([[0.0, -np.inf]], 3, seed=[1, 2]).numpy()
    array([[0, 0, 0]])
    """
    return _categorical(
        from_seed(seed, None), logits, num_samples, dtypes.as_dtype(dtypes.int64 if dtype is None else dtype)
    )


def _categorical(take: Take, logits: Any, num_samples: Any, dtype: dtypes.DType) -> Tensor:
    logits, count = tensor(logits), integer(num_samples, "categorical", "num_samples")
    if logits.ndim != 2 or count < 0:
        raise errors.build(
            errors.ShapeError,
            f"categorical: logits must have rank 2, and num_samples must not be negative, got {spec_of(logits)} and {count}.",
            "give a row for each distribution: tf.random.categorical([logits], num_samples).",
        )
    shape = (dims(logits)[0], count)
    u = RandomUniform(take(shape), shape=shape, dtype=dtypes.float64)
    return CategoricalQuantile(logits, u, dtype=dtype)


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution between two bounds, which depend only on the seed.

    Gradients flow to all four parameters, which broadcast to the shape and have one dtype.

    Args:
      shape: the shape of the result.
      seed: two integers.
      means: of the distribution before it is cut off.
      stddevs: the standard deviations, likewise.
      minvals: the lower bounds; they may be infinite.
      maxvals: the upper bounds, above the lower ones.

    >>> x = tf.random.stateless_parameterized_truncated_normal([100], seed=[1, 2], minvals=3.0, maxvals=4.0)
    >>> bool(tf.reduce_all((x >= 3.0) & (x <= 4.0)))
    True
    """
    whole = as_shape(shape, "stateless_parameterized_truncated_normal")
    mean = tensor(means)
    deviation, low, high = (convert.like(v, mean.dtype) for v in (stddevs, minvals, maxvals))
    u = RandomUniform(from_seed(seed, None)(whole), shape=whole, dtype=dtypes.float64)
    # As in TensorFlow, the bounds count as those of the standard normal: they do not move with the mean.
    middle, width = stop_gradient(mean), stop_gradient(deviation)
    inside: Any = TruncatedNormalQuantile(u, (low - middle) / width, (high - middle) / width)
    result: Tensor = mean + deviation * inside
    return result
