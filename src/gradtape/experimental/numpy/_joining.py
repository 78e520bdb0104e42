"""Arrays of `tf.experimental.numpy`, joined and split."""

from __future__ import annotations

import operator
from typing import Any

from gradtape.arrays import joining
from gradtape.core import errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray, promoted
from gradtape.numpy_functions import movement as shared


def concatenate(arys: Any, axis: Any = 0) -> Tensor:
    """Arrays concatenated along an axis.

    Args:
      arys: a sequence of arrays, which are promoted to one dtype.
      axis: along which; None flattens them first.

    >>> tf.experimental.numpy.concatenate([[1, 2], [3.5]]).numpy()
    array([1. , 2. , 3.5])
    """
    return shared.concatenate(_listed(arys), axis)


def append(arr: Any, values: Any, axis: Any = None) -> Tensor:
    """An array with values appended.

    Args:
      arr: an array.
      values: what follows.
      axis: along which; None flattens both first.

    >>> tf.experimental.numpy.append([1, 2], 3).numpy()
    array([1, 2, 3])
    """
    return concatenate([asarray(arr), asarray(values)], axis)  # numbers and lists, too, count with their own dtypes


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Arrays stacked along a new axis.

    >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]])
    """
    return joining.stack(_listed(arrays), axis)


def _listed(arrays: Any) -> list[Any]:
    """A sequence of arrays, or the rows of one, in one dtype."""
    if isinstance(arrays, (list, tuple)):
        if not arrays:
            raise errors.build(ValueError, "Need at least one array to join, got none.", "give one or more arrays.")
        return promoted(*arrays)
    return list(joining.unstack(asarray(arrays)))


def vstack(tup: Any) -> Tensor:
    """Arrays stacked vertically; vectors are rows.

    >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    return shared.vstack(_listed(tup))


def hstack(tup: Any) -> Tensor:
    """Arrays stacked horizontally; vectors are concatenated.

    >>> tf.experimental.numpy.hstack([[1, 2], [3]]).numpy()
    array([1, 2, 3])
    """
    return shared.hstack(_listed(tup))


def dstack(tup: Any) -> Tensor:
    """Arrays stacked along the third axis.

    >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).shape
    TensorShape([1, 2, 2])
    """
    return shared.dstack(_listed(tup))


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Parts of an array along an axis.

    Args:
      ary: an array.
      indices_or_sections: how many equal parts, or the indices at which to cut.
      axis: along which.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    x = asarray(ary)
    axis = normalize_axis(axis, x.ndim, "split")
    if isinstance(indices_or_sections, int):
        return joining.split(x, indices_or_sections, axis)
    return shared.cut(x, [operator.index(i) for i in indices_or_sections], axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Parts along the second axis; of a vector along its only one.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.hsplit([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    """
    x = asarray(ary)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Parts along the first axis.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.vsplit([[1], [2]], 2)]
    [[[1]], [[2]]]
    """
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Parts along the third axis.

    >>> len(tf.experimental.numpy.dsplit(np.zeros((1, 1, 4)), 2))
    2
    """
    return split(ary, indices_or_sections, 2)
