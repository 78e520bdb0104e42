"""Initializers at the top level: functions of a shape that give the first value of a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.arrays.creation import ones, zeros
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.random._functions import normal, stateless_normal, stateless_uniform, uniform

_PARTITION = ("partition_shape", "partition_offset")


class Initializer:
    """Base of the initializers: called with a shape and a dtype, they give a tensor."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        raise NotImplementedError

    def _whole(self, shape: Any, kwargs: dict[str, Any], partitioned: bool = True) -> Any:
        """The shape of what is made: a part of the variable, if one is asked for."""
        for name in kwargs:
            if name not in _PARTITION:
                raise TypeError(
                    errors.compose(
                        f"Keyword argument should be one of {list(_PARTITION)}, got {name!r}.", "leave it out.", depth=2
                    )
                )
        if kwargs and not partitioned:
            raise ValueError(
                errors.compose(
                    f"{type(self).__name__} does not support partition-related arguments.",
                    "make it with support_partition=True.",
                    depth=2,
                )
            )
        return kwargs.get("partition_shape", shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments from which an equal one is made."""
        return {name.lstrip("_"): value for name, value in vars(self).items()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with the arguments that `get_config` gave."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})


def _numeric(dtype: Any) -> Any:
    found = dtypes.as_dtype(dtype)
    if found is dtypes.string:
        raise ValueError(
            errors.compose("Argument `dtype` expected to be numeric or boolean, got string.", "use tf.fill.", depth=2)
        )
    return found


class zeros_initializer(Initializer):  # noqa: N801 - TensorFlow's name
    """Zeros.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return zeros(self._whole(shape, kwargs), _numeric(dtype))


class ones_initializer(Initializer):  # noqa: N801
    """Ones.

    >>> tf.ones_initializer()([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return ones(self._whole(shape, kwargs), _numeric(dtype))


class constant_initializer(Initializer):  # noqa: N801
    """One value everywhere, or the values of a list in their order.

    Args:
      value: a number, or as many as the shape will hold.
      support_partition: whether parts of a variable can be asked for.

    >>> tf.constant_initializer([7, 8])([2], tf.float32).numpy()
    array([7., 8.], dtype=float32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise errors.build(
                TypeError,
                f"Invalid type for initial value: {type(value).__name__}.",
                "give a number, a list or a NumPy array.",
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        return convert.constant(self.value, dtype, self._whole(shape, kwargs, self.support_partition))

    def get_config(self) -> dict[str, Any]:
        """The arguments from which an equal one is made."""
        return {"value": self.value}


class _Random(Initializer):
    """Base of the random initializers. With a seed, every call gives the same numbers."""

    seed: int | None

    def _floating(self, dtype: Any) -> Any:
        found = dtypes.as_dtype(dtype)
        if not found.is_floating:
            raise ValueError(
                errors.compose(
                    f"{type(self).__name__}: expected a float dtype, got {found.name}.", "use tf.float32.", depth=2
                )
            )
        return found


class random_normal_initializer(_Random):  # noqa: N801
    """Numbers from a normal distribution.

    Args:
      mean: its mean.
      stddev: its standard deviation.
      seed: an int, for the same numbers in every call.

    >>> tf.random_normal_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        kind, shape = self._floating(dtype), self._whole(shape, kwargs)
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, kind)
        return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, kind)


class random_uniform_initializer(_Random):  # noqa: N801
    """Numbers from a uniform distribution between two limits.

    Args:
      minval: the lower limit.
      maxval: the upper limit, which does not occur.
      seed: an int, for the same numbers in every call.

    >>> tf.random_uniform_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        kind, shape = dtypes.as_dtype(dtype), self._whole(shape, kwargs)
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, kind)
        return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, kind)
