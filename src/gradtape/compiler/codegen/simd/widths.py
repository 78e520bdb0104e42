"""The dtypes of vectors and their numbers of lanes, which plans need before code is emitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler.codegen.simd.machine import host
from gradtape.core import dtypes
from gradtape.core.dtypes import DType

_NARROW = ("float16", "bfloat16")
_SUPPORTED = frozenset(
    ["bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
)


def supports(dtype: Any) -> bool:
    """True if vectors of a dtype can be emitted: not complex numbers, strings, float8 and four-bit integers.

    >>> from gradtape.compiler.codegen.simd import supports
    >>> supports(tf.float32), supports(tf.complex64)
    (True, False)
    """
    name = dtypes.as_dtype(dtype).name
    return name in _SUPPORTED or (name == "float16" and host().converts_half)


def is_narrow(dtype: DType) -> bool:
    """True for the floats that are computed as float32."""
    return dtype.name in _NARROW


def computed(dtype: DType) -> DType:
    """The dtype that a dtype is computed in: float32 for the narrow floats."""
    return dtypes.float32 if is_narrow(dtype) else dtype


def default_width(types: Sequence[DType]) -> int:
    """The number of lanes for a loop over these dtypes: what the widest has in one register."""
    return host().lanes(max(1 if d is dtypes.bool_ else computed(d).size for d in types))


def least_vectors() -> int:
    """How many vectors of a row are worth a start of their own: two, or one of 64 bytes."""
    return 1 if host().register_bytes >= 64 else 2
