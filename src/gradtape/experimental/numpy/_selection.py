"""Functions of `tf.experimental.numpy` that choose elements."""

from __future__ import annotations

from typing import Any

from gradtape.arrays import indexing, joining, movement
from gradtape.core import dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray, promoted
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.numpy_functions import selection as shared


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of x where the condition is true, of y elsewhere; with the condition alone, the indices where it is true.

    Args:
      condition: bools, or numbers of which zero is false.
      x: values, which are promoted with y to one dtype.
      y: values.

    >>> tf.experimental.numpy.where([True, False], 1, 2.5).numpy()
    array([1. , 2.5])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise errors.build(ValueError, "where: only one of x and y is given.", "give both, or neither for indices.")
    return elementwise.where(cast(asarray(condition), dtypes.bool_), *promoted(x, y))


def nonzero(a: Any) -> list[Tensor]:
    """The indices of the elements that are not zero, one vector for each axis.

    >>> [i.numpy() for i in tf.experimental.numpy.nonzero([0, 3, 5])]
    [array([1, 2])]
    """
    x = asarray(a)
    if not x.ndim:
        x = x[None]  # a scalar has one element
    return joining.unstack(elementwise.where(cast(x, dtypes.bool_)), num=x.ndim, axis=1)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Elements of the first choice whose condition is true.

    Args:
      condlist: a list of conditions.
      choicelist: as many arrays.
      default: where no condition is true.

    >>> tf.experimental.numpy.select([[True, False]], [[1, 2]], 9).numpy()
    array([1, 9])
    """
    if len(condlist) != len(choicelist):
        raise errors.build(
            ValueError,
            f"select: the numbers of conditions and choices differ: {len(condlist)} vs {len(choicelist)}.",
            "give a choice for each condition.",
        )
    *choices, last = promoted(*choicelist, default)
    return shared.select([cast(asarray(condition), dtypes.bool_) for condition in condlist], choices, last)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Tensor:
    """Elements or slices at indices.

    Args:
      a: an array.
      indices: ints.
      axis: along which; None takes from the flattened array.
      out: None: tensors are immutable.
      mode: "clip" limits indices to those that are there, "wrap" starts over.

    >>> tf.experimental.numpy.take([5, 6, 7], [2, 0]).numpy()
    array([7, 5])
    """
    if out is not None or mode not in ("clip", "wrap", "raise"):
        raise errors.build(
            ValueError,
            f"take: out must be None and mode 'clip' or 'wrap', got {out!r} and {mode!r}.",
            'use mode="clip" or "wrap".',
        )
    a, indices = asarray(a), asarray(indices)
    if axis is None:
        a, axis = movement.reshape(a, [-1]), 0
    axis = normalize_axis(axis, a.ndim, "take")
    length = tuple(a.shape)[axis]
    if mode == "wrap":
        indices = elementwise.floormod(indices, length)
    elif mode == "clip":  # which leaves no negative indices, in NumPy too
        indices = elementwise.clip_by_value(indices, 0, length - 1)
    return indexing.gather(a, indices, axis=axis)


def take_along_axis(arr: Any, indices: Any, axis: Any) -> Tensor:
    """Elements along an axis, with separate indices for each row, such as those from `argsort`.

    Args:
      arr: an array.
      indices: ints, of the same rank; other axes broadcast.
      axis: along which; None takes from the flattened arrays.

    >>> tf.experimental.numpy.take_along_axis([[3, 1, 2]], [[1, 2, 0]], 1).numpy()
    array([[1, 2, 3]])
    """
    x, indices = asarray(arr), asarray(indices)
    if axis is None:
        x, axis = movement.reshape(x, [-1]), 0
    if x.ndim != indices.ndim:
        raise errors.build(ValueError, "take_along_axis: the ranks differ.", "give indices of the rank of arr.")
    return shared.take_along_axis(x, indices, axis)


def compress(condition: Any, a: Any, axis: Any = None) -> Tensor:
    """The slices along an axis for which a condition is true.

    Args:
      condition: a vector of bools, perhaps shorter than the axis.
      a: an array.
      axis: along which; None takes from the flattened array.

    >>> tf.experimental.numpy.compress([True, False, True], [5, 6, 7]).numpy()
    array([5, 7])
    """
    chosen = movement.reshape(elementwise.where(cast(asarray(condition), dtypes.bool_)), [-1])
    a = asarray(a)
    if axis is None:
        a, axis = movement.reshape(a, [-1]), 0
    return indexing.gather(a, chosen, axis=axis)
