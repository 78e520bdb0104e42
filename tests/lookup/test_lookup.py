"""Tables and edit distances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

L = tf.lookup


def words() -> Any:
    return L.KeyValueTensorInitializer(["red", "green", "blue"], tf.constant([0, 1, 2], tf.int64))


def test_static_table() -> None:
    table = L.StaticHashTable(words(), -1)
    assert table.lookup(tf.constant([["blue"], ["pink"]])).numpy().tolist() == [[2], [-1]]
    assert int(table["green"]) == 1
    assert int(table.size()) == 3
    assert (table.key_dtype, table.value_dtype, int(table.default_value)) == (tf.string, tf.int64, -1)
    keys, values = table.export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True)) == {
        b"red": 0,
        b"green": 1,
        b"blue": 2,
    }


def test_sparse_and_ragged_keys() -> None:
    table = L.StaticHashTable(words(), -1)
    assert table.lookup(tf.ragged.constant([["red"], ["x", "blue"]])).to_list() == [[0], [-1, 2]]
    assert table.lookup(tf.sparse.from_dense([["", "blue"]])).values.numpy().tolist() == [2]


def test_static_table_in_a_function() -> None:
    table = L.StaticHashTable(words(), -1)
    back = L.StaticHashTable(L.KeyValueTensorInitializer([0, 1], ["red", "green"]), "?")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(x: Any) -> Any:
        return back.lookup(tf.cast(table.lookup(x), tf.int32)), tf.one_hot(table.lookup(x), 3)

    names, rows = f(tf.constant(["green", "blue", "x"]))
    assert names.numpy().tolist() == [b"green", b"?", b"?"]
    assert rows.numpy().tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_text_files(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("red 10\ngreen 20\n")
    index = L.TextFileIndex
    lines = L.TextFileInitializer(
        str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER, value_index_offset=5
    )
    assert int(L.StaticHashTable(lines, -1)["green 20"]) == 6
    columns = L.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter=" ")
    assert int(L.StaticHashTable(columns, -1)["green"]) == 20
    first = L.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, vocab_size=1, delimiter=" ")
    assert int(L.StaticHashTable(first, -1)["green"]) == -1
    path.write_text("10\n20\n")
    numbers = L.TextFileInitializer(str(path), tf.int64, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    assert L.StaticHashTable(numbers, -1).lookup(tf.constant([20, 11], tf.int64)).numpy().tolist() == [1, -1]


def test_an_initializer_of_the_program() -> None:
    class Empty(L.KeyValueTensorInitializer):  # type: ignore[misc, name-defined]
        key_dtype, value_dtype = tf.string, tf.int64

        def __init__(self) -> None:
            pass

        def initialize(self, table: Any) -> None:
            pass

    assert int(L.StaticHashTable(Empty(), 7).lookup(tf.constant("a"))) == 7


def test_vocabulary() -> None:
    table = L.StaticVocabularyTable(words(), num_oov_buckets=5)
    found = table.lookup(tf.constant(["green", "pink", "pink"])).numpy()
    assert found[0] == 1
    # The bucket is FarmHash's, as in TensorFlow.
    assert found[1] == found[2] == 3 + int(tf.strings.to_hash_bucket_fast("pink", 5))
    assert int(table.size()) == 8
    numbers = L.StaticVocabularyTable(None, 4, lookup_key_dtype=tf.int64)
    assert int(numbers.lookup(tf.constant(77, tf.int64))) == int(tf.strings.to_hash_bucket_fast("77", 4))


def test_mutable_table() -> None:
    table = L.experimental.MutableHashTable(tf.string, tf.float32, default_value=[0.0, 0.0])
    table.insert(tf.constant(["a", "b"]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert table.lookup(tf.constant(["b", "x"])).numpy().tolist() == [[3.0, 4.0], [0.0, 0.0]]
    table.remove(tf.constant(["b", "y"]))
    assert int(table.size()) == 1
    keys, values = table.export()
    assert keys.numpy().tolist() == [b"a"]
    assert values.numpy().tolist() == [[1.0, 2.0]]


def test_default_values_for_each_key() -> None:
    table = L.experimental.MutableHashTable(tf.int64, tf.int64, default_value=-1)
    table.insert(tf.constant([1], tf.int64), tf.constant([10], tf.int64))
    keys = tf.constant([1, 2], tf.int64)
    assert table.lookup(keys, dynamic_default_values=tf.constant([7, 8], tf.int64)).numpy().tolist() == [10, 8]


def test_mutable_table_in_a_function() -> None:
    table = L.experimental.DenseHashTable(tf.string, tf.int64, 0, empty_key="", deleted_key="$")

    @tf.function
    def count(word: Any) -> Any:
        table.insert(word, table.lookup(word) + 1)
        return table.lookup(word), table.size()

    assert [int(count(tf.constant("a"))[0]) for _ in range(3)] == [1, 2, 3]
    found, size = count(tf.constant("b"))
    assert (int(found), int(size)) == (1, 2)
    table.erase("a")
    assert int(table.size()) == 1


def test_edit_distance() -> None:
    said = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], ["a", "b", "c", "x"], [3, 3])
    meant = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "c", "y"], [3, 2])
    assert tf.edit_distance(said, meant, normalize=False).numpy().tolist() == [1.0, 1.0, 1.0]
    assert tf.edit_distance(said, meant).numpy().tolist() == [0.5, np.inf, 1.0]
    assert tf.function(tf.edit_distance)(said, meant).numpy().tolist() == [0.5, np.inf, 1.0]


@pytest.mark.parametrize(
    ("a", "b", "distance"), [("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2), ("same", "same", 0)]
)
def test_known_distances(a: str, b: str, distance: int) -> None:
    rows = [
        tf.RaggedTensor.from_row_lengths(list(s) or tf.constant([], tf.string), [len(s)]).to_sparse() for s in (a, b)
    ]
    assert tf.edit_distance(*rows, normalize=False).numpy().tolist() == [distance]


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: L.KeyValueTensorInitializer([1, 2], [1]), ValueError, "one length"),
        (lambda: L.StaticHashTable(L.KeyValueTensorInitializer([1, 1], [1, 2]), 0), tf.errors.FailedPreconditionError, "same key"),
        (lambda: L.StaticHashTable(words(), -1).lookup(tf.constant([1])), TypeError, "must be string"),
        (lambda: L.StaticVocabularyTable(words(), 0), ValueError, "must be > 0"),
        (lambda: L.StaticVocabularyTable(L.KeyValueTensorInitializer(["a"], [0]), 1), TypeError, "expected tf.int64"),
        (lambda: L.StaticHashTable(L.TextFileInitializer("/no/file", tf.string, -2, tf.int64, -1), 0), tf.errors.NotFoundError, "No such file"),
        (lambda: L.TextFileInitializer("x", tf.string, -1, tf.int64, 0), ValueError, "line numbers"),
        (lambda: L.experimental.DenseHashTable(tf.string, tf.int64, 0, "a", "a"), tf.errors.InvalidArgumentError, "cannot be equal"),
        (
            lambda: L.experimental.DenseHashTable(tf.string, tf.int64, 0, "", "$").insert("", tf.constant(1, tf.int64)),
            tf.errors.InvalidArgumentError,
            "not allowed",
        ),
        (
            lambda: L.experimental.MutableHashTable(tf.int64, tf.int64, 0).insert(
                tf.constant([1], tf.int64), tf.constant([1, 2], tf.int64)
            ),
            ValueError,
            "Expected shape",
        ),
        (lambda: tf.edit_distance(tf.sparse.from_dense(["a"]), tf.sparse.from_dense(["b"])), ValueError, "rank"),
    ],
)  # fmt: skip
def test_bad_arguments(wrong: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()


@pytest.mark.parametrize("default", [-1, [0, 0]])
def test_checkpoints_keep_the_entries_of_mutable_tables(tmp_path, default):
    def table(**options):
        return L.experimental.MutableHashTable(tf.string, tf.int64, default, **options)

    first, forgotten = table(), table(checkpoint=False)
    values = tf.constant([1, 2] if default == -1 else [[1, 2], [3, 4]], tf.int64)
    first.insert(tf.constant(["a", "b"]), values)
    forgotten.insert(tf.constant(["a", "b"]), values)
    path = tf.train.Checkpoint(t=first, f=forgotten).save(tmp_path / "c")
    second, other = table(), table(checkpoint=False)
    second.insert(tf.constant(["z"]), values[:1])
    tf.train.Checkpoint(t=second, f=other).restore(path).assert_consumed()
    assert int(second.size()) == 2
    assert second.lookup(tf.constant(["a", "b"])).numpy().tolist() == values.numpy().tolist()
    assert int(other.size()) == 0


def test_what_is_no_initializer_is_refused():
    with pytest.raises(AttributeError, match="must be a table initializer"):
        L.StaticHashTable(1, 2)


def dense(**changed: Any) -> Any:
    options = {"default_value": -1, "empty_key": 0, "deleted_key": -1, "initial_num_buckets": 8, **changed}
    return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, **options)


def longs(values: Any) -> Any:
    return tf.constant(values, tf.int64)


def test_buckets_of_a_dense_table() -> None:
    """`export` gives the keys of all buckets, twice as many as before when four of five are in use."""
    table = dense()
    table.insert(longs([5, 6]), longs([50, 60]))
    keys, values = table.export()
    assert (keys.shape, values.shape) == ([8, 1], [8, 1])
    assert sorted(zip(keys.numpy()[:, 0].tolist(), values.numpy()[:, 0].tolist(), strict=True))[-3:] == [
        (0, 0),
        (5, 50),
        (6, 60),
    ]
    table.insert(longs([1, 2, 3, 4]), longs([1] * 4))
    assert table.export()[0].shape == [8, 1]
    table.insert(longs([7]), longs([1]))
    assert table.export()[0].shape == [16, 1]
    assert dense(initial_num_buckets=None).export()[0].shape == [131072, 1]


def test_vectors_as_keys() -> None:
    table = dense(empty_key=[0, 3], deleted_key=[-1, -1], default_value=[-1, -2])
    table.insert(longs([[0, 1], [1, 2]]), longs([[10, 11], [12, 13]]))
    assert table.lookup(longs([[1, 2], [2, 1]])).numpy().tolist() == [[12, 13], [-1, -2]]
    assert [part.shape for part in table.export()] == [[8, 2], [8, 2]]
    found = tf.function(lambda k: table.lookup(k), input_signature=[tf.TensorSpec([None, 2], tf.int64)])
    assert found(longs([[0, 1]])).numpy().tolist() == [[10, 11]]
    table.remove(longs([[0, 1]]))
    assert int(table.size()) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected key shape \[2,2\] got \[2\]"):
        table.lookup(longs([0, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        table.insert(longs([[0, 3]]), longs([[1, 1]]))


def test_a_restored_dense_table_has_the_buckets_of_the_saved_one(tmp_path: Path) -> None:
    table = dense(initial_num_buckets=4)
    table.insert(longs([5, 6, 7]), longs([50, 60, 70]))
    path = tf.train.Checkpoint(table=table).write(tmp_path / "c")
    other = dense(initial_num_buckets=32)
    tf.train.Checkpoint(table=other).read(path).assert_consumed()
    assert other.lookup(longs([6, 8])).numpy().tolist() == [60, -1]
    assert (int(other.size()), other.export()[0].shape) == (3, [4, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"initial_num_buckets": 2}, "Number of buckets must be at least 4 and a power of 2"),
        ({"deleted_key": [1, 2]}, "Empty and deleted keys must have same shape"),
        ({"empty_key": [1, 2], "deleted_key": [1, 2]}, "Empty and deleted keys cannot be equal"),
        ({"default_value": [[1]]}, "Empty value must be a scalar or a vector"),
    ],
)
def test_dense_tables_that_cannot_be(options: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        dense(**options)


def test_shapes_of_default_values() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, [-1, -1])
    keys = tf.constant([["a", "b"], ["c", "d"]])
    for shape in ([2], [2, 2, 2]):
        assert table.lookup(keys, tf.ones(shape, tf.int64)).numpy().tolist() == [[[1, 1]] * 2] * 2
    for shape in ([4, 2], [1, 2, 2], []):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] or \[2,2,2\] for default value"
        ):
            table.lookup(keys, tf.ones(shape, tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Default value must be a vector"):
        tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, [[-1, -1]])
    with pytest.raises(ValueError, match="keys"):
        table.lookup(longs([1]))


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        (1, TypeError, "Cannot convert 1"),
        (tf.constant(1), ValueError, "filename"),
        (tf.constant(["a", "b"]), tf.errors.InvalidArgumentError, "filename should be a single string"),
        (None, ValueError, "required"),
    ],
)
def test_files_of_tables_that_are_no_names(name: Any, kind: Any, message: str) -> None:
    """A number must not be taken for the number of an open file."""
    index = tf.lookup.TextFileIndex
    with pytest.raises(kind, match=message):
        tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(name, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER), -1
        )
