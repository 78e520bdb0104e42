"""Public functions made of elementwise ops: their arguments become tensors, and the op runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, dispatch
from gradtape.core.op import describe_kinds
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import operators

_OURS = (Tensor, Variable)


def unary(op: Any, example: str, features: bool = False) -> Callable[..., Any]:
    """The public function of an op with one input, called x or features. The example reads `call -> result`."""
    of_x = dispatch.unary_function(op, convert.convert_to_tensor)

    def of_features(features: Any, name: str | None = None) -> Any:
        return of_x(features)

    return _document(of_features if features else of_x, op, op.name, example)


def binary(op: Any, example: str, name: str = "", coerce: Any = operators.coerce) -> Callable[..., Any]:
    """The public function of an op with two inputs that broadcast. The example reads `call -> result`."""
    forward = dispatch.binary_operator(op, coerce)[0]

    def function(x: Any, y: Any, name: str | None = None) -> Any:
        return apply(forward, x, y)

    return _document(function, op, name or op.name, example)


def apply(forward: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """The result of a binary operator on values of which perhaps none is a tensor.

    A Python or NumPy value takes the dtype of the tensor beside it; of two such values, the second that of the first.
    """
    if not isinstance(x, _OURS) and not isinstance(y, _OURS):
        x = convert.convert_to_tensor(x)
    result = forward(x, y)
    if result is NotImplemented or result is None:
        raise convert.unconvertible(y if isinstance(x, _OURS) else x)
    return result


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Two values as tensors of one dtype, if they can have one."""
    result: tuple[Any, Any] = apply(operators.coerce, x, y)
    return result


def _document(function: Callable[..., Any], op: Any, name: str, example: str) -> Callable[..., Any]:
    """The function under a public name, with its op's description."""
    code = function.__code__
    first, *others, _ = code.co_varnames[: code.co_argcount]
    call, result = example.split(" -> ")
    lines = [
        str(type(op).__doc__).replace("\n    ", "\n").rstrip(),
        "",
        "Args:",
        f"  {first}: a tensor, or a value that becomes one: {describe_kinds(op.kinds)}.",
        *[f"  {other}: of the same dtype, and a shape that broadcasts with the first." for other in others],
        "  name: ignored.",
        "",
        f">>> {call}",
        result,
        "",
    ]
    function.__doc__ = "\n".join(lines)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "gradtape.math._elementwise"
    return function
