"""Public functions generated from tables.

A family is a template: a function that takes an op, and returns the public function with TensorFlow's parameters, written out. A
row is an assignment, which says of what the function is made, what it returns, and shows an example. Its name, signature and
documentation are as if it had been written by hand, and no frame is added to a call.

    @family("A tensor of the same dtype.", input_tensor="numbers.")
    def reduction(who: str, op: Any) -> Callable[..., Tensor]:
        def function(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
            ...

        return function

    reduce_sum = reduction("reduce_sum", "The sum of elements over axes.", "call -> result", ReduceSum)

`unary` and `binary` are the families of elementwise ops: their functions are those of the hot path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, TypeVar, cast

import numpy as np

from gradtape.core import convert, deferral, dispatch, docstrings, doors
from gradtape.core.op import describe_kinds
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import operators

R = TypeVar("R")
_OURS = (Tensor, Variable)

# What parameters mean that many families share.
SHARED = {
    "name": docstrings.NAME,
    "axis": "an int, or a list of ints; negative ones count from the end; None (the default) means all axes.",
    "keepdims": "keep the reduced axes, with length 1.",
}


class Family(Generic[R]):
    """A template for functions that share their parameters: each call of it adds one.

    Attributes:
      template: gives the function for a name and for what a row is made of.
      returns: what the functions return, for their documentation; empty where their first line says it.
      texts: what the parameters mean.
    """

    def __init__(self, template: Callable[..., Callable[..., R]], returns: str, texts: dict[str, str]) -> None:
        self.template, self.returns = template, returns
        self.texts = {**SHARED, **texts}

    def __call__(
        self, name: str, doc: str, example: str, *made_of: Any, returns: str | None = None, **texts: str
    ) -> Callable[..., R]:
        """A public function.

        Args:
          name: its name.
          doc: what it returns, in one line; more paragraphs may follow.
          example: `call -> result`, or several, each on a line of its own.
          made_of: what the template takes beside the name: an op, and further values.
          returns: other than that of the family.
          texts: of parameters, other than those of the family.
        """
        made = cast(FunctionType, self.template(name, *made_of))
        code = made.__code__
        function = FunctionType(
            code.replace(co_name=name, co_qualname=name), made.__globals__, name, made.__defaults__, made.__closure__
        )
        function.__kwdefaults__, function.__annotations__ = made.__kwdefaults__, made.__annotations__
        function.__module__ = sys._getframe(1).f_globals["__name__"]
        known = {**self.texts, **texts}
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        blocks = [doc, "Args:\n" + "\n".join([f"  {p}: {known[p]}" for p in parameters])]
        if returned := self.returns if returns is None else returns:
            blocks.append(f"Returns:\n  {returned}")
        function.__doc__ = "\n\n".join([*blocks, _doctests(example)]) + "\n"
        return cast(Callable[..., R], function)


def family(returns: str = "", **texts: str) -> Callable[[Callable[..., Callable[..., R]]], Family[R]]:
    """A decorator of templates. The texts describe parameters that `SHARED` does not."""
    return lambda template: Family(template, returns, texts)


def _doctests(example: str) -> str:
    """The lines of a docstring for `call -> result`."""
    return "\n".join([f">>> {line}".replace(" -> ", "\n") if " -> " in line else line for line in example.split("\n")])


def unary(
    op: Any, example: str, features: bool = False, made: Callable[[Any], Tensor] = convert.convert_to_tensor
) -> Callable[..., Tensor]:
    """The public function of an op with one input, called x or features. The example reads `call -> result`."""
    of_x = dispatch.unary_function(op, made)

    def of_features(features: Any, name: str | None = None) -> Any:
        try:
            return of_x(features)
        except Exception as problem:
            return doors.finish(problem, of_features, features)

    return _document(of_features if features else of_x, op, op.name, example)


def binary(
    op: Any, example: str, name: str = "", coerce: Any = operators.coerce, called: Any = None
) -> Callable[..., Tensor]:
    """The public function of an op with two inputs that broadcast. The example reads `call -> result`."""
    forward = dispatch.binary_operator(op, coerce)[0]
    applied = called or apply

    def function(x: Any, y: Any, name: str | None = None) -> Any:
        try:
            return applied(forward, x, y)
        except Exception as problem:
            return doors.finish(problem, function, x, y)

    return _document(function, op, name or op.name, example)


def apply(forward: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """The result of a binary operator on values that need not be tensors.

    A Python or NumPy value takes the dtype of the tensor beside it; of two such values, the second that of the first.
    """
    if not isinstance(x, _OURS) and not isinstance(y, _OURS):
        x = convert.convert_to_tensor(x)
    result = forward(x, y)
    if result is NotImplemented or result is None:
        raise convert.unconvertible(y if isinstance(x, _OURS) else x)
    return result


def truth(value: Any) -> Any:
    """A value of logic: the numbers of an array become bools, other numbers do not."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iufc":
        return value.astype(np.bool_)
    return value


def of_truths(forward: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """The result of a binary operator of logic."""
    return apply(forward, truth(x), truth(y))


def truth_tensor(value: Any) -> Tensor:
    return convert.convert_to_tensor(truth(value))


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Two values as tensors of one dtype, if they can have one."""
    result: tuple[Any, Any] = apply(operators.coerce, x, y)
    return result


def _document(function: Callable[..., Any], op: Any, name: str, example: str) -> Callable[..., Tensor]:
    """The function under a public name, with its op's description."""
    code = function.__code__
    first, *others, _ = code.co_varnames[: code.co_argcount]
    lines = [
        str(type(op).__doc__).replace("\n    ", "\n").rstrip(),
        "",
        "Args:",
        f"  {first}: a tensor, or a value that becomes one: {describe_kinds(op.kinds)}.",
        *[f"  {other}: of the same dtype, and a shape that broadcasts with the first." for other in others],
        "  name: ignored.",
        "",
        _doctests(example),
        "",
    ]
    function.__doc__ = "\n".join(lines)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "gradtape.math._elementwise"
    function.__annotations__ = {
        **dict.fromkeys([first, *others], "TensorLike"), "name": "str | None", "return": "Tensor"
    }  # fmt: skip
    deferral.needs_no_sizes(function)
    return function
