"""Programs over ragged and sparse tensors: expressions, and functions that run eagerly, traced, with sizes unknown, and under a tape."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases._expression import message


def names(tf: Any) -> dict[str, Any]:
    """What a program may use."""
    return {
        "tf": tf,
        "np": np,
        "c": tf.constant,
        "R": tf.ragged.constant,
        "RT": tf.RaggedTensor,
        "S": tf.SparseTensor,
        "message": message,
        "s34": lambda: tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1.0, 2.0, 3.0], [3, 4]),
        "ss": lambda: tf.SparseTensor([[0, 0], [0, 2], [2, 1]], ["a", "b", "c"], [3, 4]),
    }


def evaluate(tf: Any, expression: str) -> Any:
    """The value of an expression."""
    return eval(expression, names(tf))


def of_any_size(tf: Any, x: Any) -> Any:
    """The spec of a value of which no size is known."""
    if isinstance(x, tf.RaggedTensor):
        inner = x.shape.as_list()[x.ragged_rank + 1 :]
        return tf.RaggedTensorSpec([None] * (x.ragged_rank + 1) + inner, x.dtype, x.ragged_rank, x.row_splits.dtype)
    if isinstance(x, tf.SparseTensor):
        return tf.SparseTensorSpec([None] * x.shape.rank, x.dtype)
    return tf.TensorSpec([None] * x.shape.rank, x.dtype)


def run(tf: Any, program: str, how: str) -> Any:
    """The result of a program `function | argument | argument`, or its gradients with respect to arguments of floats."""
    text, *given = program.split(" | ")
    function, arguments = evaluate(tf, text), [evaluate(tf, a) for a in given]
    if how == "traced":
        function = tf.function(function)
    if how == "sizes unknown":
        function = tf.function(function, input_signature=[of_any_size(tf, a) for a in arguments])
    if how != "gradient":
        return function(*arguments)
    sources = [values_of(tf, a) for a in arguments if a.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = [values_of(tf, r) for r in tf.nest.flatten(function(*arguments))]
        total = tf.add_n([tf.reduce_sum(r * r) for r in results if r.dtype.is_floating])
    return [None if g is None else tf.convert_to_tensor(g) for g in tape.gradient(total, sources)]


def values_of(tf: Any, x: Any) -> Any:
    """The tensor through which the gradient of a value flows."""
    if isinstance(x, tf.RaggedTensor):
        return x.flat_values
    return x.values if isinstance(x, tf.SparseTensor) else x
