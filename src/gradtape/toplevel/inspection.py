"""Questions about tensors in traces, names and the log."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor, to_numpy
from gradtape.core.variable import Variable
from gradtape.core.variable_creation import names
from gradtape.tracing.symbol import Symbol
from gradtape.tracing.trace import Trace


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor if it is known without running anything, otherwise None.

    Args:
      tensor: a tensor, in a function or not. What is no tensor is returned as it is.
      partial: of values that are stacked give those that are known, in an array of objects that has None for the others.

    >>> @tf.function
    ... def f(x):
    ...     print(tf.get_static_value(x), tf.get_static_value(tf.constant([1, 2])))
    >>> f(tf.constant(1.0))
    None [1 2]
    """
    if isinstance(tensor, Symbol):
        found = tensor.trace.peek(tensor.value)
        if found is None:
            return _of_stacked(tensor.trace, tensor.value) if partial else None
        return to_numpy(found)
    if isinstance(tensor, (Variable, Composite, IndexedSlices)):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    return to_numpy(tensor._array) if type(tensor) is Tensor else None


def _of_stacked(trace: Trace, value: Value) -> Any:
    """What is known of values that were stacked along the first axis; None for a value that something else computes."""
    node = value.node
    if node is None or node.op.name != "stack" or node.params["axis"] != 0:
        return None
    arrays = [trace.peek(v) for v in node.inputs]
    parts = [
        _of_stacked(trace, v) if a is None else np.asarray(to_numpy(a))
        for v, a in zip(node.inputs, arrays, strict=True)
    ]
    try:
        return np.array(parts)
    except ValueError:  # known and unknown rows
        return np.array(parts, object)


def is_symbolic_tensor(tensor: Any) -> bool:
    """True for a tensor in a function that is being traced: it has no value yet.

    >>> tf.is_symbolic_tensor(tf.constant(1.0))
    False
    """
    return isinstance(tensor, Symbol)


def get_current_name_scope() -> str:
    """The current name scopes, joined by slashes.

    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     tf.get_current_name_scope()
    'a/b'
    """
    return "/".join(names.scopes)


def get_logger() -> logging.Logger:
    """The logger to which warnings go: `tf.get_logger().setLevel("ERROR")` silences them.

    >>> tf.get_logger().name
    'gradtape'
    """
    return logging.getLogger("gradtape")


class AggregationMethod:
    """Ways to sum gradients; accepted, without effect."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
