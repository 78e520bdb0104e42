"""`tf.experimental.Optional`: a value that may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import ANY, Spec, TensorSpec
from gradtape.core.tensor import Tensor, wrap
from gradtape.data import _composites as composites
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

    # Branches and loops of functions take an Optional for its tensors: whether there is a value, and the parts of that.
    def _components(self) -> list[Any]:
        parts = _parts(self._spec)
        if not self._is_there:
            return [self.has_value(), *[wrap(np.zeros([d or 0 for d in s.shape or ()], s.dtype.numpy)) for s in parts]]
        return [self.has_value(), *nest.flatten(self._value, expand_composites=True)]

    def _from_components(self, parts: list[Any]) -> TracedOptional:
        return TracedOptional(self._spec, _parts(self._spec), parts[0], parts[1:])

    def _specs(self) -> list[Spec]:
        """The specs of the tensors in all steps of a loop."""
        parts = _parts(self._spec)
        shapes = [ANY if s.shape.rank is None else tuple(s.shape) for s in parts]
        return [Spec((), dtypes.bool_), *[Spec(n, s.dtype) for n, s in zip(shapes, parts, strict=True)]]

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


class TracedOptional(Optional):
    """An Optional in a function, which knows only when it runs whether there is a value.

    Args:
      spec: the structure of specs of the value.
      parts: the specs of its tensors.
      there: a bool tensor: whether there is a value.
      leaves: the tensors; they mean nothing if there is none.
    """

    def __init__(self, spec: Any, parts: list[Any], there: Any, leaves: list[Any]) -> None:
        super().__init__(spec, None, there)
        self._parts, self._leaves = parts, leaves

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError if there is none."""
        from gradtape.tracing.control.checks import required

        what, fix = "The given optional does not have a value.", "ask has_value()."
        leaves = [required(leaf, self._is_there, what, fix) for leaf in self._leaves]
        for leaf, own in zip(leaves, self._parts, strict=True):
            leaf.set_shape(own.shape)
        return composites.packed(self._spec, leaves)

    def _components(self) -> list[Any]:
        return [self._is_there, *self._leaves]


def _parts(spec: Any) -> list[Any]:
    """The specs of the tensors of a value."""
    found: list[Any] = composites.components(nest.flatten(spec))
    return found
