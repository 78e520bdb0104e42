"""`backend.random`: numbers from a counter and a seed. The seed is a tensor, so a compiled step draws new numbers in every call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed
from keras.src.utils import rng_utils

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast, cast_tensor, convert_to_tensor
from gradtape.keras_backend.convert import shape as shape_of
from gradtape.keras_backend.ops.numpy import shaping

__all__ = [
    "SeedGenerator", "beta", "binomial", "categorical", "draw_seed", "dropout", "gamma", "make_default_seed", "normal",
    "randint", "shuffle", "truncated_normal", "uniform",
]  # fmt: skip

_WIDE = ("float32", "float64")


def install() -> None:
    """Let `keras.utils.set_random_seed` set the seed of `tf.random` too, as it does where TensorFlow is installed."""
    rng_utils.tf = SimpleNamespace(available=True, random=tf.random)


def _seed(seed: Any) -> Any:
    """The two numbers of a seed, as the functions of tf take them."""
    return cast_tensor(convert_to_tensor(draw_seed(seed)), "int64")


def _drawn(draw: Any, dtype: Any) -> Any:
    """Numbers of a dtype; narrow floats are drawn as float32."""
    wanted = dtype or floatx()
    wanted = tf.as_dtype(wanted)
    inner = wanted if wanted.name in _WIDE else tf.float32
    return cast_tensor(draw(inner), wanted)


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Normal numbers."""
    seed = _seed(seed)
    return _drawn(
        lambda d: tf.random.stateless_normal(shape, seed, _parameter(mean, d), _parameter(stddev, d), d), dtype
    )


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Normal numbers within two standard deviations."""
    seed = _seed(seed)
    return _drawn(
        lambda d: tf.random.stateless_truncated_normal(shape, seed, _parameter(mean, d), _parameter(stddev, d), d),
        dtype,
    )


def _parameter(value: Any, dtype: Any) -> Any:
    return value if isinstance(value, (int, float)) else cast(value, dtype)


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of an interval, without its end."""
    seed = _seed(seed)

    def draw(d: Any) -> Any:
        numbers = tf.random.stateless_uniform(shape, seed, dtype=d)
        low, high = [convert_to_tensor(v, d) for v in (minval, maxval)]
        return numbers * (high - low) + low

    return _drawn(draw, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    """Integers of an interval, without its end."""
    wanted = tf.as_dtype(dtype)
    seed = _seed(seed)
    inner = wanted if wanted.name in ("int32", "int64") else tf.int32
    low, high = [cast(v, inner) for v in (minval, maxval)]
    return cast_tensor(tf.random.stateless_uniform(shape, seed, low, high, dtype=inner), wanted)


def categorical(logits: Any, num_samples: Any, dtype: Any = "int64", seed: Any = None) -> Any:
    """Classes drawn with the probabilities that logits name."""
    logits = as_float(logits)
    wide = logits if logits.dtype.name in _WIDE else tf.cast(logits, "float32")
    return cast_tensor(tf.random.stateless_categorical(wide, num_samples, _seed(seed)), dtype)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of the gamma distribution."""
    seed = _seed(seed)
    return _drawn(lambda d: tf.random.stateless_gamma(tuple(shape), seed, cast(alpha, d), dtype=d), dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of the beta distribution."""
    seed = _seed(seed)
    return _drawn(lambda d: tf.random.stateless_beta(tuple(shape), seed, cast(alpha, d), cast(beta, d), dtype=d), dtype)


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Any:
    """The number of successes in a number of trials."""
    seed = _seed(seed)
    return _drawn(
        lambda d: tf.random.stateless_binomial(tuple(shape), seed, cast(counts, d), cast(probabilities, d), d), dtype
    )


def dropout(inputs: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Any:
    """Inputs with a random part set to zero, and the rest scaled up."""
    inputs = as_float(inputs)
    if rate == 0.0:
        return inputs
    if rate == 1.0:
        return tf.zeros_like(inputs)
    shape = shape_of(inputs)
    if noise_shape is not None:
        shape = tuple([d if n is None else n for n, d in zip(noise_shape, shape, strict=True)])
    keep = 1.0 - rate
    kept = tf.less(tf.random.stateless_uniform(shape, _seed(seed)), keep)
    return inputs * cast_tensor(tf.cast(kept, "float32") * (1.0 / keep), inputs.dtype)


def shuffle(x: Any, axis: Any = 0, seed: Any = None) -> Any:
    """x in a random order along an axis."""
    x = shaping.moveaxis(x, axis, 0)
    return shaping.moveaxis(tf.random.stateless_shuffle(x, _seed(seed)), 0, axis)
