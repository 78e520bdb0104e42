"""Messages: objects with typed fields that behave as those of Google's protobuf library do.

A class lists its fields; reading, writing, comparing and showing follow from the list.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from gradtape.core import errors
from gradtape.protos import wire_format
from gradtape.protos.containers import Map, Repeated, RepeatedMessages
from gradtape.protos.fields import Field, accepted, raw, written
from gradtape.protos.scalars import CHECKS, DEFAULTS, check_all, read_repeated, read_scalar
from gradtape.protos.text_format import shown


class Message:
    """Base of all messages.

    Args:
      fields: values by name: numbers, bytes, text, messages or dicts of their fields; iterables for repeated fields,
        mappings for maps.
    """

    FIELDS: ClassVar[dict[str, Field]] = {}

    _values: dict[str, Any]
    _given: set[str]
    _parent: tuple[Message, str] | None
    _unknown: bytes

    def __init__(self, **fields: Any) -> None:
        # Not through `__setattr__`, which is for fields.
        vars(self).update(_values={}, _given=set(), _parent=None, _unknown=b"")
        for name, value in fields.items():
            if value is not None:
                self._fill(name, value)

    def _fill(self, name: str, value: Any) -> None:
        field = self._field(name)
        if field.label == "map":
            own = getattr(self, name)
            for key, item in value.items():
                own[key].CopyFrom(item)
        elif field.label:
            getattr(self, name).extend(value)
        elif isinstance(field.kind, str):
            setattr(self, name, value)
        else:
            made = field.kind(**value) if isinstance(value, Mapping) else value
            self._check_message(field, made)
            getattr(self, name).CopyFrom(made)

    @classmethod
    def _field(cls, name: str) -> Field:
        field = cls.FIELDS.get(name)
        if field is None:
            raise ValueError(f'Protocol message {cls.__name__} has no "{name}" field.')
        return field

    @staticmethod
    def _check_message(field: Field, value: Any) -> None:
        if not isinstance(value, field.kind):
            name = field.kind.__name__
            what = f"Expected a message of class {name}, got {errors.brief(value)}."
            raise TypeError(errors.compose(what, f"tf.train.{name}(value=...).", depth=4))

    def __getattr__(self, name: str) -> Any:
        field = type(self).FIELDS.get(name)
        if field is None:
            raise AttributeError(f"Protocol message {type(self).__name__} has no {name!r} field.")
        found = self._values.get(name)
        if found is None:
            if isinstance(field.kind, str) and not field.label:
                return DEFAULTS[field.kind]
            found = self._values[name] = self._empty(field, name)
        return found

    def _empty(self, field: Field, name: str) -> Any:
        """An empty container or message, which tells this one when something is put into it."""
        if field.label == "map":
            return Map(field.kind, functools.partial(self._touch, name))
        if field.label and isinstance(field.kind, str):
            return Repeated(check_all(field.kind), functools.partial(self._touch, name))
        if field.label:
            return RepeatedMessages(field.kind, functools.partial(self._touch, name))
        made = field.kind()
        made._parent = (self, name)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        field = type(self).FIELDS.get(name)
        if field is None or field.label or not isinstance(field.kind, str):
            raise AttributeError(
                f"Assignment not allowed to {'unknown' if field is None else 'message, map or repeated'} field "
                f'"{name}" in {type(self).__name__}: use CopyFrom, extend or [:].'
            )
        self._values[name] = CHECKS[field.kind](value)
        self._touch(name)

    def _touch(self, name: str) -> None:
        """A field has got a value: others of its group lose theirs, and the message around this one has one too."""
        if name not in self._given:
            self._given.add(name)
            group = type(self).FIELDS[name].oneof
            if group:
                for other, field in type(self).FIELDS.items():
                    if field.oneof == group and other != name:
                        self.ClearField(other)
        self._changed()

    def _changed(self) -> None:
        if self._parent is not None:
            self._parent[0]._touch(self._parent[1])

    def SetInParent(self) -> None:  # noqa: N802 - protobuf's name
        """Mark this message as set although it is empty."""
        self._changed()

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """True if a single field has been given."""
        if self._field(field_name).label:
            raise ValueError(f'Field "{field_name}" of {type(self).__name__} is repeated: ask for its length.')
        return field_name in self._given

    def WhichOneof(self, oneof_group: str) -> str | None:  # noqa: N802
        """The name of the field of a group that is given, None if none is."""
        names = [name for name, field in type(self).FIELDS.items() if field.oneof == oneof_group]
        if not names:
            raise ValueError(f'Protocol message {type(self).__name__} has no oneof "{oneof_group}" field.')
        return next((name for name in names if name in self._given), None)

    def ClearField(self, field_name: str) -> None:  # noqa: N802
        """Clear the value of a field."""
        self._field(field_name)
        self._given.discard(field_name)
        old = self._values.pop(field_name, None)
        if isinstance(old, Message):
            old._parent = None

    def Clear(self) -> None:  # noqa: N802
        """Clear the values of all fields."""
        for name in list(self._values):
            self.ClearField(name)
        self._unknown = b""

    def CopyFrom(self, other_msg: Any) -> None:  # noqa: N802
        """Become a copy of another message of the class."""
        self._check_class(other_msg)
        if other_msg is not self:
            self.Clear()
            self._copy(other_msg)
            self._changed()

    def _copy(self, other: Message) -> None:
        """Take over copies of all values, as an empty message, without telling anyone."""
        for name, value in other._values.items():
            if isinstance(value, Message):
                made = self._values[name] = type(value)()
                made._copy(value)
                vars(made)["_parent"] = (self, name)
            else:
                is_single = isinstance(value, (int, float, str, bytes))
                self._values[name] = value if is_single else value.twin(functools.partial(self._touch, name))
        self._given.update(other._given)
        vars(self)["_unknown"] = other._unknown

    def _check_class(self, other: Any) -> None:
        if not isinstance(other, type(self)):
            fix = (
                "tf.train.Feature(float_list=tf.train.FloatList(value=[1.0]))."
                if type(self).__name__ == "Feature"
                else ""
            )
            what = f"Expected a message of class {type(self).__name__}, got {errors.brief(other)}."
            raise TypeError(errors.compose(what, fix or f"tf.train.{type(self).__name__}(...).", depth=3))

    def MergeFrom(self, other_msg: Any) -> None:  # noqa: N802
        """Take over what another message of the class holds: single values replace, repeated ones are appended."""
        self._check_class(other_msg)
        for name, value in other_msg._present():
            field = type(self).FIELDS[name]
            if field.label == "map":
                getattr(self, name).MergeFrom(value)
            elif field.label:
                getattr(self, name).take_over(value)
            elif isinstance(field.kind, str):
                setattr(self, name, value)
            else:
                getattr(self, name).MergeFrom(value)
                self._touch(name)
        self._unknown += other_msg._unknown
        self._changed()

    def ListFields(self) -> list[tuple[Field, Any]]:  # noqa: N802
        """The fields that hold something, in the order of their numbers."""
        return [(type(self).FIELDS[name], value) for name, value in self._present()]

    def _present(self) -> Iterator[tuple[str, Any]]:
        for name, field in type(self).FIELDS.items():
            value = self._values.get(name)
            if value is None or (len(value) == 0 if field.label else name not in self._given):
                continue
            if not field.label and isinstance(field.kind, str) and not field.oneof and value == DEFAULTS[field.kind]:
                continue
            yield name, value

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:  # noqa: N802
        """The message as bytes; maps in the order of their keys if `deterministic`."""
        parts = [written(type(self).FIELDS[name], value, bool(deterministic)) for name, value in self._present()]
        return b"".join([*parts, self._unknown])

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:  # noqa: N802
        """The size of the message in bytes."""
        return len(self.SerializeToString())

    def IsInitialized(self) -> bool:  # noqa: N802
        """True: there are no required fields."""
        return True

    def ParseFromString(self, serialized: Any) -> int:  # noqa: N802
        """Replace the message by one parsed from bytes; returns their number."""
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized: Any) -> int:  # noqa: N802
        """Merge a message parsed from bytes."""
        data = bytes(serialized)
        numbers = _numbers(type(self))
        try:
            for number, kind, value in wire_format.fields(data):
                name = numbers.get(number)
                if name is None or kind not in accepted(type(self).FIELDS[name]):
                    self._unknown += raw(number, kind, value)
                else:
                    self._read(name, kind, value)
        except (wire_format.WireError, struct.error, UnicodeDecodeError) as problem:
            raise DecodeError(f"Error parsing message with type {type(self).__name__!r}: {problem}") from None
        return len(data)

    def _read(self, name: str, kind: int, value: Any) -> None:
        field = type(self).FIELDS[name]
        if field.label == "map":
            parts = list(wire_format.fields(value))
            if any(n in (1, 2) and k != wire_format.BYTES for n, k, _ in parts):
                self._unknown += raw(field.number, kind, value)
                return
            entry = {n: v for n, _, v in parts}
            getattr(self, name)[entry.get(1, b"").decode()].ParseFromString(entry.get(2, b""))
        elif field.label and isinstance(field.kind, str):
            getattr(self, name).take_over(read_repeated(field.kind, kind, value))
        elif field.label:
            getattr(self, name).add().MergeFromString(value)
        elif isinstance(field.kind, str):
            setattr(self, name, read_scalar(field.kind, value))
        else:
            getattr(self, name).MergeFromString(value)
            self._touch(name)

    @classmethod
    def FromString(cls, s: Any) -> Self:  # noqa: N802
        """The message parsed from bytes."""
        made = cls()
        made.MergeFromString(s)
        return made

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return shown(self._text())

    __str__ = __repr__

    def _text(self) -> list[tuple[str, Any]]:
        """Names and values, of messages in lists of such pairs, in the order in which they are shown."""
        found: list[tuple[str, Any]] = []
        for name, value in self._present():
            field = type(self).FIELDS[name]
            if field.label == "map":
                found += [(name, [("key", key), ("value", value[key]._text())]) for key in sorted(value)]
            else:
                items = value if field.label else [value]
                shorter = np.float32 if field.kind == "float" else lambda item: item
                found += [(name, item._text() if isinstance(item, Message) else shorter(item)) for item in items]
        return found

    def __deepcopy__(self, memo: Any) -> Self:
        return type(self).FromString(self.SerializeToString())

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.SerializeToString())


class DecodeError(ValueError):
    """The bytes are not a message of the class."""


def _restored(kind: type[Message], data: bytes) -> Message:
    return kind.FromString(data)


def _numbers(kind: type[Message]) -> dict[int, str]:
    return {field.number: name for name, field in kind.FIELDS.items()}
