"""Questions about tensors in traces, names and the log."""

from __future__ import annotations

import contextlib
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
      partial: of values that were stacked or joined give those that are known, in an array of objects with None for the others.

    >>> @tf.function
    ... def f(x):
    ...     print(tf.get_static_value(x), tf.get_static_value(tf.constant([1, 2])))
    >>> f(tf.constant(1.0))
    None [1 2]
    """
    if isinstance(tensor, Symbol):
        found = tensor.trace.peek(tensor.value)
        if found is None:
            return _in_part(tensor.trace, tensor.value) if partial else None
        return to_numpy(found)
    if isinstance(tensor, (Variable, Composite, IndexedSlices)):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    return to_numpy(tensor._array) if type(tensor) is Tensor else None


def _in_part(trace: Trace, value: Value) -> Any:
    """What is known of values that were stacked along the first axis, or taken out of these; None for anything else."""
    node = value.node
    if node is None or node.op.name not in ("stack", "unstack", "split") or node.params["axis"] != 0:
        return None
    arrays = [trace.peek(v) for v in node.inputs]
    rows = [
        _in_part(trace, v) if a is None else np.asarray(to_numpy(a)) for v, a in zip(node.inputs, arrays, strict=True)
    ]
    if node.op.name != "stack":
        number = node.outputs.index(value)
        if rows[0] is None or node.op.name == "unstack":
            return None if rows[0] is None else rows[0][number]
        start = sum(node.params["sizes"][:number])
        return rows[0][start : start + node.params["sizes"][number]]
    try:
        return np.array(rows)
    except ValueError:  # known and unknown rows
        return np.array(rows, object)


# Ops that only move elements, so that those that are known stay known.
_MOVES = {"concat", "identity", "reshape", "split", "stack", "strided_slice", "transpose", "unstack"}


def known_elements(tensor: Any) -> Any:
    """The elements of a tensor as objects, with None for those that are not known; None if the shape is not known."""
    if not isinstance(tensor, Symbol):
        return np.asarray(get_static_value(tensor)).astype(object)
    return _elements(tensor.trace, tensor.value) if tensor.value.spec.is_known else None


def _elements(trace: Trace, value: Value) -> Any:
    array, node = trace.peek(value), value.node
    if array is not None:
        return np.asarray(to_numpy(array)).astype(object)
    if node is not None and node.op.name in _MOVES and all(v.spec.is_known for v in node.inputs):
        with contextlib.suppress(TypeError, ValueError):
            found = node.op.kernel(*[_elements(trace, v) for v in node.inputs], **node.params)
            return np.asarray(found[node.outputs.index(value)] if node.several else found, object)
    return np.full(value.spec.shape, None, object)


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
