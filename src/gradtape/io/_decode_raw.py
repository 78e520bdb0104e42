"""Decoding byte strings: numbers, base64, compressed data."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.api.array_op import objects
from gradtape.api.host_op import check_strings, hosted, string_like
from gradtape.core import dtypes, errors
from gradtape.core.shape import ANY, Spec
from gradtape.core.tensor import Tensor

_RAW = (
    "float16", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8", "int64", "complex64", "complex128", "bool",
    "bfloat16", "uint32", "uint64",
)  # fmt: skip


def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None, name: str | None = None
) -> Tensor:
    """The bytes of strings decoded as numbers, along a new last axis.

    Args:
      input_bytes: a string tensor; all strings must have the same length unless `fixed_length` is given.
      out_type: the dtype of the numbers.
      little_endian: whether the first byte of a number is its lowest.
      fixed_length: so many bytes of each string are used; shorter ones are filled up with zeros.

    Returns:
      A tensor with the shape of `input_bytes` and one more axis.

    >>> tf.io.decode_raw([b"\\x01\\x00\\x02\\x00"], tf.int16).numpy()
    array([[1, 2]], dtype=int16)
    """
    x, dtype = check_strings("decode_raw", "input_bytes", input_bytes), dtypes.as_dtype(out_type)
    if dtype.name not in _RAW:
        raise errors.build(
            errors.DTypeError,
            f"decode_raw: out_type must be one of {', '.join(_RAW)}, got {dtype.name}.",
            "decode to one of these dtypes, then use tf.cast.",
        )
    size = None if fixed_length is None else integer(fixed_length, "decode_raw", "fixed_length")
    if size is not None and (size <= 0 or size % dtype.size):
        raise errors.build(
            errors.InvalidArgumentError,
            f"decode_raw: fixed_length ({size}) must be a multiple of the size of out_type ({dtype.size})",
            "give the length in bytes.",
        )
    return _decode_raw(x, dtype=dtype, size=size, little_endian=little_endian)[0]


def _raw_specs(x: Spec, *, dtype: dtypes.DType, size: int | None, little_endian: bool) -> tuple[Spec, ...]:
    count: Any = None if size is None else size // dtype.size
    return (Spec(ANY if x.shape is ANY else (*x.shape, count), dtype),)


@hosted(_raw_specs)
def _decode_raw(array: Any, *, dtype: dtypes.DType, size: int | None, little_endian: bool) -> tuple[Any, ...]:
    items = list(np.ravel(array))
    length = size if size is not None else len(items[0]) if items else 0
    if size is not None:
        items = [data[:size].ljust(size, b"\0") for data in items]
    _check_lengths(items, length, dtype)
    found = np.frombuffer(b"".join(items), np.uint8).reshape(*array.shape, length)
    if dtype.is_bool:
        return (found != 0,)
    part = dtype.size // 2 if dtype.is_complex else dtype.size
    if not little_endian and part > 1:
        found = found.reshape(*array.shape, length // part, part)[..., ::-1].reshape(*array.shape, length)
    return (np.ascontiguousarray(found).view(dtype.numpy),)


def _check_lengths(items: list[bytes], length: int, dtype: dtypes.DType) -> None:
    for i, data in enumerate(items):
        if len(data) != length:
            raise errors.build(
                errors.InvalidArgumentError,
                f"DecodeRaw requires input strings to all be the same size, but element {i} has size {length} != {len(data)}",
                "give fixed_length, or decode them one by one.",
            )
    if length % dtype.size:
        raise errors.build(
            errors.InvalidArgumentError,
            f"Input to DecodeRaw has length {length} that is not a multiple of {dtype.size}, the size of {dtype.name}",
            "check out_type, or give fixed_length.",
        )


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in the base64 alphabet that is safe in addresses and file names.

    Args:
      input: a string tensor.
      pad: whether `=` fills up the last group.

    >>> tf.io.encode_base64("hello??").numpy()
    b'aGVsbG8_Pw'
    """
    return _encode_base64(check_strings("encode_base64", "input", input), pad=pad)[0]


@hosted(string_like)
def _encode_base64(array: Any, *, pad: bool) -> tuple[Any, ...]:
    found = [base64.urlsafe_b64encode(data) for data in np.ravel(array)]
    return (objects(found if pad else [data.rstrip(b"=") for data in found], array.shape),)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """The strings that `encode_base64` encoded; with or without `=` at their ends.

    Args:
      input: a string tensor.

    >>> tf.io.decode_base64("aGVsbG8_Pw").numpy()
    b'hello??'
    """
    return _decode_base64(check_strings("decode_base64", "input", input))[0]


@hosted(string_like)
def _decode_base64(array: Any) -> tuple[Any, ...]:
    return (objects([_from_base64(data) for data in np.ravel(array)], array.shape),)


def _from_base64(data: bytes) -> bytes:
    body = data.rstrip(b"=")
    padding = len(data) - len(body)
    try:
        # Python's decoder takes the other alphabet besides this one.
        if len(body) % 4 == 1 or padding not in (0, -len(body) % 4) or b"+" in body or b"/" in body:
            raise ValueError
        return base64.b64decode(body + b"=" * (-len(body) % 4), b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise errors.build(
            errors.InvalidArgumentError,
            f"decode_base64: Invalid character found in base64: {data[:40]!r}.",
            "the alphabet is A-Z, a-z, 0-9, - and _; Python's base64.b64decode takes the one with + and /.",
        ) from None


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Decompressed strings.

    Args:
      bytes: a string tensor.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.

    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"hello"), "ZLIB").numpy()
    b'hello'
    """
    if compression_type not in ("", "ZLIB", "GZIP"):
        raise errors.build(
            errors.InvalidArgumentError,
            f"decode_compressed: compression_type is {compression_type!r}: Only ZLIB, GZIP or NONE are supported "
            "compressions.",
            'use "ZLIB", "GZIP" or "".',
        )
    x = check_strings("decode_compressed", "bytes", bytes)
    return _decode_compressed(x, kind=compression_type)[0]


@hosted(string_like)
def _decode_compressed(array: Any, *, kind: str) -> tuple[Any, ...]:
    if not kind:
        return (array,)
    try:
        found = [zlib.decompress(data, 31 if kind == "GZIP" else 15) for data in np.ravel(array)]
    except zlib.error as problem:
        raise errors.build(
            errors.DataLossError,
            f"decode_compressed: {problem}.",
            "check compression_type, and the data.",
        ) from None
    return (objects(found, array.shape),)
