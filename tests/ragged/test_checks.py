"""What ragged tensors refuse: rows, batches and sizes that do not fit each other; and where functions find them."""

from __future__ import annotations

import pytest

import gradtape as tf


def test_gathers_check_what_they_share() -> None:
    x, rows = tf.ragged.constant([["a"], ["b"], ["c"]]), tf.ragged.constant([[0], [0]])
    with pytest.raises(ValueError, match="batch shape from indices"):
        tf.gather(x, rows, batch_dims=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.gather(x, 0, batch_dims=-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be negative"):
        tf.gather(x, [0, -1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 3 is not in \[0, 3\)"):
        tf.gather(x, [0, 3])
    assert x[-1].numpy().tolist() == [b"c"]
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        tf.gather(x, tf.ragged.constant([[0]], row_splits_dtype=tf.int32))


def test_row_splits_of_two_dtypes_are_not_mixed() -> None:
    x = tf.ragged.constant([[1, 2]])
    y = x.with_row_splits_dtype(tf.int32)
    for function in (
        lambda: x + y,
        lambda: tf.concat([x, y], 0),
        lambda: tf.stack([x, y]),
        lambda: tf.where(x > 0, x, y),
        lambda: tf.ragged.boolean_mask(x, y > 0),
    ):
        with pytest.raises(ValueError, match="with_row_splits_dtype"):
            function()


def test_dense_tensors_keep_inner_sizes() -> None:
    x = tf.ragged.constant([[[1, 2, 3]]], ragged_rank=1)
    for size in (2, 4):
        with pytest.raises(tf.errors.InvalidArgumentError, match="are incompatible"):
            x.to_tensor(shape=[1, 1, size])
    assert x.to_tensor(shape=tf.constant([2, -1, -1])).shape == [2, 1, 3]
    assert x.to_tensor(shape=tf.constant(-1)).shape == [1, 1, 3]


def test_ranges_are_as_many_from_start_to_end() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same shape"):
        tf.ragged.range([1, 2], [1, 2, 3])


def test_lengths_of_several_levels_fit_the_tensor() -> None:
    with pytest.raises(ValueError, match="rank at least 3"):
        tf.RaggedTensor.from_tensor([[1, 2, 3]], lengths=[[1], [1]])
    with pytest.raises(ValueError, match="ragged_rank"):
        tf.RaggedTensor.from_tensor(tf.ones([2, 2, 2, 2]), lengths=([2, 2], [2, 2, 2, 2]), ragged_rank=3)


def test_specs_of_shapes_tell_what_follows() -> None:
    partition = type(tf.type_spec_from_value(tf.experimental.RowPartition.from_row_splits([0, 1])))
    spec_of = tf.experimental.DynamicRaggedShape.Spec
    spec = spec_of([partition(nrows=6), partition(nrows=60)], [120], tf.int64)
    assert spec == spec_of([partition(6, 60), partition(60, 120)], [120], tf.int64)
    assert spec_of([partition(6, None, 10)], [None], tf.int64) == spec_of([partition(6, 60, 10)], [60], tf.int64)
    for wrong, inner in (([partition(3, 12, 4)], [11]), ([partition(nvals=3), partition(nrows=4)], [20])):
        with pytest.raises(ValueError, match="are not compatible"):
            spec_of(wrong, inner, tf.int64)


def test_functions_find_ragged_tensors_in_dicts() -> None:
    rows = tf.ragged.constant([[1, 2, 3], [4]])
    found = tf.map_fn(lambda f: tf.reduce_sum(f["a"]), {"a": rows, "b": rows}, fn_output_signature=tf.int32)
    assert found.numpy().tolist() == [6, 4]


def test_images_of_several_sizes_get_a_size_that_is_known_later() -> None:
    images = tf.ragged.stack([tf.RaggedTensor.from_tensor(tf.ones([n, 3, 1])) for n in (2, 4)])
    resize = tf.function(tf.image.resize)
    assert resize(images, tf.constant([5, 6])).shape == [2, 5, 6, 1]
    assert tf.compat.v1.image.resize(images, [5, 6]).shape == [2, 5, 6, 1]
