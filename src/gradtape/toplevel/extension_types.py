"""ExtensionType: user classes that hold tensors and pass through functions, loops and `tf.nest`."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from gradtape.api.structure import emptied, filled
from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.math._elementwise import equal, logical_and
from gradtape.math._reductions import reduce_all

_MISSING = inspect.Parameter.empty


class ExtensionType(Composite):
    """Base of classes with fields that may hold tensors: written like dataclasses, and immutable.

    A field annotated with `tf.Tensor` converts what it is given. `__validate__`, if it is there, is called after the fields
    have been set. `tf.function`, control flow, `tf.nest` with `expand_composites` and tapes see the tensors in it.

    >>> class Interval(tf.experimental.ExtensionType):
    ...     low: tf.Tensor
    ...     high: tf.Tensor
    ...     name: str = "interval"
    ...     def width(self):
    ...         return self.high - self.low
    >>> @tf.function
    ... def shifted(interval, by):
    ...     return Interval(interval.low + by, interval.high + by)
    >>> shifted(Interval(1.0, 3.0), 5.0).width().numpy()
    np.float32(2.0)
    """

    Spec: type[ExtensionTypeSpec]
    _annotations: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._annotations = _fields(cls)
        cls.Spec = type(f"{cls.__name__}.Spec", (ExtensionTypeSpec,), {"value_type": cls, "__slots__": ()})
        own = vars(cls).get("__init__")
        if own is None:
            return

        @functools.wraps(own)
        def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
            own(self, *args, **kwargs)
            if type(self) is cls:
                self._finish()

        cls.__init__ = initialize  # type: ignore[method-assign]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in _bound(type(self), args, kwargs).items():
            object.__setattr__(self, name, value)
        self._finish()

    def _finish(self) -> None:
        """Convert the fields, and check them."""
        missing = [name for name in self._annotations if name not in vars(self) and not hasattr(type(self), name)]
        if missing:
            raise AttributeError(f"{type(self).__name__}.__init__ did not set: {', '.join(missing)}.")
        for name, kind in self._annotations.items():
            object.__setattr__(self, name, _converted(getattr(self, name), kind))
        object.__setattr__(self, "_is_complete", True)
        validate = getattr(self, "__validate__", None)
        if validate is not None:
            validate()

    def __setattr__(self, name: str, value: Any) -> None:
        if "_is_complete" in vars(self) or name not in self._annotations:
            raise AttributeError(
                errors.compose(
                    f"Cannot set {name!r}: {type(self).__name__} is immutable, with the fields {list(self._annotations)}.",
                    "make a new object.",
                )
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Cannot delete {name!r}: {type(self).__name__} is immutable.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._annotations)})"

    def __eq__(self, other: Any) -> Any:
        if type(other) is not type(self) or other._form() != self._form():
            return False
        parts = [reduce_all(equal(a, b)) for a, b in zip(self._components(), other._components(), strict=True)]
        return functools.reduce(logical_and, parts, convert.convert_to_tensor(True))

    __hash__ = None  # type: ignore[assignment]

    def _components(self) -> list[Any]:
        tensors: list[Any] = []
        for name in self._annotations:
            emptied(getattr(self, name), tensors)
        return tensors

    def _form(self) -> Form:
        return _ExtensionForm(type(self), tuple([(n, emptied(getattr(self, n), [])) for n in self._annotations]))

    def _spec(self) -> Any:
        return self._form().described([TensorSpec.from_tensor(t) for t in self._components()])


class ExtensionTypeSpec(CompositeSpec):
    """The spec of an ExtensionType: `MyType.Spec(field=spec, …)`."""

    __slots__ = ("_extension_form", "_specs")

    value_type: type[ExtensionType]
    shape = TensorShape(None)
    dtype = dtypes.resource

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        specs: list[Any] = []
        fields = _bound(self.value_type, args, kwargs)
        structure = tuple([(name, emptied(value, specs)) for name, value in fields.items()])
        self._extension_form, self._specs = _ExtensionForm(self.value_type, structure), tuple(specs)

    def _component_specs(self) -> list[TensorSpec]:
        return list(self._specs)

    def _form(self) -> Form:
        return self._extension_form

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or spec is of the same class, with compatible tensors."""
        other = spec_or_value._spec() if isinstance(spec_or_value, Composite) else spec_or_value
        return (
            type(other) is type(self)
            and other._form() == self._form()
            and all(a.is_compatible_with(b) for a, b in zip(self._specs, other._specs, strict=True))
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtensionTypeSpec) and (self._form(), self._specs) == (other._form(), other._specs)

    def __hash__(self) -> int:
        return hash((self._form(), self._specs))

    def __repr__(self) -> str:
        specs = list(self._specs)
        fields = [f"{name}={filled(field, specs)!r}" for name, field in self._extension_form.structure]
        return f"{self.value_type.__name__}.Spec({', '.join(fields)})"


@dataclasses.dataclass(frozen=True)
class _ExtensionForm(Form):
    """The class, and what is in its fields beside tensors."""

    kind: type[ExtensionType]
    structure: tuple[tuple[str, Any], ...]

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The object with these tensors."""
        made, rest = object.__new__(self.kind), list(parts)
        for name, field in self.structure:
            object.__setattr__(made, name, filled(field, rest))
        object.__setattr__(made, "_is_complete", True)
        return made

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of objects with these tensors."""
        rest = list(specs)
        return self.kind.Spec(**{name: filled(field, rest) for name, field in self.structure})


def _fields(kind: type) -> dict[str, Any]:
    """The annotated fields of a class and its bases, in order."""
    try:
        known = typing.get_type_hints(kind)
    except NameError:  # an annotation names something that is not at the top level of its module
        known = {}
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, ExtensionType) and base is not ExtensionType:
            found |= {name: known.get(name, note) for name, note in vars(base).get("__annotations__", {}).items()}
    return {name: note for name, note in found.items() if typing.get_origin(note) is not typing.ClassVar}


def _bound(kind: type[ExtensionType], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The fields that a call gives, by position or by name."""
    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=getattr(kind, name, _MISSING))
        for name in kind._annotations
    ]
    # Fields with a default may stand before others without: those must be given by name.
    parameters.sort(key=lambda p: p.default is not _MISSING)
    call = inspect.Signature(parameters).bind(*args, **kwargs)
    call.apply_defaults()
    return {name: call.arguments[name] for name in kind._annotations}


def _converted(value: Any, kind: Any) -> Any:
    """A field as its annotation says: tensors for `tf.Tensor`, also in tuples and mappings."""
    if kind is Tensor or (isinstance(kind, str) and kind.split(".")[-1] == "Tensor"):
        return convert.convert_to_tensor(value)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType) and Tensor in inner and not _is_other(value, inner):
        return convert.convert_to_tensor(value)
    if origin is tuple and inner:
        kinds = [inner[0]] * len(value) if len(inner) == 2 and inner[1] is ... else inner
        return tuple([_converted(v, k) for v, k in zip(value, kinds, strict=True)])
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {key: _converted(v, inner[1]) for key, v in value.items()}
    return value


def _is_other(value: Any, kinds: Sequence[Any]) -> bool:
    """True if a value is of one of the kinds of a union already."""
    return any(isinstance(kind, type) and isinstance(value, kind) for kind in kinds)
