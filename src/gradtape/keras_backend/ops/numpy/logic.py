"""Comparisons, logic and choices."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.keras_backend.convert import POLICY, cast, operands
from gradtape.keras_backend.ops.numpy.reductions import STATISTICS
from gradtape.keras_backend.ops.numpy_fallback import values_of
from gradtape.numpy_functions import selection
from gradtape.numpy_functions.rows import client

_rows = client(POLICY)

(equal, not_equal, greater, greater_equal, less, less_equal) = _rows(
    "equal not_equal greater greater_equal less less_equal"
)
(logical_and, logical_or, logical_xor, logical_not) = _rows("logical_and logical_or logical_xor logical_not")
all, any, count_nonzero = STATISTICS.all, STATISTICS.any, STATISTICS.count_nonzero


def isclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """True where the difference is at most `atol + rtol * |x2|`."""
    x1, x2 = operands(x1, x2)
    if x1.dtype.kind in "iub":
        x1, x2 = tf.cast(x1, "float64"), tf.cast(x2, "float64")
    if x1.dtype.kind == "V" or x1.dtype.name == "float16":
        x1, x2 = tf.cast(x1, "float32"), tf.cast(x2, "float32")
    return selection.isclose(x1, x2, rtol, atol, equal_nan)


def allclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """True if everything is close."""
    return tf.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """x1 where the condition is true, x2 elsewhere; the indices of true elements if neither is given."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise ValueError("`x1` and `x2` either both should be `None` or both should have non-None value.")
    condition = cast(condition, "bool")
    x1, x2 = operands(x1, x2)
    return tf.where(condition, x1, x2)


def nonzero(x: Any) -> Any:
    """The indices of nonzero elements, one tensor for each axis."""
    return tuple([tf.constant(i.astype("int32")) for i in values_of(cast(x, "bool"), "nonzero").nonzero()])


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The elements of the choices at the first true condition."""
    *choices, result = operands(*choicelist, default)
    return selection.select([cast(condition, "bool") for condition in condlist], choices, result)


def isin(x1: Any, x2: Any, assume_unique: Any = False, invert: Any = False) -> Any:
    """True where x1 is one of x2."""
    x1, x2 = operands(x1, x2)
    found = tf.reduce_any(tf.equal(tf.expand_dims(x1, -1), tf.reshape(x2, [-1])), axis=-1)
    return tf.logical_not(found) if invert else found
