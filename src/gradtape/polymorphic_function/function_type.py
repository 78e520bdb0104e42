"""FunctionType: the parameters of a traced function with their kinds, its captures, and its results."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec


class VariableSpec(NamedTuple):
    """A variable among the arguments, without the variable."""

    shape: Any
    dtype: Any
    trainable: bool

    def __repr__(self) -> str:
        shape = tuple(self.shape) if TensorShape(self.shape).rank is not None else None
        return f"VariableSpec(shape={shape}, dtype={self.dtype!r}, trainable={self.trainable})"


class CapturedDefault:
    """Stands for the default of a parameter, which the function keeps to itself."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


CAPTURED_DEFAULT = CapturedDefault()


class Kind:
    """A structure of specs, or a value of Python, as the kind of an argument: equal to those of equal values."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def mapping(self) -> dict[Any, Any]:
        """The kinds of the values of a dict, by key."""
        return {key: kind_of(v) for key, v in self.value.items()}

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Kind) and type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        value = self.value
        if isinstance(value, Mapping):
            return "Dict[{}]".format(", ".join(f"[{k!r}, {kind_of(v)!r}]" for k, v in value.items()))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            parts = ", ".join(f"[{k!r}, {kind_of(v)!r}]" for k, v in zip(value._fields, value, strict=True))
            return f"{type(value).__name__}[{parts}]"
        if isinstance(value, (list, tuple)):
            return f"{type(value).__name__.capitalize()}[{', '.join(repr(kind_of(v)) for v in value)}]"
        return f"Literal[{value!r}]"


def kind_of(value: Any) -> Any:
    """The kind of an argument that is described by specs and values of Python: a spec as it is, everything else in a Kind."""
    return value if isinstance(value, (TensorSpec, CompositeSpec, VariableSpec, Kind)) else Kind(value)


class Parameter(inspect.Parameter):
    """A parameter of a function; its annotation is the kind of the argument, if that is known."""

    __slots__ = ()

    @property
    def type_constraint(self) -> Any:
        """The kind that an argument must have, None if every kind is taken."""
        return None if self.annotation is self.empty else self.annotation

    @property
    def optional(self) -> bool:
        """Whether the parameter has a default."""
        return self.default is not self.empty


class FunctionType(inspect.Signature):
    """Parameters as Python describes them, with the kinds of their arguments, of the captures and of the result.

    Attributes:
      captures: the kinds of what the function closes over, by the identity of each.
    """

    __slots__ = ("captures",)

    def __init__(
        self,
        parameters: Sequence[inspect.Parameter] | None = None,
        captures: Mapping[int, Any] | None = None,
        return_annotation: Any = inspect.Signature.empty,
    ) -> None:
        super().__init__(parameters, return_annotation=return_annotation)
        self.captures = dict(captures or {})

    @property
    def output(self) -> Any:
        """The kind of the result, None if it is not known."""
        return None if self.return_annotation is self.empty else self.return_annotation
