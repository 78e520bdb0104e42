"""Errors of elements: which stages go on with the next element, and what is lost."""

from behaviour import case
from cases._draining import drain, kind


def numbers(tf, *values):
    return tf.data.Dataset.from_tensor_slices([float(v) for v in values])


def checked(tf, *values, calls=None):
    return numbers(tf, *values).map(lambda x: tf.debugging.check_numerics(x, "bad"), num_parallel_calls=calls)


NAN = float("nan")


@case(calls=[None, 1, 2, 4, -1])
def map_goes_on_after_an_error(tf, calls):
    return drain(tf, checked(tf, 1, NAN, 3, NAN, NAN, 6, calls=calls))


@case(calls=[None, 2])
def error_in_the_last_element(tf, calls):
    return drain(tf, checked(tf, 1, 2, NAN, calls=calls))


@case(calls=[None, 2])
def only_errors(tf, calls):
    return drain(tf, checked(tf, NAN, NAN, NAN, calls=calls))


@case(size=[0, 1, 3, -1])
def prefetch_goes_on(tf, size):
    return drain(tf, checked(tf, 1, NAN, 3, 4).prefetch(size))


@case(size=[1, 2, 3, 4], drop=[False, True])
def batch_loses_what_it_had(tf, size, drop):
    return drain(tf, checked(tf, 1, 2, NAN, 4, 5, 6, NAN, 8).batch(size, drop_remainder=drop))


@case(calls=[1, 2])
def parallel_batch_after_an_error(tf, calls):
    return drain(tf, checked(tf, 1, 2, NAN, 4, 5, 6, 7).batch(2, num_parallel_calls=calls))


@case
def padded_batch_after_an_error(tf):
    return drain(tf, checked(tf, 1, 2, NAN, 4, 5, 6).padded_batch(2))


@case
def batch_of_different_shapes_goes_on(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 1, 2, 3, 3, 3]).map(lambda n: tf.fill([n], n))
    return drain(tf, ds.batch(2))


@case
def filter_goes_on(tf):
    return drain(tf, numbers(tf, 1, NAN, 3, 4).filter(lambda x: tf.debugging.check_numerics(x, "bad") > 1.0))


@case
def filter_after_failing_map(tf):
    return drain(tf, checked(tf, 1, NAN, 3, 4).filter(lambda x: x > 1.0))


@case(count=[1, 2, 3])
def take_does_not_count_errors(tf, count):
    return drain(tf, checked(tf, 1, NAN, 3, 4).take(count))


@case(count=[1, 2, 3])
def skip_over_errors(tf, count):
    return drain(tf, checked(tf, 1, NAN, 3, 4, 5, 6).skip(count))


@case(shards=[2, 3])
def shard_over_errors(tf, shards):
    return drain(tf, checked(tf, 0, NAN, 2, 3, 4, 5, 6).shard(shards, 0))


@case
def repeat_goes_on(tf):
    return drain(tf, checked(tf, 1, NAN, 3).repeat(2))


@case
def repeat_of_errors_only(tf):
    return drain(tf, checked(tf, NAN, NAN).repeat(2))


@case
def memory_cache_goes_on(tf):
    ds = checked(tf, 1, NAN, 3).cache()
    return drain(tf, ds), drain(tf, ds)


@case
def zip_advances_all_inputs(tf):
    return drain(tf, tf.data.Dataset.zip((checked(tf, 1, NAN, 3), tf.data.Dataset.range(4))))


@case
def zip_advances_all_inputs_in_other_order(tf):
    return drain(tf, tf.data.Dataset.zip((tf.data.Dataset.range(4), checked(tf, 1, NAN, 3))))


@case
def concatenate_goes_on(tf):
    return drain(tf, checked(tf, 1, NAN).concatenate(checked(tf, NAN, 4)))


@case
def enumerate_does_not_count_errors(tf):
    return drain(tf, checked(tf, 1, NAN, 3).enumerate())


@case
def flat_map_of_a_failing_function(tf):
    ds = numbers(tf, 1, NAN, 3)
    return drain(tf, ds.flat_map(lambda x: tf.data.Dataset.from_tensors(tf.debugging.check_numerics(x, "")).repeat(2)))


@case
def flat_map_of_failing_datasets(tf):
    return drain(tf, tf.data.Dataset.range(2).flat_map(lambda i: checked(tf, 1, NAN, 3)))


@case(cycle=[1, 2, 3], block=[1, 2])
def interleave_of_failing_datasets(tf, cycle, block):
    ds = tf.data.Dataset.range(3).interleave(
        lambda i: tf.data.Dataset.from_tensor_slices([1.0, NAN, 3.0]).map(
            lambda x: tf.debugging.check_numerics(x, "") + tf.cast(i, tf.float32) * 10
        ),
        cycle_length=cycle,
        block_length=block,
    )
    return drain(tf, ds)


@case(cycle=[1, 2], block=[1, 2], calls=[1, 2])
def parallel_interleave_of_failing_datasets(tf, cycle, block, calls):
    if calls > cycle:
        calls = cycle
    ds = tf.data.Dataset.range(3).interleave(
        lambda i: tf.data.Dataset.from_tensor_slices([1.0, NAN, 3.0]).map(
            lambda x: tf.debugging.check_numerics(x, "") + tf.cast(i, tf.float32) * 10
        ),
        cycle_length=cycle,
        block_length=block,
        num_parallel_calls=calls,
    )
    return drain(tf, ds)


@case(cycle=[1, 2], block=[1, 2, 3], calls=[None, 1, 2])
def interleave_of_a_failing_function(tf, cycle, block, calls):
    calls = calls and min(calls, cycle)
    ds = numbers(tf, 1, 2, NAN, 4).interleave(
        lambda x: tf.data.Dataset.from_tensors(tf.debugging.check_numerics(x, "")).repeat(2),
        cycle_length=cycle,
        block_length=block,
        num_parallel_calls=calls,
    )
    return drain(tf, ds)


@case
def scan_keeps_the_state(tf):
    ds = numbers(tf, 1, NAN, 3, 4)
    return drain(tf, ds.scan(0.0, lambda s, x: (s + tf.debugging.check_numerics(x, ""), s + x)))


@case
def scan_after_a_failing_map(tf):
    return drain(tf, checked(tf, 1, NAN, 3, 4).scan(0.0, lambda s, x: (s + x, s + x)))


@case
def take_while_goes_on(tf):
    ds = numbers(tf, 1, NAN, 3, 4, 1)
    return drain(tf, ds.take_while(lambda x: tf.debugging.check_numerics(x, "") < 4.0))


@case
def unique_goes_on(tf):
    ds = tf.data.Dataset.from_tensor_slices([6, 0, 6, 3]).map(lambda x: 6 // x)
    return drain(tf, ds.unique())


@case
def unbatch_goes_on(tf):
    return drain(tf, checked(tf, 1, 2, NAN, 4, 5).batch(1).unbatch())


@case(size=[1, 2], shift=[1, 2], drop=[False, True])
def window_with_errors(tf, size, shift, drop):
    ds = checked(tf, 1, 2, NAN, 4, 5, 6).window(size, shift, drop_remainder=drop)
    return drain(tf, ds.flat_map(lambda w: w.batch(size)))


@case
def group_by_window_goes_on(tf):
    ds = tf.data.Dataset.from_tensor_slices([2, 0, 4, 6, 1, 3])
    return drain(tf, ds.group_by_window(lambda x: tf.cast(12 // x % 2, tf.int64), lambda k, w: w.batch(2), 2))


@case
def group_by_window_of_a_failing_reduction(tf):
    ds = tf.data.Dataset.range(6)
    return drain(tf, ds.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2).map(lambda x: x // k), 2))


@case
def ignore_errors_of_map_and_batch(tf):
    return drain(tf, checked(tf, 1, NAN, 3, 4, 5).batch(2).ignore_errors())


@case(calls=[None, 2])
def ignore_errors_of_map(tf, calls):
    return drain(tf, checked(tf, 1, NAN, 3, calls=calls).ignore_errors())


@case
def ignore_errors_then_batch(tf):
    return drain(tf, checked(tf, 1, NAN, 3, 4, 5).ignore_errors().batch(2))


@case
def ignore_errors_of_filter_and_flat_map(tf):
    ds = numbers(tf, 1, NAN, 3).filter(lambda x: tf.debugging.check_numerics(x, "") > 0)
    ds = ds.flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(2)).prefetch(1)
    return drain(tf, ds.ignore_errors())


@case
def ignore_errors_of_a_dataset_without_errors(tf):
    return drain(tf, tf.data.Dataset.range(3).ignore_errors())


@case
def ignore_errors_with_log(tf):
    return drain(tf, checked(tf, 1, NAN, 3).ignore_errors(log_warning=True, name="ignored"))


@case
def shuffle_with_errors_keeps_all_others(tf):
    found = drain(tf, checked(tf, 1, NAN, 3, NAN, 5).shuffle(2))
    return sum(isinstance(v, str) for v in found), sorted(float(v) for v in found if not isinstance(v, str))


@case
def generator_ends_after_its_error(tf):
    def generate():
        yield 1
        raise ValueError("no more")

    ds = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))
    return drain(tf, ds)


@case
def generator_of_a_wrong_element_goes_on(tf):
    def generate():
        yield 1
        yield [1, 2]
        yield 3

    ds = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))
    return drain(tf, ds)


@case
def py_function_errors(tf):
    def inverse(x):
        if x == 1:
            raise ValueError("one")
        return x

    ds = tf.data.Dataset.range(3).map(lambda x: tf.py_function(inverse, [x], tf.int64))
    return drain(tf, ds)


@case(error=["TypeError", "ValueError", "KeyError", "StopIteration", "NotImplementedError", "ZeroDivisionError"])
def classes_of_python_errors_in_numpy_functions(tf, error):
    kinds = {
        "TypeError": TypeError, "ValueError": ValueError, "KeyError": KeyError, "StopIteration": StopIteration,
        "NotImplementedError": NotImplementedError, "ZeroDivisionError": ZeroDivisionError,
    }  # fmt: skip

    def fail(x):
        raise kinds[error]("no")

    ds = tf.data.Dataset.range(2).map(lambda x: tf.numpy_function(fail, [x], tf.int64))
    return drain(tf, ds)


@case(stage=["map", "filter", "flat_map", "interleave", "parallel_map"])
def message_names_the_user_function(tf, stage):
    ds = tf.data.Dataset.range(3)
    made = {
        "map": lambda: ds.map(lambda x: 1 // x),
        "parallel_map": lambda: ds.map(lambda x: 1 // x, num_parallel_calls=2),
        "filter": lambda: ds.filter(lambda x: 1 // x > 0),
        "flat_map": lambda: ds.flat_map(lambda x: tf.data.Dataset.range(1 // x)),
        "interleave": lambda: ds.interleave(lambda x: tf.data.Dataset.range(1 // x), 2),
    }[stage]()
    try:
        list(made)
    except tf.errors.InvalidArgumentError as error:
        return "Error in user-defined function passed to" in error.message, "iterator: Iterator::Root" in error.message
    return "nothing raised"


@case
def reduce_raises_the_first_error(tf):
    return checked(tf, 1, NAN, 3).reduce(0.0, lambda a, b: a + b)


@case
def get_next_raises_and_goes_on(tf):
    iterator, found = iter(checked(tf, 1, NAN, 3)), []
    for _ in range(4):
        try:
            found.append(iterator.get_next())
        except Exception as error:
            found.append(kind(error))
    return found


@case
def get_next_as_optional_of_an_error(tf):
    iterator = iter(checked(tf, 1, NAN, 3))
    found = []
    for _ in range(4):
        try:
            found.append(iterator.get_next_as_optional().has_value())
        except Exception as error:
            found.append(kind(error))
    return found


@case
def as_numpy_iterator_goes_on(tf):
    return drain(tf, checked(tf, 1, NAN, 3).as_numpy_iterator())


@case
def choose_from_datasets_goes_on(tf):
    choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 0, 1, 1, 0], tf.int64))
    return drain(tf, tf.data.Dataset.choose_from_datasets([checked(tf, 1, NAN, 3), checked(tf, NAN, 5)], choice))


@case
def choose_from_datasets_with_failing_choices(tf):
    choice = tf.data.Dataset.from_tensor_slices([0, 1, 0, 1]).map(lambda x: tf.cast(0 // x, tf.int64))
    return drain(tf, tf.data.Dataset.choose_from_datasets([checked(tf, 1, 2, 3), checked(tf, 4, 5)], choice))


@case
def rebatch_goes_on(tf):
    return drain(tf, checked(tf, 1, 2, NAN, 4, 5, 6).batch(2).rebatch(3))


@case
def ragged_batch_goes_on(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2, 0, 3, 1]).map(lambda x: tf.range(6 // x))
    return drain(tf, ds.ragged_batch(2))


@case
def bucket_by_sequence_length_goes_on(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2, 0, 3, 1]).map(lambda x: tf.range(6 // x))
    return drain(tf, ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [4], [2, 2]))


@case
def errors_pass_through_a_long_pipeline(tf):
    ds = checked(tf, 1, 2, NAN, 4, 5, 6, 7, 8, calls=2).prefetch(2).enumerate().map(lambda i, x: x).batch(2)
    return drain(tf, ds.prefetch(1).map(lambda x: x * 2, num_parallel_calls=2))
