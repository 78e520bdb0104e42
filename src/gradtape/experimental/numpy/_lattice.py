"""Promotion in the modes "all" and "safe": TensorFlow's lattice of dtypes, in which Python's numbers are weak.

A weak number takes the dtype that stands beside it, if that can hold its kind. Mode "safe" refuses promotions that may lose
bits: an integer of 32 bits beside a float32, for instance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape.core import dtypes, errors


class Operand(NamedTuple):
    """The dtype of an operand, and whether it is a number of Python."""

    dtype: dtypes.DType
    is_weak: bool = False


_WEAK = {
    bool: Operand(dtypes.bool_),
    int: Operand(dtypes.int32, True),
    float: Operand(dtypes.float32, True),
    complex: Operand(dtypes.complex128, True),
}
_SIGNED = {1: dtypes.int8, 2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}


def operand(value: Any) -> Operand:
    """The properties of a dtype, or of a Python number, that matter for promotion."""
    weak = _WEAK.get(type(value))
    return weak if weak is not None else Operand(dtypes.as_dtype(value))


def promote(operands: list[Operand], safe: bool) -> Operand:
    """The common dtype of all operands; TypeError if mode "safe" refuses it."""
    found = operands[0]
    for other in operands[1:]:
        result, is_safe = _meet(found, other)
        if safe and not is_safe:
            names = " and ".join(f"{o.dtype.name}{' (a Python number)' if o.is_weak else ''}" for o in (found, other))
            raise errors.build(
                TypeError,
                f"In promotion mode 'safe', implicit promotion between {names} is disallowed.",
                "cast one of them, or use dtype_conversion_mode='all'.",
            )
        found = result
    return found


def _meet(a: Operand, b: Operand) -> tuple[Operand, bool]:
    """The dtype of two operands, and whether all their values are kept."""
    a, b = sorted((a, b), key=lambda o: (_rank(o.dtype), o.dtype.size))
    if a == b or a.dtype.is_bool:
        return b, True
    if a.is_weak and b.is_weak:
        return (b if _rank(b.dtype) > _rank(a.dtype) else a), True
    if a.is_weak or b.is_weak:
        return _meet_weak(*((b, a) if a.is_weak else (a, b)))
    result, is_safe = _meet_strong(a.dtype, b.dtype)
    return Operand(result), is_safe


def _rank(dtype: dtypes.DType) -> int:
    return 0 if dtype.is_bool else 1 if dtype.is_integer else 3 if dtype.is_complex else 2


def _meet_weak(strong: Operand, weak: Operand) -> tuple[Operand, bool]:
    """A tensor and a number of Python."""
    rank, other = _rank(strong.dtype), _rank(weak.dtype)
    if other <= rank:
        return strong, True
    if rank == 1:
        whole = weak.dtype.is_complex and strong.dtype.size < 8
        return Operand(dtypes.complex128 if weak.dtype.is_complex else dtypes.float64, True), whole
    is_double = strong.dtype is dtypes.float64
    return Operand(dtypes.complex128 if is_double else dtypes.complex64), is_double


def _meet_strong(a: dtypes.DType, b: dtypes.DType) -> tuple[dtypes.DType, bool]:
    """Two tensors, the one of the lower kind and size first."""
    if _rank(a) == _rank(b) == 1:
        return _meet_integers(a, b)
    if _rank(a) == 1:
        # A float keeps integers of less than half of its bits: those of 8 bits are kept by all.
        bits = b.size // 2 if b.is_complex else b.size
        return b, a.size == 1 or a.size * 2 <= bits
    if {a, b} == {dtypes.float16, dtypes.bfloat16}:
        return dtypes.float32, False
    if a is dtypes.float64 and b is dtypes.complex64:
        return dtypes.complex128, False
    return b, True


def _meet_integers(a: dtypes.DType, b: dtypes.DType) -> tuple[dtypes.DType, bool]:
    if a.is_unsigned == b.is_unsigned:
        return b, True
    signed, unsigned = (b, a) if a.is_unsigned else (a, b)
    if signed.size > unsigned.size:
        return signed, True
    wider = _SIGNED.get(2 * unsigned.size)
    return (dtypes.float64, False) if wider is None else (wider, False)
