"""Gradients registered by op name, which are only stored; and functions that give derivatives, as they were before tapes were public."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import gradtape as tf
from gradtape.core import nest, state

REGISTERED: dict[str, Callable[..., Any] | None] = {}


class RegisterGradient:
    """A decorator that records the gradient of a named op, without effect; to replace one, use tf.custom_gradient.

    >>> @tf.RegisterGradient("MyOp")
    ... def gradient(op, dy):
    ...     return 2 * dy
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        if self._op_type in REGISTERED:
            raise KeyError(f"Registering two gradient with name '{self._op_type}'!")
        REGISTERED[self._op_type] = f
        return f


def no_gradient(op_type: str) -> None:
    """Record that a named op has no derivative; without effect.

    >>> tf.no_gradient("MyCount")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    REGISTERED[op_type] = None


def record_gradient(op_name: str, inputs: Any, attrs: Any, outputs: Any) -> None:
    """Nothing: ops are recorded when they run."""


def should_record_backprop(tensors: Any) -> bool:
    """True if a tape would record an op on these tensors."""
    tapes = [r for r in state.current.recorders if hasattr(r, "tracked")]
    return any(getattr(t, "_id", 0) in tape.tracked for tape in tapes for t in tensors)


@contextlib.contextmanager
def stop_recording() -> Iterator[None]:
    """A block that no tape sees."""
    from gradtape.transform.opaque_op import recorded_by

    with recorded_by():
        yield


def is_backpropagatable(tensor: Any) -> bool:
    """True if a tensor can have a gradient."""
    return bool(tensor.dtype.is_trainable)


def pending_count(*_: Any, **__: Any) -> Any:
    """Always NotImplementedError: the backward pass of graphs is not open to others."""
    raise NotImplementedError("tensorflow.python.ops.gradients_util._PendingCount is left out; use tf.gradients.")


def implicit_val_and_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns the result of `f`, and pairs of a derivative and a variable, for the variables used by `f`."""

    def grad_fn(*args: Any, **kwargs: Any) -> Any:
        with tf.GradientTape() as tape:
            end = f(*args, **kwargs)
        _check_returned(end, f)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return end, list(zip(tape.gradient(end, variables), variables, strict=True))

    return grad_fn


def implicit_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns pairs of a derivative and its variable for the variables that `f` uses."""
    return lambda *args, **kwargs: implicit_val_and_grad(f)(*args, **kwargs)[1]


def make_vjp(f: Callable[..., Any], params: Any = None, persistent: bool = True) -> Callable[..., Any]:
    """A function that returns the result of `f`, and its pullback to some arguments, given by position or name."""

    def decorated(*args: Any, **kwargs: Any) -> Any:
        places = _places(f, params, len(args))
        given = list(args)
        with tf.GradientTape(persistent=persistent) as tape:
            for i in places:
                is_repeated = any(given[i] is given[j] for j in places if j < i)
                given[i] = tf.identity(given[i]) if is_repeated else _fresh(given[i])
                tape.watch(given[i])
            result = f(*given, **kwargs)
        _check_returned(result, f)
        sources = [given[i] for i in places]
        return result, lambda dy=None: tape.gradient(result, sources, output_gradients=dy)

    return decorated


def val_and_grad_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that returns the result of `f`, and its derivatives with respect to some arguments."""

    def decorated(*args: Any, dy: Any = None, **kwargs: Any) -> Any:
        value, pullback = make_vjp(f, params)(*args, **kwargs)
        return value, pullback(dy)

    return decorated


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """A function that returns the derivatives of `f` with respect to some arguments, given by position or name."""
    return lambda *args, **kwargs: val_and_grad_function(f, params)(*args, **kwargs)[1]


def _fresh(value: Any) -> Any:
    """An argument as a separate tensor: the same tensor may be passed twice."""
    if any(isinstance(leaf, (tf.Tensor, tf.Variable)) for leaf in nest.flatten(value)):
        return nest.map_structure(
            lambda v: v if isinstance(v, tf.Variable) else tf.identity(tf.convert_to_tensor(v)), value
        )
    return tf.convert_to_tensor(value)  # a nested list of numbers is one argument


def _check_returned(result: Any, f: Any) -> None:
    if result is None:
        name = getattr(f, "__name__", f)
        raise ValueError(
            f"Cannot differentiate a function that returns None; did you forget to return a value from {name}?"
        )


def _places(f: Callable[..., Any], params: Any, count: int) -> list[int]:
    if params is None:
        return list(range(count))
    import inspect

    names = [p for p in params if isinstance(p, str)]
    known = list(inspect.signature(f).parameters) if names else []
    return [known.index(p) if isinstance(p, str) else p for p in params]
