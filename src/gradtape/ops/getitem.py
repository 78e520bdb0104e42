"""Indexing: `x[...]` on tensors and variables, and `v[...].assign(value)`.

As in TensorFlow: ints, slices, `...`, `tf.newaxis` and scalar integer tensors; a boolean mask alone. A list means the
same as a tuple. Other arrays of ints are refused: `tf.gather` takes them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import dispatch, dtypes, errors, state
from gradtape.core.deferral import Unknown
from gradtape.core.dimension import Dimension
from gradtape.core.dims import Undecided, new_size
from gradtape.core.op import REGISTRY
from gradtape.core.shape import broadcast
from gradtape.core.symbolic_arrays import symbols_in, unknown_tensor
from gradtape.core.tensor import Tensor, host, note_leaving, wrap
from gradtape.core.updates import lock_of
from gradtape.core.variable import Variable
from gradtape.ops.family import boxed, dims
from gradtape.ops.movement import Identity, Reshape
from gradtape.ops.slicing import Index, StridedSlice, fit, key_of, length, sliced_shape, whole

_current = state.current
_new = object.__new__
_INDEX_DTYPES = ("int16", "int32", "int64")  # of tensors, as in TensorFlow; other integers may have any dtype
_WHAT = "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid indices"


def getitem(x: Any, key: Any) -> Any:
    """`x[key]` of a tensor."""
    if type(x) is Tensor:
        # Ints and slices of ints, the common cases, without the general ways of parsing and dispatch.
        array = x._array
        index = _simple(key, array.shape)
        if index is not None:
            result = boxed(array[key])
            y = _new(Tensor)
            y._array = result
            y._id = 0
            recorders = _current.recorders
            if recorders:
                if len(recorders) == 1:
                    recorders[0].see(StridedSlice, (x._id,), (array,), {"index": index}, y, result)
                else:
                    dispatch.notify(StridedSlice, (x._id,), (array,), {"index": index}, y, result)
            elif x._id:
                dispatch.log_unrecorded(StridedSlice, (x._id,), y)
            return y
    return _style[-1](x, key)


def take(x: Any, key: Any) -> Any:
    """`x[key]` by TensorFlow's rules."""
    if _is_mask(key):
        return boolean_mask(x, key)
    shape = dims(x)
    try:
        return _take(x, shape, *_parse(key, shape))
    except Unknown as missing:
        if type(x) is not Tensor or _current.trace is None:
            raise  # whoever called for a symbol waits for it
        return _current.trace.later(getitem, (x, key), {}, missing, "getitem of a tensor")


# The rules that keys other than ints and slices follow: TensorFlow's, until NumPy's are asked for.
_style: list[Callable[[Any, Any], Any]] = [take]


def follow(rules: Callable[[Any, Any], Any]) -> None:
    """Let `x[key]` follow other rules for the rest of the program."""
    _style[:] = [rules]


def _simple(key: Any, shape: tuple[int, ...]) -> Index | None:
    """The index that a key of ints in range, slices of ints and `...` means; None for any other key."""
    keys = key if type(key) is tuple else (key,)
    index: list[Any] = []
    filled = False
    for k in keys:
        kind = type(k)
        if k is Ellipsis and not filled:
            filled = True
            index += whole(shape[len(index) : len(shape) - len(keys) + len(index) + 1])
            continue
        if len(index) == len(shape):
            return None
        n = shape[len(index)]
        if kind is int and -n <= k < n:
            index.append(k if k >= 0 else k + n)
        elif kind is slice:
            start, stop, step = k.start, k.stop, k.step
            if not (
                (start is None or type(start) is int)
                and (stop is None or type(stop) is int)
                and (step is None or (type(step) is int and step))
            ):
                return None
            index.append(k.indices(n))
        else:
            return None
    return tuple(index)


def getitem_of_variable(v: Variable, key: Any) -> Any:
    """`v[key]`: a tensor that can also be assigned to."""
    x = v._read()
    key = tuple(key) if isinstance(key, list) else key  # the same by any rules: a list names one place
    y = getitem(x, key) if type(x) is Tensor else x[key]
    if (type(y) is Tensor or _current.trace is not None) and not _is_mask(key):
        y._origin = v, key
    return y


def _take(x: Any, own: tuple[int, ...], index: Index, shape: tuple[int, ...], moving: list[tuple[int, Any]]) -> Any:
    """The part of x, of shape `own`, that a parsed key names."""
    if index == whole(own[: len(index)]):
        if not moving:
            return Identity(x) if shape == own else Reshape(x, shape=shape)
    else:
        x = StridedSlice(x, index=index)
    for axis, i in reversed(moving):
        from_front = REGISTRY["where"](i < 0, i + dims(x)[axis], i)  # gather takes no negative indices
        x = REGISTRY["gather"](x, from_front, axis=axis, batch_dims=0)
    return x if dims(x) == shape else Reshape(x, shape=shape)


def _parse(key: Any, shape: tuple[int, ...]) -> tuple[Index, tuple[int, ...], list[tuple[int, Any]]]:
    """A key as an index for `StridedSlice`, the shape of the result, and indices that differ between the examples of a
    vectorised map, each with the axis of the slice that it belongs to."""
    keys = key if isinstance(key, tuple) else tuple(key) if isinstance(key, list) else (key,)
    fillers = [k for k in keys if k is None or k is Ellipsis]
    used = len(keys) - len(fillers)
    if used > len(shape) or len(fillers) - fillers.count(None) > 1:
        raise _miscounted(used, shape)
    _check_index_dtypes(keys)
    index: list[Any] = []
    result: list[int] = []
    moving: list[tuple[int, Any]] = []
    kept = 0
    for k in keys:
        axis = len(index)
        if k is None:
            result.append(1)
        elif k is Ellipsis:
            rest = shape[axis : axis + len(shape) - used]
            index += whole(rest)
            result += rest
            kept += len(rest)
        elif isinstance(k, slice):
            triple = _triple(k, axis, shape[axis])
            index.append(triple)
            result.append(length(*triple))
            kept += 1
        elif isinstance(k, Tensor) and type(k) is not Tensor and not k.ndim:
            moving.append((kept, k))
            index.append((0, shape[axis], 1))
            kept += 1
        else:
            index.append(_place(k, axis, shape))
    result += shape[len(index) :]
    return tuple(index), tuple(result), moving


def _mixes_dtypes(keys: tuple[Any, ...]) -> bool:
    """Whether the tensors of an index have several dtypes, or int16, which numbers beside them have not."""
    first = None
    for k in keys:
        if k is None or type(k) is int:
            continue
        for p in (k.start, k.stop, k.step) if type(k) is slice else (k,):
            if p is not None and type(p) is not int and isinstance(p, Tensor):
                if first is None:
                    first = p.dtype
                elif p.dtype is not first:
                    return True
    return first is dtypes.int16


def _check_index_dtypes(keys: tuple[Any, ...]) -> None:
    """DTypeError for tensors of different dtypes that TensorFlow would have to pack into one: starts, stops, or steps.

    Packed, they may differ if one is int64, to which the others are converted.
    """
    if not _mixes_dtypes(keys) or _style[0] is not take:
        return  # NumPy's style mixes dtypes
    parts = [(k.start, k.stop, k.step) if type(k) is slice else (k, k, None) for k in keys]
    packed: list[set[str]] = [set(), set(), set()]
    for part in parts:
        own = {p.dtype.name for p in part if isinstance(p, Tensor)}
        wide = next((name for name in reversed(_INDEX_DTYPES) if name in own), None)
        for names, p in zip(packed, part, strict=True):
            if isinstance(p, Tensor) and p.dtype.name in _INDEX_DTYPES:
                names.add(p.dtype.name)
            elif p is None and wide is not None:  # what is left open has the dtype of the rest of its slice
                names.add(wide)
    kinds = {name for names in packed for name in names or {"int32"}}
    if any(len(names) > 1 for names in packed) or (len(kinds) > 1 and "int64" not in kinds):
        raise errors.build(
            errors.DTypeError,
            f"indexing: the tensors of an index have the dtypes {sorted(kinds)}: expected one of them.",
            "convert them to one: tf.cast(i, tf.int64).",
        )


def _miscounted(used: int, shape: tuple[int, ...]) -> Exception:
    if used <= len(shape):
        return errors.build(
            errors.InvalidArgumentError, "indexing: Multiple ellipses (`...`) are not allowed.", "use one."
        )
    if not shape:
        return errors.build(
            errors.RangeError,
            "indexing: Attempting to slice scalar input, which has no axes.",
            "use the scalar itself.",
        )
    return errors.build(
        errors.RangeError,
        f"indexing: {used} indices cannot index a tensor of rank {len(shape)} (shape {list(shape)}): Index out of range.",
        "leave some out (tf.newaxis and ... do not count); tf.gather(x, [i, j]) picks several rows.",
    )


def _triple(key: slice, axis: int, n: int) -> tuple[int, int, int]:
    """A slice fitted to the length of its axis."""
    parts = [
        None if p is None or (type(p) is Dimension and p.value is None) else _integer(p)
        for p in (key.start, key.stop, key.step)
    ]
    if parts[2] == 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"indexing: the step of axis {axis} must not be 0.",
            "use a step of 1, -1, 2 ...",
        )
    return fit(slice(*parts), n)


def _place(key: Any, axis: int, shape: tuple[int, ...]) -> int:
    """An int index counted from the front."""
    i, n = _integer(key), shape[axis]
    if not -n <= i < n:
        raise errors.build(
            errors.RangeError,
            f"indexing: slice index {i} of dimension {axis} is out of bounds for a tensor of shape {list(shape)}.",
            f"use an index from {-n} to {n - 1}." if n else "the axis is empty.",
        )
    return i + n if i < 0 else i


def _integer(key: Any) -> int:
    if _current.path is not None and (symbols := symbols_in(key)) is not None and symbols.size == 1:
        result: int = symbols.item()
        return result
    dtype = getattr(key, "dtype", None)
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise _refused(key)
    if dtype is not None and (dtype.kind not in "iu" or key.ndim):
        raise _refused(key)
    if isinstance(key, Tensor) and key.dtype.name not in _INDEX_DTYPES and _style[0] is take:
        raise _refused(key)
    return operator.index(key)


def _refused(key: Any) -> Exception:
    fix = "convert floats with int(i) or tf.cast(i, tf.int32)."
    if getattr(key, "ndim", 0) or isinstance(key, (list, tuple, range)):
        fix = "use tf.gather(x, indices, axis=...) for many indices, tf.gather_nd(x, tf.stack([i, j], -1)) for pairs of them, tf.boolean_mask(x, mask) for a mask."
    elif isinstance(key, str):
        fix = "use an int; a dict of tensors has keys: d[key]."
    elif isinstance(key, bool):
        fix = "use an int, or a mask as long as the first axis."
    return errors.build(errors.DTypeError, f"{_WHAT}, got {errors.brief(key)}.", fix)


def _is_mask(key: Any) -> bool:
    kind = type(key)
    if kind is int or kind is slice or kind is tuple:
        return False
    if kind is bool:
        return True
    dtype = getattr(key, "dtype", None)
    return dtype is not None and dtype.kind == "b"


def boolean_mask(x: Any, mask: Any, axis: int = 0) -> Any:
    """The elements of x where a mask is true; the mask covers axes from `axis` on.

    The gradient is dense: the flattening before the gather sees to it.
    """
    if isinstance(mask, (Tensor, Variable)):
        tensor = mask._read() if isinstance(mask, Variable) else mask
        note_leaving(tensor, "a boolean mask")
        try:
            mask = host(tensor._array)
        except Undecided:
            return _some(x, tensor, axis)
    mask = np.asarray(mask)
    shape, rank = dims(x), mask.ndim
    if mask.dtype.kind != "b":
        raise errors.build(
            errors.DTypeError,
            f"indexing: a mask must be bool, got {mask.dtype}.",
            "compare first: mask != 0.",
        )
    if not rank:
        raise errors.build(errors.ShapeError, "indexing: mask cannot be scalar.", "a mask has one bool per row.")
    if shape[axis : axis + rank] != mask.shape:
        raise errors.build(
            errors.ShapeError,
            f"indexing: the mask has shape {list(mask.shape)}, the tensor {list(shape)}: they are incompatible.",
            f"from axis {axis} on, the mask's dimensions must be those of the tensor.",
        )
    flat = Reshape(x, shape=(*shape[:axis], mask.size, *shape[axis + rank :]))
    return REGISTRY["gather"](flat, np.flatnonzero(mask), axis=axis, batch_dims=0)


def _some(x: Any, mask: Any, axis: int) -> Any:
    """Some elements of x, for a mask that is not known: nobody can say how many."""
    shape, rank = dims(x), mask.ndim
    if not rank or shape[axis : axis + rank] != dims(mask):
        raise errors.build(
            errors.ShapeError,
            f"indexing: the shape of the mask, {list(dims(mask))}, differs from that of the tensor, {list(shape)}.",
            "give a mask with the tensor's first dimensions.",
        )
    flat = Reshape(x, shape=(*shape[:axis], math.prod(dims(mask)), *shape[axis + rank :]))
    return REGISTRY["gather"](flat, unknown_tensor((new_size(),), dtypes.int64), axis=axis, batch_dims=0)


def _assign(self: Tensor) -> Any:
    """For `v[...].assign(value)`: replace that part of the variable. Other tensors have no `assign`."""
    if not hasattr(self, "_origin"):
        raise AttributeError(
            errors.compose(
                "'Tensor' object has no attribute 'assign': only variables can be assigned.",
                "make it a variable, v = tf.Variable(x); in apply_gradients the order is zip(grads, variables).",
            )
        )
    variable, key = self._origin

    def assign(value: Any, name: str | None = None) -> Any:
        """Replace this part of the variable; the value is broadcast to the part's shape. Returns the variable."""
        tensor = variable._convert(value)
        trace = _current.trace
        if trace is None:
            with lock_of(variable):
                variable._write(_replaced(variable._value, tensor, key, variable.name)._array, tensor._id)
        else:
            old: Any = trace.read(variable)
            old = old.fresh()
            value = tensor if type(tensor) is Tensor else tensor.fresh()
            new = trace.later(_replaced, (old, value, key, variable.name), {}, like=[old])
            new._id = 0  # no gradient flows through an assignment
            trace.assign(variable, new)
        return variable

    return assign


def _replaced(old: Tensor, value: Tensor, key: Any, name: str) -> Tensor:
    """The value of a variable of that name with a part of it replaced."""
    keys = tuple(key) if isinstance(key, (tuple, list)) else (key,)
    own = dims(old)
    index, shape, _ = _parse(tuple([_integer(k) if isinstance(k, Tensor) else k for k in keys]), own)
    if broadcast(dims(value), shape) != tuple(shape):
        raise errors.build(
            errors.ShapeError,
            f"assign: a value of shape {value.shape} does not broadcast to a part of variable {name!r} of shape "
            f"{list(shape)}.",
            "give the part's shape, or a scalar.",
        )
    try:
        new, part = np.copy(old._array), np.broadcast_to(value._array, shape)
    except Undecided:
        return unknown_tensor(own, old.dtype)
    if new.ndim:
        new[key_of(index)] = np.reshape(part, sliced_shape(new.shape, index))
    else:
        new = np.reshape(part, ())[()]
    return wrap(new)


Tensor.__getitem__ = getitem  # type: ignore[method-assign]
Variable.__getitem__ = getitem_of_variable  # type: ignore[method-assign, assignment]
Tensor.assign = property(_assign)  # type: ignore[attr-defined]
