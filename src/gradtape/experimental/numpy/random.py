"""`tf.experimental.numpy.random`: NumPy's older functions of random numbers, from the streams of `tf.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.arrays import shapes
from gradtape.core import dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray, default_float
from gradtape.math._conversion import cast
from gradtape.random import _distributions as distributions
from gradtape.random import _functions as functions

__all__ = ["poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]


def seed(s: Any) -> None:
    """Set the global seed, as `tf.random.set_seed`.

    >>> tf.experimental.numpy.random.seed(1)
    """
    try:
        number = int(s)
    except TypeError:
        raise errors.build(ValueError, f"seed: s must be an integer, got {s!r}.", "pass an int.") from None
    functions.set_seed(number)


def randn(*args: int) -> Tensor:
    """Numbers of the standard normal distribution, in a shape given as ints.

    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(args)


def standard_normal(size: Any = None) -> Tensor:
    """Numbers of the standard normal distribution; one number without a size.

    >>> tf.experimental.numpy.random.standard_normal(2).dtype
    tf.float64
    """
    return functions.normal(_shape(size), dtype=default_float())


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers of a uniform distribution over `[low, high)`, by default in the shape of the bounds.

    >>> tf.experimental.numpy.random.uniform(0.0, [1.0, 2.0]).shape
    TensorShape([2])
    """
    dtype = default_float()
    least, limit = (cast(asarray(bound), dtype) for bound in (low, high))
    shape = shapes.broadcast_static_shape(least.get_shape(), limit.get_shape()) if size is None else _shape(size)
    return functions.uniform(shape, least, limit, dtype=dtype)


def random(size: Any = None) -> Tensor:
    """Numbers of the uniform distribution over `[0, 1)`; one number without a size.

    >>> tf.experimental.numpy.random.random((2, 1)).shape
    TensorShape([2, 1])
    """
    return uniform(0.0, 1.0, size)


def rand(*size: int) -> Tensor:
    """Numbers of the uniform distribution over `[0, 1)`, in a shape given as ints.

    >>> tf.experimental.numpy.random.rand(4).shape
    TensorShape([4])
    """
    return uniform(0.0, 1.0, size)


def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers of the Poisson distribution, as int64; one for each mean without a size.

    >>> tf.experimental.numpy.random.poisson(2.0, 3).dtype
    tf.int64
    """
    return distributions.poisson(_shape(size), asarray(lam), dtypes.int64)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Tensor:
    """Integers of `[low, high)`, or of `[0, low)` if only one bound is given.

    Args:
      low: the least; without `high`, what all are below.
      high: what all are below.
      size: the shape; one number without it.
      dtype: int32 or int64.

    >>> int(tf.experimental.numpy.random.randint(1))
    0
    """
    wanted = dtypes.as_dtype(dtype)
    if wanted not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            ValueError,
            f"randint: Argument `dtype` got an invalid value {wanted.name}: only int32 and int64 are supported.",
            "use np.int64.",
        )
    low, high = (0, low) if high is None else (low, high)
    return functions.uniform(_shape(size), low, high, dtype=wanted)


def _shape(size: Any) -> Any:
    """A shape, given as nothing, an int or a sequence."""
    if size is None:
        return ()
    return (int(size),) if np.ndim(size) == 0 else size
