"""Names, kinds and small classes that functions and their specs consist of."""

from __future__ import annotations

import collections
import weakref

import numpy as np
from behaviour import case

Point = collections.namedtuple("Point", ["b", "a"])


@case
def names_of_a_named_tuple(tf):
    f = tf.function(lambda p, *more: p.a).get_concrete_function(
        Point(tf.constant(1), [tf.constant(2)]), Point(tf.constant(1), tf.constant(1))
    )
    return [spec.name for spec in tf.nest.flatten(f.structured_input_signature)]


@case(kwargs=["unknown", "dtype"])
def flat_call(tf, kwargs):
    f = tf.function(lambda x: x).get_concrete_function(tf.constant(1))
    if kwargs == "dtype":
        return f._call_with_flat_signature([tf.constant(1.0)], {})
    return f._call_with_flat_signature([tf.constant(1)], {"c": tf.constant(1)})


@case(name=[None, "given"], other=[None, "given", "another"])
def subtype_of_a_named_spec(tf, name, other):
    return tf.TensorSpec([2], name=name).is_subtype_of(tf.TensorSpec([None], name=other))


@case(limits=["1:4", ":2", "2:", "-1:", ":-1", "3:1", ":"])
def part_of_a_shape_of_unknown_rank(tf, limits):
    start, _, stop = limits.partition(":")
    return tf.TensorShape(None)[int(start) if start else None : int(stop) if stop else None].rank


@case(other=[[1, 2], [1], None])
def same_rank(tf, other):
    return tf.TensorShape([3, 4]).assert_same_rank(other)


@case(others=[[], [[2, 5]], [[2, 3], [1, 3]], [[2]]])
def common_supertype_of_shapes(tf, others):
    return tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape(s) for s in others])


@case(number=[1, 3, 7, 11, 12, 14, 20, 21, 0, 99])
def dtype_by_number(tf, number):
    return tf.as_dtype(number).name


@case(dtype=["f4", np.dtype(np.complex64), "nonsense"])
def dtype_of_a_class(tf, dtype):
    return tf.as_dtype(type("Holder", (), {"dtype": dtype})).name


@case(flat=["text", 5, [1, 2]])
def packs(tf, flat):
    return tf.nest.pack_sequence_as([0, 0], flat)


@case(expand=[True, False])
def maps_composites(tf, expand):
    given = tf.ragged.constant([[1, 2], [3]])
    if expand:
        return tf.nest.map_structure(lambda x: x + 0, given, expand_composites=True).to_list()
    return tf.nest.map_structure(lambda x: type(x).__name__, given)


@case
def maps_with_an_unknown_option(tf):
    return tf.nest.map_structure(lambda x: x, [1], option=1)


@case
def payloads_of_an_error(tf):
    return tf.errors.InvalidArgumentError(None, None, "x").experimental_payloads


@case(given=["none", "ones"])
def gradients_of_a_complex_target(tf, given):
    @tf.function
    def f(x):
        y = tf.square(x)
        return tf.gradients(y, x, None if given == "none" else tf.ones_like(y))[0]

    return f(tf.constant(7 + 3j, tf.complex64))


@case(where=["eager", "function"])
def python_function_that_returns_a_variable(tf, where):
    def f():
        return tf.py_function(lambda: tf.Variable(1.0), [], tf.float32)

    return f() if where == "eager" else tf.function(f)()


@case(how=["unstack", "split", "top_k"])
def sizes_through_ops_of_several_results(tf, how):
    def sizes(x):
        if how == "unstack":
            return tf.stack([tf.unstack(tf.shape(x))[1], 4])
        if how == "split":
            return tf.concat(tf.split(tf.shape(x), 2)[::-1], 0)
        return tf.math.top_k(tf.shape(x), 2).values

    inner = tf.function(lambda x: tf.ones(sizes(x)), input_signature=[tf.TensorSpec([None, None])])
    found = []

    @tf.function
    def outer(x):
        y = inner(x)
        found.append(y.shape)
        return y

    return outer(tf.zeros([2, 6])), found[0]


@case
def variable_of_a_size_that_varies(tf):
    made = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def f(x):
        if not made:
            made.append(tf.Variable(x))
        return made[0] + 1

    f(tf.constant([1, 2, 3], tf.int64))
    made[0].assign([1, 2])
    return made[0].shape, f(tf.constant([1], tf.int64))


@case
def attributes_of_a_graph(tf):
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    concrete = tf.function(lambda x: {"y": x * v + w}).get_concrete_function(tf.TensorSpec([2], name="x"))
    graph = concrete.graph
    return (
        [u.ref() in (v.ref(), w.ref()) for u in graph.variables],
        len(graph.trainable_variables),
        list(graph.structured_outputs),
        graph.structured_input_signature,
        v.handle in graph.external_captures,
    )


@case
def name_that_the_user_gave(tf):
    concrete = tf.function(lambda x, y: x + y).get_concrete_function(tf.TensorSpec([], name="given"), tf.TensorSpec([]))
    return [t.op.get_attr("_user_specified_name") for t in concrete.inputs]


@case
def assert_all_equal_on_ragged(tf):
    test = tf.test.TestCase()
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    test.assertAllEqual(ragged, [[1.0, 2.0], [3.0]])
    test.assertAllClose([[1.0, 2.0], [3.0]], ragged)
    test.assertAllEqual(ragged, ragged)
    test.assertNotAllEqual(ragged, [[1.0, 2.0], [4.0]])
    return 1


@case(size=[2, 3], shape=[[2], [None], None])
def assigns_a_size_that_is_not_known(tf, size, shape):
    v = tf.Variable([1.0, 1.0], shape=tf.TensorShape(shape))

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        v.assign(x)
        return v * 2.0

    return f(tf.zeros([size])), v


@case(times=[1, 2])
def watches_a_primal_again(tf, times):
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(10.0)) as accumulator:
        for _ in range(times):
            accumulator._watch(x, tf.constant(1.0))
        y = x * x
    return accumulator.jvp(x), accumulator.jvp(y)


@case
def tangents_go_with_their_primals(tf):
    x, tangent = tf.ones([100]) * 1.0, tf.zeros([100]) * 1.0
    reference = weakref.ref(tangent)
    with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
        y = x * 2.0
        del tangent, x
        return reference() is None, accumulator.jvp(y)


@case(where=["eager", "function"])
def handle_for_a_python_function(tf, where):
    v = tf.Variable([2.0, 3.0])

    def f(x):
        return tf.py_function(lambda handle, y: y + 1.0, [v.handle, x], tf.float32)

    return f(tf.constant(1.0)) if where == "eager" else tf.function(f)(tf.constant(1.0))


@case(variadic=[True, False])
def argument_given_twice(tf, variadic):
    f = tf.function((lambda x, y=5, *more: x) if variadic else (lambda x, y=5: x))
    try:
        return f.get_concrete_function(1, 2)(1, 2, x=3)
    except TypeError as problem:
        return "unexpected keyword argument 'x'" in str(problem), "multiple values for argument 'x'" in str(problem)


@case(kind=["py_function", "numpy_function"], given=["no Tout", "inp without a function", "no inp", "decorator"])
def arguments_of_python_functions(tf, kind, given):
    make = getattr(tf, kind)
    if given == "no Tout":
        return make(lambda x: x)
    if given == "inp without a function":
        return make(inp=[], Tout=tf.int32) and 1
    if given == "no inp":
        return make(lambda x: x, Tout=tf.int32)
    return make(Tout=tf.int32)(lambda a, b: a + b)(tf.constant(1), tf.constant(2))
