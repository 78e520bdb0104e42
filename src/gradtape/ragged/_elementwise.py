"""Functions of elements on ragged tensors: they run on the flat values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.arrays import indexing
from gradtape.core import convert, errors
from gradtape.core.deferral import adapt
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._tensor import RaggedTensor


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function makes of the flat values of ragged tensors, in the same rows.

    Args:
      op: a function that gives as many values as it gets.
      *args: its arguments; ragged tensors among them must have the same row splits.
      **kwargs: further arguments.

    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>
    """
    given = [x for x in (*args, *kwargs.values()) if isinstance(x, RaggedTensor)]
    if not given:
        return op(*args, **kwargs)
    like = _one_structure("ragged.map_flat_values", given)
    plain = [x.flat_values if isinstance(x, RaggedTensor) else x for x in args]
    named = {k: x.flat_values if isinstance(x, RaggedTensor) else x for k, x in kwargs.items()}
    made = op(*plain, **named)
    if isinstance(made, Tensor) and not made.get_shape()[:1].is_compatible_with(like.flat_values.get_shape()[:1]):
        raise ValueError(
            errors.compose(
                f"ragged.map_flat_values: {getattr(op, '__name__', op)} made shape {made.get_shape()} of "
                f"{like.flat_values.get_shape()}, which is not allowed.",
                "the first axis must stay.",
            )
        )
    return like.with_flat_values(made)


def _one_structure(who: str, given: list[RaggedTensor]) -> RaggedTensor:
    """The first of ragged tensors, with row splits that were checked to be those of all."""
    first = given[0]
    levels = list(first.nested_row_splits)
    for other in given[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError(
                errors.compose(
                    f"{who}: the ragged ranks are {first.ragged_rank} and {other.ragged_rank}, which is not allowed.",
                    "they must be the same.",
                )
            )
        for i, splits in enumerate(other.nested_row_splits):
            if splits is not levels[i]:
                levels[i] = row_partition.same(levels[i], splits, who=who)
    result: RaggedTensor = first._from_components([first.flat_values, *levels])
    return result


def of_values(function: Callable[..., Any], x: RaggedTensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of elements of a ragged tensor."""
    return x.with_flat_values(function(x.flat_values, *args, **kwargs))


def over_values(who: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of elements of tensors that broadcast, of which some are ragged."""
    given = [x for x in args if isinstance(x, RaggedTensor)]
    like = _one_structure(who, given)
    flat = [_flat_beside(who, x, like) for x in args]
    return like.with_flat_values(function(*flat, **kwargs))


def _flat_beside(who: str, x: Any, like: RaggedTensor) -> Any:
    """The element of an operand for each flat value of a ragged tensor."""
    if isinstance(x, RaggedTensor):
        return x.flat_values
    if not isinstance(x, (Tensor, Variable, np.ndarray, list, tuple)):
        return x
    dense = construct.tensor(x) if isinstance(x, (Tensor, Variable)) else convert.convert_to_tensor(x)
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


def _check_lengths(who: str, dims: tuple[int, ...], like: RaggedTensor, dense: Any) -> None:
    """Along a ragged axis all rows must be as long as the dense tensor, or that has length 1."""
    splits = like.nested_row_splits
    if not all(type(s) is Tensor for s in splits):
        return
    lengths = [np.array([len(np.asarray(splits[0])) - 1]), *[np.diff(np.asarray(s)) for s in splits]]
    for d, own in zip(dims, lengths[len(lengths) - len(dims) :], strict=True):
        if d != 1 and (own != d).any():
            raise errors.build(
                errors.ShapeError,
                f"{who}: a tensor of shape {dense.shape} does not broadcast to row lengths {own.tolist()[:20]}.",
                "the lengths must be the same, or 1 on the dense side.",
            )


def _attach(name: str, function: Callable[[Any, Any], Any], reflected: bool = True) -> None:
    def forward(self: Any, other: Any) -> Any:
        return adapt(over_values)(name, function, (self, other), {})

    def backward(self: Any, other: Any) -> Any:
        return adapt(over_values)(name, function, (other, self), {})

    setattr(RaggedTensor, f"__{name}__", forward)
    if reflected:
        setattr(RaggedTensor, f"__r{name}__", backward)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _attach(_name, getattr(operator, _name))
_attach("and", operator.and_)
_attach("or", operator.or_)
_attach("xor", operator.xor)
for _name in ("lt", "le", "gt", "ge"):
    _attach(_name, getattr(operator, _name), reflected=False)


def _attach_equality(name: str, function: Callable[[Any, Any], Any], otherwise: bool) -> None:
    def method(self: Any, other: Any) -> Any:
        try:
            return adapt(over_values)(name, function, (self, other), {})
        except errors.ShapeError:
            return otherwise  # what cannot be compared element by element differs as a whole

    setattr(RaggedTensor, f"__{name}__", method)


_attach_equality("eq", operator.eq, otherwise=False)
_attach_equality("ne", operator.ne, otherwise=True)


def _attach_unary(name: str, function: Callable[[Any], Any]) -> None:
    def method(self: Any) -> Any:
        return self.with_flat_values(function(self.flat_values))

    setattr(RaggedTensor, f"__{name}__", method)


for _name in ("neg", "pos", "abs", "invert"):
    _attach_unary(_name, getattr(operator, _name))
