"""Arrays of `tf.experimental.numpy`, and the dtypes that functions of several of them compute in.

Python ints are int64 and floats float64, as in NumPy, unless a tensor or array stands beside them: then they take its
dtype if that is of their kind. Between tensors NumPy's rules of promotion hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.arrays import joining, movement
from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.experimental.numpy import _lattice as lattice
from gradtape.math._conversion import cast
from gradtape.numpy_functions.policy import Policy
from gradtape.ops.movement import Identity

_NUMBERS = (bool, int, float, complex)
_NAMES = frozenset(
    [
        "bool",
        "complex64",
        "complex128",
        "float16",
        "float32",
        "float64",
        *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)),
    ]
)
_MODE = ["legacy"]
_PREFERRED: dict[str, bool] = {"float32": False}


def prefer_float32(enabled: bool) -> None:
    """Choose whether Python's numbers, and results of integers, become float32 and int32 instead of 64 bits."""
    _PREFERRED["float32"] = enabled


def convert_by(mode: str) -> None:
    """Choose how dtypes are promoted: "legacy" as NumPy does, "all" and "safe" as `_lattice` does."""
    _MODE[:] = [mode]


def default_float() -> dtypes.DType:
    """The dtype of results computed from integers."""
    return dtypes.float32 if _PREFERRED["float32"] else dtypes.float64


def named_dtype(dtype: Any) -> dtypes.DType:
    """A requested dtype; Python's types count as NumPy's: int is int64, float the default float."""
    if dtype is float:
        return default_float()
    return dtypes.as_dtype(np.dtype(dtype) if dtype is int or dtype is complex else dtype)


def result_type(*arrays_and_dtypes: Any) -> dtypes.DType:
    """The dtype in which a function of several arrays computes.

    Args:
      *arrays_and_dtypes: tensors, arrays, numbers, nested lists of them, and dtypes.

    >>> tf.experimental.numpy.result_type(tf.constant([1, 2]), 2.0)
    tf.float64
    """
    # By their types too: 0 and 0.0 are equal.
    found = {(type(key), key): key for key in map(_key, nest.flatten(list(arrays_and_dtypes)))}.values()
    if _MODE[-1] in ("all", "safe"):
        operands = [lattice.operand(key) for key in found] or [lattice.operand(0.0)]
        return lattice.promote(operands, _MODE[-1] == "safe").dtype
    result = dtypes.as_dtype(np.result_type(*found) if found else np.float64)
    weak = all(isinstance(key, _NUMBERS) for key in found)
    narrow = {"float64": dtypes.float32, "int64": dtypes.int32, "complex128": dtypes.complex64}
    return narrow.get(result.name, result) if weak and _PREFERRED["float32"] else result


def _key(leaf: Any) -> Any:
    """The operand for NumPy's promotion: a dtype, or a number that represents its kind."""
    if isinstance(leaf, _NUMBERS):
        return type(leaf)() if not isinstance(leaf, int) or abs(leaf) < 2**31 else leaf
    if isinstance(leaf, (str, bytes)):
        return np.dtype(leaf) if leaf in _NAMES else np.dtype(object)
    if isinstance(leaf, (Tensor, Variable)):
        return leaf.dtype.numpy
    if isinstance(leaf, (dtypes.DType, type, np.dtype)):
        return dtypes.as_dtype(leaf).numpy
    return np.asarray(leaf).dtype


def promote_types(type1: Any, type2: Any) -> dtypes.DType:
    """The smallest dtype to which values of both can be converted.

    Args:
      type1: a dtype.
      type2: a dtype.

    >>> tf.experimental.numpy.promote_types(np.int32, np.float32)
    tf.float64
    """
    return dtypes.as_dtype(np.promote_types(dtypes.as_dtype(type1).numpy, dtypes.as_dtype(type2).numpy))


def asarray(a: Any, dtype: Any = None) -> Tensor:
    """A tensor of a value, with NumPy's dtypes for Python's numbers.

    Args:
      a: a tensor, variable, array, number, or nested list.
      dtype: of the result; by default that of the value.

    >>> tf.experimental.numpy.asarray([1.0, 2.0]).dtype
    tf.float64
    """
    wanted = None if dtype is None else named_dtype(dtype)
    if isinstance(a, Variable):
        a = a._read()
    elif isinstance(a, IndexedSlices):
        a = convert.convert_to_tensor(a)
    if not isinstance(a, Tensor):
        target = wanted or result_type(a)
        if isinstance(a, (list, tuple)) and any(isinstance(x, (Tensor, Variable)) for x in nest.flatten(a)):
            return joining.stack([asarray(x, target) for x in a])
        a = _tensor(a)
        wanted = target
    return a if wanted is None or a.dtype is wanted else cast(a, wanted)


def _tensor(a: Any) -> Tensor:
    try:
        return convert.convert_to_tensor(np.asarray(a))
    except errors.ConversionError as problem:  # of NumPy a TypeError
        raise errors.ArgumentError(str(problem)) from None
    except ValueError:  # rows of different lengths: the conversion reports which
        return convert.convert_to_tensor(a)


def asanyarray(a: Any, dtype: Any = None) -> Tensor:
    """As `asarray`.

    >>> tf.experimental.numpy.asanyarray(3).dtype
    tf.int64
    """
    return asarray(a, dtype)


def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """A tensor of a value, of rank 1 or more.

    >>> tf.experimental.numpy.ascontiguousarray(3).shape
    TensorShape([1])
    """
    return array(a, dtype, ndmin=1)


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of a value.

    Args:
      val: a tensor, variable, array, number, or nested list.
      dtype: of the result; by default that of the value.
      copy: whether a tensor is returned as another one.
      ndmin: the least rank; axes of length 1 are put in front.

    >>> tf.experimental.numpy.array([1, 2], ndmin=2).shape
    TensorShape([1, 2])
    """
    made = asarray(val, dtype)
    if copy and made is val:
        made = Identity(made)
    missing = ndmin - made.ndim
    return made if missing <= 0 else movement.reshape(made, [1] * missing + list(made.shape))


def promoted(*values: Any) -> list[Any]:
    """The values as tensors of one dtype."""
    dtype = result_type(*values)
    return [asarray(v, dtype) for v in values]


def inexact_type(*values: Any) -> dtypes.DType:
    """The dtype of a function that gives floating point numbers."""
    dtype = result_type(*values)
    return dtype if dtype.is_floating or dtype.is_complex else default_float()


def inexact(*values: Any) -> list[Any]:
    """The values as tensors of one floating point or complex dtype."""
    dtype = inexact_type(*values)
    return [asarray(v, dtype) for v in values]


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """True if a dtype is of a kind, such as `np.floating`.

    >>> tf.experimental.numpy.issubdtype(tf.float32, np.floating)
    True
    """
    first, second = [x.numpy if isinstance(x, dtypes.DType) else x for x in (arg1, arg2)]
    return bool(np.issubdtype(first, second))


def finfo(dtype: Any) -> Any:
    """The limits of a floating point dtype, as `np.finfo` describes them.

    >>> float(tf.experimental.numpy.finfo(tf.float32).eps) == 2.0**-23
    True
    """
    return np.finfo(dtypes.as_dtype(dtype).numpy)


def isscalar(num: Any) -> bool:
    """True for a number and for a tensor of rank 0.

    >>> tf.experimental.numpy.isscalar(3.0)
    True
    """
    if isinstance(num, (Tensor, Variable)):
        return len(num.shape) == 0
    return np.isscalar(num)


def iscomplexobj(x: Any) -> bool:
    """True if the dtype is complex.

    >>> tf.experimental.numpy.iscomplexobj([1j, 2.0])
    True
    """
    return result_type(x).is_complex


def isrealobj(x: Any) -> bool:
    """True unless the dtype is complex.

    >>> tf.experimental.numpy.isrealobj([1.0, 2.0])
    True
    """
    return not iscomplexobj(x)


class _Promotion(Policy):
    """The policy of `tf.experimental.numpy`: NumPy's promotion, in which integers become float64."""

    small, index = dtypes.int8, dtypes.int64

    def arrays(self, *values: Any) -> list[Any]:
        """The values as tensors."""
        return [asarray(v) for v in values]

    def promoted(self, *values: Any) -> list[Any]:
        """The values as tensors of one dtype."""
        return promoted(*values)

    def inexact(self, *values: Any) -> list[Any]:
        """The values as tensors of one floating point or complex dtype."""
        return inexact(*values)

    def quotients(self, *values: Any) -> list[Any]:
        """The values as tensors of one dtype, bools as floats; integers are divided as `tf.truediv` does."""
        found = promoted(*values)
        return [cast(x, default_float()) for x in found] if found[0].dtype.is_bool else found

    def summed(self, x: Any, dtype: Any = None) -> Any:
        """In the given dtype, or integers in 64 bits."""
        x = asarray(x, dtype)
        if dtype is not None or not (x.dtype.is_integer or x.dtype.is_bool):
            return x
        return cast(x, dtypes.uint64 if x.dtype.is_unsigned else dtypes.int64)

    def accumulated(self, x: Any, dtype: Any = None) -> Any:
        """In the given dtype, or integers in int64; uint64 in float64, which holds both."""
        x = asarray(x, dtype)
        if dtype is not None or not (x.dtype.is_integer or x.dtype.is_bool):
            return x
        return cast(x, dtypes.float64 if x.dtype is dtypes.uint64 else dtypes.int64)

    def averaged(self, x: Any, dtype: Any = None) -> Any:
        """In the given dtype, or integers in floating point."""
        return asarray(x, dtype) if dtype is not None else inexact(x)[0]


POLICY = _Promotion()
