"""Shared parts of string functions: string arguments and string results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from gradtape.api.array_op import flat, objects
from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

T = TypeVar("T")


def strings(value: Any, who: str, name: str = "input", kind: type[Exception] = errors.DTypeError) -> Any:
    """A tensor of strings; an error of a given kind for other values."""
    if isinstance(value, Composite):
        return value
    x = value if isinstance(value, (Tensor, Variable)) else convert.convert_to_tensor(value)
    if x.dtype is dtypes.string:
        return x
    if x.get_shape().num_elements() == 0 and not isinstance(value, (Tensor, Variable)):
        return convert.convert_to_tensor(objects([], tuple(x.shape)), dtypes.string)
    raise errors.build(
        kind,
        f"{who}: {name} is {x.dtype.name}, but this function takes strings.",
        "use tf.strings.as_string.",
    )


def over(x: Any, function: Callable[[Any], T]) -> T:
    """The results of a function on strings, which may be ragged or sparse."""
    if not isinstance(x, Composite):
        return function(x)
    of: Any = x
    if hasattr(x, "with_flat_values"):
        return cast(T, of.with_flat_values(function(of.flat_values)))
    return cast(T, of.with_values(function(of.values)))


def same_shape(x: Spec, *others: Spec, **params: Any) -> Spec:
    """The spec of strings in the shape of the first argument."""
    return Spec(x.shape, dtypes.string)


def each(function: Callable[[bytes], Any], x: Any) -> Any:
    """The results of a function on each string, as an array of strings."""
    return objects([function(s) for s in flat(x)], x.shape)


def choice(value: Any, allowed: tuple[str, ...], who: str, name: str) -> str:
    """A parameter that is one of a few words."""
    if value not in allowed:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: {name} must be one of {', '.join(map(repr, allowed))}, got {value!r}.",
            f"use one of {', '.join(map(repr, allowed))}.",
        )
    return str(value)


def scalar(value: Any, who: str, name: str) -> bytes:
    """A parameter that is one string, given as text, bytes or a scalar tensor."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return value
    given = strings(value, who, name)
    if given.get_shape().rank != 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: {name} must be scalar, but received {given.get_shape()}: Input {name} should be a scalar.",
            "give one string, or call the function once for each.",
        )
    return bytes(np.asarray(convert.convert_to_tensor(given))[()])
