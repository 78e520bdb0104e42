"""Iterators and datasets in functions: loops over iterators end, elements stay in order, datasets can be returned."""

import numpy as np
import pytest

import gradtape as tf

RANGE = tf.data.Dataset.range


@tf.function
def take_until(it, stop):
    total = tf.constant(0, tf.int64)
    for x in it:
        total = total * 10 + x
        if x >= stop:
            break
    return total


def test_a_loop_over_an_iterator_goes_on_where_it_is():
    it = iter(RANGE(9))
    next(it)
    found = [int(take_until(it, tf.constant(n, tf.int64))) for n in (2, 3, 100, 100)]
    assert found == [12, 3, 45678, 0]
    with pytest.raises(StopIteration):
        next(it)


def test_elements_that_a_loop_looked_at_are_not_lost():
    it = iter(RANGE(4))
    assert int(take_until(it, tf.constant(1, tf.int64))) == 1
    assert [int(x) for x in it] == [2, 3]


def test_iterators_that_are_made_in_a_function():
    @tf.function
    def f(n):
        it = iter(RANGE(n))
        first, second = next(it), it.get_next()
        rest = tf.constant(0, tf.int64)
        for x in it:
            rest = rest * 10 + x
        return first, second, rest

    for _ in range(2):
        assert [int(v) for v in f(tf.constant(5, tf.int64))] == [0, 1, 234]
    with pytest.raises(tf.errors.OutOfRangeError):
        f(tf.constant(1, tf.int64))


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("make", [lambda: RANGE(3), lambda: iter(RANGE(3))])
@pytest.mark.parametrize("function", [lambda ds: [x for x in ds], lambda ds: list(ds)])  # noqa: C416
def test_loops_of_python_are_refused(autograph, make, function):
    with pytest.raises(ValueError, match="iterated by Python"):
        tf.function(function, autograph=autograph)(make())


def test_returned_datasets_belong_to_their_call():
    @tf.function
    def squares(n):
        return {"squares": RANGE(n).map(lambda x: x * x).batch(2), "n": n, "plain": RANGE(2)}

    few, many = squares(tf.constant(2, tf.int64)), squares(tf.constant(4, tf.int64))
    assert [x.numpy().tolist() for x in many["squares"]] == [[0, 1], [4, 9]]
    assert [x.numpy().tolist() for x in few["squares"]] == [[0, 1]]
    assert len(list(few["plain"])) == 2

    @tf.function
    def total(n):
        found = tf.constant(0, tf.int64)
        for batch in squares(n)["squares"]:
            found += tf.reduce_sum(batch)
        return found

    np.testing.assert_array_equal(total(tf.constant(4, tf.int64)), 14)


def test_functions_of_a_dataset_close_over_tensors_of_the_function_around():
    @tf.function
    def f(x):
        kept = tf.data.Dataset.range(4).filter(lambda i: i < x)
        return kept.map(lambda i: i * x).reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    assert [int(f(tf.constant(x, tf.int64))) for x in (2, 3, 2)] == [2, 9, 2]


def test_a_function_that_closes_over_a_tensor_is_never_run_for_whole_batches_of_another_call():
    @tf.function
    def f(x):
        return tf.data.Dataset.range(4096).map(lambda i: i * x).batch(1024)

    few, more = f(tf.constant(1, tf.int64)), f(tf.constant(2, tf.int64))
    totals = [sum(int(tf.reduce_sum(batch)) for batch in ds) for ds in (few, more, few)]
    assert totals == [8386560, 16773120, 8386560]
