"""A step of a trainer: traced once per kind of batch, or run as it is."""

from __future__ import annotations

import inspect
from typing import Any

import gradtape as tf
from gradtape.core import errors, log, refusals

# The exceptions of tracing if a step needs values in Python.
_UNTRACEABLE = (errors.OperatorNotAllowedInGraphError, errors.UnimplementedError, NotImplementedError)


def _check_parameters(step: Any) -> None:
    """Refuse `def train_step(self, x, y)`: a step gets the batch as one argument."""
    try:
        inspect.signature(step).bind(None)
    except TypeError:
        name = getattr(step, "__name__", "train_step")
        what = f"{name}: the method must take one argument, the batch, but it is {name}{inspect.signature(step)}."
        raise TypeError(errors.compose(what, f"def {name}(self, data): x, y = data; ...", depth=4)) from None
    except ValueError:  # a callable without a signature
        return


def check_logs(model: Any, logs: Any) -> None:
    """Refuse a train_step that returns the loss itself."""
    if logs is not None and not hasattr(logs, "keys"):
        what = f"{type(model).__name__}.train_step must return a dict of logs, it returned {refusals.described(logs)}."
        raise TypeError(errors.compose(what, "return {'loss': loss}.", depth=4))


class Step:
    """A function of one batch. If it cannot be traced, it runs eagerly, and a message gives the reason."""

    def __init__(self, step: Any, eager: Any) -> None:
        _check_parameters(step)
        self._step = step
        self._compiled = None if eager else tf.function(step)

    def __call__(self, data: Any) -> Any:
        if self._compiled is None:
            return self._step(data)
        try:
            return self._compiled(data)
        except _UNTRACEABLE as problem:
            self._compiled = None
            log.warning(
                "%s runs eagerly, which is slower: it could not be compiled.\n%s",
                getattr(self._step, "__qualname__", "the step"),
                problem,
            )
        return self._step(data)

    def explain(self) -> Any:
        """The explanation of the step by `tf.function`: its traces, and the parts in machine code. None if it runs eagerly."""
        return None if self._compiled is None else self._compiled.explain()
