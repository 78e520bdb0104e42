"""Classes for annotations: what can become a tensor, what can be called, what a trace is made for."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Protocol, Union, runtime_checkable

import numpy as np

from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

TensorLike = Union[  # noqa: UP007 - a value at run time, in the form that users print
    Tensor, Variable, np.ndarray, np.generic, bool, int, float, complex, str, bytes, Sequence[Any]
]


@runtime_checkable
class Callable(Protocol):
    """The result of `tf.function` and `get_concrete_function`: a callable that knows its parameters."""

    @property
    def function_type(self) -> Any:
        """The parameters, as Python describes them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class TraceType(abc.ABC):
    """Base of classes that say for which arguments a trace serves. Functions compare arguments that are neither tensors nor
    structures by `==`; objects of such a class are hashable and compare as they want."""

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """True if a trace for `other` serves this as well."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest type that serves this and the others; None if there is none."""

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that tells its TraceType."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The type for which a trace is made."""
