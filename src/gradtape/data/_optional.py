"""`tf.experimental.Optional`: a value that may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest, state
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor, wrap
from gradtape.data import _composites as composites
from gradtape.data import _structure as structure
from gradtape.data._boxes import boxed
from gradtape.data._specs import OptionalSpec
from gradtape.polymorphic_function.cache_key import Leaves, encode
from gradtape.tracing.control.checks import required


class Optional:
    """A value that may be missing.

    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> iterator.get_next_as_optional().has_value().numpy(), iterator.get_next_as_optional().has_value().numpy()
    (np.True_, np.False_)
    """

    def __init__(self, spec: Any, value: Any, is_there: Any) -> None:
        self._element, self._value, self._is_there = spec, value, is_there

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An Optional with a value."""
        found = structure.tensors(value)
        spec = structure.spec(found)
        if state.current.trace is not None and _is_of_tensors(spec):
            leaves = [leaf for leaf in nest.flatten(found, expand_composites=True) if leaf is not None]
            return TracedOptional(spec, convert.convert_to_tensor(True), leaves)
        return Optional(spec, found, True)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An Optional without a value."""
        if state.current.trace is not None and _is_of_tensors(element_spec):
            return TracedOptional(element_spec, convert.convert_to_tensor(False), blank(element_spec))
        return Optional(element_spec, None, False)

    def has_value(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether there is a value."""
        return wrap(np.bool_(self._is_there))

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
        return self._element

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element)

    def _state(self) -> tuple[bool, Any]:
        """A bool for whether there is a value, and the value."""
        return bool(self._is_there), self._value

    def _argument_key(self) -> Any:
        """The part of the Optional that traces of functions depend on."""
        return self._type_spec._argument_key() if _is_of_tensors(self._element) else None

    def _boxed(self) -> Any:
        """The box in which it is passed to a function."""
        return boxed(self)

    def _from_box(self, box: Any) -> Any:
        """An Optional like this one, of a box in a trace; its spec, for that of a box."""
        return self if type(box) is Tensor else self._type_spec._from_box(box)


def _is_of_tensors(spec: Any) -> bool:
    return all(s is None or isinstance(s, (TensorSpec, CompositeSpec)) for s in nest.flatten(spec))


def blank(spec: Any) -> list[Tensor]:
    """Placeholder tensors of a structure of specs, for an Optional without a value."""
    parts = composites.components(nest.flatten(spec))
    return [wrap(np.zeros([d or 0 for d in s.shape or ()], s.dtype.numpy)) for s in parts]


class TracedOptional(Optional, Composite):  # type: ignore[misc] # both have a _type_spec
    """An Optional in a function: a bool, known when the function runs, and the tensors of the value. Branches and
    loops decompose it, and functions return it."""

    def __init__(self, spec: Any, there: Any, leaves: Sequence[Any]) -> None:
        super().__init__(spec, None, there)
        self._leaves = list(leaves)
        for leaf, own in zip(self._leaves, composites.components(nest.flatten(spec)), strict=True):
            leaf.set_shape(own.shape)

    def has_value(self, name: str | None = None) -> Any:
        """A bool tensor: whether there is a value."""
        return self._is_there

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError if there is none when the function runs."""
        what, fix = "The given optional does not have a value.", "ask has_value()."
        return composites.packed(self._element, [required(leaf, self._is_there, what, fix) for leaf in self._leaves])

    def _components(self) -> list[Any]:
        return [self._is_there, *self._leaves]

    def _form(self) -> OptionalForm:
        return OptionalForm(self._element)

    def _spec(self) -> TracedOptionalSpec:
        return TracedOptionalSpec(self._element)

    def _argument_key(self) -> Any:
        return None  # it belongs to the surrounding trace


class TracedOptionalSpec(OptionalSpec, CompositeSpec):
    """The spec of an Optional in a function."""

    shape = TensorShape([])
    dtype: Any = dtypes.bool_

    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], dtypes.bool_), *composites.components(nest.flatten(self._element_spec))]

    def _form(self) -> OptionalForm:
        return OptionalForm(self._element_spec)

    def _with_shape(self, shape: TensorShape) -> TracedOptionalSpec:
        return self


class OptionalForm(Form):
    """The static part of an Optional."""

    def __init__(self, spec: Any) -> None:
        self._element, self._key = spec, encode(spec, Leaves())

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The Optional: in a function, of tensors that have values when it runs."""
        there, *leaves = parts
        if state.current.trace is not None or any(type(part) is not Tensor for part in parts):
            return TracedOptional(self._element, there, leaves)
        is_there = bool(there)
        return Optional(self._element, composites.packed(self._element, leaves) if is_there else None, is_there)

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of the Optional."""
        return TracedOptionalSpec(self._element)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)
