"""NumPy functions as ops without a derivative, for positions and text.

Outside of functions they are called at once. In a `tf.function` they are nodes like others, whose sizes may be unknown, and
run between native segments. Those that read, write or decode bytes are in `api/host_op.py`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradtape.core.op import NotDifferentiable, Op, prepare
from gradtape.core.shape import Spec
from gradtape.ops.family import NO_LOWERING, by_loop

Specs = Spec | tuple[Spec, ...]


class ArrayOp(Op):
    """A function of arrays, and a function that computes the specs of its results from the specs of its arguments.

    A size that depends on values is None in the specs.
    """

    kinds = "fVciubO"
    homogeneous = False
    vjp = NotDifferentiable("positions and texts have no derivative")
    lower = NO_LOWERING

    def __init__(self, function: Callable[..., Any], specs: Callable[..., Specs]) -> None:
        code = getattr(function, "__wrapped__", function).__code__
        names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
        self.name = function.__name__.strip("_")  # type: ignore[misc]
        self.__doc__ = function.__doc__
        self.variadic = not names and bool(code.co_flags & inspect.CO_VARARGS)  # type: ignore[misc]
        self.inputs = ("xs",) if self.variadic else names  # type: ignore[misc]
        self._function, self._specs = function, specs
        prepare(self)

    def __reduce__(self) -> Any:
        return _found, (self._function.__module__, self._function.__name__)

    def infer(self, *specs: Spec, **params: Any) -> Specs:
        """The specs of the results."""
        return self._specs(*specs, **params)

    def kernel(self, *arrays: Any, **params: Any) -> Any:
        """The results."""
        return self._function(*arrays, **params)

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        """Example by example."""
        return by_loop(self, batched, inputs, params)


def _found(module: str, name: str) -> Any:
    """An op that was pickled."""
    return getattr(importlib.import_module(module), name)


def on_arrays(specs: Callable[..., Specs]) -> Callable[[Callable[..., Any]], ArrayOp]:
    """A decorator that makes an op of a function of arrays: positional arguments are arrays, others parameters.

    Args:
      specs: the specs of the results, from those of the arrays and the parameters.
    """
    return lambda function: ArrayOp(function, specs)


def objects(values: Iterable[Any], shape: Any = None) -> Any:
    """An array of Python objects, such as the bytes of strings, from a flat sequence; a vector without a shape."""
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array if shape is None else array.reshape(shape)


def flat(array: Any) -> list[Any]:
    """The elements of an array as a list, in row-major order."""
    return np.asarray(array).ravel().tolist()
