"""Gradients registered by op name: they are stored, but no op here has such a name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from gradtape.core import state

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
