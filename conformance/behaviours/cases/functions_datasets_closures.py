"""Datasets in functions, whose own functions close over tensors of the function around them."""

from behaviour import case


def total(tf, dataset):
    return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a * 2 + tf.reduce_sum(b))


STAGES = {
    "map": lambda tf, x: tf.data.Dataset.range(4).map(lambda i: i * x),
    "parallel map": lambda tf, x: tf.data.Dataset.range(4).map(lambda i: i * x, num_parallel_calls=2),
    "two maps": lambda tf, x: tf.data.Dataset.range(4).map(lambda i: i * x).map(lambda i: i + x),
    "map and batch": lambda tf, x: tf.data.Dataset.range(4).map(lambda i: i * x).batch(3),
    "filter": lambda tf, x: tf.data.Dataset.range(4).filter(lambda i: i < x),
    "take_while": lambda tf, x: tf.data.Dataset.range(4).take_while(lambda i: i < x),
    "flat_map": lambda tf, x: tf.data.Dataset.range(4).flat_map(lambda i: tf.data.Dataset.range(x)),
    "interleave": lambda tf, x: tf.data.Dataset.range(3).interleave(
        lambda i: tf.data.Dataset.from_tensors(i * x).repeat(2), cycle_length=2
    ),
    "scan": lambda tf, x: tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, i: (s + i * x, s)),
    "window": lambda tf, x: tf.data.Dataset.range(4).window(2).flat_map(lambda w: w.map(lambda i: i * x).batch(2)),
    "group_by_window": lambda tf, x: tf.data.Dataset.range(6).group_by_window(
        lambda i: i % x, lambda k, w: w.batch(3), 3
    ),
    "cache and repeat": lambda tf, x: tf.data.Dataset.range(3).map(lambda i: i + x).cache().repeat(2),
    "source too": lambda tf, x: tf.data.Dataset.range(x).map(lambda i: i + x),
}


@case(stage=list(STAGES))
def stage_that_closes_over_an_argument(tf, stage):
    @tf.function
    def f(x):
        return total(tf, STAGES[stage](tf, x))

    return f(tf.constant(2, tf.int64)), f(tf.constant(3, tf.int64)), f.experimental_get_tracing_count()


@case(stage=list(STAGES))
def returned_dataset(tf, stage):
    f = tf.function(lambda x: STAGES[stage](tf, x))
    few, more = f(tf.constant(2, tf.int64)), f(tf.constant(3, tf.int64))
    return list(few), list(more), list(few)


@case
def loop_over_a_dataset_in_a_loop(tf):
    @tf.function
    def f(x):
        found = tf.constant(0, tf.int64)
        for k in tf.range(3):
            for i in tf.data.Dataset.range(3).map(lambda i: i * x + tf.cast(k, tf.int64)):  # noqa: B023
                found += i
        return found

    return f(tf.constant(2, tf.int64)), f(tf.constant(5, tf.int64))


@case(taken=[True, False])
def dataset_in_a_branch(tf, taken):
    @tf.function
    def f(x, p):
        return tf.cond(p, lambda: total(tf, tf.data.Dataset.range(3).map(lambda i: i + x)), lambda: x)

    return f(tf.constant(2, tf.int64), tf.constant(taken))


@case
def elements_of_several_kinds(tf):
    @tf.function
    def f(x, text):
        ds = tf.data.Dataset.from_tensor_slices([4, 5]).map(
            lambda i: {
                "sum": i + x,
                "text": tf.strings.join([text, tf.strings.as_string(i)]),
                "sparse": tf.sparse.from_dense([x]),
            }
        )
        element = next(iter(ds))
        return element["sum"], element["text"], tf.sparse.to_dense(element["sparse"])

    return f(tf.constant(2), tf.constant("a"))


@case
def variable_and_argument(tf):
    v = tf.Variable(10, dtype=tf.int64)

    @tf.function
    def f(x):
        doubled = x * 2

        def own(i):
            if i > 1:
                return i * doubled + v
            return i

        return total(tf, tf.data.Dataset.range(3).map(own))

    first = f(tf.constant(2, tf.int64))
    v.assign(20)
    return first, f(tf.constant(2, tf.int64))


@case
def dataset_given_to_another_function(tf):
    @tf.function
    def inner(dataset):
        return total(tf, dataset.map(lambda i: i + 1))

    @tf.function
    def outer(x):
        return inner(tf.data.Dataset.range(3).map(lambda i: i + x))

    return outer(tf.constant(2, tf.int64)), outer(tf.constant(3, tf.int64))
