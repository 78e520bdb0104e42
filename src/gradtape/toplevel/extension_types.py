"""ExtensionType: user classes that hold tensors and pass through functions, loops and `tf.nest`."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradtape.api.structure import emptied, filled
from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.doors import adapt
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.math._elementwise import equal, logical_and, logical_not
from gradtape.math._reductions import reduce_all
from gradtape.ops.family import dims
from gradtape.toplevel.extension_fields import (
    NO_DEFAULT,
    ExtensionTypeField,
    ImmutableDict,
    converted_fields,
    resolved,
    spec_of_field,
)

_SET = "_is_complete"


class _Immutable:
    """What values and specs share: fields that are set in the constructor and never again."""

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_changes(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_changes(name)
        object.__delattr__(self, name)

    def _refuse_changes(self, name: str) -> None:
        kind = "ExtensionTypeSpec" if isinstance(self, CompositeSpec) else "ExtensionType"
        own: Any = self.value_type if isinstance(self, ExtensionTypeSpec) else type(self)
        if _SET in vars(self) or not own._tf_extension_type_has_field(name):
            raise errors.build(
                AttributeError,
                f"Cannot mutate attribute `{name}` outside the custom constructor of {kind}.",
                "make a new object: extension types are immutable.",
            )

    def _set_fields(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, _SET, True)
        validate = getattr(self, "__validate__", None)
        if validate is not None:
            validate()

    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != _SET}


class ExtensionType(_Immutable, Composite):
    """Base of classes with fields that may hold tensors: written like dataclasses, and immutable.

    Annotations are checked: a field is an int, float, bool, str, bytes or None, a tensor or a composite tensor, another extension
    type, a `tf.TensorShape` or `tf.DType`, or a `typing.Tuple`, `typing.Mapping`, `typing.Union` or `typing.Optional` of these.
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

    _functions = "gradtape.toplevel.extension_overrides"
    _own_fields: tuple[ExtensionTypeField, ...] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        given = vars(cls)
        for name in [*given.get("__annotations__", {}), *given]:
            if name != "Spec" and ExtensionTypeField.is_reserved_name(name):
                raise errors.build(
                    ValueError,
                    f"The field annotations for {cls.__name__} are invalid. Field {name!r} is reserved.",
                    f"give it another name, such as {name.strip('_')}_.",
                )
        cls._own_fields = _fields(cls)
        for name in given.get("__annotations__", {}):
            if name in given:  # the default, which would hide that an object has no such field yet
                delattr(cls, name)
        own = given.get("__init__")
        if own is None:
            cls.__init__ = _initializer(cls)  # type: ignore[method-assign]
        else:
            cls.__init__ = _finishing(cls, own)  # type: ignore[method-assign]
        cls.Spec = _spec_class(cls, given.get("Spec"))  # type: ignore[attr-defined]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise AssertionError(
            "Cannot create an instance of ExtensionType because ExtensionType is an abstract base class."
        )

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[ExtensionTypeField, ...]:
        return _resolved_fields(cls)

    @classmethod
    def _tf_extension_type_has_field(cls, name: str) -> bool:
        return any(f.name == name for f in cls._own_fields)

    def __repr__(self) -> str:
        fields = [f"{f.name}={getattr(self, f.name)!r}" for f in self._own_fields]
        return f"{type(self).__qualname__}({', '.join(fields)})"

    def __eq__(self, other: Any) -> Any:
        if type(other) is not type(self) or other._form() != self._form():
            return False
        pairs = list(zip(self._components(), other._components(), strict=True))
        if not all(a.dtype is b.dtype and a.get_shape().is_compatible_with(b.get_shape()) for a, b in pairs):
            return False
        parts = [_are_equal(a, b) for a, b in pairs]
        return functools.reduce(logical_and, parts, convert.convert_to_tensor(True))

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return not same if isinstance(same, bool) else logical_not(same)

    __hash__ = None  # type: ignore[assignment]

    def _components(self) -> list[Any]:
        tensors: list[Any] = []
        for f in self._own_fields:
            emptied(getattr(self, f.name), tensors)
        return tensors

    def _form(self) -> Form:
        return _form_of(type(self), {f.name: getattr(self, f.name) for f in self._own_fields}, [])

    def _spec(self) -> Any:
        return self._form().described([TensorSpec.from_tensor(t) for t in self._components()])


class ExtensionTypeSpec(_Immutable, CompositeSpec):
    """The spec of an ExtensionType: `MyType.Spec(field=spec, …)`."""

    value_type: Any
    shape = TensorShape(None)
    dtype = dtypes.resource
    _functions = "gradtape.toplevel.extension_overrides"

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value."""
        return value._spec()

    def _values_of_fields(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in self.value_type._own_fields}

    def _component_specs(self) -> list[TensorSpec]:
        specs: list[Any] = []
        for value in self._values_of_fields().values():
            emptied(value, specs)
        return specs

    def _form(self) -> Form:
        return _form_of(self.value_type, self._values_of_fields(), [])

    def _serialize(self) -> tuple[Any, ...]:
        """The fields, with plain dicts, as they can be written."""
        return tuple([(name, _thawed(value)) for name, value in self._values_of_fields().items()])

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        made = object.__new__(cls)
        made._set_fields(converted_fields(_resolved_fields(cls.value_type), dict(serialization), spec_of_field))
        return made

    def __reduce__(self) -> Any:
        return _restored, (self.value_type, self._serialize())

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or spec is of the same class, with compatible tensors."""
        other = spec_or_value._spec() if isinstance(spec_or_value, Composite) else spec_or_value
        return (
            type(other) is type(self)
            and other._form() == self._form()
            and all(
                a.is_compatible_with(b) for a, b in zip(self._component_specs(), other._component_specs(), strict=True)
            )
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec that contains this one and others; None if they differ in more than shapes."""
        if any(type(other) is not type(self) for other in others):
            return None
        columns = zip(*[spec._values_of_fields().values() for spec in (self, *others)], strict=True)
        try:
            merged = [_common(column) for column in columns]
        except _DifferentError:
            return None
        made = object.__new__(type(self))
        for name, value in zip(self._values_of_fields(), merged, strict=True):
            object.__setattr__(made, name, _frozen(value))
        object.__setattr__(made, _SET, True)
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (self._form(), self._component_specs()) == (
            other._form(),
            other._component_specs(),
        )

    def __hash__(self) -> int:
        return hash((self._form(), tuple(self._component_specs())))

    def __repr__(self) -> str:
        fields = [f"{name}={value!r}" for name, value in self._serialize()]
        return f"{self.value_type.__qualname__}.Spec({', '.join(fields)})"


class _DifferentError(Exception):
    """Values of a field that no spec contains."""


def _common(values: Sequence[Any]) -> Any:
    """The narrowest field that contains those of several specs."""
    first, *rest = values
    if all(isinstance(v, (TensorSpec, CompositeSpec)) for v in values):
        found = first.most_specific_common_supertype(rest)
        if found is None:
            raise _DifferentError
        return found
    if isinstance(first, Mapping) and all(isinstance(v, Mapping) and set(v) == set(first) for v in rest):
        return {key: _common([v[key] for v in values]) for key in first}
    if isinstance(first, tuple) and all(isinstance(v, tuple) and len(v) == len(first) for v in rest):
        return tuple([_common(column) for column in zip(*values, strict=True)])
    if any(type(v) is not type(first) or v != first for v in rest):
        raise _DifferentError
    return first


@dataclasses.dataclass(frozen=True)
class ExtensionForm(Form):
    """The class, and what is in its fields beside tensors."""

    kind: type[ExtensionType]
    structure: tuple[tuple[str, Any], ...]

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The object with these tensors."""
        return self._filled(object.__new__(self.kind), parts)

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of objects with these tensors."""
        return self._filled(object.__new__(self.kind.Spec), specs)  # type: ignore[attr-defined]

    def fits(self) -> bool:
        """Whether the class has these fields: a form may come from a file."""
        is_own = isinstance(self.kind, type) and issubclass(self.kind, ExtensionType)
        return is_own and [name for name, _ in self.structure] == [f.name for f in self.kind._own_fields]

    def _filled(self, made: Any, parts: Sequence[Any]) -> Any:
        rest = list(parts)
        for name, field in self.structure:
            object.__setattr__(made, name, _frozen(filled(field, rest)))
        object.__setattr__(made, _SET, True)
        return made


def _form_of(kind: type[ExtensionType], fields: Mapping[str, Any], tensors: list[Any]) -> ExtensionForm:
    return ExtensionForm(kind, tuple([(name, emptied(value, tensors)) for name, value in fields.items()]))


def _equal_tensors(a: Any, b: Any) -> Any:
    """Whether two tensors are the same; they are not if one would only broadcast to the other."""
    return reduce_all(equal(a, b)) if tuple(dims(a)) == tuple(dims(b)) else convert.constant(False)


# In a function that does not know the shapes yet, it becomes a node that waits for them.
_are_equal = adapt(_equal_tensors, True)


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return tuple([_thawed(item) for item in value]) if type(value) is tuple else value


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return ImmutableDict({key: _frozen(item) for key, item in value.items()})
    return tuple([_frozen(item) for item in value]) if type(value) is tuple else value


def _restored(kind: type[ExtensionType], serialization: Any) -> Any:
    return kind.Spec._deserialize(serialization)  # type: ignore[attr-defined]


def _fields(kind: type) -> tuple[ExtensionTypeField, ...]:
    """The annotated fields of a class and its bases, in order; a class may give a field of a base another default or type."""
    found: dict[str, ExtensionTypeField] = {}
    for base in reversed(kind.__mro__):
        if not (issubclass(base, ExtensionType) and base is not ExtensionType):
            continue
        if base is not kind and "_own_fields" in vars(base):
            found |= {f.name: f for f in base._own_fields}
            continue
        for name, annotation in vars(base).get("__annotations__", {}).items():
            found[name] = ExtensionTypeField(name, annotation, vars(base).get(name, NO_DEFAULT))
    return tuple(found.values())


def _resolved_fields(kind: Any) -> tuple[ExtensionTypeField, ...]:
    """The fields, with the classes that their annotations name; looked up once, when the class is first used."""
    if "_known_fields" not in vars(kind):
        kind._known_fields = tuple(
            [ExtensionTypeField(f.name, resolved(f.value_type, kind.__module__), f.default) for f in kind._own_fields]
        )
    known: tuple[ExtensionTypeField, ...] = vars(kind)["_known_fields"]
    return known


def _parameters(kind: type[ExtensionType]) -> list[inspect.Parameter]:
    """The parameters of the constructor: after a field without a default that follows one with, all are given by name."""
    found: list[inspect.Parameter] = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    how: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    has_default = False
    for f in kind._own_fields:
        has_default = has_default or f.default is not NO_DEFAULT
        if has_default and f.default is NO_DEFAULT:
            how = inspect.Parameter.KEYWORD_ONLY
        default = inspect.Parameter.empty if f.default is NO_DEFAULT else f.default
        annotation = type(None) if f.value_type is None else f.value_type
        found.append(inspect.Parameter(f.name, how, default=default, annotation=annotation))
    return found


def _bind(signature: inspect.Signature, name: str, args: Any, kwargs: Any) -> inspect.BoundArguments:
    """The arguments by name; TypeError with the call to write if they do not fit."""
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as problem:
        names = ", ".join([p.name if p.default is p.empty else f"{p.name}=..." for p in signature.parameters.values()])
        raise errors.build(TypeError, f"{name}: {problem}.", f"{name}({names}).") from None


def _initializer(kind: type[ExtensionType]) -> Callable[..., None]:
    """The constructor of a class that has none of its own."""
    signature = inspect.Signature(_parameters(kind), return_annotation=kind)
    own = inspect.Signature(_parameters(kind)[1:])

    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = _bind(own, kind.__qualname__, args, kwargs)
        bound.apply_defaults()
        if type(self) is kind:
            self._set_fields(converted_fields(_resolved_fields(kind), bound.arguments))
        else:  # called by the constructor of a subclass, which sets its own fields and then checks all
            vars(self).update(bound.arguments)

    initialize.__name__ = "__init__"
    initialize.__signature__ = signature  # type: ignore[attr-defined]
    return initialize


def _finishing(kind: type[ExtensionType], own: Callable[..., None]) -> Callable[..., None]:
    """A constructor of the user, after which the fields are converted and checked."""

    @functools.wraps(own)
    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        own(self, *args, **kwargs)
        if type(self) is kind and _SET not in vars(self):
            self._set_fields(converted_fields(_resolved_fields(kind), self._given()))

    return initialize


def _spec_class(kind: type[ExtensionType], own: Any) -> type[ExtensionTypeSpec]:
    """The class of the specs of a class, with what its own nested class `Spec` defines."""
    if own is not None and not isinstance(own, type):
        raise errors.build(
            ValueError,
            f"{kind.__qualname__}.Spec must be a nested class; got {own}.",
            "class Spec: ... inside the class, or none.",
        )
    if own is not None and own.__bases__ != (object,) and [b.__name__ for b in own.__bases__] != ["TypeSpec"]:
        raise errors.build(
            ValueError,
            f"{kind.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.",
            "class Spec(tf.TypeSpec): ..., or class Spec: ...",
        )
    body = {k: v for k, v in vars(own or object).items() if k not in ("__dict__", "__weakref__")} if own else {}
    base: type = getattr(kind, "_base_of_specs", ExtensionTypeSpec)
    own_initializer = body.get("__init__")

    def initialize(self: Any, *args: Any, **kwargs: Any) -> None:
        if own_initializer is not None:
            own_initializer(self, *args, **kwargs)
            values = self._given()
        else:
            values = _bind(own_signature, f"{kind.__qualname__}.Spec", args, kwargs).arguments
        self._set_fields(converted_fields(_resolved_fields(kind), values, spec_of_field))

    names = [p.replace(default=inspect.Parameter.empty, annotation=inspect.Parameter.empty) for p in _parameters(kind)]
    names = [p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in names]
    own_signature = inspect.Signature(names[1:])
    body |= {"value_type": kind, "__init__": initialize, "__module__": kind.__module__}
    body["__qualname__"] = f"{kind.__qualname__}.Spec"
    made = type("Spec", (base,), body)
    if own_initializer is None:
        initialize.__signature__ = inspect.Signature(names, return_annotation=made)  # type: ignore[attr-defined]
    else:
        functools.update_wrapper(initialize, own_initializer)
    return made


def with_fields(spec: Any, fields: Mapping[str, Any], kind: Any = None) -> Any:
    """A spec of the same class with other fields, which are not checked again; with a class, a value of it."""
    made = object.__new__(type(spec) if kind is None else kind)
    for name, value in fields.items():
        object.__setattr__(made, name, _frozen(value))
    object.__setattr__(made, _SET, True)
    return made


def as_dict(value: Any) -> dict[str, Any]:
    """The fields of an extension type, by name; those in nested ones stay in them.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    ...     y: int
    >>> tf.experimental.extension_type.as_dict(Point(1, 2))
    {'x': 1, 'y': 2}
    """
    return {f.name: getattr(value, f.name) for f in value._tf_extension_type_fields()}
