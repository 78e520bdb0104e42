"""Strings joined and formatted."""

from behaviour import case


@case(separator=["", ", ", "é"])
def join(tf, separator):
    return tf.strings.join([["a", "b"], "c", ["", "d"]], separator)


@case
def join_scalars(tf):
    return tf.strings.join(["a", "b"], ",")


@case
def join_of_other_shapes(tf):
    return tf.strings.join([["a", "b"], [["c", "d"]]])


@case
def join_of_other_lengths(tf):
    return tf.strings.join([["a", "b"], ["c", "d", "e"]])


@case
def join_nothing(tf):
    return tf.strings.join([])


@case
def join_numbers(tf):
    return tf.strings.join([[1], ["a"]])


@case
def join_one(tf):
    return tf.strings.join([["a", "b"]], "-")


@case
def join_empty(tf):
    return tf.strings.join([tf.constant([], tf.string), "a"])


@case
def join_ragged(tf):
    rows = tf.ragged.constant([["a"], [], ["b", "c"]])
    return [tf.strings.join([rows, rows], "-"), tf.strings.join([rows, "x"])]


@case(axis=[None, 0, 1, 2, -1, [0, 1], [1, 0], [2, 0], [], [-1, 0]], keepdims=[False, True])
def reduce_join(tf, axis, keepdims):
    x = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]
    return tf.strings.reduce_join(x, axis=axis, keepdims=keepdims, separator=".")


@case(axis=[3, -4, [0, 0], [0, 5], 1.5, "a"])
def reduce_join_of_a_bad_axis(tf, axis):
    return tf.strings.reduce_join([[["a"]]], axis=axis)


@case
def reduce_join_scalar(tf):
    return tf.strings.reduce_join("a")


@case
def reduce_join_nothing(tf):
    x = tf.zeros([0, 2], tf.string) if False else tf.constant([], tf.string, shape=[0, 2])
    return [tf.strings.reduce_join(x, 0, separator=","), tf.strings.reduce_join(x, 1), tf.strings.reduce_join(x)]


@case(axis=[None, -1, 1, 0])
def reduce_join_ragged(tf, axis):
    return tf.strings.reduce_join(tf.ragged.constant([["a", "b"], [], ["c"]]), axis=axis, separator="-")


@case(axis=[2, -1, 1, 0, [1, 2]])
def reduce_join_deeper_ragged(tf, axis):
    return tf.strings.reduce_join(tf.ragged.constant([[["a", "b"], []], [["c"]]]), axis=axis, separator="-")


@case(ids=[[0, 0, 1], [1, 1, 1], [2, -1, 0], [0, 1, 3]])
def unsorted_segment_join(tf, ids):
    return tf.strings.unsorted_segment_join(["a", "b", "c"], ids, 3, ":")


@case
def unsorted_segment_join_rows(tf):
    return tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1, ":")


@case
def unsorted_segment_join_of_matrix_ids(tf):
    return tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2)


@case
def unsorted_segment_join_with_too_many_ids(tf):
    return tf.strings.unsorted_segment_join(["a", "b"], [0, 0, 0], 1)


@case(count=[-1, 0, 5])
def unsorted_segment_join_counts(tf, count):
    return tf.strings.unsorted_segment_join(tf.constant([], tf.string), tf.constant([], tf.int32), count)


@case(count=[2, [1, 2], 1.5])
def unsorted_segment_join_of_a_bad_count(tf, count):
    return tf.strings.unsorted_segment_join(["a"], [0], count)


@case(summarize=[3, 1, -1])
def format_long(tf, summarize):
    return tf.strings.format("x: {}!", tf.range(10), summarize=summarize)


@case
def format_several(tf):
    return tf.strings.format("{} and {}", (tf.constant(1), tf.constant([1.5, float("nan")])))


@case
def format_strings(tf):
    return [tf.strings.format("{}", tf.constant("a")), tf.strings.format("{}", tf.constant(["a", "b\n"]))]


@case
def format_matrix(tf):
    return tf.strings.format("m = {}", tf.reshape(tf.range(6), [2, 3]))


@case
def format_large(tf):
    return tf.strings.format("{}", tf.reshape(tf.range(100), [10, 10]))


@case(dtype=["bool", "float16", "float64", "uint8", "complex64", "int64"])
def format_dtypes(tf, dtype):
    return tf.strings.format("{}", tf.cast([0, 1], dtype))


@case
def format_floats(tf):
    return tf.strings.format("{}", tf.constant([1.0, 1e10, 1.0 / 3, 1e-8, 123456.0]))


@case
def format_scalars_of_floats(tf):
    return [tf.strings.format("{}", tf.constant(v)) for v in (1.0, 0.1, 1e10, 1e-8, 16777216.0)]


@case(template=["{}", "{} {} {}", "none"])
def format_with_other_numbers_of_places(tf, template):
    return tf.strings.format(template, (tf.constant(1), tf.constant(2)))


@case
def format_with_another_placeholder(tf):
    return tf.strings.format("{} %t", tf.constant(1), placeholder="%t")


@case
def format_in_a_function(tf):
    return tf.function(lambda x: tf.strings.format("x = {}", x))(tf.constant([1, 2]))


@case
def format_nothing(tf):
    return tf.strings.format("plain", ())
