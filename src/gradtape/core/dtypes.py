"""DType objects: TensorFlow's names for NumPy's and ml_dtypes' types.

bfloat16, float8 and the four-bit integers belong to ml_dtypes, which is imported when one of them is first used.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradtape.core import errors

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_FLOAT8 = ("float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz")
_COMPLEX = ("complex64", "complex128")
# Python's types that equal no dtype, as several would do.
_NOT_DTYPES = (int, complex, str, bytes)
_SHORT = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
    "uint64": "u64", "bool": "bool", "string": "str", "resource": "resource", "int4": "i4", "uint4": "u4",
}  # fmt: skip

_KINDS = dict.fromkeys(("bfloat16", "int4", "uint4", *_FLOAT8), "V") | {"string": "O", "resource": "O"}


class DType:
    """The type of a tensor's elements. `tf.float32 == "float32" == np.float32`."""

    __slots__ = ("_enum", "_numpy", "is_complex", "is_floating", "is_integer", "is_trainable", "kind", "name")

    def __init__(self, name: str, enum: int) -> None:
        self.name, self._enum = name, enum
        self._numpy: np.dtype[Any] | None = None
        self.is_floating = name in _FLOATS or name in _FLOAT8
        self.is_complex = name in _COMPLEX
        self.is_integer = name.lstrip("u").startswith("int")
        self.is_trainable = name in _FLOATS or name in _COMPLEX
        # NumPy's letter, so that `x.dtype.kind` reads the same on tensors and arrays.
        self.kind = _KINDS.get(name) or ("c" if self.is_complex else "f" if self.is_floating else name[0])

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype; ml_dtypes is imported here when the type is one of its."""
        if self._numpy is None:
            self._numpy = _numpy_dtype(self.name)
        return self._numpy

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type, for instance `np.float32`; `object` for strings."""
        return self.numpy.type if self.name != "string" else object

    @property
    def as_datatype_enum(self) -> int:
        """TensorFlow's number of the type."""
        return self._enum

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part: itself, unless complex."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def base_dtype(self) -> DType:
        """The dtype itself: there are no reference types."""
        return self

    @property
    def is_bool(self) -> bool:
        """True for `tf.bool`."""
        return self.name == "bool"

    @property
    def is_quantized(self) -> bool:
        """True for the quantized integers, which exist in name only."""
        return self.name.startswith("q")

    @property
    def is_unsigned(self) -> bool:
        """True for the unsigned integers."""
        return self.name.startswith("uint")

    @property
    def is_numeric(self) -> bool:
        """True for numbers."""
        return self.is_floating or self.is_complex or self.is_integer

    @property
    def is_numpy_compatible(self) -> bool:
        """True where NumPy can hold the type."""
        return self.name not in ("resource", "variant")

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return 1 if self.name == "string" else self.numpy.itemsize

    @property
    def min(self) -> Any:
        """The least finite value."""
        return self._limits().min if not self.is_bool else False

    @property
    def max(self) -> Any:
        """The largest finite value."""
        return self._limits().max if not self.is_bool else True

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of the values of images: 0 to 1 for floats, 0 to the largest integer otherwise."""
        if self.name not in _SHORT or not (self.is_floating or self.is_integer or self.is_bool) or self is bfloat16:
            raise ValueError(f"{self} does not have defined limits.")
        return 0, 1 if self.is_floating or self.is_bool else self.max

    @property
    def short(self) -> str:
        """The name in error messages: `f32`, `i64`."""
        return _SHORT.get(self.name, self.name)

    def _limits(self) -> Any:
        if self.name in _SHORT and self.name not in ("bfloat16", "int4", "uint4", "string", "resource"):
            kind = self.numpy.kind
            if kind in "iu":
                return np.iinfo(self.numpy)
            return np.finfo(self.real_dtype.numpy)
        if self.is_floating or self.is_integer:
            import ml_dtypes

            return (ml_dtypes.finfo if self.is_floating else ml_dtypes.iinfo)(self.numpy)
        raise TypeError(f"Cannot find limits of {self!r}.")

    def is_compatible_with(self, other: Any) -> bool:
        """True if a tensor of the other dtype can be used where this one is asked for."""
        return self is as_dtype(other)

    def is_subtype_of(self, other: Any) -> bool:
        """True if it is the other dtype: dtypes do not contain each other."""
        return bool(self == other)

    def most_specific_common_supertype(self, others: Any) -> DType | None:
        """This dtype if all others are it, else None."""
        return self if all(self == other for other in others) else None

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, DType):
            return self is other
        if other is None or any(other is kind for kind in _NOT_DTYPES):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._enum

    def __int__(self) -> int:
        return self._enum

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


def _numpy_dtype(name: str) -> np.dtype[Any]:
    if name in ("string", "resource", "variant"):
        return np.dtype(object)
    if name.startswith("q"):
        return np.dtype(name[1:])
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        result: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return result


# The numbers are TensorFlow's DataType enumeration.
float32 = DType("float32", 1)
float64 = DType("float64", 2)
int32 = DType("int32", 3)
uint8 = DType("uint8", 4)
int16 = DType("int16", 5)
int8 = DType("int8", 6)
string = DType("string", 7)
complex64 = DType("complex64", 8)
int64 = DType("int64", 9)
bool_ = DType("bool", 10)
bfloat16 = DType("bfloat16", 14)
uint16 = DType("uint16", 17)
complex128 = DType("complex128", 18)
float16 = DType("float16", 19)
resource = DType("resource", 20)
uint32 = DType("uint32", 22)
uint64 = DType("uint64", 23)
float8_e5m2 = DType("float8_e5m2", 24)
float8_e4m3fn = DType("float8_e4m3fn", 25)
float8_e4m3fnuz = DType("float8_e4m3fnuz", 26)
float8_e4m3b11fnuz = DType("float8_e4m3b11fnuz", 27)
float8_e5m2fnuz = DType("float8_e5m2fnuz", 28)
int4 = DType("int4", 29)
uint4 = DType("uint4", 30)
half, double = float16, float64
# Names only: there are no tensors of them.
qint8, quint8, qint32 = DType("qint8", 11), DType("quint8", 12), DType("qint32", 13)
qint16, quint16, variant = DType("qint16", 15), DType("quint16", 16), DType("variant", 21)
NAMES_ONLY = (qint8, quint8, qint32, qint16, quint16, variant)

ALL: tuple[DType, ...] = (
    float16, bfloat16, float32, float64, complex64, complex128, int8, int16, int32, int64, uint8, uint16, uint32,
    uint64, bool_, string, float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, int4,
    uint4, resource,
)  # fmt: skip
_BY_NAME: dict[str, DType] = {d.name: d for d in (*ALL, *NAMES_ONLY)} | {
    "half": half,
    "double": double,
    "float": float32,
}
_BY_NUMPY: dict[Any, DType] = {d.numpy: d for d in ALL if hasattr(np, d.name)}
_BY_NUMPY[np.dtype(object)] = string
_BY_NUMPY[np.dtype(bool)] = bool_
_PYTHON = {float: float32, int: int32, bool: bool_, complex: complex128, str: string, bytes: string, object: string}


def from_numpy(dtype: np.dtype[Any]) -> DType:
    """The DType of a NumPy dtype."""
    found = _BY_NUMPY.get(dtype)
    return found if found is not None else _from_numpy(dtype)


@functools.lru_cache(maxsize=64)
def _from_numpy(dtype: np.dtype[Any]) -> DType:
    if dtype.kind in "SU":
        return string
    found = _BY_NAME.get(dtype.name)
    if found is None or dtype.kind in "Mm":
        raise TypeError(
            errors.compose(
                f"Cannot convert the NumPy dtype {dtype} to a tf.DType.",
                "convert the array first: array.astype(np.float32), or .astype(str) for text.",
            )
        )
    return found


def as_dtype(type_value: Any) -> DType:
    """The DType of a DType, a name, a NumPy type, a Python type or TensorFlow's number.

    >>> tf.as_dtype("float32"), tf.as_dtype(int), tf.as_dtype(np.float64)
    (tf.float32, tf.int32, tf.float64)
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, str) and type_value in _BY_NAME:
        return _BY_NAME[type_value]
    if isinstance(type_value, type) and type_value in _PYTHON:
        return _PYTHON[type_value]
    if isinstance(type_value, int) and not isinstance(type_value, bool):
        for dtype in _BY_NAME.values():
            if dtype._enum == type_value:
                return dtype
    own = getattr(type_value, "dtype", None)
    if isinstance(own, DType):
        return own
    if isinstance(own, (str, np.dtype)) and not isinstance(type_value, np.dtype):
        type_value = own
    if type_value is not None and not (isinstance(type_value, type) and not issubclass(type_value, np.generic)):
        try:
            return from_numpy(np.dtype(type_value))
        except TypeError:
            pass
    raise TypeError(
        errors.compose(
            f"Cannot convert {errors.brief(type_value)} to a TensorFlow DType: it must be a tf.DType, or the name of one.",
            _nearest(type_value),
        )
    )


def _nearest(value: Any) -> str:
    """What to write instead of a value that names no dtype."""
    import difflib  # needed for this message only

    close = difflib.get_close_matches(value, [d.name for d in ALL], 1) if isinstance(value, str) else []
    return f"did you mean tf.{close[0]}?" if close else "pass a dtype such as tf.float32 or 'int64'."
