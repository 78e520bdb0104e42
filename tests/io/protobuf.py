"""Classes of `tf.train.Example` by Google's protobuf library, as an independent reference."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_TYPES = {"bytes": 12, "string": 9, "float": 2, "int64": 3}
# Fields: name, number, type (a message's name for messages), whether there are several.
_MESSAGES: dict[str, list[tuple[str, int, str, bool]]] = {
    "BytesList": [("value", 1, "bytes", True)],
    "FloatList": [("value", 1, "float", True)],
    "Int64List": [("value", 1, "int64", True)],
    "Feature": [
        ("bytes_list", 1, "BytesList", False), ("float_list", 2, "FloatList", False), ("int64_list", 3, "Int64List", False),
    ],
    "Features": [("feature", 1, "Features.FeatureEntry", True)],
    "FeatureList": [("feature", 1, "Feature", True)],
    "FeatureLists": [("feature_list", 1, "FeatureLists.FeatureListEntry", True)],
    "Example": [("features", 1, "Features", False)],
    "SequenceExample": [("context", 1, "Features", False), ("feature_lists", 2, "FeatureLists", False)],
}  # fmt: skip
_ENTRIES = {"Features": ("FeatureEntry", "Feature"), "FeatureLists": ("FeatureListEntry", "FeatureList")}


def _add(message: Any, name: str, number: int, kind: str, several: bool) -> Any:
    field = message.field.add(name=name, number=number, label=3 if several else 1)
    if kind in _TYPES:
        field.type = _TYPES[kind]
    else:
        field.type, field.type_name = 11, f".reference.{kind}"
    return field


def classes() -> dict[str, Any]:
    """The classes by name."""
    file = descriptor_pb2.FileDescriptorProto(name="reference.proto", package="reference", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field in fields:
            _add(message, *field)
        if name == "Feature":
            message.oneof_decl.add(name="kind")
            for made in message.field:
                made.oneof_index = 0
        if name in _ENTRIES:
            entry = message.nested_type.add(name=_ENTRIES[name][0])
            entry.options.map_entry = True
            _add(entry, "key", 1, "string", False)
            _add(entry, "value", 2, _ENTRIES[name][1], False)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {n: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"reference.{n}")) for n in _MESSAGES}
