"""`tf.io.parse_example`: expected values are TensorFlow's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

io = tf.io


def floats(*values: float) -> tf.train.Feature:
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def integers(*values: int) -> tf.train.Feature:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def texts(*values: bytes) -> tf.train.Feature:
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def record(**features: tf.train.Feature) -> bytes:
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


A = record(x=floats(1, 2), y=integers(5), s=texts(b"q", b"r"), at=integers(3, 0), v=floats(0.5, 0.25))
B = record(x=floats(3, 4), y=integers(6, 7), s=texts(), at=integers(1), v=floats(0.75))
C = record(y=integers())


def same(sparse: Any, indices: Any, values: Any, shape: Any) -> None:
    """Compare a sparse tensor with what it should hold."""
    assert isinstance(sparse, tf.SparseTensor)
    np.testing.assert_array_equal(sparse.indices, np.array(indices).reshape(-1, len(shape)))
    assert sparse.values.numpy().tolist() == values
    np.testing.assert_array_equal(sparse.dense_shape, shape)


def test_fixed_length() -> None:
    found = io.parse_example([A, B], {"x": io.FixedLenFeature([2], tf.float32)})["x"]
    assert found.dtype == tf.float32
    np.testing.assert_array_equal(found, [[1, 2], [3, 4]])
    shaped = io.parse_example([A], {"x": io.FixedLenFeature([2, 1], tf.float32), "y": io.FixedLenFeature([], tf.int64)})
    assert shaped["x"].shape == (1, 2, 1)
    np.testing.assert_array_equal(shaped["y"], [5])
    assert io.parse_example([A], {"s": io.FixedLenFeature([2], tf.string)})["s"].numpy().tolist() == [[b"q", b"r"]]


def test_defaults() -> None:
    found = io.parse_example([A, C], {"x": io.FixedLenFeature([2], tf.float32, [9, 8])})["x"]
    np.testing.assert_array_equal(found, [[1, 2], [9, 8]])
    found = io.parse_example([C], {"s": io.FixedLenFeature([], tf.string, "none")})["s"]
    assert found.numpy().tolist() == [b"none"]


def test_variable_length() -> None:
    same(
        io.parse_example([A, B, C], {"y": io.VarLenFeature(tf.int64)})["y"], [[0, 0], [1, 0], [1, 1]], [5, 6, 7], [3, 2]
    )
    same(io.parse_example([A], {"no": io.VarLenFeature(tf.int64)})["no"], [], [], [1, 0])
    same(io.parse_single_example(A, {"y": io.VarLenFeature(tf.int64)})["y"], [[0]], [5], [1])


def test_sequences_in_a_feature() -> None:
    found = io.parse_example([A, B, C], {"y": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)})["y"]
    np.testing.assert_array_equal(found, [[5, 0], [6, 7], [0, 0]])
    feature = io.FixedLenSequenceFeature([1], tf.float32, allow_missing=True, default_value=-1)
    found = io.parse_example([A, C], {"x": feature})["x"]
    np.testing.assert_array_equal(found, [[[1], [2]], [[-1], [-1]]])
    single = io.parse_single_example(A, {"s": io.FixedLenSequenceFeature([], tf.string, allow_missing=True)})["s"]
    assert single.numpy().tolist() == [b"q", b"r"]


def test_sparse_features() -> None:
    feature = io.SparseFeature("at", "v", tf.float32, 10)
    same(io.parse_example([A, B], {"z": feature})["z"], [[0, 0], [0, 3], [1, 1]], [0.25, 0.5, 0.75], [2, 10])
    same(io.parse_single_example(A, {"z": feature})["z"], [[0], [3]], [0.25, 0.5], [10])
    feature = io.SparseFeature(["at", "at"], "v", tf.float32, [10, 11], already_sorted=True)
    same(io.parse_example([A], {"z": feature})["z"], [[0, 3, 3], [0, 0, 0]], [0.5, 0.25], [1, 10, 11])


def test_ragged_features() -> None:
    found = io.parse_example([A, B, C], {"y": io.RaggedFeature(tf.int64)})["y"]
    assert found.to_list() == [[5], [6, 7], []]
    assert found.row_splits.dtype == tf.int32
    np.testing.assert_array_equal(io.parse_single_example(B, {"y": io.RaggedFeature(tf.int64)})["y"], [6, 7])


KINDS = {
    "RowLengths": [2, 0, 1], "RowSplits": [0, 2, 2, 3], "RowStarts": [0, 2, 2], "RowLimits": [2, 2, 3],
    "ValueRowIds": [0, 0, 2],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_partitions(kind: str) -> None:
    data = record(v=floats(1, 2, 3), p=integers(*KINDS[kind]))
    feature = io.RaggedFeature(tf.float32, "v", [getattr(io.RaggedFeature, kind)("p")], row_splits_dtype=tf.int64)
    assert io.parse_single_example(data, {"r": feature})["r"].to_list() == [[1, 2], [], [3]]
    batch = io.parse_example([data, data], {"r": feature})["r"]
    assert batch.to_list() == [[[1, 2], [], [3]]] * 2
    assert batch.row_splits.dtype == tf.int64


def test_nested_partitions() -> None:
    data = record(v=floats(1, 2, 3, 4), p=integers(1, 1))
    parts = [io.RaggedFeature.RowLengths("p"), io.RaggedFeature.UniformRowLength(2)]
    feature = io.RaggedFeature(tf.float32, "v", parts)
    assert io.parse_single_example(data, {"r": feature})["r"].to_list() == [[[1, 2]], [[3, 4]]]
    assert io.parse_example([data, data], {"r": feature})["r"].to_list() == [[[[1, 2]], [[3, 4]]]] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"RowLengths\('p'\) divides 2 values, but there are 4"):
        io.parse_example([data], {"r": io.RaggedFeature(tf.float32, "v", [io.RaggedFeature.RowLengths("p")])})
    with pytest.raises(TypeError, match=r"partitions must be a list of partitions, got \['p'\]"):
        io.RaggedFeature(tf.float32, "v", ["p"])


def test_one_record() -> None:
    features = {"x": io.FixedLenFeature([2], tf.float32), "y": io.FixedLenFeature([], tf.int64)}
    for found in (io.parse_single_example(A, features), io.parse_example(A, features)):
        np.testing.assert_array_equal(found["x"], [1, 2])
        assert found["y"].shape == ()


def test_no_record() -> None:
    features = {"x": io.FixedLenFeature([2], tf.float32), "y": io.VarLenFeature(tf.int64)}
    found = io.parse_example(tf.constant([], tf.string), features)
    assert found["x"].shape == (0, 2)
    same(found["y"], [], [], [0, 0])


def test_records_of_other_writers() -> None:
    # Numbers that are not packed, and the same field twice, of which the last counts.
    unpacked = b"\n\x11\n\x0f\n\x01x\x12\n\x12\x08\r\x00\x00\x80?" + b"\x08\x00"
    data = tf.train.Example.FromString(record(x=floats(9)))
    merged = data.SerializeToString() + record(x=floats(1, 2))
    np.testing.assert_array_equal(io.parse_example([merged], {"x": io.FixedLenFeature([2], tf.float32)})["x"], [[1, 2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="parse"):
        io.parse_example([unpacked[:-4]], {"x": io.FixedLenFeature([1], tf.float32)})


def test_shapes_in_functions() -> None:
    features = {
        "x": io.FixedLenFeature([2], tf.float32),
        "y": io.VarLenFeature(tf.int64),
        "q": io.FixedLenSequenceFeature([3], tf.int64, True),
    }

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(data: tf.Tensor) -> Any:
        found = io.parse_example(data, features)
        assert found["x"].shape.as_list() == [None, 2]
        assert found["q"].shape.as_list() == [None, None, 3]
        assert found["y"].values.shape.as_list() == [None]
        return found["x"] * 2.0, found["y"]

    for batch in ([A, B], [A]):
        doubled, sparse = parse(tf.constant(batch))
        np.testing.assert_array_equal(doubled, [[2, 4], [6, 8]][: len(batch)])
        assert sparse.values.shape[0] == (3 if len(batch) == 2 else 1)


def test_in_a_dataset(tmp_path: Path) -> None:
    with io.TFRecordWriter(str(tmp_path / "a.tfrecord")) as writer:
        for data in (A, B):
            writer.write(data)
    features = {"x": io.FixedLenFeature([2], tf.float32)}
    ds = tf.data.TFRecordDataset(str(tmp_path / "a.tfrecord"))
    single = ds.map(lambda data: io.parse_single_example(data, features)).batch(2)
    assert single.element_spec["x"].shape.as_list() == [None, 2]
    batched = ds.batch(2).map(lambda data: io.parse_example(data, features))
    for found in (next(iter(single)), next(iter(batched))):
        np.testing.assert_array_equal(found["x"], [[1, 2], [3, 4]])


def test_make_batched_features_dataset(tmp_path: Path) -> None:
    for number in range(2):
        with io.TFRecordWriter(str(tmp_path / f"{number}.tfrecord")) as writer:
            for i in range(3):
                writer.write(record(n=integers(3 * number + i), label=integers(i)))
    features = {key: io.FixedLenFeature([], tf.int64) for key in ("n", "label")}
    make = tf.data.experimental.make_batched_features_dataset
    ds = make(f"{tmp_path}/*", 4, features, label_key="label", num_epochs=1, shuffle_seed=1)
    found = list(ds)
    assert sorted(n for x, _ in found for n in x["n"].numpy()) == list(range(6))
    assert [label.shape[0] for _, label in found] == [4, 2]
    endless = make(f"{tmp_path}/*", 4, features, shuffle=False)
    assert [b["n"].numpy().tolist() for b in endless.take(2)] == [[0, 1, 2, 3], [4, 5, 0, 1]]
    with pytest.raises(ValueError, match="must be one of the `features` keys"):
        make(f"{tmp_path}/*", 4, features, label_key="nothing")


@pytest.mark.parametrize(
    ("data", "feature", "kind", "text"),
    [
        ([A, C], io.FixedLenFeature([2], tf.float32), tf.errors.InvalidArgumentError, r"Feature: x \(data type: float\) is"),
        ([A], io.FixedLenFeature([2], tf.int64), tf.errors.InvalidArgumentError, r"Data type: float but expected type: int"),
        ([A], io.FixedLenFeature([3], tf.float32), tf.errors.InvalidArgumentError, r"Values size: 2 but output shape: \[3\]"),
        ([A], io.FixedLenFeature([2], tf.int32), TypeError, r"x is int32: it is not in the list of allowed values"),
        ([A], io.FixedLenFeature([2], tf.float32, 0.0), ValueError, r"default value of feature x has shape \[\]"),
        ([A], io.FixedLenFeature([None], tf.float32), ValueError, r"First dimension of shape for feature x unknown"),
        ([A], io.FixedLenSequenceFeature([], tf.float32), ValueError, r"requires allow_missing to be True"),
        ([A], io.FixedLenSequenceFeature([3], tf.float32, True), tf.errors.InvalidArgumentError, r"not a multiple of stride"),
        ([A], io.SparseFeature("y", "x", tf.float32, 9), tf.errors.InvalidArgumentError, r"2 values in x, but 1 indices in y"),
        ([A], io.SparseFeature(["y"], "x", tf.float32, [9, 9]), ValueError, r"as many sizes as index keys"),
        ([A], io.VarLenFeature(None), ValueError, r"Missing type for feature x"),
        ([A], 3, ValueError, r"Unsupported int 3 for key 'x'"),
        ([[A]], io.VarLenFeature(tf.float32), ValueError, r"to be a scalar or vector, got shape: \(1, 1\)"),
        ([b"\n\x05x"], io.VarLenFeature(tf.float32), tf.errors.InvalidArgumentError, r"Could not parse example input"),
    ],
)  # fmt: skip
def test_refuses(data: Any, feature: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        io.parse_example(data, {"x": feature})


def test_names_of_records_are_told() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: second, Feature: x"):
        io.parse_example([A, C], {"x": io.FixedLenFeature([2], tf.float32)}, example_names=["first", "second"])


def test_other_misuse() -> None:
    with pytest.raises(ValueError, match="cannot be None or falsy"):
        io.parse_example([A], {})
    with pytest.raises(ValueError, match="must be a scalar"):
        io.parse_single_example([A], {"x": io.VarLenFeature(tf.float32)})


def test_json() -> None:
    text = (
        '{"features": {"feature": {"x": {"floatList": {"value": [1, 2]}}, "s": {"bytesList": {"value": ["YQ=="]}}, '
        '"i": {"int64List": {"value": ["5", 6]}}, "e": {"int64_list": {}}}}}'
    )
    data = tf.train.Example.FromString(io.decode_json_example(text).numpy())
    assert data == tf.train.Example.FromString(record(x=floats(1, 2), s=texts(b"a"), i=integers(5, 6), e=integers()))
    assert io.decode_json_example([[text]]).shape == (1, 1)
    for bad in ('{"fe', "[]", '{"features": {"feature": {"x": {"strings": {"value": []}}}}}'):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Error while parsing JSON"):
            io.decode_json_example(bad)


def test_sparse_tensors_as_strings() -> None:
    sparse = tf.SparseTensor([[0, 1], [2, 0], [2, 3]], ["a", "b", "c"], [3, 4])
    rows = io.serialize_many_sparse(sparse)
    assert rows.shape == (3, 3)
    same(io.deserialize_many_sparse(rows, tf.string), [[0, 1], [2, 0], [2, 3]], [b"a", b"b", b"c"], [3, 4])
    one = io.serialize_sparse(sparse)
    np.testing.assert_array_equal(io.parse_tensor(one[0], tf.int64), sparse.indices)
    larger = io.serialize_sparse(tf.SparseTensor([[5]], ["z"], [6]))
    same(io.deserialize_many_sparse([rows[0], larger], tf.string), [[0, 1], [1, 5]], [b"a", b"z"], [2, 6])
    with pytest.raises(tf.errors.InvalidArgumentError, match="type float32, but"):
        io.deserialize_many_sparse(rows, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inconsistent ranks"):
        io.deserialize_many_sparse([rows[0], one], tf.string)
    with pytest.raises(TypeError, match="must be a SparseTensor"):
        io.serialize_sparse([1.0])


def test_sparse_and_ragged_elements_of_datasets() -> None:
    features = {"y": io.VarLenFeature(tf.int64), "r": io.RaggedFeature(tf.int64, value_key="y")}
    ds = tf.data.Dataset.from_tensor_slices([A, B, C, A]).batch(2).map(lambda data: io.parse_example(data, features))
    assert isinstance(ds.element_spec["y"], tf.SparseTensorSpec)
    assert isinstance(ds.element_spec["r"], tf.RaggedTensorSpec)
    first, second = ds
    same(first["y"], [[0, 0], [1, 0], [1, 1]], [5, 6, 7], [2, 2])
    assert [first["r"].to_list(), second["r"].to_list()] == [[[5], [6, 7]], [[], [5]]]


def test_ragged_features_in_functions() -> None:
    parts = [io.RaggedFeature.RowLengths("p"), io.RaggedFeature.UniformRowLength(2)]
    features = {"y": io.RaggedFeature(tf.int64), "r": io.RaggedFeature(tf.float32, "v", parts)}
    data = record(y=integers(1, 2), v=floats(1, 2, 3, 4), p=integers(1, 1))

    @tf.function
    def parse(batch: tf.Tensor) -> Any:
        found = io.parse_example(batch, features)
        return found["y"], found["r"]

    y, r = parse(tf.constant([data, record(v=floats(), p=integers())]))
    assert y.to_list() == [[1, 2], []]
    assert r.to_list() == [[[[1, 2]], [[3, 4]]], []]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        (0, [[0.0]]), (0, [[1j]]), (0, [0]), (0, [["a"]]), (0, [[0, 0]]), (0, [[0], [0]]),
        (1, 1.0), (1, [[1.0]]), (1, [1.0, 2.0]),
        (2, 2), (2, [2.0]), (2, [[2]]), (2, ["a"]), (2, [-2]), (2, [2, 2]),
    ],
)  # fmt: skip
def test_parts_of_sparse_tensors_that_do_not_fit(part: int, value: Any) -> None:
    """Some of these end TensorFlow's process."""
    parts = [np.array([[0]]), np.array([1.0], np.float32), np.array([2])]
    parts[part] = np.asarray(value, np.float32 if part == 1 else None)
    row = [io.serialize_tensor(p).numpy() for p in parts]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices|values|shape|type"):
        io.deserialize_many_sparse([row], tf.float32)
