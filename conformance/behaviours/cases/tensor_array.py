"""tf.TensorArray: writes, reads, conversions, gradients, loops."""

import numpy as np
from behaviour import case

MODES = ["eager", "function"]


def run(tf, mode, function, *args):
    return (tf.function(function) if mode == "function" else function)(*args)


@case(mode=MODES)
def write_read_stack(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 3)
        ta = ta.write(0, [1.0, 2.0]).write(1, [3.0, 4.0]).write(2, [5.0, 6.0])
        return ta.read(1), ta.stack(), ta.size()

    return run(tf, mode, f)


@case(mode=MODES)
def stack_of_unwritten_elements(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 3)
        return ta.write(1, [3.0, 4.0]).stack()

    return run(tf, mode, f)


@case(mode=MODES)
def element_shape_of_unwritten_elements(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2, element_shape=[3]).stack())


@case(mode=MODES)
def nothing_written_and_no_shape(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2).stack())


@case(mode=MODES)
def empty_array(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 0, element_shape=[2]).stack())


@case(mode=MODES)
def read_of_an_unwritten_element(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).read(1))


@case(mode=MODES, index=[-1, 3])
def read_out_of_range(tf, mode, index):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0]).read(index))


@case(mode=MODES, index=[-1, 3])
def write_out_of_range(tf, mode, index):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 3).write(index, 1.0).size())


@case(mode=MODES)
def dynamic_size(tf, mode):
    def f():
        ta = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        ta = ta.write(3, 7)
        return ta.size(), ta.stack()

    return run(tf, mode, f)


@case(mode=MODES)
def read_twice(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 1, clear_after_read=False).write(0, 2.0)
        return ta.read(0) + ta.read(0)

    return run(tf, mode, f)


@case(mode=MODES)
def read_twice_of_a_cleared_element(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 1).write(0, 2.0)
        return ta.read(0) + ta.read(0)

    return run(tf, mode, f)


@case(mode=MODES)
def write_twice(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 1).write(0, 2.0).write(0, 3.0).stack())


@case(mode=MODES, value=["int", "array64", "int_tensor", "string", "bool"])
def conversion_on_write(tf, mode, value):
    made = {
        "int": lambda: 3,
        "array64": lambda: np.array([1.0, 2.0]),
        "int_tensor": lambda: tf.constant(3),
        "string": lambda: "text",
        "bool": lambda: True,
    }[value]
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 1).write(0, made()).stack())


@case(mode=MODES)
def another_shape_is_refused(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]).size())


@case(mode=MODES)
def another_element_shape_is_refused(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).write(0, [1.0]).size())


@case(mode=MODES)
def varying_lengths(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
        ta = ta.write(0, [1.0]).write(1, [2.0, 3.0])
        return ta.read(0), ta.concat()

    return run(tf, mode, f)


@case(mode=MODES)
def stack_of_varying_lengths(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
        return ta.write(0, [1.0]).write(1, [2.0, 3.0]).stack()

    return run(tf, mode, f)


@case(mode=MODES)
def varying_lengths_carried_by_a_loop(tf, mode):
    def f(n):
        ta = tf.TensorArray(tf.int32, n, infer_shape=False, element_shape=[None])
        for i in tf.range(n):
            ta = ta.write(i, tf.range(i + 1))
        return ta.concat()

    return run(tf, mode, f, tf.constant(3))


@case(mode=MODES)
def unstack_gather_scatter(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 4).scatter([3, 0, 1, 2], [[0.0], [1.0], [2.0], [3.0]])
        other = tf.TensorArray(tf.float32, 3).unstack([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        return ta.stack(), ta.gather([1, 1]), other.gather([2, 0])

    return run(tf, mode, f)


@case(mode=MODES)
def split_and_concat(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 3, infer_shape=False).split([1.0, 2.0, 3.0, 4.0], [1, 0, 3])
        return ta.read(0), ta.read(2), ta.concat()

    return run(tf, mode, f)


@case(mode=MODES)
def split_of_equal_parts(tf, mode):
    def f():
        ta = tf.TensorArray(tf.float32, 2).split(tf.reshape(tf.range(8.0), [4, 2]), [2, 2])
        return ta.read(0), ta.stack()

    return run(tf, mode, f)


@case(mode=MODES, lengths=["short", "scalar", "count"])
def split_is_refused(tf, mode, lengths):
    value = {"short": [1, 1], "scalar": 3, "count": [1, 1, 1]}[lengths]
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0], value).size())


@case(mode=MODES)
def split_of_a_scalar(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 1, infer_shape=False).split(1.0, [1]).size())


@case(mode=MODES)
def concat_of_scalars(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).concat())


@case(mode=MODES)
def concat_of_matrices(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2).unstack(tf.ones([2, 3, 4])).concat())


@case(mode=MODES)
def concat_of_nothing(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 0, element_shape=[0, 2]).concat())


@case(mode=MODES, count=[2, 4])
def unstack_of_another_count(tf, mode, count):
    def f():
        ta = tf.TensorArray(tf.float32, 3).unstack(tf.range(count, dtype=tf.float32))
        return ta.size(), ta.stack()

    return run(tf, mode, f)


@case(mode=MODES)
def gather_of_unwritten(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 3, element_shape=[]).write(1, 5.0).gather([0, 1]))


@case(mode=MODES)
def gather_of_nothing(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0]).gather(tf.zeros([0], tf.int32)))


@case(mode=MODES)
def identity_and_attributes(tf, mode):
    def f():
        ta = tf.TensorArray(tf.int64, 2, element_shape=[2]).identity()
        return ta.dtype, ta.element_shape, ta.dynamic_size, ta.size()

    return run(tf, "eager", f)


@case(op=["stack", "concat", "gather", "read", "split", "unstack", "scatter"], mode=MODES)
def gradients(tf, mode, op):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            ta = tf.TensorArray(tf.float32, 3, clear_after_read=False)
            if op == "split":
                ta = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
                y = tf.reduce_sum(ta.read(1) ** 2)
            elif op == "scatter":
                y = tf.reduce_sum(ta.scatter([2, 0, 1], x).read(0) ** 2)
            else:
                ta = ta.unstack(x)
                y = {
                    "unstack": lambda: tf.reduce_sum(ta.read(1) * ta.read(0)),
                    "stack": lambda: tf.reduce_sum(ta.write(1, x[0]).stack() ** 2),
                    "concat": lambda: tf.reduce_sum(ta.concat() ** 3),
                    "gather": lambda: tf.reduce_sum(ta.gather([0, 0, 2]) ** 2),
                    "read": lambda: tf.reduce_sum(ta.read(2) ** 2),
                }[op]()
        return tape.gradient(y, x)

    return run(tf, mode, f, x)


@case(mode=MODES)
def gradient_through_a_loop(tf, mode):
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            ta = tf.TensorArray(tf.float32, n)
            h = x
            for i in tf.range(n):
                h = h * x
                ta = ta.write(i, h)
            y = tf.reduce_sum(ta.stack())
        return y, tape.gradient(y, x)

    return run(tf, mode, f, tf.constant(2.0), tf.constant(3))


@case
def loop_of_unknown_length(tf):
    @tf.function
    def f(x):
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        i = 0
        while x > 1.0:
            ta = ta.write(i, x)
            x = x / 2.0
            i += 1
        return ta.stack(), ta.size()

    return f(tf.constant(20.0))


@case
def array_in_a_branch(tf):
    @tf.function
    def f(flag):
        ta = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
        if flag:
            ta = ta.write(0, 5.0)
        return ta.stack()

    return f(tf.constant(True)), f(tf.constant(False))


@case
def array_as_argument_and_result(tf):
    @tf.function
    def f(ta):
        return ta.write(0, 9.0)

    return f(tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])).stack()


@case
def while_loop_with_an_array(tf):
    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.int32, n)
        return tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, i * i)), (0, ta))[1].stack()

    return f(tf.constant(4))


@case
def static_shape_of_a_stack(tf):
    shapes = []

    @tf.function
    def f(n):
        ta = tf.TensorArray(tf.float32, n, element_shape=[None, 3])
        for i in tf.range(n):
            ta = ta.write(i, tf.ones([2, 3]))
        shapes.append(ta.stack().shape)
        return ta.stack()

    f(tf.constant(2))
    return shapes


@case
def spec(tf):
    return (
        tf.TensorArraySpec([3], tf.float32, dynamic_size=True).dynamic_size if hasattr(tf, "TensorArraySpec") else None
    )


@case(options=["none", "both", "dtype"])
def constructor(tf, options):
    if options == "none":
        return tf.TensorArray(tf.float32).size()
    if options == "both":
        return tf.TensorArray(tf.float32, size=1, tensor_array_name="x").size()
    return tf.TensorArray("nonsense", 1).size()


@case(lengths=[(1, 2), (2, 1), (0, 3), (3,), (1, 1, 1)], dynamic=[False, True])
def split_into_parts(tf, lengths, dynamic):
    array = tf.TensorArray(tf.float32, size=2, dynamic_size=dynamic)
    array = array.split(tf.reshape(tf.range(6.0), [3, 2]), list(lengths))
    return [array.read(i) for i in range(len(lengths))], array.element_shape


@case(index=[-1, 2, 5], value=[1.0, "text"])
def place_that_cannot_be_written(tf, index, value):
    return tf.TensorArray(tf.float32, size=2).write(index, value).size()


@case
def scalars_cannot_be_concatenated(tf):
    return tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0]).concat()


@case(mode=MODES)
def scatter_behind_the_end(tf, mode):
    def f(indices, rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            array = tf.TensorArray(tf.float32, 0, dynamic_size=True).scatter(indices, rows)
            y = tf.reduce_sum(array.read(1) ** 2) + tf.reduce_sum(array.read(6))
        return array.size(), array.gather([1, 6]), tape.gradient(y, rows)

    return run(tf, mode, f, tf.constant([1, 6]), tf.constant([[1.0, -1.0], [10.0, -10.0]]))


@case
def concat_of_elements_of_unknown_shape(tf):
    @tf.function
    def f():
        x = tf.numpy_function(lambda: np.ones((2, 3), np.float32), [], tf.float32)
        return tf.TensorArray(tf.float32, 2).write(0, x).write(1, 2.0 * x).concat()

    return f()


@case
def gradient_of_a_concat_of_elements_of_unknown_sizes(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 3)
            for i in tf.range(3):
                array = array.write(i, x * tf.cast(i, tf.float32))
            whole = array.concat()
            y = whole * whole
        return whole, tape.gradient(y, x)

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0]]))


@case(mode=MODES, index=[-1, 3])
def places_of_varying_elements(tf, mode, index):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 3, infer_shape=False).write(index, 3.0).stack())


@case(mode=MODES, index=[-1, 3])
def read_of_varying_elements_out_of_range(tf, mode, index):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 3, infer_shape=False).write(0, [[4.0]]).read(index))


@case(mode=MODES)
def concat_of_varying_scalars(tf, mode):
    return run(tf, mode, lambda: tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, 3.0).write(1, 4.0).concat())


@case(dynamic=[False, True], element_shape=[None, [2]])
def scatter_of_unknown_sizes(tf, dynamic, element_shape):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, None])])
    def f(indices, rows):
        size = 0 if dynamic else 5
        with tf.GradientTape() as tape:
            tape.watch(rows)
            array = tf.TensorArray(tf.float32, size, dynamic_size=dynamic, element_shape=element_shape)
            found = array.scatter(indices, rows).gather(indices)
            y = tf.reduce_sum(found**2)
        return found, tape.gradient(y, rows)

    one = f(tf.constant([1, 3]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    return one, f(tf.constant([2]), tf.constant([[1.0, 2.0]]))


@case
def unstack_of_unknown_rank(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        array = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
        total = 0.0
        for i in tf.range(array.size()):
            total += tf.reduce_sum(array.read(i)) * tf.cast(i + 1, tf.float32)
        return total, array.stack()

    return f(tf.constant([1.0, 2.0])), f(tf.ones([3, 2]))


@case
def scatter_of_varying_elements_at_places_that_are_not_known(tf):
    @tf.function
    def f(indices):
        array = tf.TensorArray(tf.float32, 3, infer_shape=False)
        return array.scatter(indices, tf.ones([2, 2])).write(1, [5.0]).concat()

    return f(tf.constant([2, 0]))
