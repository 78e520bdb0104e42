"""Lists of tensors: TensorFlow's raw ops `TensorList…`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def raw() -> Iterator[Any]:
    """`tf.raw_ops`."""
    tf.compat.install()
    yield importlib.import_module("tensorflow").raw_ops
    tf.compat.uninstall()


@pytest.fixture
def lists() -> Iterator[Any]:
    """The module `list_ops`."""
    tf.compat.install()
    yield importlib.import_module("tensorflow.python.ops.list_ops")
    tf.compat.uninstall()


def test_pushing_and_popping(raw: Any) -> None:
    empty = raw.EmptyTensorList(element_shape=[2], element_dtype=tf.float32, max_num_elements=1)
    one = raw.TensorListPushBack(input_handle=empty, tensor=[1.0, 2.0])
    rest, last = raw.TensorListPopBack(input_handle=one, element_shape=-1, element_dtype=tf.float32)
    assert last.numpy().tolist() == [1.0, 2.0]
    assert [raw.TensorListLength(input_handle=x).numpy() for x in (empty, one, rest)] == [0, 1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="full list"):
        raw.TensorListPushBack(input_handle=one, tensor=[1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty list"):
        raw.TensorListPopBack(input_handle=rest, element_shape=-1, element_dtype=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible shape"):
        raw.TensorListPushBack(input_handle=empty, tensor=[1.0])


def test_elements_of_different_shapes(lists: Any) -> None:
    made = lists.empty_tensor_list(None, tf.float32)
    made = lists.tensor_list_push_back(made, [1.0])
    made = lists.tensor_list_push_back(made, [2.0, 3.0])
    assert lists.tensor_list_get_item(made, 1, tf.float32).numpy().tolist() == [2.0, 3.0]
    assert lists.tensor_list_concat(made, tf.float32).numpy().tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1\] vs. \[2\]"):
        lists.tensor_list_stack(made, tf.float32)


def test_elements_that_were_not_written_are_zeros(lists: Any) -> None:
    made = lists.tensor_list_reserve(None, 3, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="uninitialized"):
        lists.tensor_list_stack(made, tf.float32)
    made = lists.tensor_list_set_item(made, 1, [1.0, 2.0])
    assert lists.tensor_list_stack(made, tf.float32).numpy().tolist() == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    assert lists.tensor_list_gather(made, [1, 0], tf.float32).numpy().tolist() == [[1.0, 2.0], [0.0, 0.0]]


@pytest.mark.parametrize("is_function", [False, True])
def test_gradients_through_loops(lists: Any, is_function: bool) -> None:
    def f(x: Any) -> Any:
        made = lists.empty_tensor_list([], tf.float32)

        def step(i: Any, y: Any, made: Any) -> Any:
            return i + 1, tf.cos(y), lists.tensor_list_push_back(made, y)

        _, y, made = tf.while_loop(lambda i, *_: i < 3, step, [0, x, made])
        return y + tf.reduce_sum(lists.tensor_list_stack(made, tf.float32))

    def plain(x: float) -> float:
        return float(x + np.cos(x) + np.cos(np.cos(x)) + np.cos(np.cos(np.cos(x))))

    x = tf.constant(0.3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (tf.function(f) if is_function else f)(x)
    assert np.isclose(y, plain(0.3))
    assert np.isclose(tape.gradient(y, x), (plain(0.3 + 1e-5) - plain(0.3 - 1e-5)) / 2e-5, rtol=1e-4)


def test_lists_of_lists_and_sums(lists: Any) -> None:
    a, b = (lists.tensor_list_from_tensor(x, []) for x in ([1.0, 2.0], [3.0, 4.0]))
    outer = lists.tensor_list_push_back(lists.empty_tensor_list([], tf.variant), tf.add_n([a, b]))
    found = lists.tensor_list_get_item(outer, 0, tf.variant)
    assert lists.tensor_list_stack(found, tf.float32).numpy().tolist() == [4.0, 6.0]
    zeros = lists.tensor_list_get_item(tf.zeros_like(outer), 0, tf.variant)
    assert lists.tensor_list_stack(zeros, tf.float32).numpy().tolist() == [0.0, 0.0]


def test_batches_of_lists(lists: Any) -> None:
    a, b = (lists.tensor_list_from_tensor(x, []) for x in ([1.0, 2.0], [3.0]))
    pushed = lists.tensor_list_push_back_batch(tf.stack([a, b]), [5.0, 6.0])
    joined = lists.tensor_list_concat_lists(pushed, tf.stack([b, a]), tf.float32)
    found = [lists.tensor_list_stack(x, tf.float32).numpy().tolist() for x in tf.unstack(joined)]
    assert found == [[1.0, 2.0, 5.0, 3.0], [3.0, 6.0, 1.0, 2.0]]


def test_scattering_splitting_resizing(lists: Any) -> None:
    made = lists.tensor_list_resize(lists.tensor_list_scatter([1.0, 2.0], [2, 0], []), 4)
    assert lists.tensor_list_stack(made, tf.float32).numpy().tolist() == [2.0, 0.0, 1.0, 0.0]
    parts = lists.tensor_list_split([1.0, 2.0, 3.0], None, [2, 1])
    assert lists.tensor_list_get_item(parts, 0, tf.float32).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unused values"):
        lists.tensor_list_split([1.0, 2.0], None, [1])
