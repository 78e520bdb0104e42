"""A step of a trainer: traced once per kind of batch, or run as it is."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.core import errors, log

# What tracing raises where a step needs values in Python.
_UNTRACEABLE = (errors.OperatorNotAllowedInGraphError, errors.UnimplementedError, NotImplementedError)


class Step:
    """A function of one batch. If it cannot be traced it runs eagerly, and a message says why."""

    def __init__(self, step: Any, eager: Any) -> None:
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
        """What `tf.function` says of the step: its traces, and what runs as machine code. None if it runs eagerly."""
        return None if self._compiled is None else self._compiled.explain()
