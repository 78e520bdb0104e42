"""Values that consist of several tensors: sparse and ragged ones.

Functions, control flow and `nest` take them apart into tensors and put them together again. What is left without its tensors
is a **form**: it can be compared and pickled, and builds the value from other tensors.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from gradtape.core import dtypes
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor


class Form:
    """What a composite value is beside its tensors. Subclasses are frozen dataclasses."""

    def build(self, parts: Sequence[Any]) -> Any:
        """The value of these tensors; of specs, its spec; of anything else, a tuple."""
        if all(isinstance(p, Tensor) for p in parts):
            return self.assembled(parts)
        if all(isinstance(p, TensorSpec) for p in parts):
            return self.described(parts)
        return tuple(parts)

    def assembled(self, parts: Sequence[Any]) -> Composite:
        """The value of these tensors."""
        raise NotImplementedError

    def described(self, specs: Sequence[TensorSpec]) -> CompositeSpec:
        """The spec of values with these parts."""
        raise NotImplementedError


class Answering:
    """Base of values that answer for public functions which know no composites (`doors.Dispatched`)."""

    __slots__ = ()

    # The module whose `answer` has the functions of `tf` that take such values. It is above this layer, and loaded when first asked.
    _functions: ClassVar[str] = ""

    def __gradtape_function__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a public function returns that knows no composites; NotImplemented if this class does not know the function either."""
        if not self._functions:
            return NotImplemented
        return importlib.import_module(self._functions).answer(function, args, kwargs)


class Composite(Answering):
    """A value that consists of tensors."""

    __slots__ = ()

    # NumPy must not take an operator for itself: `array * composite` asks the composite.
    __array_ufunc__ = None

    # Whether `tf.is_tensor` is True: for sparse and ragged tensors, not for extension types.
    _counts_as_tensor: ClassVar[bool] = False

    def _components(self) -> list[Any]:
        """The tensors."""
        raise NotImplementedError

    def _form(self) -> Form:
        """All but the tensors."""
        raise NotImplementedError

    def _from_components(self, parts: Sequence[Any]) -> Any:
        """A value of this form with other tensors."""
        return self._form().build(parts)

    def __gradient_source__(self) -> Any:
        """The tensor through which gradients flow."""
        raise NotImplementedError

    def _with_gradient(self, gradient: Any) -> Any:
        """The gradient by this value, from that by the tensor."""
        raise NotImplementedError

    def _spec(self) -> CompositeSpec:
        """The spec of this value; sizes that differ from value to value are open."""
        raise NotImplementedError

    @property
    def _type_spec(self) -> CompositeSpec:
        """The spec, under the name by which libraries ask composite tensors of TensorFlow for it."""
        return self._spec()


class CompositeSpec(Answering):
    """The kind of a composite value: what a function accepts, or a dataset holds.

    Attributes:
      shape: of the whole.
      dtype: of the elements.
    """

    __slots__ = ()

    shape: TensorShape
    dtype: dtypes.DType
    name: None = None

    def _component_specs(self) -> list[TensorSpec]:
        """The specs of the tensors."""
        raise NotImplementedError

    def _form(self) -> Form:
        """All but the tensors."""
        raise NotImplementedError

    def _build(self, parts: Sequence[Any]) -> Any:
        """A value of this kind from its tensors; what the spec tells of the shape is known of it."""
        return self._form().build(parts)

    def _tell(self, value: Composite) -> Any:
        """The value, of whose tensors the shapes are known as far as this spec has them."""
        for part, spec in zip(value._components(), self._component_specs(), strict=True):
            if type(part) is not Tensor:
                part.set_shape(spec.shape)
        return value

    def _with_shape(self, shape: TensorShape) -> CompositeSpec:
        """The same kind of another shape."""
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or spec is of this kind."""
        other = spec_or_value._spec() if isinstance(spec_or_value, Composite) else spec_or_value
        return (
            type(other) is type(self)
            and other._form() == self._form()
            and other.dtype is self.dtype
            and self.shape.is_compatible_with(other.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """True if every value of this kind is one of the other's."""
        return bool(self.most_specific_common_supertype([other]) == other)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> CompositeSpec | None:
        """The narrowest spec that contains this one and others; None if they differ in more than the shape."""
        shape = self.shape
        for other in others:
            if type(other) is not type(self):
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        found = self._with_shape(shape)
        return found if all(other._with_shape(shape) == found for other in others) else None

    def most_specific_compatible_type(self, other: Any) -> CompositeSpec:
        """As `most_specific_common_supertype` of one other spec; ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found


class Pieces(tuple):  # type: ignore[type-arg]
    """The tensors of a composite value, as a structure that knows the form."""

    __slots__ = ()

    form: Form
    _fields = ()

    def __new__(cls, *parts: Any) -> Any:
        """The pieces, in order."""
        return tuple.__new__(cls, parts)

    def __reduce__(self) -> Any:
        return _pieces, (self.form, tuple(self))


@functools.cache
def pieces_class(form: Form) -> type[Pieces]:
    """The class of the pieces of values of a form: structures of equal forms are equal."""
    return type("Pieces", (Pieces,), {"form": form, "__slots__": ()})


def _pieces(form: Form, parts: Sequence[Any]) -> Pieces:
    result: Pieces = pieces_class(form)(*parts)
    return result


def taken_apart(value: Composite) -> Pieces:
    """The pieces of a composite value."""
    return _pieces(value._form(), value._components())
