"""The door between the engine and a function that is being traced.

`state.current.trace` is None, or an `Interpreter`. `core`, `ops`, `transform` and the public rooms know no more of a trace than this;
`tracing` implements it, and may ask its own traces for more.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from gradtape.core.op import Op
    from gradtape.core.shape import Spec
    from gradtape.core.tensor import Tensor
    from gradtape.core.variable import Variable


class Interpreter(Protocol):
    """What a trace does for the code that runs in it.

    Attributes:
      level: how deep it is among the traces and maps around the code; the innermost has the highest.
    """

    level: float

    def note_constant(self, tensor: Tensor, /) -> None:
        """Take notice of a tensor that is made of known numbers: somebody may differentiate with respect to it."""

    def add(self, op: Op, inputs: tuple[Any, ...], params: dict[str, Any], /) -> Any:
        """The outputs of an op, as symbols: its `infer` rule runs, and the op becomes a node."""

    def append(self, op: Any, inputs: Sequence[Any], params: dict[str, Any], specs: Any, /) -> Any:
        """The outputs of an op whose specs are already known."""

    def parameter(self, spec: Spec, /) -> Tensor:
        """A further argument of the function."""

    def value_of(self, x: Any, /) -> Any:
        """The value of the graph for a tensor of any origin; one from outside is captured."""

    def peek(self, value: Any, /) -> Any:
        """The array of a value of the graph that depends on no argument; None for others."""

    def peek_symbolic(self, x: Any, /) -> Any:
        """The array of a small tensor of ints and symbols that depends on nothing but sizes; None if it depends on more."""

    def read(self, variable: Variable, /) -> Tensor:
        """The value of a variable at this point of the function."""

    def read_for_update(self, variable: Variable, /) -> Tensor:
        """The value of a variable from which its next one is computed."""

    def assign(self, variable: Variable, tensor: Tensor, /) -> None:
        """Give a variable another value from here on."""

    def update(self, variable: Variable, what: str, delta: Tensor, /) -> None:
        """Add to a variable or subtract from it from here on: `assign_add`, `assign_sub`."""

    def lift(self, variable: Variable, initial: Tensor, /) -> Tensor:
        """The initial value of a variable that is made in the function."""

    def holding(
        self, variables: Sequence[Variable], values: Sequence[Any], /
    ) -> AbstractContextManager[Callable[[Variable], Tensor]]:
        """A context with temporary values of variables; yields a function that reads them."""

    def later(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        missing: Exception | None = None,
        name: str = "",
        like: Sequence[Any] | None = None,
    ) -> Any:
        """What a function returns that needs sizes or values which only a run will tell: one node, which calls it then."""

    def map_rows(self, fn: Callable[[Any], Any], rows: Any, /) -> Any:
        """What a function gives for each row of tensors, stacked, by a loop."""


class Services(Protocol):
    """What a trace leaves to modules above it, which run traces of their own."""

    def later(
        self,
        trace: Interpreter,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        missing: Exception | None,
        name: str,
        like: Sequence[Any] | None,
        /,
    ) -> Any:
        """`Interpreter.later` of a trace, whose node has this name."""

    def map_rows(self, fn: Callable[[Any], Any], rows: Any, /) -> Any:
        """`Interpreter.map_rows` of the current trace."""


_services: list[str] = []


def install(module: str) -> None:
    """Name the module that provides the `Services`. It is loaded when first needed."""
    _services[:] = [module]


def services() -> Services:
    """The module that provides the services of traces."""
    return cast(Services, importlib.import_module(_services[0]))
