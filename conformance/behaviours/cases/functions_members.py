"""Members of functions and of their traces; loops whose condition comes from outside of them."""

import copy
import weakref

from behaviour import case


@case(results=["none", "tensor", "pair", "dict"])
def output_shapes_and_dtypes(tf, results):
    values = {
        "none": lambda x: None,
        "tensor": lambda x: x,
        "pair": lambda x: (x, tf.zeros([2, 3])),
        "dict": lambda x: {"a": x, "b": tf.constant("t")},
    }
    traced = tf.function(values[results]).get_concrete_function(tf.TensorSpec([None], tf.int32))
    return traced.output_shapes, traced.output_dtypes


@case(reduce=[None, True, False], signature=[True, False], graph=[True, False])
def copies(tf, reduce, signature, graph):
    specs = (tf.TensorSpec([None]),) if signature else None
    f = tf.function(lambda x: x * 2.0, input_signature=specs, autograph=graph, reduce_retracing=reduce)
    other = copy.deepcopy(f)
    return other(tf.constant([3.0])), other.input_signature == specs, other.experimental_get_tracing_count()


@case(what=["weakref", "set", "object", "range"])
def arguments_of_python(tf, what):
    class Thing:
        pass

    thing = Thing()
    values = {"weakref": weakref.ref(thing), "set": {1}, "object": thing, "range": range(3)}
    return tf.function(lambda x: tf.constant(1.0))(values[what])


TENSORS = {"none": 0, "one": 1, "two": 2, "three": 3}


@case(given=list(TENSORS), named=["no", "y", "z", "x"])
def tensors_alone(tf, given, named):
    traced = tf.function(lambda x, y: x * 10 + y).get_concrete_function(tf.constant(1), tf.constant(2))
    extra = {} if named == "no" else {named: tf.constant(7)}
    return traced(*[tf.constant(n + 3) for n in range(TENSORS[given])], **extra)


@case(kind=["tensor", "variable", "ragged"])
def text_of_a_symbol(tf, kind):
    seen = []

    def f(x):
        seen.append(str(x.flat_values if kind == "ragged" else tf.identity(x, name="it")).partition(",")[0][:7])
        return 1

    values = {"tensor": tf.constant(1), "variable": tf.Variable(1), "ragged": tf.ragged.constant([[1]])}
    tf.function(f)(values[kind])
    return seen


@case(calls=[3, 9])
def no_warning_of_calls_inside_of_functions(tf, calls):
    import logging

    said = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    inner = tf.function(lambda x: x + 1)
    tf.get_logger().addHandler(handler)
    try:
        tf.function(lambda: [inner(i) for i in range(calls)])()
    finally:
        tf.get_logger().removeHandler(handler)
    return len(said)


@case(flag=[True, False], carried=[0, 1, 2], extra=["assert", "none", "print"])
def loop_with_a_condition_from_outside(tf, flag, carried, extra):
    def f(go, step):
        a, b = tf.constant(0), tf.constant(1.0)
        while go:
            if extra == "assert" or flag:
                tf.debugging.assert_less(a, 3)
            if carried > 0:
                a += step
            if carried > 1:
                b *= 2.0
            if extra == "print":
                tf.print("", end="", output_stream="file:///dev/null")
            if carried == 0:
                tf.debugging.assert_equal(step, 5)
        return a, b

    return tf.function(f)(tf.constant(flag), tf.constant(1))


@case(flag=[True, False], limit=[0, 1, 4])
def while_loop_with_a_condition_from_outside(tf, flag, limit):
    def f(go):
        return tf.while_loop(lambda i, x: go, lambda i, x: (i + 1, x * 2), (0, 1.0), maximum_iterations=limit)

    return tf.function(f)(tf.constant(flag))


@case(elements=[0, 1, 3])
def iterator_that_ends_in_a_loop(tf, elements):
    def f(data, go):
        iterator = iter(data)
        while go:
            next(iterator)

    return tf.function(f)(tf.data.Dataset.range(elements), tf.constant(True))
