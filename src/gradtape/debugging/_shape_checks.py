"""`tf.debugging`: checks of ranks, shapes and dtypes. They are made while a function is traced, if all is known then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.api.effects import perform
from gradtape.core import convert, dtypes, errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable


def _rank(what: str, x: Any, fits: Callable[[int], bool], needed: str, message: str | None) -> None:
    tensor = convert.convert_to_tensor(x)
    lead = f"{message}. " if message else ""

    def text(shape: Any) -> str:
        return f"{lead}Tensor {_name(tensor)} must have rank {needed}.  Received rank {len(shape)}, shape {shape}"

    shape = tensor.get_shape()
    if shape.rank is not None:
        if not fits(shape.rank):
            raise errors.build(ValueError, text(shape), "use tf.reshape, tf.expand_dims or tf.squeeze.")
        return

    def act(value: Any) -> None:
        if not fits(len(value.shape)):
            raise errors.InvalidArgumentError(text(value.shape))

    perform(what, act, [tensor])


def _name(tensor: Any) -> str:
    return getattr(tensor, "name", "") if hasattr(tensor, "trace") else ""


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has a rank.

    Args:
      x: anything that can become a tensor.
      rank: an int.
      message: stands before the details.

    >>> tf.debugging.assert_rank([1, 2], 1)
    """
    wanted = _wanted("assert_rank", rank)
    _rank("assert_rank", x, lambda r: r == wanted, str(wanted), message)


def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has a rank, or a higher one.

    Args:
      x: anything that can become a tensor.
      rank: an int.
      message: stands before the details.

    >>> tf.debugging.assert_rank_at_least([[1], [2]], 1)
    """
    wanted = _wanted("assert_rank_at_least", rank)
    _rank("assert_rank_at_least", x, lambda r: r >= wanted, f"at least {wanted}", message)


def _wanted(who: str, rank: Any) -> int:
    """A rank, given as a scalar."""
    if getattr(rank, "ndim", 0) or isinstance(rank, (list, tuple)):
        raise errors.build(ValueError, f"{who}: rank must be a scalar, got {rank!r}.", "give a single int.")
    return integer(rank, who, "rank")


def assert_rank_in(x: Any, ranks: Sequence[Any], message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has one of several ranks.

    Args:
      x: anything that can become a tensor.
      ranks: ints.
      message: stands before the details.

    >>> tf.debugging.assert_rank_in([1, 2], [0, 1])
    """
    wanted = tuple([integer(r, "assert_rank_in", "ranks") for r in ranks])
    _rank("assert_rank_in", x, lambda r: r in wanted, f"in {wanted}", message)


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor is a scalar.

    Args:
      tensor: anything that can become a tensor.
      message: stands before the details.

    >>> tf.debugging.assert_scalar(3.0)
    """
    value = convert.convert_to_tensor(tensor)
    rank = value.get_shape().rank
    if rank not in (0, None):
        raise errors.build(
            ValueError,
            f"{message or ''}Expected scalar shape, saw shape: {value.get_shape()}.",
            "reduce it, or use tf.squeeze.",
        )
    if rank is None:
        assert_rank(value, 0, message)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless a tensor has a dtype.

    Args:
      tensor: anything that can become a tensor.
      tf_type: the dtype.
      message: stands before the details.

    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)
    """
    wanted = dtypes.as_dtype(tf_type)
    is_typed = isinstance(getattr(tensor, "dtype", None), dtypes.DType)  # so are ragged and sparse tensors
    value = tensor if is_typed else convert.convert_to_tensor(tensor)
    if value.dtype is not wanted:
        raise errors.build(
            TypeError,
            f"{f'{message}.  ' if message else ''}{_name(value) or 'tensor'} must be of type {wanted!r}; got {value.dtype!r}",
            f"use tf.cast(x, {wanted!r}).",
        )


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless a tensor holds integers.

    Args:
      x: anything that can become a tensor.
      message: stands before the details.

    >>> tf.debugging.assert_integer([1, 2])
    """
    value = convert.convert_to_tensor(x)
    if not value.dtype.is_integer:
        lead = f"{message}  " if message else ""
        raise errors.build(
            TypeError,
            f'{lead}Expected "x" to be integer type.  Found: tensor of dtype {value.dtype!r}',
            "use tf.cast(x, tf.int32).",
        )


def is_numeric_tensor(tensor: Any) -> bool:
    """True for a tensor or variable of numbers.

    >>> tf.debugging.is_numeric_tensor(tf.constant("text"))
    False
    """
    return isinstance(tensor, (Tensor, Variable, IndexedSlices)) and tensor.dtype.is_numeric


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise ValueError unless the shapes of tensors agree: equal symbols stand for equal sizes.

    Args:
      shapes: pairs of a tensor and a shape, or a dictionary of them; a shape is a tuple of ints and symbols, such as
        `("batch", 3)`. `None` and `"."` stand for any size, `...` or `"*"` in front for any number of dimensions.
      data: values that the message shows.
      summarize: how many elements of them.
      message: stands before the details.

    >>> x, y = tf.ones([2, 3]), tf.ones([2])
    >>> tf.debugging.assert_shapes([(x, ("n", 3)), (y, ("n",))])
    """
    pairs = [
        (k.deref() if hasattr(k, "deref") else k, v)
        for k, v in (shapes.items() if isinstance(shapes, Mapping) else shapes)
    ]
    pairs = [(convert.convert_to_tensor(x), _symbols(s)) for x, s in pairs]
    tensors = [x for x, _ in pairs]
    lead = f"{message}.  " if message else ""
    tail = "".join(f"\n{np.asarray(host(convert.convert_to_tensor(d)._array))}" for d in data or ())
    if all(x.get_shape().is_fully_defined() for x in tensors):
        problem = _mismatch([(tuple(x.get_shape()), x.dtype.name, s) for x, s in pairs])
        if problem:
            raise errors.build(ValueError, f"{lead}{problem}{tail}", "check the shapes of the arguments.")
        return

    perform("assert_shapes", partial(_check_shapes, [s for _, s in pairs], lead, tail), tensors)


def _check_shapes(symbols: list[tuple[Any, ...]], lead: str, tail: str, *values: Any) -> None:
    problem = _mismatch([(tuple(v.shape), v.dtype.name, s) for v, s in zip(values, symbols, strict=True)])
    if problem:
        raise errors.InvalidArgumentError(f"{lead}{problem}{tail}")


def _symbols(shape: Any) -> tuple[Any, ...]:
    """A wanted shape as a tuple; the dimensions of a string are its letters."""
    if not hasattr(shape, "__iter__"):
        raise errors.build(
            ValueError,
            f"assert_shapes: Specified shape must be an iterable. Received specified shape: {shape}",
            "(3,) or ('n', 3).",
        )
    symbols = tuple(["..." if d is Ellipsis or d == "*" else d for d in shape])
    if "..." in symbols[1:]:
        raise errors.build(
            ValueError,
            f"assert_shapes: specified shape {shape} is not valid. Symbol `...` or `*` for a variable number of "
            "unspecified dimensions is only allowed as the first entry.",
            "write None or '.' for each dimension that may have any size.",
        )
    return symbols


def _mismatch(items: list[tuple[tuple[int, ...], str, tuple[Any, ...]]]) -> str:
    """What does not fit, in words; empty if all does."""
    sizes: dict[Any, tuple[int, str]] = {}
    for shape, dtype, wanted in items:
        who = f"shape={shape} dtype={dtype}"
        open_ended = "..." in wanted
        named = [d for d in wanted if d != "..."]
        if len(shape) != len(named) and not (open_ended and len(shape) >= len(named)):
            more = "at least " if open_ended else ""
            return f"Tensor {who} must have rank {more}{len(named)}.  Received rank {len(shape)}, shape {shape}"
        start = len(shape) - len(named) if wanted and wanted[0] == "..." else 0
        for i, symbol in enumerate(named, start):
            if symbol in (None, "."):
                continue
            size = (
                symbol if isinstance(symbol, int) else sizes.setdefault(symbol, (shape[i], f"{who} dimension {i}"))[0]
            )
            if shape[i] != size:
                by = "Specified explicitly" if isinstance(symbol, int) else f"Specified by tensor {sizes[symbol][1]}"
                return (
                    f"{by}.  Tensor {who} dimension {i} must have size {size}.  Received size {shape[i]}, shape {shape}"
                )
    return ""
