"""Functions that work on NumPy arrays alone, made to obey NumPy's `__array_function__` protocol.

SciPy's ufuncs obey NumPy's protocols by themselves; its other functions, and loops of our own that fill an array, would
convert any array they are given. Marked with `overridable`, they ask arrays of another library first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gradtape.core import errors

F = TypeVar("F", bound=Callable[..., Any])

_OWN = (np.ndarray, np.generic, int, float, complex, bool, str, type(None), tuple, list)


def overridable(function: F) -> F:
    """The function; given an array of another library among its positional arguments, that library's version of it."""

    @functools.wraps(function)
    def dispatching(*args: Any, **options: Any) -> Any:
        for x in args:
            if not isinstance(x, _OWN) and hasattr(x, "__array_function__"):
                result = x.__array_function__(dispatching, (type(x),), args, options)
                if result is NotImplemented:
                    kind = f"{type(x).__module__}.{type(x).__name__}"
                    raise errors.build(
                        errors.UnimplementedError,
                        f"{function.__name__} runs on NumPy arrays only, and was given {kind}.",
                        'run this part with tf.device("/CPU:0").',
                    )
                return result
        return function(*args, **options)

    return dispatching  # type: ignore[return-value]
