"""`tf.debugging`: checks of ranks, shapes and dtypes. They are made while a function is traced, if all is known then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.api.effects import perform
from gradtape.arrays.shapes import shape as shape_of
from gradtape.core import convert, dtypes, errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.sparse_tensor import SparseTensor
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
        raise errors.build(ValueError, f"{who}: Rank must be a scalar, got {rank!r}.", "give a single int.")
    if isinstance(rank, (float, np.floating)):
        raise errors.build(TypeError, f"{who}: rank must be of type tf.int32, got {rank!r}.", "give an int.")
    return integer(rank, who, "rank")


def assert_rank_in(x: Any, ranks: Sequence[Any], message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has one of several ranks.

    Args:
      x: anything that can become a tensor.
      ranks: ints.
      message: stands before the details.

    >>> tf.debugging.assert_rank_in([1, 2], [0, 1])
    """
    wanted = tuple([_wanted("assert_rank_in", r) for r in ranks])
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
    given = [
        (k.deref() if hasattr(k, "deref") else k, v)
        for k, v in (shapes.items() if isinstance(shapes, Mapping) else shapes)
    ]
    pairs = [(x if isinstance(x, SparseTensor) else convert.convert_to_tensor(x), s) for x, s in given if s is not None]
    wanted = [(x.dtype.name, _symbols(x, s)) for x, s in pairs]
    known: list[Any] = [x.get_shape() for x, _ in pairs]
    lead = f"{message}.  " if message else ""
    tail = "".join(f"\n{np.asarray(host(convert.convert_to_tensor(d)._array))}" for d in data or ())
    if all(shape.is_fully_defined() for shape in known):
        problem = _mismatch([tuple(shape) for shape in known], wanted)
        if problem:
            raise errors.build(ValueError, f"{lead}{problem}{tail}", "check the shapes of the arguments.")
        return

    sizes = [x.dense_shape if isinstance(x, SparseTensor) else shape_of(x) for x, _ in pairs]
    perform("assert_shapes", partial(_check_shapes, wanted, lead, tail), sizes)


Wanted = list[tuple[str, tuple[Any, ...]]]  # of each tensor, its dtype, and the symbols of its dimensions


def _check_shapes(wanted: Wanted, lead: str, tail: str, *sizes: Any) -> None:
    problem = _mismatch([tuple(np.asarray(v).tolist()) for v in sizes], wanted)
    if problem:
        raise errors.InvalidArgumentError(f"{lead}{problem}{tail}")


def _number_of(symbol: Any) -> Any:
    """The number that digits stand for; anything else as it is."""
    return int(symbol) if isinstance(symbol, str) and symbol.isdigit() else symbol


def _symbols(x: Any, shape: Any) -> tuple[Any, ...]:
    """A wanted shape as a tuple; the dimensions of a string are its letters."""
    who = f"shape={tuple(x.get_shape())} dtype={x.dtype.name}"
    if not hasattr(shape, "__iter__"):
        raise errors.build(
            ValueError,
            f"assert_shapes: Tensor {who}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` "
            f"or `__getitem__`.  Received specified shape: {shape}",
            "(3,) or ('n', 3).",
        )
    symbols = tuple(["..." if d is Ellipsis or d == "*" else _number_of(d) for d in shape])
    if "..." in symbols[1:]:
        raise errors.build(
            ValueError,
            f"assert_shapes: Tensor {who} specified shape index {symbols.index('...', 1)}.  Symbol `...` or `*` for a "
            "variable number of unspecified dimensions is only allowed as the first entry",
            "write None or '.' for each dimension that may have any size.",
        )
    return symbols


def _mismatch(shapes: list[tuple[int, ...]], wanted: Wanted) -> str:
    """What does not fit, in words; empty if all does. A number counts as a vector of one element."""
    items = []
    for shape, (dtype, symbols) in zip(shapes, wanted, strict=True):
        who = f"shape={shape} dtype={dtype}"
        open_ended = symbols[:1] == ("...",)
        named = symbols[open_ended:] or (() if open_ended else (1,))
        problem = _rank_mismatch(who, shape, len(named), open_ended)
        if problem:
            return problem
        items.append((who, shape, shape or (1,), named, -len(named) if open_ended else 0))
    sizes: dict[Any, tuple[int, str]] = {}
    for who, shape, full, named, start in items:
        for i, symbol in enumerate(named, start):
            if symbol is None or symbol == ".":
                continue
            is_number = isinstance(symbol, (int, np.integer))
            size = int(symbol) if is_number else sizes.setdefault(symbol, (full[i], f"{who} dimension {i}"))[0]
            if full[i] != size:
                by = "Specified explicitly" if is_number else f"Specified by tensor {sizes[symbol][1]}"
                return (
                    f"{by}.  Tensor {who} dimension {i} must have size {size}.  Received size {full[i]}, shape {shape}"
                )
    return ""


def _rank_mismatch(who: str, shape: tuple[int, ...], rank: int, open_ended: bool) -> str:
    if rank <= 1:
        fits, needed = open_ended or len(shape) <= 1, "in (0, 1)"
    elif open_ended:
        fits, needed = len(shape) >= rank, f"at least {rank}"
    else:
        fits, needed = len(shape) == rank, str(rank)
    return "" if fits else f"Tensor {who} must have rank {needed}.  Received rank {len(shape)}, shape {shape}"
