"""Compression: gradients sent in 16 bits."""

from __future__ import annotations

from typing import Any

from gradtape.core import dtypes
from gradtape.core.op import REGISTRY


class Compressor:
    """Base of the formats; a format of a program is a class like it."""

    @staticmethod
    def compress(tensor: Any) -> tuple[Any, Any]:
        """What is sent for a tensor, and what `decompress` needs."""
        raise NotImplementedError

    @staticmethod
    def decompress(tensor: Any, ctx: Any) -> Any:
        """The tensor that was sent."""
        raise NotImplementedError


class NoneCompressor(Compressor):
    """Values are sent unchanged."""

    @staticmethod
    def compress(tensor: Any) -> tuple[Any, Any]:
        """The tensor, and what `decompress` needs."""
        return tensor, None

    @staticmethod
    def decompress(tensor: Any, ctx: Any) -> Any:
        """The tensor."""
        return tensor


class FP16Compressor(Compressor):
    """Floating-point values are sent as float16."""

    @staticmethod
    def compress(tensor: Any) -> tuple[Any, Any]:
        """The tensor in float16, and its dtype."""
        narrow = tensor.dtype.is_floating and tensor.dtype.size > 2
        return (REGISTRY["cast"](tensor, dtype=dtypes.float16) if narrow else tensor), tensor.dtype

    @staticmethod
    def decompress(tensor: Any, ctx: Any) -> Any:
        """The tensor in the dtype that it had."""
        return tensor if tensor.dtype is ctx else REGISTRY["cast"](tensor, dtype=ctx)


class Compression:
    """The compression formats for sent values."""

    none = NoneCompressor
    fp16 = FP16Compressor
