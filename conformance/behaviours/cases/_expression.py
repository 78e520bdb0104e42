"""Cases that are one expression each: a table of calls, named by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np


def evaluate(tf: Any, expression: str) -> Any:
    """The value of an expression that may use `tf`, `np`, `tnp` (TensorFlow's NumPy) and the functions of this module."""
    return eval(expression, names(tf))


def names(tf: Any) -> dict[str, Any]:
    """What an expression may use."""
    return {
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "c": tf.constant,
        "nan": np.nan,
        "inf": np.inf,
        "normal": normal,
        "ramp": ramp,
        "image": image,
        "grad": lambda function, *values: gradient(tf, function, *values),
        "traced": lambda function, *values: tf.function(function)(*values),
        "static": lambda function, *specs: static_shape(tf, function, *specs),
        "message": message,
    }


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    """Numbers of a normal distribution, the same everywhere."""
    return np.random.RandomState(seed).standard_normal(shape).astype(dtype)


def ramp(*shape: int, dtype: str = "float32") -> Any:
    """The numbers 0, 1, 2 … in a shape."""
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def image(*shape: int, dtype: str = "uint8", seed: int = 0) -> Any:
    """A picture of noise; of bytes, or of numbers from 0 to 1."""
    noise = np.random.RandomState(seed).randint(0, 256, shape)
    return noise.astype(np.uint8) if dtype == "uint8" else (noise / 255.0).astype(dtype)


def gradient(tf: Any, function: Any, *values: Any) -> Any:
    """The gradients of a function's result with respect to its arguments."""
    inputs = [tf.convert_to_tensor(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = function(*inputs)
    return tape.gradient(result, inputs)


def static_shape(tf: Any, function: Any, *specs: Any) -> Any:
    """The shapes that a traced function knows of its results."""
    traced = tf.function(function).get_concrete_function(*specs)
    return tf.nest.map_structure(lambda t: t.shape, traced.structured_outputs)


def message(function: Any, *parts: str) -> Any:
    """Which of some words stand in the text of the error that a function raises, and its class among Python's."""
    try:
        function()
    except Exception as error:
        return [part.lower() in str(error).lower() for part in parts]
    return "no error"
