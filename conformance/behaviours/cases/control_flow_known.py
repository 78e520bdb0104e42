"""Branches on conditions that are known while tracing, and what functions of Python return to a graph."""

import numpy as np
from behaviour import case

KNOWN = ["constant", "argument"]


def condition(tf, known, value, argument):
    return {"constant": tf.constant(value), "argument": argument}[known]


@case(known=KNOWN, branch=[True, False])
def gradients_of_a_cond(tf, known, branch):
    @tf.function
    def f(x, y, p):
        return tf.cond(condition(tf, known, branch, p), lambda: x * 2.0, lambda: y * 3.0)

    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        result = f(x, y, tf.constant(branch))
    return tape.gradient(result, [x, y])


@case(known=KNOWN, branch=[True, False])
def gradients_in_the_function(tf, known, branch):
    @tf.function
    def f(x, y, p):
        result = tf.cond(condition(tf, known, branch, p), lambda: x * 2.0, lambda: y * 3.0)
        return tf.gradients(result, [x, y])

    return f(tf.constant(3.0), tf.constant(2.0), tf.constant(branch))


@case(known=KNOWN, index=[0, 1, 2])
def gradients_of_a_switch(tf, known, index):
    v = tf.Variable(5.0)

    @tf.function
    def f(x, y, i):
        branches = [lambda: x * 2.0, lambda: y * 3.0, lambda: v * x]
        return tf.switch_case(condition(tf, known, index, i), branches)

    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        result = f(x, y, tf.constant(index))
    return tape.gradient(result, [x, y, v])


@case(branch=[True, False], form=["case", "if", "expression"])
def gradients_of_other_forms(tf, branch, form):
    @tf.function
    def of_case(x, y):
        return tf.case([(tf.constant(branch), lambda: x * 2.0)], default=lambda: y * 3.0)

    @tf.function
    def of_if(x, y):
        if tf.constant(branch):
            return x * 2.0
        else:
            return y * 3.0

    @tf.function
    def of_expression(x, y):
        return x * 2.0 if tf.constant(branch) else y * 3.0

    f = {"case": of_case, "if": of_if, "expression": of_expression}[form]
    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        result = f(x, y)
    return tape.gradient(result, [x, y])


@case
def shape_after_a_known_condition(tf):
    shapes = []

    @tf.function
    def f(x):
        y = tf.cond(tf.constant(True), lambda: x, lambda: x[:1])
        shapes.append(y.shape)
        return y

    return f(tf.ones([3])), shapes[0]


VALUES = [
    "1",
    "1.5",
    "True",
    "'a'",
    "np.int32(1)",
    "np.float32(1.5)",
    "[1, 2]",
    "[1.5]",
    "(1, 2)",
    "None",
    "b'x'",
    "2**40",
    "1j",
]
DTYPES = ["int32", "int64", "float32", "float64", "bool", "string"]


@case(who=["numpy_function", "py_function"], value=VALUES, dtype=DTYPES, mode=["function", "eager"])
def one_value_of_python(tf, who, value, dtype, mode):
    returned = eval(value, {"np": np})

    def f():
        return getattr(tf, who)(lambda: returned, [], tf.as_dtype(dtype))

    return (tf.function(f) if mode == "function" else f)()


SEVERAL = ["(1, 2.5)", "[1, 2.5]", "(1,)", "1", "(np.float32(1), np.int32(2))", "(1, 2, 3)", "([1, 2], 3)"]


@case(
    who=["numpy_function", "py_function"],
    value=SEVERAL,
    dtypes=["int64 float64", "int32 float32", "float32", "int64 int64"],
    mode=["function", "eager"],
)
def several_values_of_python(tf, who, value, dtypes, mode):
    returned = eval(value, {"np": np})

    def f():
        return getattr(tf, who)(lambda: returned, [], [tf.as_dtype(d) for d in dtypes.split()])

    return (tf.function(f) if mode == "function" else f)()


@case(value=["1", "1.5", "[1, 2]"], dtype=["int32", "int64", "float32", "float64"])
def value_of_python_in_a_dataset(tf, value, dtype):
    returned = eval(value)
    dataset = tf.data.Dataset.range(2).map(lambda i: tf.numpy_function(lambda i: returned, [i], tf.as_dtype(dtype)))
    return list(dataset)
