"""Functions of elements on ragged tensors: they run on the flat values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.arrays import indexing
from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ragged import _broadcast as broadcast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._base import is_ragged, match_partitions


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The results of a function on the flat values of ragged tensors, in the same rows.

    Args:
      op: a function that gives as many values as it gets.
      *args: its arguments; ragged tensors among them must have the same row splits.
      **kwargs: further arguments.

    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>
    """
    given = [x for x in (*args, *kwargs.values()) if is_ragged(x)]
    if not given:
        return op(*args, **kwargs)
    like = _one_structure("ragged.map_flat_values", given)
    plain = [x.flat_values if is_ragged(x) else x for x in args]
    named = {k: x.flat_values if is_ragged(x) else x for k, x in kwargs.items()}
    made = op(*plain, **named)
    if isinstance(made, Tensor) and not made.get_shape()[:1].is_compatible_with(like.flat_values.get_shape()[:1]):
        raise ValueError(
            errors.compose(
                "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as flat_values of "
                f"any ragged inputs. (output shape: {made.get_shape()}; expected outer dimension size: "
                f"{like.flat_values.get_shape()[0]})",
                "use a function of each element, such as tf.square.",
            )
        )
    return like.with_flat_values(made)


def weights_of(values: Any, weights: Any, who: str) -> Any:
    """The flat values of ragged weights, after a check that their rows are those of the values."""
    if not is_ragged(weights):
        raise ValueError(
            errors.compose(
                f"{who}: the weights of a RaggedTensor must be a RaggedTensor, got a {type(weights).__name__}.",
                "use values.with_flat_values(weights), with a weight for each value.",
            )
        )
    _one_structure(f"{who}: weights", [values, weights])
    return weights.flat_values


def _one_structure(who: str, given: list[Any]) -> Any:
    """The first of ragged tensors, with row splits that were checked to be those of all."""
    match_partitions(given, who)
    first = given[0]
    levels = list(first.nested_row_splits)
    for other in given[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError(
                errors.compose(
                    f"{who}: All ragged inputs must have the same ragged_rank. They are {first.ragged_rank} and {other.ragged_rank}.",
                    "build both with the same ragged_rank.",
                )
            )
        for i, splits in enumerate(other.nested_row_splits):
            if splits is not levels[i]:
                levels[i] = row_partition.same(levels[i], splits, who=who)
    result: Any = first._from_components([first.flat_values, *levels])
    return result


def of_values(function: Callable[..., Any], x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of elements of a ragged tensor."""
    return x.with_flat_values(function(x.flat_values, *args, **kwargs))


def over_values(who: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An elementwise function of broadcast tensors, some of them ragged."""
    given = [x for x in args if is_ragged(x)]
    if len(given) > 1:
        match_partitions(given, who)
    if len(args) == 2 and not _is_simple(args, given):
        x, y = [_tensor_beside(a, given[0]) for a in args]
        if x.ndim and y.ndim:
            first, second, in_rows = broadcast.pair(x, y)
            return in_rows(function(first, second, **kwargs))
    like = _one_structure(who, given)
    flat = [_flat_beside(who, x, like) for x in args]
    return like.with_flat_values(function(*flat, **kwargs))


def _is_simple(args: tuple[Any, ...], given: list[Any]) -> bool:
    """Whether the rows of the result are those of the ragged operands, which are all alike: nothing ragged is repeated."""
    first = given[0]
    if any((x.ndim, x.ragged_rank) != (first.ndim, first.ragged_rank) for x in given[1:]):
        return False
    if len(given) == len(args) and all(_have_same_splits(x, first) for x in given[1:]):
        return True
    dims = [x.get_shape() if hasattr(x, "get_shape") else np.shape(x) for x in args]
    if any(len(d) > first.ndim for d in dims):
        return False
    rows = [d[0] for d in dims if len(d) == first.ndim]
    if len(rows) > 1 and (None in rows or any(x.get_shape()[0] != max(rows) for x in given)):
        return False
    return not any(length is not None for x in given for length in x._uniform_lengths())


def _have_same_splits(x: Any, y: Any) -> bool:
    return all(a is b for a, b in zip(x.nested_row_splits, y.nested_row_splits, strict=True))


def _flat_beside(who: str, x: Any, like: Any) -> Any:
    """The element of an operand for each flat value of a ragged tensor."""
    if is_ragged(x):
        return x.flat_values
    if not isinstance(x, (Tensor, Variable, np.ndarray, list, tuple)):
        return x
    dense = _tensor_beside(x, like)
    inner = like.flat_values.get_shape().rank - 1
    outer = dense.ndim - inner
    if outer <= 0:
        return dense if isinstance(x, (Tensor, Variable)) else x
    dims = tuple(dense.shape)[:outer]
    levels = like.ragged_rank + 1
    if outer > levels:
        raise errors.build(
            errors.ShapeError,
            f"{who}: a tensor of shape {dense.shape} does not broadcast to a ragged one of shape {like.shape}.",
            "the ragged side cannot be repeated.",
        )
    _check_lengths(who, dims, like, dense)
    moves = np.array([d != 1 for d in dims], np.int64)
    places = row_partition.coordinates(*like.nested_row_splits)[:, levels - outer :]
    return indexing.gather_nd(dense, places * moves)


def _tensor_beside(x: Any, like: Any) -> Any:
    """An operand as a tensor; numbers and lists take the dtype of the ragged tensor on the other side."""
    is_python = not is_ragged(x) and not isinstance(x, (Tensor, Variable))
    return convert.like(x, like.dtype) if is_python else construct.tensor(x)


def _check_lengths(who: str, dims: tuple[int, ...], like: Any, dense: Any) -> None:
    """Along a ragged axis all rows must be as long as the dense tensor, or that has length 1."""
    splits = like.nested_row_splits
    if not all(type(s) is Tensor for s in splits):
        return
    lengths = [np.array([len(np.asarray(splits[0])) - 1]), *[np.diff(np.asarray(s)) for s in splits]]
    for d, own in zip(dims, lengths[len(lengths) - len(dims) :], strict=True):
        if d != 1 and (own != d).any():
            raise errors.build(
                errors.ShapeError,
                f"{who}: a tensor of shape {dense.shape} does not broadcast to row lengths {own.tolist()[:20]}: they must be "
                "broadcastable.",
                "the lengths must be the same, or 1 on the dense side.",
            )
