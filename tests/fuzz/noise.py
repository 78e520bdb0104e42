"""How much a program makes of rounding errors: each value is moved by a few units in the last place, and what becomes of that
is looked at. What moves by itself cannot be asked to agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.core import dtypes
from gradtape.ops.family import dims


def noise(seed: int, most: int = 2, outward: bool = True, alike: bool = False) -> Callable[[Any], Any]:
    """A function that moves tensors, or tuples of them, by some units in the last place.

    Args:
      seed: of the random numbers.
      most: how many units at most.
      outward: False if numbers may only come nearer to zero.
      alike: True if all elements of a tensor move alike: those that are equal stay so, as where they are computed alike.
    """
    random = np.random.default_rng(seed)

    def moved(x: Any) -> Any:
        if isinstance(x, (tuple, list)):
            return tuple([moved(part) for part in x])
        if not isinstance(x, (tf.Tensor, tf.Variable)) or not x.dtype.is_trainable:
            return x
        steps = random.integers(-most, most + 1 if outward else 1, () if alike else dims(x)) + np.zeros(dims(x))
        factors = (1.0 + steps * epsilon(x.dtype)).astype(x.dtype.numpy)
        # Numbers near the smallest ones lose digits, which happens to float16 alone.
        lost = (steps * (_SMALLEST if x.dtype == tf.float16 else 0.0)).astype(x.dtype.numpy)
        array = x._array if type(x) is tf.Tensor else None
        if isinstance(array, np.ndarray) and array.flags.owndata and array.flags.writeable:
            # In place: a derivative such as 1 - tanh(x)**2 reads what was computed, and its own error follows from that.
            array *= factors
            array += lost
            return x
        return x * tf.constant(factors) + tf.constant(lost)

    return moved


def epsilon(dtype: Any) -> float:
    """The distance from one to the next larger number."""
    return _EPSILON[dtypes.as_dtype(dtype).name]


_SMALLEST = 2.0**-24  # the smallest float16
_EPSILON = {
    "float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23,
    "complex128": 2.0**-52,
}  # fmt: skip
