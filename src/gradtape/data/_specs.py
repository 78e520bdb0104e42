"""The specs of datasets, iterators and optionals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import dtypes, errors, nest
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.polymorphic_function.cache_key import Leaves, encode
from gradtape.toplevel.specs import TypeSpec

# What makes datasets, iterators and optionals of boxes, and an empty dataset of a spec. The modules that define them are above
# this one; they write it here.
MAKERS: dict[str, Callable[..., Any]] = {}


class DatasetSpec:
    """The spec of a dataset as an element of another."""

    def __init__(self, element_spec: Any, dataset_shape: Any = (), assigns: bool = True) -> None:
        """The spec for elements of a structure of specs. Where a function takes a dataset, `assigns` tells whether user code in it
        may assign variables."""
        self._element_spec, self._shape, self._assigns = element_spec, TensorShape(dataset_shape), assigns

    @property
    def shape(self) -> TensorShape:
        """The number of datasets, if there are several."""
        return self._shape

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the dataset's elements."""
        return self._element_spec

    value_type = property(lambda self: MAKERS["dataset class"], doc="The class of the values.")

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return cls(value.element_spec)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether another spec, or a dataset, has elements like these."""
        theirs = other.element_spec
        if isinstance(other, DatasetSpec) and not self._shape.is_compatible_with(other._shape):
            return False
        return _are_alike(self._element_spec, theirs)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every dataset of this spec is one of another spec."""
        if type(other) is not type(self) or not self.is_compatible_with(other):
            return False
        pairs = zip(nest.flatten(self._element_spec), nest.flatten(other.element_spec), strict=True)
        return all(a == b or _is_within(a, b) for a, b in pairs)

    def most_specific_common_supertype(self, others: Any) -> DatasetSpec | None:
        """The narrowest spec that holds this one and others; None if there is none."""
        found, shape = self._element_spec, self._shape
        for other in others:
            if type(other) is not type(self):
                return None
            try:
                nest.assert_same_structure(found, other.element_spec)
                found = nest.map_structure(_narrowest, found, other.element_spec)
            except (TypeError, ValueError):
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return type(self)(found, shape)

    def most_specific_compatible_type(self, other: Any) -> DatasetSpec:
        """The narrowest spec that holds both; ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(
                errors.compose(
                    f"{self!r} and {other!r} are not compatible.", "give elements of one structure and dtype."
                )
            )
        return found

    def _argument_key(self) -> Any:
        """The part of such a dataset that traces of functions depend on."""
        return encode(self._element_spec, Leaves()), self._assigns

    def _boxed(self) -> TensorSpec:
        """The kind of the box in which one is passed to a function."""
        return TensorSpec([], dtypes.string)

    def _from_box(self, box: Any) -> Any:
        """A dataset of a box in a trace; the spec, for that of a box."""
        return self if isinstance(box, TensorSpec) else MAKERS["dataset"](box, self._element_spec, self._assigns)

    def __eq__(self, other: Any) -> bool:
        is_alike = type(other) is type(self) and self._element_spec == other._element_spec
        return is_alike and self._shape.as_list() == other._shape.as_list()

    def __hash__(self) -> int:
        return hash(tuple(nest.flatten(self._element_spec)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r}, {self._shape!r})"


def _are_alike(a: Any, b: Any) -> bool:
    """Whether structures of specs are compatible, part by part."""
    try:
        nest.assert_same_structure(a, b)
    except (TypeError, ValueError):
        return False
    return all(
        s.is_compatible_with(t) if s is not None else t is None
        for s, t in zip(nest.flatten(a), nest.flatten(b), strict=True)
    )


def _narrowest(a: Any, b: Any) -> Any:
    """The narrowest spec that holds two; ValueError if there is none."""
    if a is None or b is None:
        if a is not b:
            raise ValueError("None is compatible with None alone.")
        return None
    return a.most_specific_compatible_type(b)


def _is_within(a: Any, b: Any) -> bool:
    """Whether values of a spec are values of another, wider one."""
    if isinstance(a, DatasetSpec):
        return a.is_subtype_of(b)
    sizes = zip(a.shape.as_list(), b.shape.as_list(), strict=True) if a.shape.rank is not None and b.shape.rank else ()
    return b.shape.rank is None or (a.shape.rank == b.shape.rank and all(n in (m, None) for m, n in sizes))


class IteratorSpec(DatasetSpec):
    """The spec of an iterator."""

    value_type = property(lambda self: MAKERS["iterator class"], doc="The class of the values.")

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"

    def _from_box(self, box: Any) -> Any:
        """An iterator of a box in a trace; the spec, for that of a box."""
        return self if isinstance(box, TensorSpec) else MAKERS["iterator"](box, self._element_spec, self._assigns)


class OptionalSpec(TypeSpec):
    """The spec of a `tf.experimental.Optional`.

    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int32)).element_spec
    TensorSpec(shape=(), dtype=tf.int32, name=None)
    """

    dtype: Any = None

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    element_spec = property(lambda self: self._element_spec, doc="The structure of specs of the value.")
    value_type = property(lambda self: MAKERS["optional class"], doc="The class of Optionals.")

    @classmethod
    def from_value(cls, value: Any) -> OptionalSpec:
        """The spec of an Optional."""
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r},)"

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for an Optional, or the spec of one, whose value this one's spec describes."""
        spec = getattr(spec_or_value, "_type_spec", spec_or_value)
        return isinstance(spec, OptionalSpec) and _are_alike(self._element_spec, spec.element_spec)

    def _argument_key(self) -> Any:
        """The part of such an Optional that traces of functions depend on."""
        return encode(self._element_spec, Leaves())

    def _boxed(self) -> TensorSpec:
        """The kind of the box in which one is passed to a function."""
        return TensorSpec([], dtypes.string)

    def _from_box(self, box: Any) -> Any:
        """An Optional of a box in a trace; the spec, for that of a box."""
        return self if isinstance(box, TensorSpec) else MAKERS["optional"](box, self._element_spec)
