"""Variables: assignments, scatter updates, reads, checks of dtypes and shapes, copies, sections."""

import copy
import threading

import numpy as np
from behaviour import case

SCATTERS = ["scatter_add", "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "scatter_update"]
SCATTERS_ND = ["scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_nd_min", "scatter_nd_max"]


@case(method=["assign", "assign_add", "assign_sub"], dtype=["float32", "int32", "float64", "complex64", "uint8"])
def assignments(tf, method, dtype):
    v = tf.Variable(tf.cast([4, 6], dtype))
    returned = getattr(v, method)(tf.cast([1, 2], dtype))
    return v, returned, v.dtype.name


@case(
    method=["assign", "assign_add", "assign_sub"],
    value=[1.5, [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], "a", None, True, [1, 2]],
)
def assigned_values(tf, method, value):
    v = tf.Variable([4.0, 6.0])
    getattr(v, method)(value)
    return v


@case(method=["assign", "assign_add"], dtype=["float16", "float64", "int32", "bool"])
def assigned_dtypes(tf, method, dtype):
    v = tf.Variable([4.0, 6.0])
    getattr(v, method)(tf.cast([1, 0], dtype))
    return v


@case(method=["assign", "assign_add", "assign_sub"], read=[True, False])
def read_value_argument(tf, method, read):
    v = tf.Variable(3.0)
    returned = getattr(v, method)(1.0, read_value=read)
    return returned is None, v


@case(method=SCATTERS, indices=[[0, 2], [1, 1], 2], traced=[False, True])
def scatters(tf, method, indices, traced):
    v = tf.Variable([[8.0, 4.0], [2.0, 6.0], [1.0, 9.0]])
    rows = tf.fill(tuple(np.shape(indices)) + (2,), 3.0)

    def update():
        getattr(v, method)(tf.IndexedSlices(rows, tf.constant(indices)))

    (tf.function(update) if traced else update)()
    return v


@case(method=SCATTERS, index=[3, -1, 99])
def scatters_out_of_range(tf, method, index):
    v = tf.Variable([1.0, 2.0, 3.0])
    getattr(v, method)(tf.IndexedSlices([1.0], [index]))
    return v


@case(method=["scatter_add", "scatter_update"], given=["tensor", "list", "float rows", "wide rows"])
def scatters_refused(tf, method, given):
    v = tf.Variable([[1, 2], [3, 4]])
    delta = {
        "tensor": tf.constant([1]),
        "list": [1],
        "float rows": tf.IndexedSlices([[1.0, 2.0]], [0]),
        "wide rows": tf.IndexedSlices([[1, 2, 3]], [0]),
    }[given]
    getattr(v, method)(delta)
    return v


@case(method=SCATTERS_ND, traced=[False, True])
def scatters_at_coordinates(tf, method, traced):
    v = tf.Variable([[8.0, 4.0], [2.0, 6.0]])

    def update():
        getattr(v, method)([[0, 1], [1, 0]], [5.0, 1.0])
        getattr(v, method)([[1]], [[3.0, 3.0]])

    (tf.function(update) if traced else update)()
    return v


@case(indices=[[[0, 2]], [[2, 0]], [[0, 0, 0]], [0]])
def coordinates_refused(tf, indices):
    v = tf.Variable([[8.0, 4.0], [2.0, 6.0]])
    v.scatter_nd_add(indices, [1.0])
    return v


@case
def batch_scatter_update(tf):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v.batch_scatter_update(tf.IndexedSlices([[9.0, 8.0], [7.0, 6.0]], [[0, 2], [1, 0]]))
    return v


@case(indices=[[0, 2], [[1], [1]], 1, [3], [-1]])
def sparse_read(tf, indices):
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).sparse_read(indices)


@case(indices=[[[0, 1]], [[2]], [[[1, 1], [0, 0]]], [[0, 2]]])
def gather_nd(tf, indices):
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).gather_nd(indices)


@case
def gradient_of_a_sparse_read(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v.sparse_read([1, 1]) ** 2)
    g = tape.gradient(y, v)
    return isinstance(g, tf.IndexedSlices), tf.convert_to_tensor(g)


@case(dtype=["int32", "int64", "float32"])
def count_up_to(tf, dtype):
    v = tf.Variable(tf.cast(0, dtype))
    return v.count_up_to(2), v.count_up_to(2), v


@case
def count_beyond_the_limit(tf):
    v = tf.Variable(2)
    return v.count_up_to(2)


@case(key=["row", "part", "steps", "element", "new axis"])
def parts_that_are_assigned(tf, key):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    part = {"row": v[0], "part": v[:, 1:], "steps": v[:, ::2], "element": v[1, 2], "new axis": v[tf.newaxis, 0]}[key]
    part.assign(tf.ones_like(part) * 9.0)
    return v


@case(value=[1.0, [1.0, 2.0], [[1.0], [2.0]]])
def parts_are_broadcast_to(tf, value):
    v = tf.Variable([[1.0, 2.0], [4.0, 5.0]])
    v[:].assign(value)
    return v


@case(shape=[None, [None], [None, 2], [2, None], [3]])
def shapes_that_are_declared(tf, shape):
    v = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape(shape))
    v.assign([[1.0, 2.0], [3.0, 4.0]])
    return v.shape, v


@case(value=[[1.0], [[1.0, 2.0]], 3.0])
def values_against_a_declared_shape(tf, value):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    v.assign(value)
    return v, v.shape


@case(
    arguments=[
        "nothing",
        "initial None",
        "shape without value",
        "bad dtype",
        "function",
        "function and dtype",
        "list of lists",
    ]
)
def constructors(tf, arguments):
    return {
        "nothing": lambda: tf.Variable(),
        "initial None": lambda: tf.Variable(None),
        "shape without value": lambda: tf.Variable(shape=[2], dtype=tf.float32),
        "bad dtype": lambda: tf.Variable([1.5], dtype=tf.int32),
        "function": lambda: tf.Variable(lambda: tf.ones([2])),
        "function and dtype": lambda: tf.Variable(lambda: [1, 2], dtype=tf.float64),
        "list of lists": lambda: tf.Variable([[1, 2], [3, 4]], dtype=tf.int64),
    }[arguments]()


@case(option=["trainable", "name", "synchronization", "aggregation", "constraint", "dtype", "shape", "device type"])
def properties(tf, option):
    v = tf.Variable([1.0, 2.0], trainable=False, name="w")
    return {
        "trainable": v.trainable,
        "name": v.name,
        "synchronization": v.synchronization.name,
        "aggregation": v.aggregation.name,
        "constraint": v.constraint,
        "dtype": v.dtype.name,
        "shape": v.shape,
        "device type": v.device.rsplit(":", 2)[-2],
    }[option]


@case(how=["int", "float", "bool", "index", "complex", "len", "iteration", "format", "hash", "contains", "setitem"])
def python_protocols(tf, how):
    v, w = tf.Variable(3), tf.Variable([1, 2])

    def set_item():
        w[0] = 5

    return {
        "int": lambda: int(v),
        "float": lambda: float(v),
        "bool": lambda: bool(v),
        "index": lambda: [10, 11, 12, 13][v],
        "complex": lambda: complex(v),
        "len": lambda: len(w),
        "iteration": lambda: [int(x) for x in w],
        "format": lambda: f"{v.numpy():03d}",
        "hash": lambda: hash(v),
        "contains": lambda: 1 in w.numpy(),
        "setitem": set_item,
    }[how]()


@case(operator=["+", "-", "*", "/", "//", "%", "**", "@", "<", "==", "neg", "abs", "r+", "r-"])
def operators(tf, operator):
    v, w = tf.Variable([[1.0, 2.0], [3.0, 5.0]]), tf.Variable([[2.0, 2.0], [2.0, 2.0]])
    return {
        "+": lambda: v + w,
        "-": lambda: v - 1.0,
        "*": lambda: v * w,
        "/": lambda: v / w,
        "//": lambda: v // w,
        "%": lambda: v % w,
        "**": lambda: v**2.0,
        "@": lambda: v @ w,
        "<": lambda: v < w,
        "==": lambda: v == w,
        "neg": lambda: -v,
        "abs": lambda: abs(-v),
        "r+": lambda: 1.0 + v,
        "r-": lambda: 1.0 - v,
    }[operator]()


@case
def deep_copies_are_independent(tf):
    v = tf.Variable([1.0, 2.0], name="w")
    w = copy.deepcopy(v)
    w.assign_add([1.0, 1.0])
    return v, w, w.trainable


@case
def values_read_before_do_not_change(tf):
    v = tf.Variable([1.0, 2.0])
    before, array = v.read_value(), v.numpy()
    v.assign_add([1.0, 1.0])
    array[0] = 9.0
    return before, v, v.value()


@case
def chained_assignments(tf):
    v = tf.Variable(1.0)
    return v.assign(2.0).assign_add(3.0).assign_sub(1.0), v


@case(traced=[False, True])
def reads_and_writes_in_order(tf, traced):
    v = tf.Variable(1.0)

    def f():
        a = v.read_value()
        v.assign(v * 3.0)
        b = v + 0.0
        v.assign_add(a)
        return a, b, v.read_value()

    return (tf.function(f) if traced else f)(), v


@case
def control_dependencies_on_an_assignment(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        done = v.assign_add(4.0)
        with tf.control_dependencies([done]):
            return v.read_value()

    return f(), v


@case(traced=[False, True])
def critical_section(tf, traced):
    section, v = tf.CriticalSection(), tf.Variable(1.0)

    def f(x):
        return section.execute(lambda: v.assign_add(x) + 0.0)

    g = tf.function(f) if traced else f
    return g(tf.constant(2.0)), g(tf.constant(3.0)), v


@case(traced=[False, True])
def updates_by_threads(tf, traced):
    v, one = tf.Variable(tf.zeros([50])), tf.ones([50])

    def step():
        v.assign_add(one)

    f = tf.function(step) if traced else step
    f()
    threads = [threading.Thread(target=lambda: [f() for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return v


@case(traced=[False, True])
def critical_section_by_threads(tf, traced):
    section, v = tf.CriticalSection(), tf.Variable(0)

    def step():
        section.execute(lambda: v.assign(v + 1))

    f = tf.function(step) if traced else step
    f()
    threads = [threading.Thread(target=lambda: [f() for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return v


@case
def variables_in_one_function_only_once(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(2.0))
        made[0].assign_add(x)
        return made[0] + 0.0

    return f(tf.constant(1.0)), f(tf.constant(2.0))


@case
def a_variable_on_every_call(tf):
    @tf.function
    def f(x):
        return x * tf.Variable(2.0)

    return f(tf.constant(1.0))


@case
def a_variable_as_an_argument(tf):
    u, v = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def f(x, d):
        x.assign_add(d)
        return x * 2.0

    return f(u, tf.constant(1.0)), f(v, tf.constant(2.0)), u, v


@case(method=["assign", "assign_add"])
def gradients_do_not_pass_assignments(tf, method):
    v, x = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        getattr(v, method)(x)
        y = v * x
    return tape.gradient(y, [x, v])


@case(dtype=["float32", "int32", "bool", "string", "complex64"])
def converted_to_numpy(tf, dtype):
    value = {"bool": [True, False], "string": ["a", "b"]}.get(dtype, [1, 2])
    v = tf.Variable(tf.constant(value) if dtype in ("bool", "string") else tf.cast(value, dtype))
    return np.asarray(v).tolist(), v.numpy().shape, v


@case(names=[("a", "a"), (None, "b"), ("x/y", "z")])
def names_in_scopes(tf, names):
    with tf.name_scope("outer"):
        u = tf.Variable(1.0, name=names[0])
    w = tf.Variable(1.0, name=names[1])
    return u.name, w.name


@case
def references(tf):
    u, v = tf.Variable(1.0), tf.Variable(1.0)
    return u.ref() == u.ref(), u.ref() == v.ref(), u.ref().deref() is u, len({u.ref(), v.ref(), u.ref()})


@case
def creators(tf):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(kwargs["name"])
        kwargs["initial_value"] = 5.0
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, name="w")
    return v, seen


@case(value=["nan", "inf", "-0.0"])
def special_numbers(tf, value):
    v = tf.Variable(float(value))
    v.assign_add(0.0)
    return v, tf.math.is_nan(v)
