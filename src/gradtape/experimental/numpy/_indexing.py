"""`x[...]` with NumPy's keys: arrays and lists of ints, masks, and these beside slices, ints, `...` and `None`.

As in TensorFlow, slices and ints are taken first, arrays afterwards: `x[0, :, [1, 3]]` has the axes of `x[0][:, [1, 3]]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.arrays import indexing, joining, movement
from gradtape.arrays.shapes import broadcast_dynamic_shape, shape
from gradtape.core import errors
from gradtape.core.tensor import Tensor, host, note_leaving
from gradtape.core.variable import Variable
from gradtape.math._conversion import cast
from gradtape.math._elementwise import where
from gradtape.ops import getitem
from gradtape.ops.family import dims
from gradtape.ops.movement import Reshape

_WHAT = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"


def take(x: Any, key: Any) -> Any:
    """`x[key]` of a tensor, by NumPy's rules."""
    if isinstance(key, bool) or _is_mask(key):
        return getitem.boolean_mask(x, key)
    keys = key if isinstance(key, tuple) else _entries(key)
    places = [place for place, k in enumerate(keys) if not _is_basic(k)]
    basic = [_plain(k) if place not in places else slice(None) for place, k in enumerate(keys)]
    part = getitem.take(x, tuple(basic))
    if not places:
        return part
    # A reshape in between makes the gradient dense.
    part = Reshape(part, shape=dims(part))
    return _gather(part, _axes(basic, places, len(dims(part))), [_index(keys[place]) for place in places])


def _entries(key: Any) -> tuple[Any, ...]:
    """The entries of a key: a list of lists, slices or arrays counts as a tuple, any other list as an array."""
    if isinstance(key, list) and any(
        k is None or k is Ellipsis or isinstance(k, (list, tuple, slice)) or np.ndim(k) for k in key
    ):
        return tuple(key)
    return (key,)


def _is_basic(key: Any) -> bool:
    if key is None or key is Ellipsis or isinstance(key, slice):
        return True
    if isinstance(key, (Tensor, Variable, np.ndarray, np.generic)):
        return not key.ndim and key.dtype.kind in "iu"
    return isinstance(key, int)


def _plain(key: Any) -> Any:
    """A basic index of a signed dtype, which TensorFlow's rules take."""
    return cast(key, "int64") if isinstance(key, Tensor) and key.dtype.kind == "u" else key


def _is_mask(key: Any) -> bool:
    return isinstance(key, (Tensor, Variable, np.ndarray)) and key.dtype.kind == "b"


def _index(key: Any) -> Any:
    """An array of ints that a list, an array or a mask means."""
    if isinstance(key, (list, tuple)) and any(isinstance(k, (Tensor, Variable)) for k in key):
        key = joining.stack(list(key))
    if isinstance(key, Variable):
        key = key._read()
    if isinstance(key, Tensor) and key.dtype.kind == "b":
        note_leaving(key, "a boolean mask")
        key = host(key._array)
    if not isinstance(key, Tensor):
        key = np.asarray(key)
    if key.dtype.kind == "b":
        if key.ndim != 1:
            raise errors.build(
                NotImplementedError,
                f"indexing: a mask among other indices must have rank 1, got one of shape {list(key.shape)}.",
                "index with the mask alone, or with tf.experimental.numpy.nonzero(mask).",
            )
        key = np.flatnonzero(key)
    if key.dtype.kind not in "iu":
        raise errors.build(IndexError, f"{_WHAT}, got {key!r}.", "convert floats with tf.cast(i, tf.int32).")
    return cast(key, "int64")


def _axes(basic: Sequence[Any], places: Sequence[int], rank: int) -> list[int]:
    """The axes of the sliced tensor to which the arrays at some places of a key belong."""
    kept = [k is None or k is Ellipsis or isinstance(k, slice) for k in basic]
    found = []
    for place in places:
        if any(k is Ellipsis for k in basic[:place]):
            found.append(rank - sum(kept[place:]))
        else:
            found.append(sum(kept[:place]))
    return found


def _gather(x: Any, axes: list[int], indices: list[Any]) -> Any:
    """The elements of x whose places along some axes are given by arrays, which are broadcast against each other."""
    lengths = dims(x)
    indices = [where(i < 0, i + lengths[axis], i) for i, axis in zip(indices, axes, strict=True)]
    if len(axes) == 1:
        return indexing.gather(x, indices[0], axis=axes[0])
    common = shape(indices[0])
    for i in indices[1:]:
        common = broadcast_dynamic_shape(common, shape(i))
    places = joining.stack([movement.broadcast_to(i, common) for i in indices], axis=-1)
    rest = [axis for axis in range(len(lengths)) if axis not in axes]
    found = indexing.gather_nd(movement.transpose(x, [*axes, *rest]), places)
    if axes != list(range(axes[0], axes[0] + len(axes))):
        return found
    # Adjacent arrays leave their axes in place.
    new, before = len(dims(places)) - 1, axes[0]
    order = [*range(new, new + before), *range(new), *range(new + before, new + len(rest))]
    return movement.transpose(found, order)
