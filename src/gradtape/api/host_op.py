"""NumPy functions that run as a single op: reading files, decoding bytes, writing events.

Outside of functions they run at once; in a trace they become a node that runs each time the program comes there, even if all
that they are given is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import tensor
from gradtape.api.array_op import ArrayOp
from gradtape.core import convert, dtypes, errors, state
from gradtape.core.op import NotDifferentiable
from gradtape.core.shape import ANY, Spec, spec_of
from gradtape.core.tensor import Tensor, host
from gradtape.transform.batched import Batched

Specs = tuple[Spec, ...]


class HostedOp(ArrayOp):
    """A function of arrays, which must not change them, as an op. It gives a tuple of arrays or NumPy scalars.

    Attributes:
      effect: True if it does more than compute, or depends on more than its arguments: in a graph it keeps its place among
        the other effects, and runs though nobody reads its results.
      early: True for an effect that looks at nothing but its arrays: it runs as soon as they are there.
    """

    early = False

    vjp = NotDifferentiable("it reads, writes or decodes bytes")

    def __init__(self, function: Callable[..., Any], specs: Callable[..., Specs], effect: bool) -> None:
        super().__init__(function, specs)
        self.effect = effect

    def kernel(self, *arrays: Any, **params: Any) -> Any:
        """The results."""
        # In a graph an effect is also given which variables take part, which it does not need. A variadic one has a parameter
        # `count`, the number of its arrays.
        number = params["count"] if self.variadic and self.effect else len(self.inputs)
        given = arrays[:number] if self.effect else arrays
        return super().kernel(*[host(a) for a in given], **params)

    def __call__(self, *inputs: Any, **params: Any) -> Tensor:
        """The results for values, now or when the function runs that is being traced."""
        tensors = [tensor(x) for x in inputs]
        trace = state.current.trace
        if trace is None or any(isinstance(x, Batched) and x.level > trace.level for x in tensors):
            return super().__call__(*tensors, **params)
        results: Tensor = trace.append(self, tensors, params, self.infer(*[spec_of(x) for x in tensors], **params))
        return results


def hosted(specs: Callable[..., Specs], effect: bool = False) -> Callable[[Callable[..., Any]], HostedOp]:
    """A decorator that makes an op of a function: positional arguments are arrays, those by keyword parameters.

    Args:
      specs: the specs of the results as far as they are known, from those of the arrays and the parameters.
      effect: see HostedOp.
    """
    return lambda function: HostedOp(function, specs, effect)


def known(*results: tuple[Any, dtypes.DType]) -> Callable[..., Specs]:
    """Specs that do not depend on the arguments; a shape is None if not even the rank is known."""
    found = tuple([Spec(ANY if shape is None else tuple(shape), dtype) for shape, dtype in results])
    return lambda *specs, **params: found


def string_like(x: Spec, **params: Any) -> Specs:
    """The spec of strings in the shape of the only argument."""
    return (Spec(x.shape, dtypes.string),)


def scalar_text(name: str, argument: str, array: Any) -> bytes:
    """The bytes in a string array that must hold one string."""
    if array.ndim:
        raise errors.build(
            errors.ShapeError,
            f"{name}: `{argument}` must be scalar but got shape{list(array.shape)}",
            f"for several, use tf.map_fn(tf.io.{name}, {argument}, fn_output_signature=...).",
        )
    found: bytes = array[()]
    return found


def check_strings(name: str, argument: str, value: Any) -> Any:
    """A value as a tensor; DTypeError unless it holds strings."""
    # An empty list has no strings that would tell its dtype.
    x = convert.convert_to_tensor(value, dtypes.string) if isinstance(value, list) and not value else tensor(value)
    if x.dtype is not dtypes.string:
        raise errors.build(
            errors.DTypeError,
            f"{name}: {argument} must be of dtype string, it is {x.dtype.name}.",
            "give bytes, text, or a string tensor.",
        )
    return x
