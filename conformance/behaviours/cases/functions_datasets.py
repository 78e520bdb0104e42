"""Datasets and iterators as arguments of functions: one trace for all of a kind, everything computed when the function runs."""

from behaviour import case


def total(tf, ds):
    found = tf.constant(0, tf.int64)
    for x in ds:
        found += x
    return found


def zipped(tf, ds):
    found = tf.constant(0, tf.int64)
    for i, x in tf.data.Dataset.zip((ds, ds.skip(1))):
        found += i * x
    return found


def in_a_loop(tf, ds):
    found = tf.constant(0, tf.int64)
    for _ in tf.range(2):
        for x in ds:
            found += x
    return found


def add(a, b):
    return a + b


USES = {
    "for": total,
    "reduce": lambda tf, ds: ds.reduce(tf.constant(0, tf.int64), add),
    "reduce of a captured tensor": lambda tf, ds: captured(tf, ds, tf.random.uniform([], 2, 3, tf.int64)),
    "cardinality": lambda tf, ds: ds.cardinality(),
    "cardinality of batches": lambda tf, ds: ds.batch(2).cardinality(),
    "get_single_element": lambda tf, ds: ds.batch(10).get_single_element(),
    "next": lambda tf, ds: next(iter(ds)),
    "optional": lambda tf, ds: iter(ds).get_next_as_optional().get_value(),
    "map": lambda tf, ds: total(tf, ds.map(lambda x: x + 1)),
    "zip": zipped,
    "len": lambda tf, ds: tf.constant(len(ds)),
    "spec": lambda tf, ds: tf.constant(str(ds.element_spec)),
    "nested function": lambda tf, ds: tf.function(lambda d: total(tf, d))(ds),
    "nested function of a part": lambda tf, ds: tf.function(lambda d: total(tf, d))(ds.take(2)),
    "in a loop": in_a_loop,
    "twice": lambda tf, ds: total(tf, ds) + total(tf, ds),
    "in a branch": lambda tf, ds: tf.cond(
        ds.cardinality() > 3, lambda: ds.reduce(tf.constant(0, tf.int64), add), lambda: tf.constant(-1, tf.int64)
    ),
    "scan": lambda tf, ds: total(tf, ds.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))),
    "interleave": lambda tf, ds: total(tf, tf.data.Dataset.range(2).interleave(lambda i: ds)),
    "shuffle": lambda tf, ds: total(tf, ds.shuffle(3)),
    "cache": lambda tf, ds: total(tf, ds.cache().repeat(2)),
    "prefetch": lambda tf, ds: total(tf, ds.prefetch(2)),
    "shard": lambda tf, ds: total(tf, ds.shard(2, 0)),
}


def captured(tf, ds, n):
    return ds.reduce(tf.constant(0, tf.int64), lambda a, b: a + b * n)


@case(use=list(USES))
def dataset_argument(tf, use):
    f = tf.function(lambda ds: USES[use](tf, ds))
    many, few = tf.data.Dataset.range(5).map(lambda x: x * 2), tf.data.Dataset.range(3)
    return f(many), f(few), f(many), f.experimental_get_tracing_count()


@case(use=["next", "get_next", "for", "optional", "has_value", "in a loop"])
def iterator_argument(tf, use):
    def run(it):
        if use == "next":
            return next(it)
        if use == "get_next":
            return it.get_next() * 10 + it.get_next()
        if use == "for":
            return total(tf, it)
        if use == "in a loop":
            found = tf.constant(0, tf.int64)
            for _ in tf.range(2):
                found += next(it)
            return found
        optional = it.get_next_as_optional()
        return optional.get_value() if use == "optional" else tf.cast(optional.has_value(), tf.int64)

    f = tf.function(run)
    a, b = iter(tf.data.Dataset.range(4)), iter(tf.data.Dataset.range(10, 14))
    return f(a), f(b), f(a), f(b), f.experimental_get_tracing_count()


@case
def optional_without_a_value(tf):
    f = tf.function(lambda it: it.get_next_as_optional().get_value())
    it = iter(tf.data.Dataset.range(1))
    return f(it), f(it)


@case
def optional_of_a_structure(tf):
    @tf.function
    def f(it):
        optional = it.get_next_as_optional()
        value = tf.cast(0, tf.int64)
        if optional.has_value():
            a, b = optional.get_value()
            value = a + b["x"]
        return value

    it = iter(tf.data.Dataset.range(2).map(lambda i: (i, {"x": i * 10})))
    return f(it), f(it), f(it)


@case
def other_elements_are_another_trace(tf):
    f = tf.function(lambda ds: next(iter(ds)))
    sets = [tf.data.Dataset.range(3), tf.data.Dataset.range(3).batch(2), tf.data.Dataset.from_tensors([1.0, 2.0])]
    return [f(ds) for ds in sets], f.experimental_get_tracing_count()


@case
def dataset_in_a_structure(tf):
    f = tf.function(lambda d, n: total(tf, d["x"]) + n)
    return [f({"x": tf.data.Dataset.range(k)}, tf.constant(k, tf.int64)) for k in (3, 4)]


@case
def dataset_returned_of_an_argument(tf):
    f = tf.function(lambda ds: ds.take(2))
    return [list(f(tf.data.Dataset.range(k, k + 5))) for k in (3, 4)]


@case(kind=["fits", "other"])
def signature_of_a_dataset(tf, kind):
    f = tf.function(lambda ds: total(tf, ds), input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
    return f(tf.data.Dataset.range(4)) if kind == "fits" else f(tf.data.Dataset.from_tensors(1.5))


@case
def signature_of_an_iterator(tf):
    f = tf.function(lambda it: next(it), input_signature=[tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))])
    return f(iter(tf.data.Dataset.range(4, 6))), f(iter(tf.data.Dataset.range(7, 9)))


@case
def concrete_function_of_a_dataset(tf):
    f = tf.function(lambda ds: total(tf, ds))
    c = f.get_concrete_function(tf.data.Dataset.range(2))
    return c(tf.data.Dataset.range(4)), c(tf.data.Dataset.range(5))


@case
def reduce_of_a_captured_dataset(tf):
    v = tf.Variable(2, dtype=tf.int64)
    ds = tf.data.Dataset.range(4)
    f = tf.function(lambda n: ds.reduce(n, lambda a, b: a + b) + v)
    first = f(tf.constant(1, tf.int64))
    v.assign(10)
    return first, f(tf.constant(2, tf.int64))


@case(over=["dataset", "iterator"])
def none_among_the_parts_in_a_function(tf, over):
    @tf.function
    def total(elements):
        found = 0
        for x, _ in iter(elements) if over == "iterator" else elements:
            found += x
        return found

    return total(tf.data.Dataset.range(5, output_type=tf.int32).map(lambda x: (x, None)))


@case(how=["single", "loop", "reduce"])
def one_element_of_an_argument(tf, how):
    @tf.function
    def run(x):
        dataset = tf.data.Dataset.from_tensors({"a": x, "b": 2}).map(lambda e: e["a"] + e["b"])
        if how == "single":
            return dataset.get_single_element()
        if how == "reduce":
            return dataset.reduce(0, lambda s, e: s + e)
        found = 0
        for e in dataset.repeat(2):
            found += e
        return found

    return run(tf.constant(3)), run(tf.constant(4))
