"""Clipping by norm. IndexedSlices stay slices: their values are clipped, and repeated rows are not summed first.

Norms of float16 and bfloat16 are computed in float32: the square of 300 is more than float16 can hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from gradtape.api.arguments import axes as normalized_axes
from gradtape.api.arguments import tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.ops.arithmetic import Square
from gradtape.ops.cast import Cast
from gradtape.ops.creation import OnesLike
from gradtape.ops.exponential import Sqrt
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.selection import Maximum, Minimum, Where


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """A tensor scaled down to a Euclidean norm of at most `clip_norm`.

    Args:
      t: a tensor or IndexedSlices.
      clip_norm: a positive number; may be a tensor that broadcasts against t.
      axes: over which axes norms are taken; None (the default) means all.

    Returns:
      A tensor, or IndexedSlices if t is such.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    own = tensor(t.values if isinstance(t, IndexedSlices) else t)
    values = _wide(own)
    clip_norm = convert.like(max(clip_norm, 0) if isinstance(clip_norm, (int, float)) else clip_norm, own.dtype)
    clip_norm = _wide(clip_norm)
    over = normalized_axes(axes, values.ndim, "clip_by_norm")
    squares = ReduceSum(Square(values), axis=over, keepdims=True)
    # The square root has an infinite slope at 0: a norm of 0 must not meet it.
    positive = squares > 0.0
    length = Where(positive, Sqrt(Where(positive, squares, OnesLike(squares))), squares)
    scaled = values * clip_norm
    values.shape.assert_is_compatible_with(scaled.shape)  # a clip_norm with more axes would make copies
    clipped = _cast(scaled / Maximum(length, clip_norm), own.dtype)
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clipped, t.indices, t.dense_shape)  # type: ignore[return-value]
    return clipped


def _wide(x: Any) -> Any:
    return Cast(x, dtype=dtypes.float32) if x.dtype in (dtypes.float16, dtypes.bfloat16) else x


def _cast(x: Any, dtype: dtypes.DType) -> Tensor:
    return x if x.dtype is dtype else Cast(x, dtype=dtype)


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all elements of several tensors.

    Args:
      t_list: a list of tensors, IndexedSlices and None, which is passed over.

    Returns:
      A scalar.

    >>> tf.linalg.global_norm([tf.constant([3.0]), tf.constant([4.0])]).numpy()
    np.float32(5.0)
    """
    length, dtype = _norm(t_list)
    return _cast(length, dtype)


def _norm(t_list: Any) -> tuple[Any, dtypes.DType]:
    """The norm before it is rounded, and the dtype that all tensors have, or else that of the norm."""
    total: Any = None
    found = set()
    for t in _sequence(t_list):
        if t is not None:
            values = tensor(t.values if isinstance(t, IndexedSlices) else t)
            found.add(values.dtype)
            squares = ReduceSum(Square(_wide(values)), axis=normalized_axes(None, values.ndim, "global_norm"))
            total = squares if total is None else total + squares
    length = convert.convert_to_tensor(0.0) if total is None else Sqrt(total)
    return length, found.pop() if len(found) == 1 else length.dtype


# Gradients with respect to a tuple are a tuple, and programs assign the clipped list to the same name.
@overload
def clip_by_global_norm(
    t_list: tuple[Any, ...], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[Any, Tensor]: ...
@overload
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]: ...
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Several tensors scaled by one factor, so that their global norm is at most `clip_norm`.

    Args:
      t_list: a list of tensors, IndexedSlices and None, which stays None.
      clip_norm: a positive number.
      use_norm: the norm, if it is known already.

    Returns:
      The list of clipped tensors, and the norm before clipping. If that is not finite, all tensors become nan.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [t.numpy().item() for t in clipped], norm.numpy()
    ([0.6..., 0.8...], np.float32(5.0))
    """
    _sequence(t_list)
    if use_norm is None:
        length, dtype = _norm(t_list)
    else:
        length = tensor(use_norm)
        dtype = length.dtype
    clip_norm = _cast_like(clip_norm, length, dtype)
    # The last term is 0 for a finite norm; else it makes the scale nan, so that a broken gradient is not hidden.
    scale = clip_norm * Minimum(1.0 / length, 1.0 / clip_norm) + (length - length)
    return [_scaled(t, scale) for t in t_list], _cast(length, dtype)


def _cast_like(clip_norm: Any, length: Any, dtype: dtypes.DType) -> Any:
    """The limit in the dtype of the norm; a tensor may also have that of the clipped tensors."""
    limit = convert.like(clip_norm, length.dtype)
    return _cast(limit, length.dtype) if limit.dtype is dtype else limit


def _scaled(t: Any, scale: Any) -> Any:
    if t is None:
        return None
    if isinstance(t, IndexedSlices):
        return IndexedSlices(_scaled(t.values, scale), t.indices, t.dense_shape)
    t = tensor(t)
    return t * _cast(scale, t.dtype)


def _sequence(t_list: Any) -> Sequence[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(
            errors.compose(
                f"`t_list` should be a sequence of tensors. Received {type(t_list)}.", "put a single tensor in a list."
            )
        )
    return t_list
