"""Values of Python and NumPy become tensors.

Python ints become int32 (int64 where they do not fit), floats float32, complex numbers complex128; NumPy values keep
their dtype. Data is copied, so that a tensor never changes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import device, dtypes, errors, memory, provenance, state
from gradtape.core.dimension import Dimension
from gradtape.core.dims import Dim, Undecided
from gradtape.core.nested_values import (
    brief,
    elements,
    from_sequence,
    held_kinds,
    how_to_convert,
    instead_of,
    is_sequence,
    to_bytes,
)
from gradtape.core.registry import REGISTRY
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, note_created, wrap

# Converters of classes from other layers: (class, function of (value, dtype)), in order.
CONVERTERS: list[tuple[type, Callable[[Any, dtypes.DType | None], Tensor]]] = []

_INT32 = (-(2**31), 2**31 - 1)
_F32 = np.float32
_PLAIN = {bool, int, float, complex, str, bytes}
_current = state.current


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a value; tensors are returned unchanged.

    Args:
      value: a tensor, variable, number, string, nested list, NumPy array, or anything with `__array__` or `__tf_tensor__`.
      dtype: the dtype the result must have. Tensors of another dtype are refused: use `tf.cast`.
      dtype_hint: a dtype to prefer where the value allows it.

    >>> tf.convert_to_tensor([1, 2, 3]).dtype
    tf.int32
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype is not wanted:
            raise _wrong_dtype("Tensor", value.dtype, wanted, value)
        return value
    if type(value) is float and (wanted is None or wanted is dtypes.float32) and dtype_hint is None:
        return _made(_F32(value))
    for kind, converter in CONVERTERS:
        if isinstance(value, kind):
            return converter(value, wanted)
    if hasattr(type(value), "__tf_tensor__"):  # an object of a library that makes the tensor itself
        return convert_to_tensor(value.__tf_tensor__(wanted, name), wanted)
    if wanted is None and dtype_hint is not None and not holds_tensor(value):
        try:
            return _made(to_array(value, dtypes.as_dtype(dtype_hint)))
        except (TypeError, ValueError):
            pass
    packed = _pack_tensors(value, wanted)
    try:
        return packed if packed is not None else _made(to_array(value, wanted))
    except (MemoryError, ValueError, IndexError) as problem:
        raise errors.no_room(problem, "convert_to_tensor") from problem.__cause__


def like(value: Any, dtype: dtypes.DType) -> Tensor:
    """A tensor of an operand beside a tensor: NumPy and Python values take that tensor's dtype."""
    if isinstance(value, Tensor):
        return value
    for kind, _ in CONVERTERS:
        if isinstance(value, kind):
            return convert_to_tensor(value)
    packed = _pack_tensors(value, dtype)
    return packed if packed is not None else _made(to_array(value, dtype))


def _made(array: Any) -> Tensor:
    """A new constant, on the chosen device."""
    made = wrap(array if _current.device is None else device.place(array))
    return note_created(made) if _current.recorders else made


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor of a value, perhaps repeated or reshaped to fill a shape.

    >>> tf.constant(0.5, shape=[2, 2]).numpy()
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)
    """
    tensor = convert_to_tensor(value, dtype)
    if shape is None:
        return tensor
    dims: Any = tuple(TensorShape(shape).as_list())
    array = tensor._array
    if array.shape == dims:
        return tensor
    if array.size == 1:
        return note_created(
            wrap(
                memory.allocate(
                    "constant", np.full_like, array, array[()] if not array.ndim else array.ravel()[0], shape=dims
                )
            )
        )
    if array.size == int(np.prod(dims)):
        return note_created(wrap(np.reshape(array, dims)))
    raise TypeError(
        errors.compose(
            f"constant: {array.size} values cannot fill the shape {TensorShape(dims)}. Expected Tensor's shape: {TensorShape(dims)}, got "
            f"{TensorShape(array.shape)}.",
            "give one value, or as many as the shape holds.",
        )
    )


def to_array(value: Any, dtype: dtypes.DType | None) -> Any:
    """A new NumPy array (or scalar, for rank 0) of a value that holds no tensors."""
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if type(value) is Dim:
        value = int(value)
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return _from_python(value, value, dtype)
    if value is None:
        raise unconvertible(value)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise errors.build(
                errors.ConversionError, f"Cannot convert a partially known TensorShape {value} to a Tensor.", ""
            )
        if dtype not in (None, dtypes.int32, dtypes.int64):
            raise TypeError(
                errors.compose(
                    f"Cannot convert TensorShape {value} to dtype {dtype!r}. Allowed dtypes are tf.int32 and tf.int64.",
                    "convert it to one of them, then use tf.cast.",
                )
            )
        sizes: Any = value.as_list()
        is_large = max(sizes, default=0) > np.iinfo(np.int32).max
        if is_large and dtype is dtypes.int32:
            raise errors.build(
                errors.ConversionError,
                f"Cannot convert TensorShape {value} to dtype int32: a dimension is too large, and needs int64.",
                "use tf.int64.",
            )
        return np.asarray(sizes, (dtype or (dtypes.int64 if is_large else dtypes.int32)).numpy)
    if isinstance(value, (list, tuple, range)):
        return from_sequence(value, dtype)
    if isinstance(value, (memoryview, bytearray)):
        return from_sequence(memoryview(value).tolist(), dtype)
    if hasattr(type(value), "__array_function__") and hasattr(value, "dtype"):
        return value if dtype is None else value.astype(dtype.numpy)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return _from_numpy(np.asarray(value), dtype)
    if hasattr(value, "__dlpack__"):
        return _from_numpy(np.from_dlpack(value), dtype)
    if hasattr(value, "__buffer__"):
        return _from_numpy(np.asarray(value), dtype)
    if isinstance(value, Dimension) and value.value is not None:
        return _from_python(value.value, value, dtype)
    if is_sequence(value):
        return from_sequence(elements(value), dtype)
    raise unconvertible(value)


def unconvertible(value: Any, kind: type[errors.ConversionError] = errors.ConversionError) -> Exception:
    """The error for a value that has no tensor form, or for a symbolic size that has no number yet."""
    if isinstance(value, Dim):
        return Undecided("the number of a size is asked for that is known only when the function runs")
    if hasattr(type(value), "__gradtape_function__"):
        return errors.CompositeGivenError(value)
    return errors.build(
        kind,
        f"Attempt to convert a value ({errors.brief(value)}) with an unsupported type ({type(value)}) to a Tensor.",
        getattr(value, "_instead", instead_of(value)),
    )


def _from_numpy(value: Any, dtype: dtypes.DType | None) -> Any:
    kind = value.dtype.kind
    if kind in "SU":
        value = np.asarray(value, dtype=object) if kind == "S" else np.char.encode(value, "utf-8").astype(object)
    elif kind == "O":
        if dtype is not dtypes.string and not all(isinstance(v, (str, bytes)) for v in value.ravel()):
            return from_sequence(value.tolist(), dtype)
        value = np.array([to_bytes(v) for v in value.ravel()], dtype=object).reshape(value.shape)
    own = dtypes.from_numpy(value.dtype)
    wanted = dtype or own
    if own is not wanted and (wanted is dtypes.string or own is dtypes.string):
        raise errors.build(
            errors.ConversionError,
            f"Cannot convert a NumPy value of dtype {own.name} to {wanted!r}.",
            "convert it first, for instance array.astype(np.float32).",
        )
    if own.is_complex and not wanted.is_complex:
        text = "Casting complex values to real discards the imaginary part"
        warnings.warn(text, np.exceptions.ComplexWarning, stacklevel=provenance.stacklevel())
        value = value.real
    if value.ndim:
        return memory.copy(value, wanted.numpy)
    array = np.asarray(value).astype(wanted.numpy)
    return array if wanted is dtypes.string else array[()]  # bytes alone are no array


def _from_python(value: Any, shown: Any, dtype: dtypes.DType | None) -> Any:
    """An array of Python numbers or strings, nested or not, of one inferred or required dtype."""
    if dtype is not None and _kind(value) not in held_kinds(dtype):
        raise TypeError(
            errors.compose(
                f"Cannot convert {brief(shown)} to a tensor of dtype {dtype.name}.",
                how_to_convert(value, dtype),
            )
        )
    if isinstance(value, (str, bytes)):
        scalar = np.empty((), object)
        scalar[()] = to_bytes(value)
        return scalar
    wanted = dtype or _infer(value)
    try:
        if dtype is not None and wanted.is_integer and wanted is not dtypes.uint64:
            return np.asarray(value, np.int64).astype(wanted.numpy)[()]  # wraps, as in TensorFlow
        return np.asarray(value).astype(wanted.numpy)[()] if wanted.is_floating else wanted.numpy.type(value)
    except OverflowError:
        raise errors.build(
            errors.ConversionError,
            f"{value} does not fit in {wanted.name}.",
            "use floating point numbers: tf.constant(float(value)).",
        ) from None


def _infer(value: Any) -> dtypes.DType:
    if isinstance(value, bool):
        return dtypes.bool_
    if isinstance(value, int):
        return dtypes.int32 if _INT32[0] <= value <= _INT32[1] else dtypes.int64
    if isinstance(value, float):
        return dtypes.float32
    if isinstance(value, complex):
        return dtypes.complex128
    return dtypes.string


def _kind(value: Any) -> str:
    """The kind of a Python number or string, as `held_kinds` names them."""
    for kind, letter in ((bool, "b"), (int, "i"), (float, "f"), (complex, "c")):
        if isinstance(value, kind):
            return letter
    return "s"


def _pack_tensors(value: Any, dtype: dtypes.DType | None) -> Tensor | None:
    """The stack of a nested list that holds tensors or variables, cast to the dtype and recorded; None if it holds none."""
    if not isinstance(value, (list, tuple)) or not holds_tensor(value):
        return None
    own = dtype or _tensor_dtype(value)
    rows = [like(v, own) if own is not None else convert_to_tensor(v) for v in value]
    if dtype is not None:
        rows = [x if x.dtype is dtype else _cast(x, dtype) for x in rows]
    try:
        return REGISTRY["stack"](*rows, axis=0)
    except errors.ShapeError as problem:
        if isinstance(value[0], (list, tuple)):
            raise
        shapes = str(problem).partition("\n")[0].partition(": ")[2]
        raise errors.build(
            errors.ShapeError,
            f"A list of {len(value)} tensors cannot become one tensor: {shapes}",
            "compute with each of them, [f(x) for x in values]; pad them to one shape to make one tensor.",
        ) from None


def _cast(x: Tensor, dtype: dtypes.DType) -> Tensor:
    is_smooth = dtype.is_trainable and x.dtype.is_trainable
    return REGISTRY["cast" if is_smooth else "cast_to_discrete"](x, dtype=dtype)


def holds_tensor(value: Any) -> bool:
    """True for tensors, variables, and nested lists with one."""
    if isinstance(value, (list, tuple)):
        kinds = set(map(type, value))
        return Tensor in kinds or (not kinds <= _PLAIN and any(holds_tensor(v) for v in value))
    return isinstance(value, Tensor) or any(isinstance(value, kind) for kind, _ in CONVERTERS)


def _tensor_dtype(value: Any) -> dtypes.DType | None:
    if isinstance(value, (list, tuple)):
        return next((d for d in map(_tensor_dtype, value) if d is not None), None)
    own = getattr(value, "dtype", None)
    return own if isinstance(own, dtypes.DType) else None


def _wrong_dtype(what: str, own: dtypes.DType, wanted: dtypes.DType, value: Any) -> Exception:
    return errors.build(
        errors.ConversionError,
        f"Tensor conversion requested dtype {wanted.name} for {what} with dtype {own.name}: {brief(value)}.",
        f"use tf.cast(x, tf.{wanted.name}).",
    )
