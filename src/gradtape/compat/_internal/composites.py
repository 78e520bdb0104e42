"""CompositeTensor: library classes whose TypeSpec lists their component tensors."""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.core import convert, dtypes, nest
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Reference, Tensor
from gradtape.core.variable import Variable
from gradtape.toplevel import specs
from gradtape.toplevel.specs import TypeSpec


class CompositeTensor(Composite, metaclass=abc.ABCMeta):
    """Base of classes whose `_type_spec` lists an object's component tensors.

    Functions, control flow and `tf.nest` take such an object apart into its tensors. Variables in it are not replaced: they belong
    to the object.
    """

    _type_spec: Any
    __array_ufunc__: Any = None
    # In TensorFlow `tf.is_tensor` is False for them. TensorFlow Probability compares bijectors by it: as tensors, two that are equal do
    # not share results, which a trace keeps alive longer than TensorFlow's graphs do, and through which no gradient flows.
    _counts_as_tensor = True

    @classmethod
    def __subclasshook__(cls, kind: type) -> Any:
        """Sparse and ragged tensors, slices and linear operators count as what they are in TensorFlow."""
        if cls is not CompositeTensor:
            return NotImplemented
        is_operator = hasattr(kind, "__tensor_parts__")
        return True if is_operator or issubclass(kind, (Composite, IndexedSlices)) else NotImplemented

    def _components(self) -> list[Any]:
        return _taken_apart(self._type_spec._to_components(self))[1]

    def _inside(self) -> Any:
        """The components, where some are Python values; None where all are tensors, or belong to the object."""
        components = self._type_spec._to_components(self)
        leaves = nest.flatten(components)
        is_usual = any(isinstance(leaf, Variable) or leaf is None or callable(leaf) for leaf in leaves)
        return None if is_usual or all(isinstance(leaf, (Tensor, Composite)) for leaf in leaves) else components

    def _with_inside(self, components: Any) -> Any:
        """An object of this kind with other components."""
        return self._type_spec._from_components(components)

    def _form(self) -> Form:
        spec = self._type_spec
        return CompositeTensorForm(spec, *_taken_apart(spec._to_components(self))[::2])

    def _spec(self) -> Any:
        return self._form().described([TensorSpec.from_tensor(t) for t in self._components()])

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        """The spec of a loop variable of such a shape."""
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    def _convert_variables_to_tensors(self) -> Any:
        """The object with tensors in place of its variables."""
        return self


class CompositeTensorForm(Form):
    """The static part of an object: its spec, the structure of its components and its variables."""

    def __init__(self, spec: Any, structure: Any, kept: tuple[Any, ...]) -> None:
        self.spec, self.structure, self.kept = spec, structure, kept

    def _key(self) -> Any:
        return self.spec, tuple([Reference(v) if isinstance(v, Variable) else v for v in self.kept])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompositeTensorForm) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self.spec), len(self.kept)))

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The object with these tensors."""
        return self.spec._from_components(_put_together(self.structure, list(parts), self.kept))

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of objects with such tensors."""
        kind = _SpecOfRows if isinstance(self.spec, BatchableTypeSpec) else CompositeTensorSpec
        return kind(self, tuple(specs))


class CompositeTensorSpec(CompositeSpec):
    """The kind of such an object, as functions compare arguments."""

    __slots__ = ("_own_form", "_specs")

    def __init__(self, form: CompositeTensorForm, specs: tuple[TensorSpec, ...]) -> None:
        self._own_form, self._specs = form, specs

    shape = property(lambda self: getattr(self._own_form.spec, "shape", TensorShape(None)))
    dtype = property(lambda self: getattr(self._own_form.spec, "dtype", None) or dtypes.resource)
    value_type = property(lambda self: self._own_form.spec.value_type)

    def _component_specs(self) -> list[TensorSpec]:
        return list(self._specs)

    def _form(self) -> Form:
        return self._own_form

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for an object or spec of the same kind."""
        other = spec_or_value._spec() if isinstance(spec_or_value, Composite) else spec_or_value
        return isinstance(other, CompositeTensorSpec) and self._own_form == other._own_form

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompositeTensorSpec) and (self._own_form, self._specs) == (
            other._own_form,
            other._specs,
        )

    def __hash__(self) -> int:
        return hash(self._own_form)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own_form.spec, name)

    def __repr__(self) -> str:
        return repr(self._own_form.spec)


class _SpecOfRows(CompositeTensorSpec):
    """The kind of an object whose own spec says how many of them are one: what maps return is stacked by it."""

    __slots__ = ()

    def _encode(self, value: Any, minimum_rank: int = 0) -> list[Any]:
        spec = value._type_spec
        listed = getattr(spec, "_to_tensor_list", None)
        return list(listed(value)) if listed is not None else nest.flatten(spec._to_components(value))

    def _encoding_specs(self) -> list[Any]:
        return list(nest.flatten(self._own_form.spec._component_specs))

    def _batch(self, batch_size: Any) -> _Rows:
        return _Rows(self._own_form.spec._batch(batch_size))

    def _decode(self, encoded: Any) -> Any:
        return _Rows(self._own_form.spec)._decode(encoded)


class _Rows:
    """The spec of several objects as one."""

    def __init__(self, spec: Any) -> None:
        self._spec = spec

    def _decode(self, encoded: Any) -> Any:
        return self._spec._from_components(nest.pack_sequence_as(self._spec._component_specs, nest.flatten(encoded)))


class _Slot:
    """A place for a tensor in a structure of components."""

    __slots__ = ("form", "size")

    def __init__(self, form: Form | None, size: int) -> None:
        self.form, self.size = form, size


_KEPT = object()


def _taken_apart(components: Any) -> tuple[Any, list[Any], tuple[Any, ...]]:
    """The structure of components with placeholders for tensors, the tensors, and the other values."""
    places: list[Any] = []
    tensors: list[Any] = []
    kept: list[Any] = []
    for leaf in nest.flatten(components):
        if isinstance(leaf, Tensor):
            places.append(_Slot(None, 1))
            tensors.append(leaf)
        elif isinstance(leaf, Composite):
            inner = leaf._components()
            places.append(_Slot(leaf._form(), len(inner)))
            tensors += inner
        else:
            places.append(_KEPT)
            kept.append(leaf)
    return nest.pack_sequence_as(components, places), tensors, tuple(kept)


def _put_together(structure: Any, tensors: list[Any], kept: Sequence[Any]) -> Any:
    rest = list(kept)
    leaves: list[Any] = []
    for place in nest.flatten(structure):
        if place is _KEPT:
            leaves.append(rest.pop(0))
            continue
        inner = [tensors.pop(0) for _ in range(place.size)]
        leaves.append(inner[0] if place.form is None else place.form.build(inner))
    return nest.pack_sequence_as(structure, leaves)


class BatchableTypeSpec(TypeSpec):
    """Base of specs whose values can be put into batches; they are not."""

    def _batch(self, batch_size: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._batch")

    def _unbatch(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._unbatch")


class DenseSpec(TypeSpec):
    """Base of the specs of dense values, with a shape, a dtype and a name."""

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = TensorShape(shape), dtypes.as_dtype(dtype), name

    shape = property(lambda self: self._shape, doc="The shape.")
    dtype = property(lambda self: self._dtype, doc="The dtype.")
    name = property(lambda self: self._name, doc="The name.")


class VariableSpec(DenseSpec):
    """The spec of a variable."""

    value_type = Variable

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, trainable: bool = True, alias_id: Any = None) -> None:
        super().__init__(shape, dtype)
        self.trainable, self.alias_id = trainable, alias_id

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], dtypes.resource)]

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for a variable, or the spec of one, of the same dtype and a compatible shape."""
        other = spec_or_value
        return (
            isinstance(other, (Variable, VariableSpec))
            and other.dtype == self._dtype
            and other.trainable == self.trainable
            and self._shape.is_compatible_with(other.shape)
        )

    def _to_components(self, value: Any) -> Any:
        return [value]

    def _from_components(self, components: Any) -> Any:
        return components[0]


NAME_TO_TYPE_SPEC: dict[str, type] = {}
TYPE_SPEC_TO_NAME: dict[type, str] = {}


def register(name: str) -> Any:
    """A decorator that gives a class of specs a name."""

    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not re.fullmatch(r"(\w+\.)+\w+", name):
        raise ValueError(f"Registered name must have the form '{{project_name}}.{{type_name}}'; got {name!r}.")

    def named(kind: type) -> type:
        if not (isinstance(kind, type) and issubclass(kind, (TypeSpec, CompositeSpec))):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {kind!r}")
        if kind in TYPE_SPEC_TO_NAME:
            raise ValueError(f"Class {kind.__name__} has already been registered with name {TYPE_SPEC_TO_NAME[kind]}.")
        if name in NAME_TO_TYPE_SPEC:
            raise ValueError(f"Name {name} has already been registered for class {NAME_TO_TYPE_SPEC[name]}.")
        TYPE_SPEC_TO_NAME[kind], NAME_TO_TYPE_SPEC[name] = name, kind
        return kind

    return named


def lookup(name: str) -> type:
    """The class of specs that has a name; ValueError if there is none."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name '{name}'")
    return NAME_TO_TYPE_SPEC[name]


def get_name(cls: type) -> str:
    """The name of a class of specs; ValueError if it has none."""
    if cls not in TYPE_SPEC_TO_NAME:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return TYPE_SPEC_TO_NAME[cls]


def register_type_spec_from_value_converter(
    type_object: type, converter_fn: Callable[[Any], Any], allow_subclass: bool = False
) -> None:
    """Have a function make the specs of objects of a class."""
    specs.CONVERTERS.append((type_object, converter_fn, allow_subclass))


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A value that consists of tensors as it is; anything else as a tensor."""
    return value if isinstance(value, CompositeTensor) else convert.convert_to_tensor(value, dtype)


def convert_variables_to_tensors(values: Any) -> Any:
    """A structure with tensors in place of its variables, also of those in objects that consist of tensors."""

    def converted(leaf: Any) -> Any:
        if isinstance(leaf, Variable):
            return convert.convert_to_tensor(leaf)
        if hasattr(type(leaf), "__tensor_parts__"):
            return leaf._with_parts([converted(part) for part in leaf.__tensor_parts__()])
        return leaf._convert_variables_to_tensors() if hasattr(leaf, "_convert_variables_to_tensors") else leaf

    return nest.map_structure(converted, values)
