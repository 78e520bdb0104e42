"""Where a gradient stops, and where it passes as if nothing had been computed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor
from gradtape.ops.stop_gradient import StopGradient
from gradtape.transform.custom_gradient import CustomGradient


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The value of `input` as a new tensor, through which no gradient flows.

    Args:
      input: a tensor, variable, or anything that converts to a tensor.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    3.0
    """
    return StopGradient(convert.convert_to_tensor(input))


P = ParamSpec("P")
R = TypeVar("R")


def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """A function that computes `f`, and whose gradient is that of the identity: a straight-through estimator.

    Args:
      f: a function with as many results as arguments. Variables in it get no gradient.

    >>> x = tf.Variable(2.6)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> float(y), float(tape.gradient(y, x))
    (3.0, 1.0)
    """
    if not callable(f):
        raise TypeError(errors.compose(f"grad_pass_through: f must be a function, got {f!r}.", "pass a function."))

    def straight(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs), _identity

    return CustomGradient(functools.wraps(f)(straight) if hasattr(f, "__name__") else straight)


def _identity(*dys: Any, variables: Any = ()) -> Any:
    return (dys, [None] * len(variables)) if variables else dys
