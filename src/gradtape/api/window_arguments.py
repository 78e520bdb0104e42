"""Arguments of functions with moving windows: data formats, strides and sizes per axis, padding."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import integers
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.windows import Pairs, Sizes, same_padding

_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def channels_first(data_format: Any, count: int, what: str) -> bool:
    """True if a data format puts the channels before the `count` axes that the window moves over."""
    last, first = _LAST.get(count), _FIRST.get(count)
    if data_format is None or data_format == last:
        return False
    if data_format != first:
        raise errors.build(
            errors.ShapeError,
            f"{what}: data_format cannot be {data_format!r} for {count} axes that the window moves over.",
            f"use {last!r} or {first!r}." if last else "use None: windows move over one, two or three axes.",
        )
    return True


def per_axis(value: Any, count: int, first: bool, what: str, name: str) -> Sizes:
    """A positive int for each axis that the window moves over.

    Args:
      value: one int for all, one for each of these axes, or one for every axis of the input, where those of the examples
        and channels must be 1; None means 1.
      count: how many axes the window moves over.
      first: whether the channels come before them.
      what: the function, for messages.
      name: the argument, for messages.
    """
    whole = every_axis(value, count, first, what, name)
    if whole[0] != 1 or whole[1 if first else -1] != 1:
        raise errors.build(
            errors.UnimplementedError,
            f"{what}: {name} in the batch and depth dimensions must be 1, got {value!r}.",
            f"give {name} for the other axes only.",
        )
    return spatial(whole, first)


def every_axis(value: Any, count: int, first: bool, what: str, name: str) -> Sizes:
    """A positive int for every axis of the input: like `per_axis`, without the restriction."""
    if value is None:
        return (1,) * (count + 2)
    is_single = (
        type(value) is int or (isinstance(value, (Tensor, Variable)) and not value.ndim) or hasattr(value, "item")
    )
    sizes = integers([value] if is_single and not getattr(value, "ndim", 0) else value, what, name)
    if len(sizes) == 1:
        sizes *= count
    if len(sizes) == count:
        sizes = (1, 1, *sizes) if first else (1, *sizes, 1)
    if len(sizes) != count + 2:
        lengths = " or ".join(map(str, sorted({1, count, count + 2})))
        raise errors.build(
            errors.ShapeError,
            f"{what}: {name} should be of length {lengths}, received {value!r}.",
            f"give one int for all, or one for each of the {count} axes that the window moves over.",
        )
    if min(sizes) <= 0 or any(type(size) is int and size >= 1 << 31 for size in sizes):
        raise errors.build(
            errors.ShapeError,
            f"{what}: {name} must be positive and less than 2^31, got {value!r}.",
            "1 leaves an axis as it is.",
        )
    return sizes


def spatial(values: Any, first: bool) -> tuple[Any, ...]:
    """The entries of the axes that the window moves over."""
    return tuple(values[2:] if first else values[1:-1])


def padding_pairs(
    padding: Any, size: Sizes, window: Sizes, strides: Sizes, dilations: Sizes, first: bool, what: str
) -> Pairs:
    """(before, after) for each axis that the window moves over, from "SAME", "VALID" or pairs for every axis."""
    if padding == "VALID":
        return ((0, 0),) * len(size)
    if padding == "SAME":
        return same_padding(size, window, strides, dilations)
    return spatial(explicit_pairs(padding, len(size), first, what), first)


def explicit_pairs(padding: Any, count: int, first: bool, what: str) -> Pairs:
    """(before, after) for every axis of the input, from a list of pairs."""
    if isinstance(padding, (str, bytes)) or not hasattr(padding, "__iter__"):
        raise errors.build(
            errors.ArgumentError,
            f"{what}: padding must be 'SAME', 'VALID' or a list of pairs, got {padding!r}.",
            'use "SAME", "VALID", or a list of pairs [before, after], one for each axis of the input.',
        )
    pairs = tuple([integers(pair, what, "padding") for pair in padding])
    if len(pairs) != count + 2 or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise errors.build(
            errors.ShapeError,
            f"{what}: when padding is a list, it must have {count + 2} pairs of ints that are not negative, "
            f"received {padding!r}.",
            "give [before, after] for each axis of the input; [0, 0] for the examples and the channels.",
        )
    if any(pairs[0]) or any(pairs[1 if first else -1]):
        raise errors.build(
            errors.ShapeError,
            f"{what}: padding cannot pad the examples or the channels, got {padding!r}.",
            "their pairs must be [0, 0].",
        )
    return pairs  # type: ignore[return-value]
