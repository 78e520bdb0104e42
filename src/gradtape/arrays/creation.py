"""New tensors: zeros, ones, ranges, grids, one-hot vectors."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from gradtape.api import arguments
from gradtape.api.arguments import integer, integer_or_vector, tensor
from gradtape.core import convert, device, dtypes, errors, hints, memory, provenance
from gradtape.core.dims import Undecided
from gradtape.core.op import REGISTRY
from gradtape.core.shape import broadcast, normalize_axis
from gradtape.core.state import current as _current
from gradtape.core.symbolic_arrays import symbols_in, unknown_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops import creation
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat
from gradtape.ops.movement import BroadcastTo, Reshape

_LARGE = 1 << 26  # elements of a constant that a function makes when it runs, and not while it is traced


def _new(array: Any) -> Tensor:
    """A tensor of a new array, on the device that `tf.device` chose; rank 0 is a NumPy scalar."""
    if not array.ndim and array.dtype.kind != "O":
        array = array[()]
    made = wrap(array if _current.device is None else device.place(array))
    if _current.trace is not None:
        _current.trace.note_constant(made)
    return made


def _say_if_size(who: str, shape: Any, dtype: int) -> None:
    """Say that a second size, `tf.ones(2, 3)`, is taken for the number of a dtype."""
    if type(shape) is int:
        hints.say(
            provenance.user_place(3),
            f"{who}: dtype must be a dtype, got {dtype}, which counts as TensorFlow's number of {dtypes.as_dtype(dtype)!r}.",
            f"all sizes go into one list: tf.{who}([{shape}, {dtype}]).",
        )


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of zeros (of empty strings, for `tf.string`).

    Args:
      shape: a list of ints, a TensorShape or an int tensor; an int is the length of a vector.
      dtype: the dtype.
      name, layout: ignored.

    Returns:
      A tensor.

    >>> tf.zeros([2, 3], tf.int32).numpy()
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)
    """
    if type(dtype) is int:
        _say_if_size("zeros", shape, dtype)
    wanted = dtypes.as_dtype(dtype)
    size = arguments.shape(shape, "zeros")
    try:
        return _new(np.zeros(size, wanted.numpy) if wanted is not dtypes.string else np.full(size, b"", object))
    except Undecided:
        return unknown_tensor(size, wanted)
    except (MemoryError, ValueError) as problem:
        raise errors.no_room(problem, "zeros") from None


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of ones.

    Args:
      shape: a list of ints, a TensorShape or an int tensor; an int is the length of a vector.
      dtype: the dtype.
      name, layout: ignored.

    Returns:
      A tensor.

    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)
    """
    if type(dtype) is int:
        _say_if_size("ones", shape, dtype)
    wanted = dtypes.as_dtype(dtype)
    if wanted is dtypes.string:
        raise errors.build(errors.DTypeError, "ones: dtype must be numeric, got string.", "use tf.fill(shape, value).")
    size = arguments.shape(shape, "ones")
    try:
        if _current.trace is not None and math.prod(size) >= _LARGE:
            filled: Tensor = _current.trace.add(REGISTRY["fill"], (wrap(wanted.numpy.type(1)),), {"shape": size})
            return filled
        return _new(np.ones(size, wanted.numpy))
    except Undecided:
        return unknown_tensor(size, wanted)
    except (MemoryError, ValueError) as problem:
        raise errors.no_room(problem, "ones") from None


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor that holds one value everywhere.

    Args:
      dims: the shape.
      value: a scalar; a gradient flows to it.
      name, layout: ignored.

    Returns:
      A tensor of the value's dtype.

    >>> tf.fill([3], 2.5).numpy()
    array([2.5, 2.5, 2.5], dtype=float32)
    """
    return creation.Fill(tensor(value), shape=arguments.shape(dims, "fill", "dims"))


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros of the shape of a tensor. No gradient flows through.

    Args:
      input: anything that can become a tensor.
      dtype: of the result; the input's by default.
      name, layout: ignored.

    Returns:
      A tensor.

    >>> tf.zeros_like([1, 2, 3]).numpy()
    array([0, 0, 0], dtype=int32)
    """
    if isinstance(input, Variable) and not hasattr(input, "_id") and input.shape.is_fully_defined():
        return zeros(input.shape, input.dtype if dtype is None else dtype)  # it may have no value now
    return creation.ZerosLike(tensor(input), dtype=None if dtype is None else dtypes.as_dtype(dtype))


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones in the shape of a tensor. No gradient flows through.

    Args:
      input: anything that can become a tensor.
      dtype: of the result; the input's by default.
      name, layout: ignored.

    Returns:
      A tensor.

    >>> tf.ones_like([1, 2, 3], tf.float32).numpy()
    array([1., 1., 1.], dtype=float32)
    """
    if isinstance(input, Variable) and not hasattr(input, "_id") and input.shape.is_fully_defined():
        return ones(input.shape, input.dtype if dtype is None else dtype)  # it may have no value now
    return creation.OnesLike(tensor(input), dtype=None if dtype is None else dtypes.as_dtype(dtype))


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """The numbers from `start` up to, but not including, `limit`.

    Args:
      start: the first number; the limit, if it is the only argument, and then the first number is 0.
      limit: where to stop.
      delta: the step, which may be negative.
      dtype: of the result; by default the widest of the arguments'.

    Returns:
      A tensor of rank 1.

    >>> tf.range(3, 18, 5).numpy()
    array([ 3,  8, 13], dtype=int32)
    """
    if limit is None:
        start, limit = 0, start
    if _current.path is not None and symbols_in([start, limit, delta]) is not None:
        return _unknown_range(start, limit, delta, dtype)
    values = [np.asarray(convert.convert_to_tensor(v)) for v in (start, limit, delta)]
    if any(v.ndim or v.dtype.kind not in "iufV" for v in values):
        raise errors.build(
            errors.InvalidArgumentError,
            f"range: start, limit and delta must be numbers, got {start!r}, {limit!r} and {delta!r}.",
            "give numbers, or scalar tensors of numbers.",
        )
    wanted = _range_dtype(values) if dtype is None else dtypes.as_dtype(dtype).numpy
    given = [v if type(v) is float else read for v, read in zip((start, limit, delta), values, strict=True)]
    with np.errstate(over="ignore"):
        first, stop, step = [np.asarray(v).astype(wanted)[()] for v in given]
    if step == 0 or not (first <= stop if step > 0 else first >= stop):
        raise errors.build(
            errors.InvalidArgumentError,
            f"range: delta must not be 0, and must lead from start to limit, got {first}, {stop}, {step}.",
            f"tf.range({first}, {stop}, {1 if stop >= first else -1}).",
        )
    count = _range_count(first, stop, step)
    return _new(memory.allocate("range", lambda: np.arange(count).astype(wanted) * step + first))


def _range_count(first: Any, stop: Any, step: Any) -> int:
    """The number of elements. Its rounding is that of the dtype: in float32, 0.01 goes into 1.0 exactly 100 times."""
    if first.dtype.kind in "iu":
        return -((int(first) - int(stop)) // int(step))
    with np.errstate(over="ignore", invalid="ignore"):
        count = float(np.ceil((stop - first) / step))
    if not count < 2**63:
        raise errors.build(
            errors.InvalidArgumentError,
            f"range: the number of elements from {first} to {stop} by {step} is too large for {first.dtype}.",
            f"tf.range({first}, {stop}, {step}, dtype=tf.float64).",
        )
    return int(count)


def _unknown_range(start: Any, limit: Any, delta: Any, dtype: Any) -> Tensor:
    """A range of which an end or the step is not known."""
    first, stop, step = symbols_in([start, limit, delta])
    count = -((first - stop) // step)
    own = next((v.dtype for v in (start, limit, delta) if isinstance(v, Tensor)), dtypes.int32)
    return unknown_tensor((count if count > 0 else 0,), own if dtype is None else dtypes.as_dtype(dtype))


def _range_dtype(values: list[Any]) -> np.dtype[Any]:
    return max([v.dtype for v in values], key=lambda d: (d.kind in "fV", d.itemsize))


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a batch of them.

    Args:
      num_rows: how many rows.
      num_columns: how many columns; as many as rows by default.
      batch_shape: leading dimensions along which the matrix is repeated.
      dtype: the dtype.

    Returns:
      A tensor of shape `batch_shape + [num_rows, num_columns]`.

    >>> tf.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows = integer(num_rows, "eye", "num_rows")
    columns = rows if num_columns is None else integer(num_columns, "eye", "num_columns")
    size = arguments.shape([rows, columns], "eye", "the shape")
    lead = () if batch_shape is None else arguments.shape(batch_shape, "eye", "batch_shape")
    try:
        matrix = np.eye(*size, dtype=dtypes.as_dtype(dtype).numpy)
        return _new(matrix if batch_shape is None else np.broadcast_to(matrix, lead + size))
    except Undecided:
        return unknown_tensor(lead + size, dtypes.as_dtype(dtype))
    except (MemoryError, ValueError) as problem:
        raise errors.no_room(problem, "eye") from None


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: Any = 0) -> Tensor:
    """Evenly spaced numbers from `start` to `stop`, both included. Gradients flow to both.

    Args:
      start: the first number, or a tensor of first numbers.
      stop: the last, of a shape that broadcasts with that of `start`.
      num: how many.
      axis: where the new axis stands, if `start` and `stop` have axes.

    Returns:
      A tensor; integers of 32 and 64 bits give float64, shorter ones float32.

    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    n = integer_or_vector(num, "linspace", "num")
    if n < 0:
        raise errors.build(
            errors.InvalidArgumentError, f"linspace: num must not be negative, got {n}.", "give 0 or more points."
        )
    first, last = _ends(start, stop)
    size = broadcast(dims(first), dims(last))
    if size is None:
        raise errors.build(
            errors.ShapeError,
            f"linspace: shapes do not broadcast: start is {first.shape}, stop is {last.shape}.",
            "give start and stop the same shape, or make one a scalar.",
        )
    at = normalize_axis(integer(axis, "linspace", "axis"), len(size) + 1, "linspace")
    first, last = [Reshape(BroadcastTo(v, shape=size), shape=(*size[:at], 1, *size[at:])) for v in (first, last)]
    # Each half is measured from its own end: both ends are exact, and equal ends give equal numbers.
    dtype, step = first.dtype.numpy, max(n - 1, 1)
    places = np.reshape(memory.allocate("linspace", np.arange, n) / step, (n,) + (1,) * (len(size) - at))
    near = wrap(places[: (n + 1) // 2].astype(dtype))
    far = wrap((1.0 - places[(n + 1) // 2 :]).astype(dtype))
    length = last - first
    return Concat(first + length * near, last - length * far, axis=at)


def _ends(start: Any, stop: Any) -> tuple[Any, Any]:
    """Both ends as tensors of one floating dtype."""
    if isinstance(stop, (Tensor, Variable)) and not isinstance(start, (Tensor, Variable)):
        last = tensor(stop)
        first = convert.like(start, last.dtype)
    else:
        first = tensor(start)
        last = tensor(stop) if isinstance(stop, Variable) else convert.like(stop, first.dtype)
    if first.dtype.is_integer:
        cast = REGISTRY["cast"]
        wide = dtypes.float64 if first.dtype.size >= 4 else dtypes.float32
        first, last = cast(first, dtype=wide), cast(last, dtype=wide)
    return first, last


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """A vector for each index, with a one at that position. No gradient flows to indices.

    Args:
      indices: integers. One outside of `[0, depth)` gives a vector of zeros.
      depth: the length of the vectors.
      on_value: what to put in place of 1.
      off_value: what to put in place of 0.
      axis: where the new axis stands; the last by default.
      dtype: of the result; that of the values, or float32.

    Returns:
      A tensor of one rank more than `indices`.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    i = tensor(indices)
    at = -1 if axis is None else integer(axis, "one_hot", "axis")
    if at < -1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"one_hot: Expected axis to be -1 or between [0, {i.ndim + 1}), got {at}.",
            "count the axis from the front.",
        )
    if getattr(depth, "ndim", 0) or isinstance(depth, (list, tuple)):
        raise errors.build(errors.ShapeError, f"one_hot: depth must be a scalar, got {depth!r}.", "give a single int.")
    params = {"depth": integer(depth, "one_hot", "depth"), "axis": normalize_axis(at, i.ndim + 1, "one_hot")}
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if on_value is None and off_value is None and wanted is dtypes.string:
        raise TypeError(
            errors.compose("one_hot: Cannot convert 1 to a tensor of dtype string.", "give on_value and off_value.")
        )
    if on_value is None and off_value is None:
        return creation.OneHot(i, dtype=wanted or dtypes.float32, **params)
    for which, value in (("on_value", on_value), ("off_value", off_value)):
        own = getattr(value, "dtype", wanted)
        if wanted is not None and dtypes.as_dtype(own) is not wanted:
            raise errors.build(
                errors.DTypeError,
                f"one_hot: dtype {dtypes.as_dtype(own).name} of {which} does not match dtype parameter {wanted.name}.",
                "cast the value, or leave out dtype.",
            )
    on = convert.convert_to_tensor(1 if on_value is None else on_value, wanted or _dtype_of(off_value, on_value))
    off = convert.convert_to_tensor(0 if off_value is None else off_value, wanted or _dtype_of(on_value, off_value))
    if on.dtype is not off.dtype:
        raise errors.build(
            errors.DTypeError,
            f"one_hot: dtypes differ: on_value is {on.dtype.name}, off_value is {off.dtype.name}.",
            "give both the same dtype, or choose one by dtype=.",
        )
    return REGISTRY["where"](creation.OneHot(i, dtype=dtypes.bool_, **params), on, off)


def _dtype_of(other: Any, own: Any) -> dtypes.DType | None:
    """The dtype for a value that is not given: that of the other one."""
    return convert.convert_to_tensor(other).dtype if own is None else None


def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """The coordinates of a grid, one tensor for each vector.

    Args:
      *args: vectors of coordinates.
      indexing: "xy" (the first vector runs along the second axis, as on paper) or "ij" (along the first, as in matrices).

    Returns:
      A list of tensors of the grid's shape.

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(
            errors.compose(f'meshgrid: indexing must be "xy" or "ij", got {indexing!r}.', 'use "xy" or "ij".')
        )
    vectors = [tensor(v) for v in args]
    lengths = [math.prod(dims(v)) for v in vectors]
    order = list(builtins.range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    grid = tuple([lengths[k] for k in order])
    result = []
    for k, v in enumerate(vectors):
        line = [lengths[k] if place == k else 1 for place in order]
        result.append(BroadcastTo(Reshape(v, shape=tuple(line)), shape=grid))
    return result
