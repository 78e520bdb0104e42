"""`tf.compat.v1.initializers`: objects that give tensors of a shape, with the dtype chosen when they are made or called; and the
operations that initialise variables.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.compat.v1 import _collections


class Initializer:
    """Base of the initializers; `get_config` returns the arguments."""

    _fields: tuple[str, ...] = ()
    dtype: Any = tf.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None, **_: Any) -> Any:
        """A tensor of a shape."""
        sizes: Any = tf.TensorShape(shape).as_list()
        return self._values(sizes, tf.as_dtype(dtype or self.dtype))

    def _values(self, shape: list[int], dtype: Any) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {name: getattr(self, name) for name in self._fields} | {"dtype": tf.as_dtype(self.dtype).name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The initializer with these arguments."""
        return cls(**config)


class _Floats(Initializer):
    """Base of the initializers of floating point numbers."""

    @property
    def dtype(self) -> Any:
        """The dtype of what it gives."""
        return self._dtype

    @dtype.setter
    def dtype(self, value: Any) -> None:
        if not tf.as_dtype(value).is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {tf.as_dtype(value)!r}.")
        self._dtype = value


class zeros(Initializer):  # noqa: N801
    """Zeros."""

    def __init__(self, dtype: Any = tf.float32) -> None:
        self.dtype = dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        return tf.zeros(shape, dtype)


class ones(Initializer):  # noqa: N801
    """Ones."""

    def __init__(self, dtype: Any = tf.float32) -> None:
        self.dtype = dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        return tf.ones(shape, dtype)


class constant(Initializer):  # noqa: N801
    """One value, or those of a list in order."""

    _fields = ("value",)

    def __init__(self, value: Any = 0, dtype: Any = tf.float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python scalar, list or "
                "tuple of values, or numpy.ndarray."
            )
        self.value, self.dtype = value, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        given = tf.convert_to_tensor(self.value, dtype)
        return tf.broadcast_to(given, shape) if not given.shape.rank else tf.reshape(given, shape)


class random_uniform(Initializer):  # noqa: N801
    """Numbers between two bounds."""

    _fields = ("minval", "maxval", "seed")

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        maximum = 1.0 if self.maxval is None else self.maxval
        return tf.random.uniform(shape, self.minval, maximum, dtype, self.seed)


class random_normal(_Floats):  # noqa: N801
    """Normal numbers."""

    _fields = ("mean", "stddev", "seed")

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        return tf.random.normal(shape, self.mean, self.stddev, dtype, self.seed)


class truncated_normal(random_normal):  # noqa: N801
    """Normal numbers within two standard deviations."""

    def _values(self, shape: list[int], dtype: Any) -> Any:
        return tf.random.truncated_normal(shape, self.mean, self.stddev, dtype, self.seed)


class variance_scaling(_Floats):  # noqa: N801
    """Numbers whose variance fits the number of inputs or outputs."""

    _fields: tuple[str, ...] = ("scale", "mode", "distribution", "seed")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = tf.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        self.scale, self.mode, self.distribution, self.seed, self.dtype = scale, mode, distribution, seed, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        inputs, outputs = _fans(shape)
        fan = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2.0}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution in ("normal", "truncated_normal"):
            # The standard deviation of a normal distribution that is cut off at two.
            return tf.random.truncated_normal(shape, 0.0, math.sqrt(scale) / 0.87962566103423978, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return tf.random.normal(shape, 0.0, math.sqrt(scale), dtype, self.seed)
        limit = math.sqrt(3.0 * scale)
        return tf.random.uniform(shape, -limit, limit, dtype, self.seed)


def _fans(shape: list[int]) -> tuple[float, float]:
    if len(shape) < 2:
        size = float(shape[0]) if shape else 1.0
        return size, size
    field = math.prod(shape[:-2])
    return float(shape[-2] * field), float(shape[-1] * field)


class glorot_uniform(variance_scaling):  # noqa: N801
    """Glorot's uniform rule."""

    _fields = ("seed",)

    def __init__(self, seed: Any = None, dtype: Any = tf.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class glorot_normal(variance_scaling):  # noqa: N801
    """Glorot's normal rule."""

    _fields = ("seed",)

    def __init__(self, seed: Any = None, dtype: Any = tf.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


class uniform_unit_scaling(_Floats):  # noqa: N801
    """Uniform numbers that keep the scale of the input."""

    _fields = ("factor", "seed")

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        limit = math.sqrt(3 / max(1.0, float(math.prod(shape[:-1])))) * self.factor
        return tf.random.uniform(shape, -limit, limit, dtype, self.seed)


class orthogonal(_Floats):  # noqa: N801
    """Orthogonal matrices."""

    _fields = ("gain", "seed")

    def __init__(self, gain: float = 1.0, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        if len(shape) < 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional: {shape}"
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        drawn = tf.random.normal([max(rows, columns), min(rows, columns)], 0.0, 1.0, dtype, self.seed)
        q, r = tf.linalg.qr(drawn, full_matrices=False)
        q *= tf.sign(tf.linalg.diag_part(r))
        return self.gain * tf.reshape(q if rows >= columns else tf.linalg.matrix_transpose(q), shape)


class identity(_Floats):  # noqa: N801
    """The identity matrix."""

    _fields = ("gain",)

    def __init__(self, gain: float = 1.0, dtype: Any = tf.float32) -> None:
        self.gain, self.dtype = gain, dtype

    def _values(self, shape: list[int], dtype: Any) -> Any:
        return self.gain * tf.eye(shape[0], shape[-1], dtype=dtype)


def he_normal(seed: Any = None) -> variance_scaling:
    """He's normal rule."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> variance_scaling:
    """He's uniform rule."""
    return variance_scaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Any = None) -> variance_scaling:
    """LeCun's normal rule."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> variance_scaling:
    """LeCun's uniform rule."""
    return variance_scaling(1.0, "fan_in", "uniform", seed)


global_variables, local_variables = _collections.global_variables_initializer, _collections.local_variables_initializer
tables_initializer, variables = _collections.tables_initializer, _collections.variables_initializer
