"""Queues."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def test_first_in_first_out() -> None:
    queue = tf.queue.FIFOQueue(5, [tf.int32, tf.string], [[], []], names=["n", "s"])
    queue.enqueue({"n": 1, "s": "a"})
    queue.enqueue_many({"n": [2, 3], "s": ["b", "c"]})
    assert int(queue.size()) == 3
    first = queue.dequeue()
    assert (int(first["n"]), first["s"].numpy()) == (1, b"a")
    rest = queue.dequeue_many(2)
    np.testing.assert_array_equal(rest["n"], [2, 3])
    assert not queue.is_closed()
    queue.close()
    assert queue.is_closed()
    with pytest.raises(tf.errors.OutOfRangeError, match="closed"):
        queue.dequeue()
    with pytest.raises(tf.errors.CancelledError, match="closed"):
        queue.enqueue({"n": 1, "s": "a"})


def test_in_a_function() -> None:
    queue = tf.queue.FIFOQueue(5, tf.float32, shapes=[2])

    @tf.function
    def move(x: Any) -> Any:
        queue.enqueue(x)
        queue.enqueue(2.0 * x)
        y = queue.dequeue()
        assert y.shape == [2]
        return y, queue.size()

    for i in range(2):
        y, size = move(tf.constant([1.0, float(i)]))
        assert int(size) == i + 1
    np.testing.assert_array_equal(y, [2.0, 0.0])


def test_threads_wait_for_each_other() -> None:
    queue = tf.queue.FIFOQueue(2, tf.int32)
    writer = threading.Thread(target=lambda: [queue.enqueue(i) for i in range(20)] and queue.close())
    writer.start()
    taken = [int(queue.dequeue()) for _ in range(20)]
    with pytest.raises(tf.errors.OutOfRangeError):
        queue.dequeue()
    writer.join()
    assert taken == list(range(20))


def test_other_orders() -> None:
    shuffled = tf.queue.RandomShuffleQueue(20, 0, tf.int32, [[]], seed=3)
    shuffled.enqueue_many([list(range(20))])
    values = shuffled.dequeue_many(20).numpy().tolist()
    assert values != sorted(values) == list(range(20))
    urgent = tf.queue.PriorityQueue(5, [tf.string])
    for priority, text in ((3, "c"), (1, "a"), (1, "b")):
        urgent.enqueue([priority, text])
    assert [urgent.dequeue()[1].numpy() for _ in range(3)] == [b"a", b"b", b"c"]
    padded = tf.queue.PaddingFIFOQueue(5, tf.int32, [[None]])
    padded.enqueue([[1]])
    padded.enqueue([[2, 3]])
    padded.close()
    np.testing.assert_array_equal(padded.dequeue_up_to(5), [[1, 0], [2, 3]])
    assert tf.queue.QueueBase.from_list(1, [shuffled, padded]).queue_ref is padded


def test_elements_must_fit() -> None:
    queue = tf.queue.FIFOQueue(2, tf.int32, shapes=[[2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"an element must have shape \(2,\), got \[1\]"):
        queue.enqueue([[1]])
    with pytest.raises(ValueError, match="the numbers of values and dtypes differ: 2 vs 1"):
        queue.enqueue([1, 2])
    with pytest.raises(ValueError, match="must have names"):
        queue.enqueue({"a": 1})
    named = tf.queue.FIFOQueue(2, [tf.int32, tf.int32], names=["a", "b"])
    with pytest.raises(ValueError, match="do not match names"):
        named.enqueue({"a": 1, "c": 2})
    for enqueue in (named.enqueue, named.enqueue_many):
        with pytest.raises(ValueError, match="You must enqueue a dictionary"):
            enqueue([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
        queue.enqueue_many([1])


def test_only_elements_of_known_shapes_are_stacked() -> None:
    for queue in (tf.queue.FIFOQueue(3, tf.int32), tf.queue.RandomShuffleQueue(3, 0, tf.int32)):
        queue.enqueue_many([[1, 2]])
        for take in (queue.dequeue_many, queue.dequeue_up_to):
            with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
                take(0)
        assert int(queue.size()) == 2


def test_one_of_several_queues() -> None:
    numbers, texts = tf.queue.FIFOQueue(1, tf.int32), tf.queue.FIFOQueue(1, tf.string)
    named = tf.queue.FIFOQueue(1, tf.int32, names="a")
    choose = tf.queue.QueueBase.from_list
    for queues, message in (([numbers, texts], "dtypes"), ([numbers, named], "names"), ([], "list of queues")):
        with pytest.raises(TypeError, match=message):
            choose(0, queues)
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 5"):
        choose(5, [numbers])


def test_numbers_of_elements():
    queue = tf.queue.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]])
    assert [y.shape.as_list() for y in queue.dequeue_many(0)] == [[0], [0, 2]]
    assert queue.dequeue_up_to(0)[1].dtype == tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be negative"):
        queue.dequeue_many(-1)


def test_an_empty_list_is_the_shape_of_scalars():
    queue = tf.queue.FIFOQueue(5, tf.int32, shapes=[])
    queue.enqueue_many([[1, 2, 3]])

    @tf.function
    def digits(n):
        found = 0
        for _ in tf.range(n):
            found = found * 10 + queue.dequeue()
        return found

    assert int(digits(tf.constant(3))) == 123


def test_shapes_must_be_complete_and_as_many_as_dtypes():
    with pytest.raises(ValueError, match="fully defined"):
        tf.queue.FIFOQueue(5, tf.int32, shapes=[[None]])
    with pytest.raises(ValueError, match="list of shapes"):
        tf.queue.PaddingFIFOQueue(5, tf.int32, shapes=[None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="differ: 2 vs 1"):
        tf.queue.FIFOQueue(5, [tf.int32], shapes=[[], []])
    with pytest.raises(ValueError, match="must have shape"):
        tf.queue.PriorityQueue(5, tf.int32, [()]).enqueue([tf.constant([1], tf.int64), 2])


def test_a_queue_is_closed_once():
    queue = tf.queue.FIFOQueue(5, tf.int32)
    queue.close()
    with pytest.raises(tf.errors.CancelledError, match="already closed"):
        queue.close()


def test_texts_are_padded_with_empty_ones():
    queue = tf.queue.PaddingFIFOQueue(5, tf.string, shapes=[[None]])
    queue.enqueue([["a", "b"]])
    queue.enqueue([["c"]])
    assert queue.dequeue_many(2).numpy().tolist() == [[b"a", b"b"], [b"c", b""]]


def test_from_list_takes_queues_only():
    queue = tf.queue.FIFOQueue(5, tf.int32)
    assert tf.queue.QueueBase.from_list(0, [queue]) is queue
    with pytest.raises(TypeError, match="list of queues"):
        tf.queue.QueueBase.from_list(0, [queue, 3])


def test_one_of_several_with_the_shapes_they_share() -> None:
    queues = [tf.queue.PaddingFIFOQueue(10, tf.float32, [shape]) for shape in ([1, 1], [1, None])]
    chosen = tf.queue.QueueBase.from_list(tf.constant(0), queues)
    assert chosen.shapes[0].as_list() == [1, None]
    assert isinstance(chosen, tf.queue.QueueBase)
    chosen.enqueue([[[1.0]]])
    assert int(queues[0].size()) == int(chosen.size()) == 1
    assert float(queues[0].dequeue()[0, 0]) == 1.0
    chosen.close()
    assert queues[0].is_closed()
    assert chosen.is_closed()
    same = [tf.queue.FIFOQueue(10, tf.float32, [[2]]) for _ in range(2)]
    assert tf.queue.QueueBase.from_list(1, same) is same[1]
