"""Functions of one or two arrays, made of functions of tensors: the arguments are promoted, and the function runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import deferral
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray, inexact, promoted

Array = Callable[..., Tensor]


def unary(name: str, function: Callable[..., Any], what: str, example: str, to_float: bool = True) -> Array:
    """A function of x. Integers and bools become floating point numbers first, unless `to_float` is false."""

    def of(x: TensorLike) -> Tensor:
        result: Tensor = function(inexact(x)[0] if to_float else asarray(x))
        return result

    return _named(of, name, what, example, "x: numbers: a tensor, an array, or a value that becomes one.")


def binary(name: str, function: Callable[..., Any], what: str, example: str, to_float: bool = False) -> Array:
    """A function of x1 and x2, which broadcast and are promoted to one dtype."""

    def of(x1: TensorLike, x2: TensorLike) -> Tensor:
        result: Tensor = function(*(inexact if to_float else promoted)(x1, x2))
        return result

    return _named(of, name, what, example, "x1: numbers.", "x2: numbers, of a shape that broadcasts with the first.")


def _named(function: Any, name: str, what: str, example: str, *arguments: str) -> Array:
    call, result = example.split(" -> ")
    listed = "\n".join(f"  {line}" for line in arguments)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "gradtape.experimental.numpy._elementwise"
    shown = f"tf.experimental.numpy.{name}({call})"
    shown = f"{shown}.numpy()" if not result.startswith(("True", "False")) else f"bool({shown})"
    function.__doc__ = f"{what}\n\nArgs:\n{listed}\n\n>>> {shown}\n{result}\n"
    deferral.needs_no_sizes(function)
    made: Array = function
    return made
