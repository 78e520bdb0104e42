"""Slices by numbers: `tf.slice` and `tf.strided_slice`. Most programs write `x[a:b]`."""

from __future__ import annotations

import builtins
from typing import Any

from gradtape.api.arguments import integers, tensor
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.ops import slicing
from gradtape.ops.family import dims


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block of a tensor.

    Args:
      input_: anything that can become a tensor.
      begin: the first place along each axis.
      size: how many along each axis; -1 means all that follow.

    Returns:
      A tensor of shape `size`.

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], begin=[0, 1], size=[2, -1]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    x = tensor(input_)
    own = dims(x)
    starts, sizes = integers(begin, "slice", "begin"), integers(size, "slice", "size")
    if len(starts) != len(own) or len(sizes) != len(own):
        raise errors.build(
            errors.ShapeError,
            f"slice: begin is {list(starts)}, size is {list(sizes)}, but input_ has shape {list(own)}.",
            "give one int per axis in each.",
        )
    sizes = tuple([n - b if s == -1 else s for n, b, s in zip(own, starts, sizes, strict=True)])
    for axis, (n, b, s) in enumerate(zip(own, starts, sizes, strict=True)):
        if not (0 <= b <= n and 0 <= s <= n - b):
            wrong = (
                f"begin[{axis}] in [0, {n}], but got {b}"
                if not 0 <= b <= n
                else f"size[{axis}] in [0, {n - b}], but got {s}"
            )
            raise errors.build(
                errors.RangeError,
                f"slice: Expected {wrong}: begin[{axis}] is {b}, size[{axis}] is {s}, axis {axis} of input_ has length {n}.",
                f"begin must be from 0 to {n}, begin + size too.",
            )
    return slicing.StridedSlice(x, index=tuple([(b, b + s, 1) for b, s in zip(starts, sizes, strict=True)]))


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """A part of a tensor, as `input_[begin[0]:end[0]:strides[0], ...]` takes it.

    Args:
      input_: anything that can become a tensor.
      begin: the first place along each axis; axes at the end may be left out.
      end: the place behind the last.
      strides: the steps; 1 by default.
      begin_mask: bit i set means that `begin[i]` is left open.
      end_mask: bit i set means that `end[i]` is left open.
      ellipsis_mask: bit i set means that entry i is `...`.
      new_axis_mask: bit i set means that entry i is a new axis of length 1.
      shrink_axis_mask: bit i set means that entry i is the index `begin[i]`, which removes the axis.
      var: a variable that the slice is of; then the result has `assign`.

    Returns:
      A tensor.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [0], [5], [2]).numpy()
    array([1, 3, 5], dtype=int32)
    """
    starts, stops = integers(begin, "strided_slice", "begin"), integers(end, "strided_slice", "end")
    steps = (1,) * len(starts) if strides is None else integers(strides, "strided_slice", "strides")
    if not len(starts) == len(stops) == len(steps):
        raise errors.build(
            errors.ShapeError,
            f"strided_slice: lengths differ: begin has {len(starts)} entries, end {len(stops)}, strides {len(steps)}.",
            "give the same number of each.",
        )
    key: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(start)
        else:
            key.append(builtins.slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    return (var if var is not None else tensor(input_))[tuple(key)]
