"""Functions of elements."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset


def values(dataset: Any) -> list[Any]:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


@pytest.mark.parametrize("calls", [None, 1, 3, tf.data.AUTOTUNE])
def test_map(calls: Any) -> None:
    dataset = Dataset.range(50).map(lambda x: (x, [x, x + 1]), num_parallel_calls=calls)
    found = list(dataset)
    assert [int(a) for a, _ in found] == list(range(50))
    assert found[3][1].numpy().tolist() == [3, 4]


def test_tuples_are_spread_and_others_not() -> None:
    pairs = Dataset.from_tensor_slices(([1, 2], [3, 4]))
    assert values(pairs.map(lambda a, b: a + b)) == [4, 6]
    assert values(pairs.map(lambda a, b: {"a": a, "b": b}).map(lambda d: d["a"] * d["b"])) == [3, 8]


def test_map_runs_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=10)

    def wait(x: Any) -> Any:
        barrier.wait()
        return x

    assert values(Dataset.range(6).map(wait, num_parallel_calls=3)) == list(range(6))


def test_any_order() -> None:
    def slow(x: Any) -> Any:
        time.sleep(0.2 if x == 0 else 0.0)
        return x

    found = values(Dataset.range(8).map(slow, num_parallel_calls=2, deterministic=False))
    assert sorted(found) == list(range(8))
    assert found[0] != 0


@pytest.mark.parametrize("calls", [None, 2])
def test_errors_keep_class_and_line(calls: Any) -> None:
    class Mine(Exception):
        pass

    def broken(x: Any) -> Any:
        if x == 2:
            raise Mine("no")
        return x

    iterator = iter(Dataset.range(5).map(broken, num_parallel_calls=calls).prefetch(1))
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    with pytest.raises(Mine, match="no") as caught:
        next(iterator)
    note = "".join(caught.value.__notes__)
    assert 'raise Mine("no")' in note
    assert "in the function of map" in note
    assert "test_mapping.py" in note


def test_errors_of_ops_name_the_line() -> None:
    dataset = Dataset.range(2).map(lambda x: tf.matmul(tf.ones([2, 3]), tf.ones([4, 5])))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.matmul\(tf\.ones"):
        list(dataset)


def test_tapes_do_not_see_functions() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        (y,) = Dataset.from_tensors(1.0).map(lambda x: x * v)
        z = y * 1.0
    assert float(y) == 2.0
    assert tape.gradient(z, v) is None


def test_filter() -> None:
    assert values(Dataset.range(9).filter(lambda x: x % 4 == 0)) == [0, 4, 8]
    with pytest.raises(ValueError, match=r"`tf\.bool` scalar"):
        list(Dataset.range(9).filter(lambda x: x))


def test_flat_map_and_interleave() -> None:
    def inner(x: Any) -> Any:
        return Dataset.from_tensors(x).repeat(x + 1)

    source = Dataset.range(4)
    assert values(source.flat_map(inner)) == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    for calls in (None, 2):
        found = values(source.interleave(inner, cycle_length=2, block_length=2, num_parallel_calls=calls))
        assert sorted(found) == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    ten = Dataset.range(1, 6).interleave(lambda x: Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4)
    # The example of TensorFlow's documentation.
    expected = [1] * 4 + [2] * 4 + [1] * 2 + [2] * 2 + [3] * 4 + [4] * 4 + [3] * 2 + [4] * 2 + [5] * 4 + [5] * 2
    assert values(ten) == expected
    with pytest.raises(TypeError, match="Dataset"):
        list(source.flat_map(lambda x: x))


def test_scan_and_reduce() -> None:
    assert values(Dataset.range(4).scan(np.int64(1), lambda s, x: (s * 2, s + x))) == [1, 3, 6, 11]
    total, count = Dataset.range(4).reduce((np.int64(0), 0), lambda s, x: (s[0] + x, s[1] + 1))
    assert (int(total), int(count)) == (6, 4)
    with pytest.raises(TypeError, match="pair"):
        list(Dataset.range(2).scan(0, lambda s, x: s))


def test_group_by_window() -> None:
    dataset = Dataset.range(10).group_by_window(lambda x: x % 3, lambda key, group: group.batch(10), window_size=2)
    assert values(dataset) == [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]


def test_bucket_by_sequence_length() -> None:
    rows = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]
    dataset = Dataset.from_generator(lambda: iter(rows), output_signature=tf.TensorSpec([None], tf.int64))
    found = values(dataset.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 2]))
    assert found == [
        [[1, 2, 3, 4], [5, 6, 7, 0]],
        [[7, 8, 9, 10, 11, 0], [13, 14, 15, 16, 19, 20]],
        [[0, 0], [21, 22]],
    ]
    bounded = dataset.filter(lambda x: tf.shape(x)[0] < 5)
    found = values(
        bounded.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 2], pad_to_bucket_boundary=True)
    )
    assert found == [[[1, 2, 3, 4], [5, 6, 7, 0]], [[0, 0], [21, 22]]]


def test_rejection_resample() -> None:
    labels = np.array([0] * 900 + [1] * 100, np.int32)
    source = Dataset.from_tensor_slices(labels).shuffle(1000, seed=0)
    for initial in (None, [0.9, 0.1]):
        found = [int(c) for c, _ in source.rejection_resample(lambda x: x, [0.5, 0.5], initial, seed=1)]
        assert 0.35 < np.mean(found) < 0.65


def test_functions_must_be_callable() -> None:
    with pytest.raises(TypeError, match="map: the function must be a callable, got 3"):
        Dataset.range(1).map(3)


def test_ignore_errors() -> None:
    def broken(x: Any) -> Any:
        if x == 1:
            raise ValueError("no")
        return x

    for calls in (None, 3):
        assert values(Dataset.range(4).map(broken, num_parallel_calls=calls).ignore_errors().batch(3)) == [[0, 2, 3]]
    assert values(Dataset.range(4).map(broken).batch(2).ignore_errors()) == [[2, 3]]


def test_lists_are_taken_for_tuples() -> None:
    def both(x: Any) -> Any:
        return tf.numpy_function(lambda v: (v + 1, np.float32(v)), [x], [tf.int64, tf.float32])

    ((number, half),) = Dataset.range(1).map(both)
    assert (number.dtype, half.dtype) == (tf.int64, tf.float32)
    (only,) = next(iter(Dataset.range(1).map(lambda x: tf.numpy_function(lambda v: v, [x], [tf.int64]))))
    assert only.shape == []


def test_numpy_functions_get_bytes_and_scalars() -> None:
    names = Dataset.from_tensor_slices(["a", "b"])
    decoded = names.map(lambda x: tf.numpy_function(lambda v: v.decode().upper(), [x], tf.string))
    assert list(decoded.as_numpy_iterator()) == [b"A", b"B"]
    halves = Dataset.range(2).map(lambda x: tf.numpy_function(lambda v: v / 2, [x], tf.float64))
    assert values(halves) == [0.0, 0.5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is float64, but expects float32"):
        values(Dataset.range(2).map(lambda x: tf.numpy_function(lambda v: v / 2, [x], tf.float32)))


def test_random_numbers_on_threads_are_all_different() -> None:
    for seed in range(20):  # whoever draws first makes the generator, and only one may
        dataset = Dataset.range(8).map(
            lambda x, seed=seed: tf.random.uniform([], seed=1000 + seed), num_parallel_calls=4
        )
        assert len(set(values(dataset))) == 8


def test_threads_are_used_where_they_help() -> None:
    def waits(x: Any) -> Any:
        time.sleep(0.004)
        seen.add(threading.get_ident())
        return x

    seen: set[int] = set()
    dataset = Dataset.range(100).map(waits, num_parallel_calls=tf.data.AUTOTUNE)
    start = time.perf_counter()
    assert values(dataset) == list(range(100))
    assert len(seen) > 2
    assert values(dataset) == list(range(100))
    assert time.perf_counter() - start < 0.7
    seen.clear()
    assert values(Dataset.range(1000).map(lambda x: seen.add(threading.get_ident()) or x, tf.data.AUTOTUNE))
    assert len(seen) == 1


def test_an_interleave_need_not_keep_the_order() -> None:
    def wait(x: Any) -> Any:
        time.sleep(0.3 if x == 0 else 0.0)
        return x

    def one(x: Any) -> Any:
        return Dataset.from_tensors(x).map(lambda y: tf.numpy_function(wait, [y], tf.int64))

    found = [int(x) for x in Dataset.range(8).interleave(one, 4, num_parallel_calls=4, deterministic=False)]
    assert sorted(found) == list(range(8))
    assert found[0] != 0
    ordered = Dataset.range(8).interleave(one, 4, num_parallel_calls=4)
    assert [int(x) for x in ordered] == list(range(8))


def test_an_interleave_out_of_order_hands_errors_on_and_ends_its_threads() -> None:
    def rows(x: Any) -> Any:
        return Dataset.range(10000).map(lambda y: tf.debugging.check_numerics(tf.cast(y, tf.float32) / x, "bad"))

    def running() -> int:
        return sum(thread.name == "data-interleave" for thread in threading.enumerate())

    ds = Dataset.from_tensor_slices([0.0, 1.0]).interleave(rows, 2, num_parallel_calls=2, deterministic=False)
    assert {"element", "error"} <= set(outcomes(iter(ds), 10000))
    limit = time.monotonic() + 10
    while running() and time.monotonic() < limit:
        gc.collect()  # tracebacks of errors hold the frames that the iterator is in
        time.sleep(0.02)
    assert not running()


def outcomes(iterator: Any, count: int) -> list[str]:
    """What the first elements are, errors among them."""
    found = []
    for _ in range(count):
        try:
            iterator.get_next()
            found.append("element")
        except tf.errors.InvalidArgumentError:
            found.append("error")
    return found


def test_functions_of_a_loop_keep_its_values() -> None:
    made = [Dataset.range(2).map(lambda x: x + n) for n in (10, 20)]  # noqa: B023
    assert [[int(x) for x in ds] for ds in made] == [[10, 11], [20, 21]]
    assert [[int(x) for x in ds.batch(2).unbatch()] for ds in made] == [[10, 11], [20, 21]]


def test_names_that_a_function_writes_are_the_program_s() -> None:
    calls = 0

    def count(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x

    assert len(list(Dataset.range(3).map(count))) == 3
    assert calls == 3


def reduced(key: Any, begin: Any, step: Any) -> Any:
    reducer = tf.data.experimental.Reducer(begin, step, lambda state: state)
    return Dataset.range(4).apply(tf.data.experimental.group_by_reducer(key, reducer))


@pytest.mark.parametrize(
    ("key", "step", "kind", "message"),
    [
        (lambda x: tf.cast(x, tf.int32), lambda s, x: s + x, ValueError, "single tf.int64 scalar"),
        (lambda x: [x, x], lambda s, x: s + x, ValueError, "single tf.int64 scalar"),
        (lambda x: x % 2, lambda s, x: tf.cast(s, tf.float32), TypeError, "element types for the new state"),
        (lambda x: x % 2, lambda s, x: (s, s), ValueError, "element classes for the new state"),
    ],
)
def test_reducers_that_do_not_fit(key: Any, step: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        reduced(key, lambda key: np.int64(0), step)


def test_the_shape_of_a_reducers_state_may_change() -> None:
    found = reduced(lambda x: x % 2, lambda key: tf.zeros([1], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
    assert found.element_spec == tf.TensorSpec([None], tf.int64)
    assert [x.numpy().tolist() for x in found] == [[0, 0, 2], [0, 1, 3]]


def test_the_turn_of_a_failure_among_datasets_in_turn() -> None:
    """Where datasets are read ahead, it is where the dataset's elements would be, else before those of the next dataset."""

    def checked(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / (x - 5), "five") * 0 + x

    numbers = Dataset.from_tensor_slices([4.0, 5.0, 6.0]).map(checked)
    repeat = lambda x: Dataset.from_tensors(x).repeat(2)  # noqa: E731
    both = [
        numbers.apply(tf.data.experimental.parallel_interleave(repeat, 2, prefetch_input_elements=0)),
        numbers.interleave(repeat, 2, num_parallel_calls=2),
        numbers.interleave(repeat, 2),
    ]
    found = []
    for dataset in both:
        iterator, items = iter(dataset), []
        while True:
            try:
                items.append(int(next(iterator)))
            except tf.errors.InvalidArgumentError:
                items.append(None)
            except StopIteration:
                break
        found.append(items)
    assert found == [[4, None, 4, 6, 6], [4, None, 4, 6, 6], [4, None, 6, 4, 6]]
