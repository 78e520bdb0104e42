"""`tf.experimental.Optional`: a value that may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import errors, nest
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor, wrap
from gradtape.data import _structure as structure
from gradtape.data._boxes import boxed
from gradtape.data._specs import OptionalSpec


class Optional:
    """A value that may be missing.

    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> iterator.get_next_as_optional().has_value().numpy(), iterator.get_next_as_optional().has_value().numpy()
    (np.True_, np.False_)
    """

    def __init__(self, spec: Any, value: Any, is_there: Any) -> None:
        self._spec, self._value, self._is_there = spec, value, is_there

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An Optional with a value."""
        found = structure.tensors(value)
        return Optional(structure.spec(found), found, True)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An Optional without a value."""
        return Optional(element_spec, None, False)

    def has_value(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether there is a value."""
        return self._is_there if isinstance(self._is_there, Tensor) else wrap(np.bool_(self._is_there))

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError if there is none."""
        if isinstance(self._is_there, Tensor):  # in a function, which knows when it runs
            return self._value()
        if not self._is_there:
            raise errors.build(
                errors.InvalidArgumentError, "The given optional does not have a value.", "ask has_value()."
            )
        return self._value

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the value."""
        return self._spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._spec)

    def _state(self) -> tuple[bool, Any]:
        """Whether there is a value, and the value."""
        return bool(self._is_there), self._value

    def _argument_key(self) -> Any:
        """What a trace of a function that takes the Optional must know of it; None for one of the trace around."""
        is_of_tensors = all(isinstance(s, (TensorSpec, CompositeSpec)) for s in nest.flatten(self._spec))
        return self._type_spec._argument_key() if is_of_tensors and not isinstance(self._is_there, Tensor) else None

    def _boxed(self) -> Any:
        """The box in which it goes into a function."""
        return boxed(self)

    def _from_box(self, box: Any) -> Any:
        """An Optional like this one, of a box in a trace; its spec, for that of a box."""
        return self if type(box) is Tensor else self._type_spec._from_box(box)
