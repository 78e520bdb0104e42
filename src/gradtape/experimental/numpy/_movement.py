"""Functions of `tf.experimental.numpy` that move elements: shapes, axes, reversed and repeated parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integers
from gradtape.api.arguments import shape as known_shape
from gradtape.arrays import movement
from gradtape.core import errors
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray
from gradtape.numpy_functions import movement as shared


def shape(a: Any) -> TensorShape:
    """The shape.

    >>> tf.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])
    """
    return asarray(a).shape


def ndim(a: Any) -> int:
    """The number of axes.

    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    return asarray(a).ndim


def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """The elements in another shape.

    Args:
      a: an array.
      newshape: an int or a sequence of ints; one may be -1.
      order: "C" reads row by row, "F" column by column.

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, 2), order="F").numpy()
    array([[1, 3],
           [2, 4]])
    """
    a = asarray(a)
    wanted = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return movement.reshape(a, wanted)
    if order != "F":
        raise errors.build(ValueError, f'reshape: order must be "C" or "F", got {order!r}.', 'use "C" or "F".')
    reversed_dims = list(integers(wanted, "reshape", "newshape"))[::-1]
    return movement.transpose(movement.reshape(movement.transpose(a), reversed_dims))


def ravel(a: Any) -> Tensor:
    """The elements as a vector.

    >>> tf.experimental.numpy.ravel([[1, 2]]).numpy()
    array([1, 2])
    """
    return movement.reshape(asarray(a), [-1])


def flatten(a: Any, order: str = "C") -> Tensor:
    """The elements as a vector, row by row ("C") or column by column ("F").

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy()
    array([1, 3, 2, 4])
    """
    return reshape(a, -1, order)


def transpose(a: Any, axes: Any = None) -> Tensor:
    """The array with its axes in another order, by default reversed.

    >>> tf.experimental.numpy.transpose([[1, 2]]).shape
    TensorShape([2, 1])
    """
    return movement.transpose(asarray(a), axes)


def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """The array with two axes exchanged.

    >>> tf.experimental.numpy.swapaxes([[1, 2]], 0, 1).shape
    TensorShape([2, 1])
    """
    return shared.swapaxes(asarray(a), axis1, axis2)


def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """The array with axes moved to other places.

    Args:
      a: an array.
      source: an int or several: which axes.
      destination: where they go.

    >>> tf.experimental.numpy.moveaxis(np.zeros((1, 2, 3)), 0, -1).shape
    TensorShape([2, 3, 1])
    """
    return shared.moveaxis(asarray(a), source, destination)


def expand_dims(a: Any, axis: Any) -> Tensor:
    """The array with new axes of length 1.

    >>> tf.experimental.numpy.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return shared.expand_dims(asarray(a), axis)


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """The array without axes of length 1.

    >>> tf.experimental.numpy.squeeze([[1, 2]]).shape
    TensorShape([2])
    """
    return movement.squeeze(asarray(a), list(axis) if isinstance(axis, tuple) else axis)


def broadcast_to(array: Any, shape: Any) -> Tensor:
    """The array repeated to fill a shape.

    >>> tf.experimental.numpy.broadcast_to([1, 2], (2, 2)).numpy()
    array([[1, 2],
           [1, 2]])
    """
    return movement.broadcast_to(asarray(array), known_shape(shape, "broadcast_to"))


def atleast_1d(*arys: Any) -> Any:
    """The arrays, scalars as vectors; a list if there are several.

    >>> tf.experimental.numpy.atleast_1d(3).shape
    TensorShape([1])
    """
    return _of_rank(1, arys)


def atleast_2d(*arys: Any) -> Any:
    """The arrays, vectors as matrices of one row; a list if there are several.

    >>> tf.experimental.numpy.atleast_2d([3, 4]).shape
    TensorShape([1, 2])
    """
    return _of_rank(2, arys)


def atleast_3d(*arys: Any) -> Any:
    """The arrays with three axes at least; a list if there are several.

    >>> tf.experimental.numpy.atleast_3d([3, 4]).shape
    TensorShape([1, 2, 1])
    """
    return _of_rank(3, arys)


def _of_rank(rank: int, arrays: tuple[Any, ...]) -> Any:
    found = [shared.at_least(rank, asarray(x)) for x in arrays]
    return found[0] if len(found) == 1 else found


def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements in reverse order along axes, by default all.

    >>> tf.experimental.numpy.flip([[1, 2], [3, 4]], 1).numpy()
    array([[2, 1],
           [4, 3]])
    """
    x = asarray(m)
    return shared.flip(x, axis) if x.ndim else x


def flipud(m: Any) -> Tensor:
    """The elements in reverse order along the first axis.

    >>> tf.experimental.numpy.flipud([1, 2]).numpy()
    array([2, 1])
    """
    return flip(m, 0)


def fliplr(m: Any) -> Tensor:
    """The elements in reverse order along the second axis.

    >>> tf.experimental.numpy.fliplr([[1, 2]]).numpy()
    array([[2, 1]])
    """
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """The array rotated by 90 degrees in the plane of two axes.

    Args:
      m: an array.
      k: how often.
      axes: from the first toward the second.

    >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy()
    array([[2, 4],
           [1, 3]])
    """
    return shared.rot90(asarray(m), k, axes)


def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """The elements shifted along axes, wrapping around.

    Args:
      a: an array.
      shift: by how much.
      axis: along which; None rolls the flattened array.

    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])
    """
    return shared.roll(asarray(a), shift, axis)


def tile(a: Any, reps: Any) -> Tensor:
    """The array repeated along its axes.

    Args:
      a: an array.
      reps: how often, for each axis; an int is for the last one.

    >>> tf.experimental.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])
    """
    return shared.tile(asarray(a), known_shape(reps, "tile", "reps"))


def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Each element repeated.

    Args:
      a: an array.
      repeats: how often: an int, or one for each element along the axis.
      axis: along which; None flattens first.

    >>> tf.experimental.numpy.repeat([1, 2], [1, 2]).numpy()
    array([1, 2, 2])
    """
    return movement.repeat(asarray(a), repeats, axis)


def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """The array with padding around it.

    Args:
      array: an array.
      pad_width: how many: an int, a pair, or a pair for each axis.
      mode: "constant", "reflect" or "symmetric".
      **kwargs: `constant_values`, a number.

    >>> tf.experimental.numpy.pad([1, 2], 1, "constant", constant_values=9).numpy()
    array([9, 1, 2, 9])
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise errors.build(
            ValueError,
            f'pad: mode must be "constant", "reflect" or "symmetric", got {mode!r}.',
            'use "constant", "reflect" or "symmetric".',
        )
    x = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2))
    return movement.pad(x, widths, mode.upper(), constant_values=kwargs.get("constant_values", 0))
