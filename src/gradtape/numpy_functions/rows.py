"""Public functions from the rows of `elementwise.ROWS`, for a policy: no frame is added to what a client wrote by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradtape.core import deferral
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.numpy_functions.elementwise import ROWS
from gradtape.numpy_functions.policy import Policy

_TEXTS = {
    "x": "numbers: a tensor, an array, or a value that becomes one.",
    "x1": "numbers.",
    "x2": "numbers, of a shape that broadcasts with the first.",
    "y": "numbers, of a shape that broadcasts with the first.",
}


Function = Callable[..., Tensor]


def client(policy: Policy, shown: str = "", named: tuple[str, str] = ("x1", "x2")) -> Callable[[str], list[Function]]:
    """What gives functions for their names, which are separated by spaces.

    Args:
      policy: converts the arguments.
      shown: the public module of the functions; their documentation has an example if it is given.
      named: the parameters of functions of two arrays.
    """

    def rows(names: str) -> list[Function]:
        module = sys._getframe(1).f_globals["__name__"]
        return [_made(policy, name, module, shown, named) for name in names.split()]

    return rows


def _made(policy: Policy, name: str, module: str, shown: str, named: tuple[str, str]) -> Function:
    row = ROWS[name]
    function = (_binary if row.is_binary else _unary)(row.function, getattr(policy, row.converted))
    if row.is_binary:
        function.__code__ = function.__code__.replace(co_varnames=(*named, *function.__code__.co_varnames[2:]))
        function.__annotations__ = dict(zip((*named, "return"), function.__annotations__.values(), strict=True))
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    blocks = [row.text, "Args:\n" + "\n".join([f"  {p}: {_TEXTS[p]}" for p in parameters])]
    if shown:
        arguments, result = row.example.split(" -> ")
        blocks.append(f">>> {shown}.{name}({arguments}).numpy()\n{result}")
    function.__doc__ = "\n\n".join(blocks) + "\n"
    deferral.needs_no_sizes(function)
    made: Function = function
    return made


def _unary(function: Callable[..., Any], converted: Callable[..., Any]) -> Any:
    def of(x: TensorLike) -> Tensor:
        result: Tensor = function(*converted(x))
        return result

    return of


def _binary(function: Callable[..., Any], converted: Callable[..., Any]) -> Any:
    def of(x1: TensorLike, x2: TensorLike) -> Tensor:
        result: Tensor = function(*converted(x1, x2))
        return result

    return of
