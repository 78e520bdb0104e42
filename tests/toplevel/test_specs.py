"""Specs of values."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf


def test_specs_of_values() -> None:
    assert tf.type_spec_from_value(np.ones([2], np.int32)) == tf.TensorSpec([2], tf.int32)
    assert tf.type_spec_from_value(tf.Variable([1.0])) == tf.TensorSpec([1])
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([4, 2]))
    assert tf.type_spec_from_value(slices) == tf.IndexedSlicesSpec([4, 2], tf.float32, tf.int32, tf.int32, [1])
    assert tf.type_spec_from_value(tf.TensorArray(tf.int32, 1)) == tf.TensorArraySpec(dtype=tf.int32)
    assert tf.type_spec_from_value(tf.data.Dataset.range(2)).element_spec == tf.TensorSpec([], tf.int64)
    assert tf.type_spec_from_value(tf.experimental.Optional.from_value(1)) == tf.OptionalSpec(
        tf.TensorSpec([], tf.int32)
    )
    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        tf.type_spec_from_value({"a": 1})
    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        tf.type_spec_from_value(object())


def test_compatibility() -> None:
    spec = tf.IndexedSlicesSpec([None, 2])
    assert spec.is_compatible_with(tf.IndexedSlicesSpec([3, 2]))
    assert not spec.is_compatible_with(tf.IndexedSlicesSpec([3, 2], tf.float64))
    assert not spec.is_compatible_with(tf.ones([3, 2]))
    assert tf.TensorArraySpec([2]).is_compatible_with(tf.TensorArray(tf.float32, 1, element_shape=[2]))
    assert not tf.TensorArraySpec([2]).is_compatible_with(tf.TensorArray(tf.int32, 1))
    assert isinstance(spec, tf.TypeSpec)
    assert isinstance(tf.TensorSpec([]), tf.TypeSpec)
    assert not isinstance(tf.ones([]), tf.TypeSpec)
    assert "(TensorShape([None, 2]), tf.float32" in repr(spec)
