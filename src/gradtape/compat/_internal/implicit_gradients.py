"""Functions of functions that give derivatives, as TensorFlow's inside had them before tapes were public."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape.core import nest


def implicit_val_and_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives what `f` gives, and pairs of a derivative and its variable, for the variables that `f` uses."""

    def grad_fn(*args: Any, **kwargs: Any) -> Any:
        with tf.GradientTape() as tape:
            end = f(*args, **kwargs)
        if end is None:
            raise ValueError(f"Cannot differentiate a function that returns None; did you forget to return from {f}?")
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return end, list(zip(tape.gradient(end, variables), variables, strict=True))

    return grad_fn


def implicit_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives pairs of a derivative and its variable, for the variables that `f` uses."""
    return lambda *args, **kwargs: implicit_val_and_grad(f)(*args, **kwargs)[1]


def make_vjp(f: Callable[..., Any], params: Any = None, persistent: bool = True) -> Callable[..., Any]:
    """A function that gives what `f` gives, and its pullback to some of the arguments: their places or names."""

    def decorated(*args: Any, **kwargs: Any) -> Any:
        places = _places(f, params, len(args))
        given = list(args)
        with tf.GradientTape(persistent=persistent) as tape:
            for i in places:
                given[i] = nest.map_structure(_fresh, given[i])
                tape.watch(given[i])
            result = f(*given, **kwargs)
        if result is None:
            raise ValueError(f"Cannot differentiate a function that returns None; did you forget to return from {f}?")
        sources = [given[i] for i in places]
        return result, lambda dy=None: tape.gradient(result, sources, output_gradients=dy)

    return decorated


def val_and_grad_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that gives what `f` gives, and its derivatives with respect to some of the arguments."""

    def decorated(*args: Any, dy: Any = None, **kwargs: Any) -> Any:
        value, pullback = make_vjp(f, params)(*args, **kwargs)
        return value, pullback(dy)

    return decorated


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that gives the derivatives of `f` with respect to some of its arguments: their places or names."""
    return lambda *args, **kwargs: val_and_grad_function(f, params)(*args, **kwargs)[1]


def _fresh(value: Any) -> Any:
    """An argument as a tensor of its own: the same tensor may be given twice."""
    return value if isinstance(value, tf.Variable) else tf.identity(tf.convert_to_tensor(value))


def _places(f: Callable[..., Any], params: Any, count: int) -> list[int]:
    if params is None:
        return list(range(count))
    import inspect

    names = [p for p in params if isinstance(p, str)]
    known = list(inspect.signature(f).parameters) if names else []
    return [known.index(p) if isinstance(p, str) else p for p in params]
