"""`tf.train.Example` and the other messages against Google's protobuf library."""

from __future__ import annotations

import copy
import importlib.util
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.protos import wire_format

_SPEC: Any = importlib.util.spec_from_file_location("protobuf_reference", Path(__file__).parent / "protobuf.py")
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
REFERENCE = _MODULE.classes()

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOAT = st.floats(width=32, allow_nan=False)
FEATURES = st.dictionaries(
    st.text(max_size=5),
    st.one_of(
        st.tuples(st.just("bytes_list"), st.lists(st.binary(max_size=6), max_size=4)),
        st.tuples(st.just("float_list"), st.lists(FLOAT, max_size=20)),
        st.tuples(st.just("int64_list"), st.lists(INT64, max_size=60)),
    ),
    max_size=4,
)


def filled(example: Any, features: dict[str, Any]) -> Any:
    """An Example of one library or the other."""
    for key, (kind, values) in features.items():
        part = getattr(example.features.feature[key], kind)
        part.SetInParent()
        part.value.extend(values)
    return example


@settings(deadline=None, max_examples=60)
@given(FEATURES)
def test_bytes_are_those_of_protobuf(features: dict[str, Any]) -> None:
    ours, theirs = filled(tf.train.Example(), features), filled(REFERENCE["Example"](), features)
    assert REFERENCE["Example"].FromString(ours.SerializeToString()) == theirs
    assert tf.train.Example.FromString(theirs.SerializeToString()) == ours
    if len(features) < 2:  # the order of maps is free
        assert ours.SerializeToString() == theirs.SerializeToString()
        assert str(ours) == str(theirs)


@settings(deadline=None, max_examples=60)
@given(st.lists(INT64, max_size=80))
def test_packed_varints(values: list[int]) -> None:
    data = b"".join([wire_format.varint(v) for v in values])
    assert wire_format.packed_varints(np.array(values, np.int64)) == data
    assert wire_format.unpacked_varints(data).tolist() == values


def test_tensorflow_s_bytes() -> None:
    features = {"a": ("float_list", [2.0]), "b": ("float_list", [1.0])}
    data = b"\n\x1e\n\r\n\x01a\x12\x08\x12\x06\n\x04\x00\x00\x00@\n\r\n\x01b\x12\x08\x12\x06\n\x04\x00\x00\x80?"
    assert filled(tf.train.Example(), features).SerializeToString(deterministic=True) == data


def test_constructors() -> None:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=np.arange(3)))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
    assert example.features.feature["x"].int64_list.value == [0, 1, 2]
    as_dict = tf.train.Example(features={"feature": {"x": feature}})
    assert as_dict == example
    with pytest.raises(ValueError, match='has no "nothing" field'):
        tf.train.Example(nothing=3)
    with pytest.raises(TypeError, match="Expected a message of class Features"):
        tf.train.Example(features=3)


def test_one_of_several_kinds() -> None:
    feature = tf.train.Feature()
    assert feature.WhichOneof("kind") is None
    feature.bytes_list.value.append(b"a")
    assert feature.WhichOneof("kind") == "bytes_list"
    feature.float_list.value.append(1)
    assert feature.WhichOneof("kind") == "float_list"
    assert not feature.HasField("bytes_list")
    assert len(feature.bytes_list.value) == 0
    assert tf.train.Feature(bytes_list=tf.train.BytesList()).WhichOneof("kind") == "bytes_list"
    feature.ClearField("float_list")
    assert feature.SerializeToString() == b""


def test_reading_sets_nothing() -> None:
    example = tf.train.Example()
    assert len(example.features.feature) == 0
    assert not example.HasField("features")
    assert "x" not in example.features.feature
    assert example.features.feature.get("x") is None
    assert example.SerializeToString() == b""
    example.features.feature["x"].float_list.value.append(1.0)
    assert example.HasField("features")


def test_repeated_fields_are_lists() -> None:
    values = tf.train.Int64List(value=[3, 1]).value
    values.append(2)
    values[:1] = [5, 6]
    values.insert(0, 9)
    assert list(values) == [9, 5, 6, 1, 2]
    values.sort()
    assert (values[-1], values[1:3], len(values), 6 in values) == (9, [2, 5], 5, True)
    del values[0]
    assert values.pop() == 9
    assert np.array(values).tolist() == [2, 5, 6]


@pytest.mark.parametrize(
    ("kind", "value"), [("BytesList", "text"), ("Int64List", 1.5), ("FloatList", "1"), ("Int64List", b"1")]
)
def test_types_are_checked(kind: str, value: Any) -> None:
    with pytest.raises(TypeError, match="but expected one of"):
        getattr(tf.train, kind)(value=[value])


def test_ranges_are_checked() -> None:
    with pytest.raises(ValueError, match="Value out of range"):
        tf.train.Int64List(value=[2**63])


def test_maps_and_messages_are_not_assigned() -> None:
    example = tf.train.Example()
    with pytest.raises(AttributeError, match="Assignment not allowed"):
        example.features = tf.train.Features()
    with pytest.raises(ValueError, match="May not set values directly"):
        example.features.feature["x"] = tf.train.Feature()
    with pytest.raises(AttributeError, match="no 'nothing' field"):
        _ = example.nothing


def test_copies() -> None:
    example = filled(tf.train.Example(), {"x": ("float_list", [1.0])})
    other = tf.train.Example()
    other.CopyFrom(example)
    other.features.feature["x"].float_list.value.append(2.0)
    assert example.features.feature["x"].float_list.value == [1.0]
    assert copy.deepcopy(example) == example
    assert pickle.loads(pickle.dumps(example)) == example
    other.MergeFrom(filled(tf.train.Example(), {"y": ("int64_list", [1])}))
    assert sorted(other.features.feature) == ["x", "y"]
    other.Clear()
    assert other == tf.train.Example()


def test_sequence_examples() -> None:
    def fill(record: Any) -> Any:
        record.context.feature["n"].int64_list.value.append(2)
        for word in (b"to", b"be"):
            record.feature_lists.feature_list["w"].feature.add().bytes_list.value.append(word)
        return record

    ours, theirs = fill(tf.train.SequenceExample()), fill(REFERENCE["SequenceExample"]())
    assert ours.SerializeToString(deterministic=True) == theirs.SerializeToString(deterministic=True)
    assert str(ours) == str(theirs)
    read = tf.train.SequenceExample()
    assert read.ParseFromString(theirs.SerializeToString()) == ours.ByteSize()
    assert read == ours


def test_fields_of_other_versions_are_kept() -> None:
    data = wire_format.delimited(7, b"new") + wire_format.tag(8, wire_format.VARINT) + wire_format.varint(300)
    assert tf.train.Example.FromString(data).SerializeToString() == data


def test_numbers_that_are_not_packed() -> None:
    ints = b"".join([wire_format.tag(1, wire_format.VARINT) + wire_format.varint(n) for n in (1, -1)])
    assert tf.train.Int64List.FromString(ints).value == [1, -1]
    floats = b"".join([wire_format.tag(1, wire_format.FOUR) + np.float32(n).tobytes() for n in (1, -1)])
    assert tf.train.FloatList.FromString(floats).value == [1.0, -1.0]


@pytest.mark.parametrize("data", [b"\n", b"\n\x05abc", b"\xff" * 12, b"\x0f", b"\n\x03\n\x01\n"])
def test_damaged_bytes(data: bytes) -> None:
    with pytest.raises(ValueError, match="Error parsing message with type"):
        tf.train.Example.FromString(data)


def test_text() -> None:
    feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'a"\n\xff']))
    assert str(feature) == 'bytes_list {\n  value: "a\\"\\n\\377"\n}\n'
    assert str(tf.train.FloatList(value=[0.1, 1e20, 2.5, 3])) == "value: 0.1\nvalue: 1e+20\nvalue: 2.5\nvalue: 3\n"
