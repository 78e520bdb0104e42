"""The fields of extension types: which annotations there are, and how values are checked and converted."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_LITERALS = (int, float, bool, str, bytes, type(None))


class ImmutableDict(Mapping):  # type: ignore[type-arg]
    """A mapping that cannot be changed: what fields annotated with `typing.Mapping` hold."""

    __slots__ = ("_items",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __contains__(self, key: Any) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"

    def __reduce__(self) -> Any:
        return ImmutableDict, (self._items,)


class Sentinel:
    """A value that is nothing that a user could give."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


NO_DEFAULT = Sentinel("ExtensionTypeField.NO_DEFAULT")


class _Field(NamedTuple):
    name: str
    value_type: Any
    default: Any = NO_DEFAULT


class ExtensionTypeField(_Field):
    """A field of an extension type: its name, its annotation and its default."""

    __slots__ = ()
    NO_DEFAULT = NO_DEFAULT

    def __new__(cls, name: str, value_type: Any, default: Any = NO_DEFAULT) -> Any:
        """The field, after a check of the annotation and of the default."""
        try:
            check_kind(value_type)
        except TypeError as problem:
            raise errors.build(
                TypeError,
                f"In field {name!r}: {problem}.",
                "annotate fields with tf.Tensor, tf.TensorShape, tf.DType, bool, int, float, str, bytes, extension types, or tuples, typing.Mapping and unions of them.",
            ) from None
        if default is not NO_DEFAULT:
            default = converted(default, value_type, f"default value for {name}", default_of_field)
        return super().__new__(cls, name, value_type, default)

    @staticmethod
    def is_reserved_name(name: str) -> bool:
        """True for names that the library uses itself."""
        return name in _RESERVED or name.lower().startswith("_tf_extension_type")


_RESERVED = frozenset(
    [
        "self",
        "Spec",
        "_type_spec",
        "_shape_invariant_to_type_spec",
        "_consumers",
        "value_type",
        "is_compatible_with",
        "most_specific_compatible_type",
        "_with_tensor_ranks_only",
        "_to_components",
        "_from_components",
        "_component_specs",
        "_to_tensor_list",
        "_from_tensor_list",
        "_from_compatible_tensor_list",
        "_flat_tensor_specs",
        "_serialize",
        "_deserialize",
        "_to_legacy_output_types",
        "_to_legacy_output_shapes",
        "_to_legacy_output_classes",
        "_keras_mask",
    ]
)


def check_kind(kind: Any, is_key: bool = False) -> None:
    """Refuse annotations of which extension types have no fields. Names of classes are looked up later."""
    if isinstance(kind, (str, typing.ForwardRef)) or kind is None:
        return
    kind = _without_notes(kind)
    if kind in _LITERALS or kind is dtypes.DType:
        return
    if _is_of_tensors(kind) or kind is TensorShape:
        if is_key:
            raise TypeError(f"Mapping had a key {kind.__name__!r} with type {type(kind).__name__!r}")
        return
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple or origin is typing.Union:
        for item in inner:
            if not (item is ... and origin is tuple and len(inner) == 2):
                check_kind(item, is_key)
        return
    if _is_mapping(kind):
        check_kind(inner[0], True)
        check_kind(inner[1], is_key)
        return
    shown = kind.__name__ if isinstance(kind, type) and not isinstance(kind, types.GenericAlias) else kind
    raise TypeError(f"Unsupported type annotation {shown!r}")


def _without_notes(kind: Any) -> Any:
    """A type without the notes of `typing.Annotated`."""
    return kind.__origin__ if typing.get_origin(kind) is typing.Annotated else kind


def _is_of_tensors(kind: Any) -> bool:
    return kind is Tensor or (
        isinstance(kind, type)
        and not isinstance(kind, types.GenericAlias)
        and issubclass(kind, (Composite, IndexedSlices, Variable))
    )


def _is_mapping(kind: Any) -> bool:
    return typing.get_origin(kind) in (Mapping, typing.Mapping) and len(typing.get_args(kind)) == 2


def resolved(kind: Any, module: str) -> Any:
    """An annotation whose names of classes are replaced by the classes; TypeError if there is no such name."""
    if isinstance(kind, (str, typing.ForwardRef)):
        text = kind if isinstance(kind, str) else kind.__forward_arg__
        try:
            found = eval(text, vars(sys.modules[module]))
        except (AttributeError, NameError, SyntaxError):
            raise TypeError(f"Unresolved forward reference {text!r}") from None
        return resolved(found, module)
    kind = _without_notes(kind)
    inner = typing.get_args(kind)
    if not any(_has_names(item) for item in inner):
        return kind
    known = tuple([resolved(item, module) if item is not ... else item for item in inner])
    if typing.get_origin(kind) is typing.Union:
        return typing.Union[known]  # noqa: UP007 - the members are only known here
    return kind.copy_with(known) if hasattr(kind, "copy_with") else typing.get_origin(kind)[known]


def _has_names(kind: Any) -> bool:
    return isinstance(kind, (str, typing.ForwardRef)) or any(_has_names(item) for item in typing.get_args(kind))


# How a leaf of a field is converted: of a value, of a spec, or of the default in a class.


def tensor_of_value(value: Any, kind: Any, path: str) -> Any:
    """A field that holds tensors."""
    if kind is not Tensor:
        if not isinstance(value, kind):
            raise TypeError(f"{path}: expected {kind.__name__!r}, got {type(value).__name__!r}")
        return value
    if isinstance(value, Tensor):
        return value
    try:
        return convert.convert_to_tensor(value)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}") from problem


def spec_of_field(value: Any, kind: Any, path: str) -> Any:
    """A field of a spec, where the value has tensors."""
    if kind is Tensor:
        if not (isinstance(value, TensorSpec) or getattr(value, "value_type", None) is Tensor):
            raise TypeError(f"{path}: expected a TensorSpec, got {type(value).__name__!r}")
        return value
    of = getattr(value, "value_type", None)
    if not (isinstance(value, CompositeSpec) or hasattr(value, "_serialize")) or (
        isinstance(of, type) and not issubclass(of, kind)
    ):
        raise TypeError(f"{path}: expected a TypeSpec for {kind.__name__!r}, got {type(value).__name__!r}")
    return value


def default_of_field(value: Any, kind: Any, path: str) -> Any:
    """A default, which becomes a tensor in each object."""
    return value if kind is Tensor else tensor_of_value(value, kind, path)


def converted(value: Any, kind: Any, path: str, leaf: Callable[[Any, Any, str], Any] = tensor_of_value) -> Any:
    """A value as its annotation says; TypeError, with the path to what is wrong, if it is something else."""
    kind = type(None) if kind is None else _without_notes(kind)
    if _is_of_tensors(kind):
        return leaf(value, kind, path)
    if kind is TensorShape:
        return _made(TensorShape, value, path, "tf.TensorShape")
    if kind is dtypes.DType:
        return _made(dtypes.as_dtype, value, path, "tf.DType")
    if kind in _LITERALS:
        if not isinstance(value, kind):
            raise TypeError(f"{path}: expected {kind.__name__!r}, got {type(value).__name__!r}")
        return value
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _tuple(value, inner, path, leaf)
    if _is_mapping(kind):
        if not isinstance(value, Mapping):
            raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
        return ImmutableDict(
            (converted(k, inner[0], f"{path}[<key>]", leaf), converted(v, inner[1], f"{path}[{k!r}]", leaf))
            for k, v in value.items()
        )
    if origin is typing.Union:
        for option in inner:
            try:
                return converted(value, option, path, leaf)
            except TypeError:
                continue
        raise TypeError(f"{path}: expected {kind!r}, got {type(value).__name__!r}")
    raise TypeError(f"{path}: Unsupported type annotation {kind!r}")


def _made(make: Callable[[Any], Any], value: Any, path: str, name: str) -> Any:
    try:
        return make(value)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{path}: expected {name!r}, got {type(value).__name__!r}") from problem


def _tuple(value: Any, inner: tuple[Any, ...], path: str, leaf: Callable[[Any, Any, str], Any]) -> Any:
    if not isinstance(value, Sequence):
        raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
    kinds = inner
    if len(inner) == 2 and inner[1] is ...:
        kinds = (inner[0],) * len(value)
    if len(value) != len(kinds):
        raise TypeError(f"{path}: expected tuple with length {len(kinds)}, got {type(value).__name__!r})")
    return tuple([converted(v, k, f"{path}[{i}]", leaf) for i, (v, k) in enumerate(zip(value, kinds, strict=True))])


def converted_fields(
    fields: Sequence[ExtensionTypeField],
    values: Mapping[str, Any],
    leaf: Callable[[Any, Any, str], Any] = tensor_of_value,
) -> dict[str, Any]:
    """All fields of an object or a spec; ValueError if some are missing or too many."""
    extra = set(values) - {f.name for f in fields}
    if extra:
        raise errors.build(
            ValueError,
            f"Got unexpected fields: {extra}.",
            f"pass the fields of the class: {', '.join([f.name for f in fields])}.",
        )
    missing = {f.name for f in fields} - set(values)
    if missing:
        raise errors.build(
            ValueError,
            f"Missing required fields: {missing}.",
            f"pass them, or give them defaults: {sorted(missing)[0]}: tf.Tensor = 0.0.",
        )
    found = {}
    for f in fields:
        try:
            found[f.name] = converted(values[f.name], f.value_type, f.name, leaf)
        except TypeError as problem:
            kind = getattr(f.value_type, "__name__", f.value_type)
            fix = f"pass what the annotation says, or change it: {f.name}: {kind}."
            raise errors.build(TypeError, f"{problem}.", fix) from problem.__cause__
    return found
