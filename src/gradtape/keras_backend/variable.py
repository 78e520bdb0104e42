"""Keras's Variable: a variable of gradtape with a path, a dtype policy and deferred creation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from keras.src.backend.common import KerasVariable
from keras.src.backend.common.stateless_scope import get_stateless_scope, in_stateless_scope

import gradtape as tf
from gradtape.core import convert, state
from gradtape.core.shape import Spec
from gradtape.core.updates import lock_of
from gradtape.core.variable import Variable as TapeVariable
from gradtape.keras_backend import distribution_lib
from gradtape.keras_backend.convert import cast_tensor, convert_to_tensor
from gradtape.tracing.trace import current_trace


class _Scope(threading.local):
    """The trace on this thread that infers shapes, in which variables need no value; None without one."""

    trace: Any = None


_scope = _Scope()


@contextmanager
def standing_in(trace: Any) -> Iterator[None]:
    """Run a block in which parameters of a trace replace variables without a value."""
    before, _scope.trace = _scope.trace, trace
    try:
        yield
    finally:
        _scope.trace = before


class Variable(KerasVariable):
    """A variable of a model. Its cell is a `tf.Variable`, so tapes watch it and functions assign it.

    Every way from it to a tensor goes through `value`, which asks the stateless scope and casts.
    """

    def _initialize(self, value: Any) -> Any:
        synchronization, aggregation = self._sharing()
        strategy = None if tf.distribute.has_strategy() else distribution_lib.strategy()
        with nullcontext() if strategy is None else strategy.scope():
            self._value = TapeVariable(
                value,
                trainable=self._trainable,
                dtype=self._dtype,
                name=self._name,
                synchronization=synchronization,
                aggregation=aggregation,
            )

    def _sharing(self) -> Any:
        """How replicas of a strategy share the variable. Where Keras does not say it, what they assign to numbers (the
        statistics of a normalisation) is averaged; others (the states of seeds) are changed by one replica after the other."""
        if self._aggregation == "none" and self._synchronization == "auto":
            if tf.as_dtype(self._dtype).is_floating:
                return tf.VariableSynchronization.AUTO, tf.VariableAggregation.MEAN
            return tf.VariableSynchronization.NONE, tf.VariableAggregation.NONE
        return (
            tf.VariableSynchronization[self._synchronization.upper()],
            tf.VariableAggregation[self._aggregation.upper()],
        )

    def _initialize_with_initializer(self, initializer: Any) -> Any:
        # The first call of a layer may be traced: its weights are made before the function runs.
        with tf.init_scope():
            self._initialize(self._convert_to_tensor(initializer(self._shape, dtype=self._dtype), dtype=self._dtype))

    def assign_add(self, value: Any) -> Any:
        """Add to the value, as one step for other threads."""
        with self._exclusive():
            return super().assign_add(value)

    def assign_sub(self, value: Any) -> Any:
        """Subtract from the value, as one step for other threads."""
        with self._exclusive():
            return super().assign_sub(value)

    def _exclusive(self) -> Any:
        """A block in which no other thread updates the cell; a function that is being traced sees to that when it runs."""
        if self._value is None or state.current.trace is not None:
            return nullcontext()
        return lock_of(self._value)

    def _direct_assign(self, value: Any) -> Any:
        self._value.assign(cast_tensor(value, self._dtype))

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(value, dtype=dtype)

    @property
    def value(self) -> Any:
        """The present value, as a tensor through which gradients reach the variable."""
        if in_stateless_scope():
            value = get_stateless_scope().get_current_value(self)
            if value is not None:
                return self._maybe_autocast(value)
        if self._value is None:
            return self._maybe_autocast(self._placeholder())
        return self._maybe_autocast(self._value._read())

    def _placeholder(self) -> Any:
        """A placeholder for the value of a variable that has none yet, with its shape and dtype."""
        symbolic = _scope.trace
        if symbolic is None or state.current.trace is None:
            return convert_to_tensor(self._initializer(self._shape, dtype=self._dtype), self._dtype)
        trace = current_trace()
        while (
            trace is not None and trace is not symbolic
        ):  # a function that is called there is traced for this call only
            trace.provisional, trace = True, trace.outer
        return symbolic.parameter(Spec(tuple(self._shape), tf.as_dtype(self._dtype)), self._name)

    @property
    def shape(self) -> Any:
        """The shape, as `tf.Variable` has it: layers ask it for `rank` and `is_compatible_with`."""
        return tf.TensorShape(self._shape)

    @property
    def trainable(self) -> Any:
        """Whether tapes watch it and optimizers change it."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: Any) -> Any:
        self._trainable = bool(value)
        if self._value is not None:
            self._value._trainable = bool(value)

    @property
    def handle(self) -> Any:
        """The identity that tapes use."""
        return self._value.handle

    def __gradient_source__(self) -> Any:
        """The source of a gradient: the cell, or its replacement by a stateless scope."""
        if in_stateless_scope():
            value = get_stateless_scope().get_current_value(self)
            if value is not None:
                return value
        return self._value

    def __hash__(self) -> int:
        # Its `==` compares values; functions and dictionaries use its identity.
        return id(self)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.value, dtype=dtype)


def _read(value: Any, dtype: Any) -> Any:
    return convert_to_tensor(value, dtype)


convert.CONVERTERS.append((Variable, _read))
