"""Nested lists of numbers and strings become arrays, by TensorFlow's rules.

The first leaf chooses the dtype: an integer of Python or NumPy int32, or int64 if one of the integers does not fit; a Python float
float32, NumPy's floats their own dtype; complex numbers complex128. The others must be of a kind that it can hold; a
float among integers makes float32 of all. NumPy arrays in a list are lists of NumPy's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.dims import Dim, Undecided
from gradtape.core.shape import TensorShape

_INT32 = (-(2**31), 2**31 - 1)
_SEQUENCES = (list, tuple, range, TensorShape)

# Kinds of leaves: Python's bools (which are integers too), NumPy's bools, integers, floats, complex numbers, strings.
_KINDS: dict[type, str] = {bool: "b", int: "i", float: "f", complex: "c", str: "s", bytes: "s"}
_NUMPY_KINDS = {"b": "B", "i": "i", "u": "i", "f": "f", "V": "f", "c": "c", "S": "s", "U": "s"}
_FLOATS, _INTEGERS = {float}, {int}
_HELD = {"b": "bB", "B": "bB", "i": "ibf", "f": "fib", "c": "cfib", "s": "s"}


def from_sequence(value: Sequence[Any], dtype: dtypes.DType | None) -> Any:
    """A new array of a nested sequence that holds no tensors."""
    flat: list[Any] = []
    try:
        shape = tuple(_measure(value, flat, 0, []))
    except errors.ConversionError:
        unrolled = _unroll(value)
        if unrolled is value:
            raise
        flat.clear()
        shape = tuple(_measure(unrolled, flat, 0, []))
    if not flat:
        return np.zeros(shape, (dtype or dtypes.float32).numpy)
    found = set(map(type, flat))
    if found == _FLOATS and (dtype is None or dtype is dtypes.float32):
        return np.array(flat, np.float32).reshape(shape)
    if found == _INTEGERS and (dtype is None or dtype is dtypes.int32):
        try:
            return np.array(flat, np.int32).reshape(shape)
        except OverflowError:
            pass  # some are larger
    if not found <= _KINDS.keys():
        if any(map(is_sequence, flat)):
            return from_sequence(_unroll(value), dtype)
        return _with_numpy(value, flat, shape, dtype)
    kinds = {_KINDS[t] for t in found}
    wanted = dtype or _inferred(flat[0], _KINDS[type(flat[0])], kinds)
    _check(value, kinds, wanted, _KINDS[type(flat[0])], dtype is not None)
    if wanted is dtypes.string:
        array = np.empty(len(flat), object)
        array[:] = [to_bytes(v) for v in flat]
        return array.reshape(shape)
    return _integers_fit(value, flat, wanted, dtype is None).reshape(shape)


def _with_numpy(value: Any, flat: list[Any], shape: tuple[int, ...], dtype: dtypes.DType | None) -> Any:
    """The array of leaves of which some are NumPy's numbers or arrays."""
    leaves = [np.asarray(_plain(leaf)) for leaf in flat]
    if any(x.shape != leaves[0].shape for x in leaves):
        raise not_rectangular(value)
    each = [_leaf_kind(leaf, x) for leaf, x in zip(flat, leaves, strict=True)]
    kinds = set(each)
    wanted = dtype or _inferred(flat[0], each[0], kinds)
    _check(value, kinds, wanted, each[0], dtype is not None)
    if wanted is dtypes.string:
        return np.array([to_bytes(v) for x in leaves for v in x.ravel().tolist()], object).reshape(
            shape + leaves[0].shape
        )
    if wanted is dtypes.int32 and dtype is None:
        wanted = dtypes.int32 if all(_fit(x, _INT32) for x in leaves) else dtypes.int64
        if any(x.dtype.kind in "uO" and not _fit(x, (0, 2**63 - 1)) for x in leaves):
            raise _too_wide(value, wanted)
    return np.stack([x.astype(wanted.numpy) for x in leaves]).reshape(shape + leaves[0].shape)


def _plain(leaf: Any) -> Any:
    """A leaf that NumPy knows; of a size that is a symbol, the number."""
    if type(leaf) is Dim:
        return int(leaf)
    if isinstance(leaf, (bool, int, float, complex, str, bytes, np.generic, np.ndarray)) or hasattr(leaf, "__array__"):
        return leaf
    if hasattr(type(leaf), "__gradtape_function__"):
        raise errors.CompositeGivenError(leaf)
    raise errors.build(
        errors.ConversionError,
        f"Attempt to convert a value ({leaf!r}) with an unsupported type ({type(leaf)}) to a Tensor.",
        getattr(leaf, "_instead", instead_of(leaf)),
    )


def _leaf_kind(leaf: Any, array: Any) -> str:
    kind = _KINDS.get(type(leaf)) or _NUMPY_KINDS.get(array.dtype.kind)
    if kind is None:
        dtypes.from_numpy(array.dtype)  # raises
        raise not_rectangular(leaf)
    return kind


def _fit(x: Any, bounds: tuple[int, int]) -> bool:
    return not x.size or (bounds[0] <= int(x.min()) and int(x.max()) <= bounds[1])


def _inferred(first: Any, kind: str, kinds: set[str]) -> dtypes.DType:
    """The dtype that the first leaf chooses, int32 for integers of any size."""
    if kind == "i":
        return dtypes.float32 if "f" in kinds else dtypes.int32
    if kind == "f":
        own = getattr(first, "dtype", None)
        return dtypes.float32 if own is None or own == np.longdouble else dtypes.from_numpy(own)
    return {"b": dtypes.bool_, "B": dtypes.bool_, "c": dtypes.complex128, "s": dtypes.string}[kind]


def held_kinds(dtype: dtypes.DType) -> str:
    """The kinds of leaves that an explicit dtype accepts."""
    if dtype.is_floating:
        return "fib"
    if dtype.is_integer:
        return "ib" if dtype.name in ("int32", "int64") else "i"
    return "cfi" if dtype.is_complex else "bB" if dtype.is_bool else "s" if dtype is dtypes.string else ""


def instead_of(value: Any) -> str:
    """What to pass in place of a value that has no tensor form."""
    if value is None:
        return "use numbers; find where it became None: a function without `return`, or a gradient (print(tape.explain(y, x)))."
    if isinstance(value, dict):
        return "pass one of its values, d[key], or tf.nest.map_structure(tf.constant, d); a list of dicts becomes a dict of lists."
    if isinstance(value, (set, frozenset)) or hasattr(value, "__next__"):
        return "make a list first: tf.constant(list(value))."
    if hasattr(value, "SerializeToString"):
        return "pass its bytes: message.SerializeToString()."
    if hasattr(value, "timestamp"):
        return "pass a number: value.timestamp(), seconds since 1970."
    if isinstance(value, dtypes.DType):
        return f"pass the dtype by its name: dtype=tf.{value.name}."
    if hasattr(value, "element_spec"):
        return "compute with its elements: for x in dataset: ..., or dataset.map(f); for a window, window.batch(n)."
    if hasattr(type(value), "stack") and hasattr(type(value), "unstack"):
        return "pass its elements: array.stack()."
    if hasattr(value, "trainable_variables") and callable(value):
        return "pass its result, model(x), or its variables one by one: model.trainable_variables."
    if callable(value):
        return "pass its result: call it first, f(x)."
    return "pass numbers, strings, NumPy arrays, tensors, or nested lists of them."


def how_to_convert(value: Any, wanted: dtypes.DType) -> str:
    """What to write for a Python value, or a nested list of them, that a dtype does not hold."""
    leaf = value
    while isinstance(leaf, (list, tuple)) and leaf:
        leaf = leaf[0]
    if wanted is dtypes.string:
        return "tf.strings.as_string(value), or str(value)."
    if isinstance(leaf, (str, bytes)):
        return f"tf.strings.to_number(text, tf.{'int32' if wanted.is_integer else 'float32'}) for text that spells a number."
    if wanted.is_bool:
        return "compare it: tf.not_equal(x, 0)."
    if wanted.is_integer and isinstance(leaf, float):
        return f"make the tensor or variable of floats: 0.0 instead of 0; or round the number: tf.cast(value, tf.{wanted.name})."
    return f"give numbers of that dtype, or tf.cast(value, tf.{wanted.name})."


def _check(value: Any, kinds: set[str], wanted: dtypes.DType, first: str, is_asked: bool) -> None:
    """Raises if leaves do not go together, or if they do, but not in a dtype that was asked for."""
    if is_asked and kinds <= set(held_kinds(wanted)):
        return
    if not kinds <= set(_HELD[first]):
        raise errors.build(
            errors.ConversionError,
            f"Can't convert Python sequence with mixed types to Tensor: {brief(value)}.",
            "give values of one kind, or choose the dtype; of a DataFrame, take columns: frame[names].",
        )
    if is_asked:
        raise TypeError(
            errors.compose(
                f"Cannot convert {brief(value)} to a tensor of dtype {wanted.name}.",
                how_to_convert(value, wanted),
            )
        )


def _integers_fit(value: Any, flat: list[Any], wanted: dtypes.DType, may_widen: bool) -> Any:
    """The leaves as an array. Integers that were asked for in a dtype too small wrap; inferred ones become int64."""
    try:
        if wanted.is_integer and wanted is not dtypes.uint64:
            array = np.array(flat, dtype=np.int64)
            if may_widen and not _fit(array, _INT32):
                return array
            return array.astype(wanted.numpy)
        return np.array(flat, dtype=wanted.numpy)
    except OverflowError:
        raise _too_wide(value, wanted) from None


def _too_wide(value: Any, wanted: dtypes.DType) -> Exception:
    return errors.build(
        errors.ConversionError, f"a value of {brief(value)} does not fit in {wanted.name}.", "choose a wider dtype."
    )


def _measure(value: Any, flat: list[Any], depth: int, shape: list[int]) -> list[int]:
    """The shape of a nested sequence; its leaves are appended to `flat`."""
    if not isinstance(value, _SEQUENCES):
        if depth != len(shape):
            raise not_rectangular(value)
        flat.append(value)
        return shape
    if depth == len(shape):
        if flat:
            raise not_rectangular(value)
        shape.append(len(value))
    elif shape[depth] != len(value):
        raise not_rectangular(value)
    for item in value:
        _measure(item, flat, depth + 1, shape)
    return shape


def is_sequence(value: Any) -> bool:
    """True for an object of any other class that has a length, and elements by number."""
    if isinstance(value, (str, bytes, list, tuple, np.ndarray, np.generic, Mapping)):
        return False
    kind = type(value)
    is_indexed = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    return is_indexed and not hasattr(kind, "__array__") and not hasattr(kind, "__gradtape_function__")


def elements(value: Any) -> list[Any]:
    """The elements by number of such an object."""
    try:
        return [value[i] for i in range(len(value))]
    except LookupError:
        raise not_rectangular(value) from None


def _unroll(value: Any) -> Any:
    """A nested sequence with lists in place of arrays, which may stand beside lists, and of other sequences; itself if it has none."""
    if isinstance(value, np.ndarray) and value.ndim:
        return [_unroll(item) for item in value]
    if is_sequence(value):
        return [_unroll(item) for item in elements(value)]
    if not isinstance(value, (list, tuple)):
        return value
    items = [_unroll(item) for item in value]
    return items if any(new is not old for new, old in zip(items, value, strict=True)) else value


def not_rectangular(value: Any) -> Exception:
    """The error for rows of different lengths; for a size that is a symbol, that it has no number."""
    if isinstance(value, Dim):
        return Undecided("the number of a size is asked for that is known only when the function runs")
    return errors.build(
        errors.ConversionError,
        f"Can't convert non-rectangular Python sequence to Tensor: {brief(value)}.",
        "give all rows the same length, or pad them; tf.ragged.constant(rows) keeps rows of different lengths.",
    )


def to_bytes(value: Any) -> bytes:
    """A string as bytes."""
    return value.encode("utf-8") if isinstance(value, str) else bytes(value)


brief = errors.brief
