"""Questions about values and the mode of execution."""

from __future__ import annotations

from typing import Any

from gradtape.core import state
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


def is_tensor(x: Any) -> bool:
    """True for a tensor, a variable, IndexedSlices, sparse and ragged tensors, and objects with an attribute `is_tensor_like`.

    Other objects that hold tensors (extension types, linear operators, distributions) are no tensors.

    >>> tf.is_tensor(tf.Variable(1.0)), tf.is_tensor(np.ones(2))
    (True, False)
    """
    if isinstance(x, (Tensor, Variable, IndexedSlices)):
        return True
    return (isinstance(x, Composite) and x._counts_as_tensor) or hasattr(x, "is_tensor_like")


def executing_eagerly() -> bool:
    """True where ops run as soon as they are called; False while a `tf.function` is traced.

    >>> tf.executing_eagerly()
    True
    """
    return state.current.trace is None
