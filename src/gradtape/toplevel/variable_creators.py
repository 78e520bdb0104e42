"""How variables are made, and how other objects become tensors: hooks for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape.core import convert, errors
from gradtape.core.variable_creation import names


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A block in which a function makes the variables, from the next one around and TensorFlow's arguments by name.

    Args:
      variable_creator: called as `variable_creator(next_creator, **kwargs)`; the last creator makes an ordinary variable.

    >>> def untrained(next_creator, **kwargs):
    ...     kwargs["trainable"] = False
    ...     return next_creator(**kwargs)
    >>> with tf.variable_creator_scope(untrained):
    ...     v = tf.Variable(1.0)
    >>> v.trainable
    False
    """
    before = names.creators
    names.creators = (*before, variable_creator)
    try:
        yield
    finally:
        names.creators = before


_NEVER = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)
_registered: list[tuple[int, int, type, Callable[..., Any]]] = []


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let objects of a class be used as tensors.

    Args:
      base_type: a class, or a tuple of classes.
      conversion_func: a function of `(value, dtype=None, name=None, as_ref=False)` that returns a tensor, or
        `NotImplemented` to let another one try.
      priority: functions with smaller numbers are asked first.

    >>> class Degrees:
    ...     def __init__(self, value):
    ...         self.value = value
    >>> tf.register_tensor_conversion_function(
    ...     Degrees, lambda d, dtype=None, name=None, as_ref=False: tf.constant(d.value * np.pi / 180, dtype)
    ... )
    >>> tf.sin(Degrees(90.0)).numpy()
    np.float32(1.0)
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not kinds or not all(isinstance(kind, type) for kind in kinds):
        raise errors.build(
            TypeError,
            f"Argument `base_type` must be a type or a tuple of types, got {base_type!r}.",
            "pass the class: tf.register_tensor_conversion_function(Degrees, f).",
        )
    if any(issubclass(kind, _NEVER) for kind in kinds):
        raise errors.build(
            TypeError,
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays.",
            "register a class that you define.",
        )
    if not callable(conversion_func):
        raise errors.build(
            TypeError,
            f"Argument `conversion_func` must be callable, got {conversion_func!r}.",
            "pass a function f(value, dtype=None, name=None, as_ref=False).",
        )
    for kind in kinds:
        if not any(known is kind for _, _, known, _ in _registered):
            convert.CONVERTERS.append((kind, _converted))
        _registered.append((priority, len(_registered), kind, conversion_func))
    _registered.sort(key=lambda entry: entry[:2])


def _converted(value: Any, dtype: Any) -> Any:
    for _, _, kind, function in _registered:
        if isinstance(value, kind):
            tensor = function(value, dtype=dtype, name=None, as_ref=False)
            if tensor is not NotImplemented:
                return convert.convert_to_tensor(tensor, dtype)
    raise convert.unconvertible(value)
