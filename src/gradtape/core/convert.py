"""Values of Python and NumPy become tensors.

Python ints become int32 (int64 where they do not fit), floats float32, complex numbers complex128; NumPy values keep
their dtype. Data is copied, so that a tensor never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import device, dtypes, errors, memory as large
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, note_created, wrap

# Converters of classes from other layers: (class, function of (value, dtype)), in order.
CONVERTERS: list[tuple[type, Callable[[Any, dtypes.DType | None], Any]]] = []

_INT32 = (-(2**31), 2**31 - 1)
_F32 = np.float32


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a value; a tensor is returned as it is.

    Args:
      value: a tensor, variable, number, string, nested list, NumPy array, or anything with `__array__`.
      dtype: the dtype the result must have. Tensors of another dtype are refused: use `tf.cast`.
      dtype_hint: a dtype to prefer where the value allows it.
      name: ignored.

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
            return converter(value, wanted)  # type: ignore[no-any-return]
    if wanted is None and dtype_hint is not None:
        try:
            return _made(to_array(value, dtypes.as_dtype(dtype_hint)))
        except (TypeError, ValueError):
            pass
    packed = _pack_tensors(value, wanted)
    return packed if packed is not None else _made(to_array(value, wanted))


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
    return note_created(wrap(device.place(array)))


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor of a value, perhaps repeated or reshaped to fill a shape.

    >>> tf.constant(0.5, shape=[2, 2]).numpy()
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)
    """
    if isinstance(value, Tensor) and dtype is None and shape is None:
        return value
    if isinstance(value, Tensor) and dtype is not None and value.dtype is not dtypes.as_dtype(dtype):
        wanted = dtypes.as_dtype(dtype)
        raise _wrong_dtype("Tensor", value.dtype, wanted, value)
    tensor = convert_to_tensor(value, dtype)
    if shape is None:
        return tensor
    dims: Any = tuple(TensorShape(shape).as_list())
    array = tensor._array
    if array.shape == dims:
        return tensor
    if array.size == 1:
        return note_created(wrap(np.full_like(array, array[()] if not array.ndim else array.ravel()[0], shape=dims)))
    if array.size == int(np.prod(dims)):
        return note_created(wrap(np.reshape(array, dims)))
    raise TypeError(
        errors.compose(
            f"constant: {array.size} values cannot fill the shape {TensorShape(dims)}.",
            "give one value, or as many as the shape holds.",
        )
    )


def to_array(value: Any, dtype: dtypes.DType | None) -> Any:
    """A new NumPy array (or scalar, for rank 0) of a value that holds no tensors."""
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return _from_python(value, value, dtype)
    if value is None:
        raise unconvertible(value)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise errors.build(
                errors.ConversionError, f"Cannot convert a partially known TensorShape {value} to a Tensor.", ""
            )
        return np.asarray(value.as_list(), (dtype or dtypes.int32).numpy)
    if isinstance(value, (list, tuple, range)):
        return _from_sequence(value, dtype)
    if hasattr(type(value), "__array_function__") and hasattr(value, "dtype"):
        return value if dtype is None else value.astype(dtype.numpy)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return _from_numpy(np.asarray(value), dtype)
    if hasattr(value, "__dlpack__"):
        return _from_numpy(np.from_dlpack(value), dtype)
    if isinstance(value, (memoryview, bytearray)) or hasattr(value, "__buffer__"):
        return _from_numpy(np.asarray(value), dtype)
    raise unconvertible(value)


def unconvertible(value: Any) -> Exception:
    """The error for a value that has no tensor form."""
    return errors.build(
        errors.ConversionError,
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.",
        getattr(value, "_instead", "pass numbers, strings, NumPy arrays, tensors, or nested lists of them."),
    )


def _from_numpy(value: Any, dtype: dtypes.DType | None) -> Any:
    kind = value.dtype.kind
    if kind in "SU":
        value = np.asarray(value, dtype=object) if kind == "S" else np.char.encode(value, "utf-8").astype(object)
    elif kind == "O":
        if dtype is not dtypes.string and not all(isinstance(v, (str, bytes)) for v in value.ravel()):
            return _from_sequence(value.tolist(), dtype)
        value = np.array([_bytes(v) for v in value.ravel()], dtype=object).reshape(value.shape)
    own = dtypes.from_numpy(value.dtype)
    wanted = dtype or own
    if own is not wanted and (
        wanted is dtypes.string or own is dtypes.string or (own.is_complex and not wanted.is_complex)
    ):
        raise TypeError(
            errors.compose(
                f"Cannot convert a NumPy value of dtype {own.name} to {wanted!r}.", "convert it yourself first."
            )
        )
    if value.ndim:
        return large.copy(value, wanted.numpy)
    array = np.asarray(value).astype(wanted.numpy)
    return array if wanted is dtypes.string else array[()]  # bytes alone are no array


def _from_python(value: Any, shown: Any, dtype: dtypes.DType | None) -> Any:
    """An array of Python numbers or strings, nested or not, of one inferred or required dtype."""
    if dtype is not None and not _fits(value, dtype):
        raise TypeError(
            errors.compose(
                f"Cannot convert {_brief(shown)} to a tensor of dtype {dtype.name}.",
                "give numbers of that dtype, or convert with tf.cast.",
            )
        )
    if isinstance(value, (str, bytes)):
        scalar = np.empty((), object)
        scalar[()] = _bytes(value)
        return scalar
    wanted = dtype or _infer(value)
    try:
        return np.asarray(value).astype(wanted.numpy)[()] if wanted.is_floating else wanted.numpy.type(value)
    except OverflowError:
        raise errors.build(
            errors.ConversionError, f"{value} does not fit in {wanted.name}.", "choose a wider dtype."
        ) from None


def _from_sequence(value: Sequence[Any], dtype: dtypes.DType | None) -> Any:
    flat: list[Any] = []
    shape = _measure(value, flat, 0, [])
    if any(isinstance(v, (np.ndarray, np.generic)) for v in flat) or any(not isinstance(v, _PLAIN) for v in flat):
        leaves = [to_array(v, dtype) for v in flat]
        if dtype is None:
            numpy_types = [x.dtype for x, v in zip(leaves, flat, strict=True) if not isinstance(v, _PLAIN)]
            target = np.result_type(*numpy_types) if numpy_types else leaves[0].dtype
            leaves = [x.astype(target) for x in leaves]
        inner = leaves[0].shape
        if any(x.shape != inner for x in leaves):
            raise _not_rectangular(value)
        return np.stack([np.asarray(x) for x in leaves]).reshape(tuple(shape) + inner)
    wanted = dtype or _common(flat)
    for leaf in flat:
        if not _fits(leaf, wanted):
            raise TypeError(
                errors.compose(
                    f"Cannot convert {_brief(value)} to a tensor of dtype {wanted.name}: it holds {leaf!r}.",
                    "give values of one kind, or choose the dtype.",
                )
            )
    if wanted is dtypes.string:
        array = np.empty(len(flat), object)
        array[:] = [_bytes(v) for v in flat]
        return array.reshape(shape)
    try:
        return np.array(flat, dtype=wanted.numpy).reshape(shape)
    except OverflowError:
        raise errors.build(
            errors.ConversionError,
            f"a value of {_brief(value)} does not fit in {wanted.name}.",
            "choose a wider dtype.",
        ) from None


_PLAIN = (bool, int, float, complex, str, bytes)


def _measure(value: Any, flat: list[Any], depth: int, shape: list[int]) -> list[int]:
    """The shape of a nested sequence; its leaves are appended to `flat`."""
    if not isinstance(value, (list, tuple, range)):
        if depth != len(shape):
            raise _not_rectangular(value)
        flat.append(value)
        return shape
    if depth == len(shape):
        if flat:
            raise _not_rectangular(value)
        shape.append(len(value))
    elif shape[depth] != len(value):
        raise _not_rectangular(value)
    for item in value:
        _measure(item, flat, depth + 1, shape)
    return shape


def _not_rectangular(value: Any) -> Exception:
    return errors.build(
        errors.ConversionError,
        f"Can't convert non-rectangular Python sequence to Tensor: {_brief(value)}.",
        "give all rows the same length, or pad them.",
    )


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


def _common(flat: list[Any]) -> dtypes.DType:
    kinds = {_infer(v) for v in flat}
    if not kinds:
        return dtypes.float32
    if len(kinds) == 1:
        return kinds.pop()
    for winner in (dtypes.string, dtypes.bool_):
        if winner in kinds:
            return winner
    return next(d for d in (dtypes.complex128, dtypes.float32, dtypes.int64) if d in kinds)


def _fits(value: Any, dtype: dtypes.DType) -> bool:
    if isinstance(value, bool):
        return dtype.is_bool
    if isinstance(value, int):
        return dtype.is_numeric
    if isinstance(value, float):
        return dtype.is_floating or dtype.is_complex
    if isinstance(value, complex):
        return dtype.is_complex
    return dtype is dtypes.string


def _bytes(value: Any) -> bytes:
    return value.encode("utf-8") if isinstance(value, str) else bytes(value)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _pack_tensors(value: Any, dtype: dtypes.DType | None) -> Tensor | None:
    """The stack of a nested list that holds tensors or variables, recorded; None if it holds none."""
    if not isinstance(value, (list, tuple)) or not _holds_tensor(value):
        return None
    if dtype is None:
        dtype = _tensor_dtype(value)
    from gradtape.core.op import REGISTRY

    rows = [like(v, dtype) if dtype is not None else convert_to_tensor(v) for v in value]
    return REGISTRY["stack"](*rows, axis=0)  # type: ignore[no-any-return]


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(v) for v in value)
    return isinstance(value, Tensor) or any(isinstance(value, kind) for kind, _ in CONVERTERS)


def _tensor_dtype(value: Any) -> dtypes.DType | None:
    if isinstance(value, (list, tuple)):
        return next((d for d in map(_tensor_dtype, value) if d is not None), None)
    own = getattr(value, "dtype", None)
    return own if isinstance(own, dtypes.DType) else None


def _wrong_dtype(what: str, own: dtypes.DType, wanted: dtypes.DType, value: Any) -> Exception:
    return errors.build(
        errors.ConversionError,
        f"Tensor conversion requested dtype {wanted.name} for {what} with dtype {own.name}: {_brief(value)}.",
        f"use tf.cast(x, tf.{wanted.name}).",
    )
