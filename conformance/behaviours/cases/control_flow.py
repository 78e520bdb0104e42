"""tf.cond, case, switch_case, while_loop, map_fn, scan, foldl, py_function, control dependencies."""

import numpy as np
from behaviour import case

MODES = ["eager", "function"]


def run(tf, mode, function, *args):
    return (tf.function(function) if mode == "function" else function)(*args)


@case(mode=MODES, p=[True, False])
def cond(tf, mode, p):
    return run(tf, mode, lambda p: tf.cond(p, lambda: 1, lambda: 2), tf.constant(p))


@case(mode=MODES, p=["a", 1, None, 0.0])
def cond_with_a_predicate_that_is_no_bool(tf, mode, p):
    return run(tf, mode, lambda: tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2)))


@case(mode=MODES)
def cond_with_a_number_tensor(tf, mode):
    return run(tf, mode, lambda p: tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2)), tf.constant(3))


@case(mode=MODES)
def cond_with_a_vector(tf, mode):
    return run(tf, mode, lambda p: tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2)), tf.constant([True]))


@case(mode=MODES, what=["true", "false", "both"])
def cond_of_what_is_not_callable(tf, mode, what):
    a = 1 if what != "false" else (lambda: 1)
    b = 2 if what != "true" else (lambda: 2)
    return run(tf, mode, lambda p: tf.cond(p, a, b), tf.constant(True))


@case(mode=MODES)
def cond_of_structures(tf, mode):
    def f(p):
        return tf.cond(p, lambda: {"a": 1, "b": (2.0, 3)}, lambda: {"a": 4, "b": (5.0, 6)})

    return run(tf, mode, f, tf.constant(False))


@case(difference=["dtype", "structure", "none", "length"])
def cond_whose_branches_differ(tf, difference):
    other = {"dtype": lambda: 1.0, "structure": lambda: (1,), "none": lambda: None, "length": lambda: [1, 2]}[
        difference
    ]
    return run(tf, "function", lambda p: tf.cond(p, lambda: 1, other), tf.constant(True))


@case(p=[True, False])
def cond_of_other_shapes(tf, p):
    shapes = []

    def f(p):
        y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([4, 3]))
        shapes.append(y.shape)
        return y

    return run(tf, "function", f, tf.constant(p)), shapes


@case(mode=MODES, p=[True, False])
def cond_gradient(tf, mode, p):
    def f(x, p):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(p, lambda: x * x, lambda: 3.0 * x)
        return tape.gradient(y, x)

    return run(tf, mode, f, tf.constant(5.0), tf.constant(p))


@case(mode=MODES, x=[1, 5, 9])
def case_of_pairs(tf, mode, x):
    def f(x):
        return tf.case([(x < 3, lambda: 1), (x < 6, lambda: 2)], default=lambda: 3)

    return run(tf, mode, f, tf.constant(x))


@case(mode=MODES, x=[1, 9])
def case_without_default(tf, mode, x):
    return run(tf, mode, lambda x: tf.case([(x < 3, lambda: 1)]), tf.constant(x))


@case(mode=MODES)
def case_exclusive(tf, mode):
    def f(x):
        return tf.case([(x < 3, lambda: 1), (x < 6, lambda: 2)], exclusive=True)

    return run(tf, mode, f, tf.constant(1))


@case(form=["dict", "triple", "nocall", "int"])
def case_arguments(tf, form):
    pairs = {
        "dict": {tf.constant(True).ref(): lambda: 1},
        "triple": [(tf.constant(True), lambda: 1, 2)],
        "nocall": [(tf.constant(True), 1)],
        "int": 3,
    }[form]
    return tf.case(pairs, default=lambda: 2)


@case(mode=MODES, i=[-1, 0, 1, 5])
def switch_case(tf, mode, i):
    return run(tf, mode, lambda i: tf.switch_case(i, [lambda: 10, lambda: 20, lambda: 30]), tf.constant(i))


@case(mode=MODES, i=[0, 5])
def switch_case_with_default(tf, mode, i):
    def f(i):
        return tf.switch_case(i, {0: lambda: 10, 1: lambda: 20}, default=lambda: 99)

    return run(tf, mode, f, tf.constant(i))


@case(form=["gap", "key", "nocall", "float", "empty", "twice"])
def switch_case_arguments(tf, form):
    index = tf.constant(0.0 if form == "float" else 0)
    branches = {
        "gap": {0: lambda: 1, 2: lambda: 2},
        "key": {"a": lambda: 1},
        "nocall": [1, 2],
        "float": [lambda: 1],
        "empty": [],
        "twice": [(0, lambda: 1), (0, lambda: 2)],
    }[form]
    return tf.switch_case(index, branches)


@case(mode=MODES)
def while_loop(tf, mode):
    def f(n):
        return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0))

    return run(tf, mode, f, tf.constant(5))


@case(mode=MODES)
def while_loop_of_structures(tf, mode):
    def f():
        return tf.while_loop(
            lambda i, d: i < 3, lambda i, d: [i + 1, {"a": d["a"] * 2, "b": (d["b"][0] + 1,)}], [0, {"a": 1, "b": (0,)}]
        )

    return run(tf, mode, f)


@case(mode=MODES, n=[0, 2, 10])
def while_loop_maximum_iterations(tf, mode, n):
    def f():
        return tf.while_loop(lambda i: i < 5, lambda i: (i + 1,), (0,), maximum_iterations=n)

    return run(tf, mode, f)


@case(mode=MODES, problem=["cond", "body", "vars", "length", "dtype"])
def while_loop_refuses(tf, mode, problem):
    condition = 3 if problem == "cond" else (lambda i: i < 3)
    body = 3 if problem == "body" else (lambda i: (i + 1, i) if problem == "length" else (i + 1,))
    if problem == "dtype":

        def body(i):
            return (tf.cast(i, tf.float32) + 1.0,)

    return run(tf, mode, lambda: tf.while_loop(condition, body, () if problem == "vars" else (tf.constant(0),)))


@case
def while_loop_changes_the_shape(tf):
    def f():
        return tf.while_loop(lambda x: tf.size(x) < 5, lambda x: (tf.concat([x, x], 0),), (tf.ones([1]),))

    return run(tf, "function", f)


@case
def while_loop_with_a_shape_invariant(tf):
    def f():
        return tf.while_loop(
            lambda x: tf.size(x) < 5,
            lambda x: (tf.concat([x, x], 0),),
            (tf.ones([1]),),
            shape_invariants=(tf.TensorShape([None]),),
        )

    return run(tf, "function", f)


@case
def while_loop_with_an_impossible_invariant(tf):
    def f():
        return tf.while_loop(
            lambda x: x[0] < 0.0, lambda x: (x,), (tf.ones([1]),), shape_invariants=(tf.TensorShape([2]),)
        )

    return run(tf, "function", f)


@case
def while_loop_condition_that_is_no_bool(tf):
    return run(tf, "function", lambda: tf.while_loop(lambda i: i, lambda i: (i - 1,), (tf.constant(3),)))


@case(mode=MODES)
def while_loop_gradient(tf, mode):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))
        return tape.gradient(y, x)

    return run(tf, mode, f, tf.constant(2.0))


@case(mode=MODES)
def while_loop_second_gradient(tf, mode):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))
            g = tape.gradient(y, x)
        return outer.gradient(g, x)

    return run(tf, mode, f, tf.constant(2.0))


@case(mode=MODES)
def map_fn(tf, mode):
    return run(tf, mode, lambda x: tf.map_fn(lambda r: r * r, x), tf.constant([1, 2, 3]))


@case(mode=MODES)
def map_fn_of_structures(tf, mode):
    def f(x, y):
        return tf.map_fn(lambda p: (p[0] + p[1], p[0] > p[1]), (x, y), fn_output_signature=(tf.int32, tf.bool))

    return run(tf, mode, f, tf.constant([1, 5]), tf.constant([3, 4]))


@case(mode=MODES)
def map_fn_to_another_dtype(tf, mode):
    def f(x):
        return tf.map_fn(lambda r: tf.cast(r, tf.float32) / 2.0, x, fn_output_signature=tf.float32)

    return run(tf, mode, f, tf.constant([1, 2, 3]))


@case(mode=MODES)
def map_fn_to_a_dtype_that_is_not_said(tf, mode):
    return run(tf, mode, lambda x: tf.map_fn(lambda r: tf.cast(r, tf.float32), x), tf.constant([1, 2]))


@case(mode=MODES)
def map_fn_of_nothing(tf, mode):
    return run(tf, mode, lambda x: tf.map_fn(lambda r: r * 2.0, x), tf.zeros([0, 3]))


@case(mode=MODES)
def map_fn_of_a_scalar(tf, mode):
    return run(tf, mode, lambda x: tf.map_fn(lambda r: r, x), tf.constant(1))


@case(mode=MODES)
def map_fn_of_unequal_lengths(tf, mode):
    def f(x, y):
        return tf.map_fn(lambda p: p[0] + p[1], (x, y), fn_output_signature=tf.int32)

    return run(tf, mode, f, tf.constant([1, 2]), tf.constant([1, 2, 3]))


@case(mode=MODES)
def map_fn_of_something_uncallable(tf, mode):
    return run(tf, mode, lambda x: tf.map_fn(3, x), tf.constant([1]))


@case(mode=MODES)
def map_fn_gradient(tf, mode):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.map_fn(lambda r: r**3, x)
        return tape.gradient(y, x)

    return run(tf, mode, f, tf.constant([1.0, 2.0]))


@case(mode=MODES, name=["foldl", "foldr", "scan", "scan_reverse"], start=[True, False])
def folds(tf, mode, name, start):
    options = {"initializer": tf.constant(100)} if start else {}
    if name == "scan_reverse":
        name, options = "scan", options | {"reverse": True}
    return run(tf, mode, lambda x: getattr(tf, name)(lambda a, b: a * 2 - b, x, **options), tf.constant([1, 2, 3]))


@case(mode=MODES)
def scan_of_structures(tf, mode):
    def f(x):
        return tf.scan(lambda a, b: (a[0] + b, a[1] * b), x, initializer=(tf.constant(0), tf.constant(1)))

    return run(tf, mode, f, tf.constant([1, 2, 3, 4]))


@case(mode=MODES)
def vectorized_map(tf, mode):
    return run(
        tf, mode, lambda x: tf.vectorized_map(lambda r: tf.reduce_sum(r * r), x), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    )


@case
def control_dependencies_order_effects(tf):
    v = tf.Variable(0.0)

    def f():
        a = v.assign_add(1.0)
        with tf.control_dependencies([a]):
            b = v.read_value() * 10.0
        return b

    return run(tf, "function", f)


@case(mode=MODES)
def py_function(tf, mode):
    def f(x):
        return tf.py_function(lambda v: v.numpy() * 2, [x], tf.int32)

    return run(tf, mode, f, tf.constant([1, 2]))


@case(mode=MODES)
def py_function_that_assigns(tf, mode):
    v = tf.Variable(1.0)

    def f(x):
        r = tf.py_function(lambda x: v.assign_add(x), [x], tf.float32)
        with tf.control_dependencies([r]):
            return r, v.read_value()

    return run(tf, mode, f, tf.constant(2.0))


@case
def py_function_that_assigns_in_a_loop(tf):
    v = tf.Variable(1.0)

    def add(x):
        return v.assign_add(x)

    def f(x, n):
        s = 0.0
        for _ in tf.range(n):
            r = tf.py_function(add, [x], tf.float32)
            with tf.control_dependencies([r]):
                s += v.read_value()
        with tf.control_dependencies([s]):
            return s, v.read_value()

    return run(tf, "function", f, tf.constant(2.0), tf.constant(3))


@case(mode=MODES)
def py_function_gradient(tf, mode):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda v: v**3, [x], tf.float32)
        return tape.gradient(y, x)

    return run(tf, mode, f, tf.constant(2.0))


@case(mode=MODES, returned=["string", "float64", "int", "none", "list", "two", "object", "bool"])
def numpy_function_that_returns(tf, mode, returned):
    value = {
        "string": "text",
        "float64": np.array([1.0, 2.0]),
        "int": 3,
        "none": None,
        "list": [1.0, 2.0],
        "two": (np.float32(1), np.float32(2)),
        "object": object(),
        "bool": True,
    }[returned]
    return run(tf, mode, lambda: tf.numpy_function(lambda: value, [], tf.float32))


@case(mode=MODES, returned=["string", "float64", "int", "none", "list", "two", "bool"])
def py_function_that_returns(tf, mode, returned):
    value = {
        "string": "text",
        "float64": np.array([1.0, 2.0]),
        "int": 3,
        "none": None,
        "list": [1.0, 2.0],
        "two": (np.float32(1), np.float32(2)),
        "bool": True,
    }[returned]
    return run(tf, mode, lambda: tf.py_function(lambda: value, [], tf.float32))


@case(mode=MODES, error=["ValueError", "TypeError", "StopIteration", "NotImplementedError", "RuntimeError", "KeyError"])
def numpy_function_that_raises(tf, mode, error):
    def problem():
        raise getattr(__import__("builtins"), error)("problem")

    return run(tf, mode, lambda: tf.numpy_function(problem, [], tf.float32))


@case(name=["foo", "/cpu:0", "CPU:0", "cpu", "/job:localhost/replica:0/task:0/device:CPU:0", "/tpu:x", "/gpu:7"])
def device_names(tf, name):
    with tf.device(name):
        return tf.constant(1) + 1


@case
def tape_arguments(tf):
    with tf.GradientTape(5) as tape:
        x = tf.constant(1.0)
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x), tape.gradient(y, x)


@case(seed=[1, 42])
def op_seeds_are_the_same_in_functions(tf, seed):
    tf.random.set_seed(seed)
    a = tf.random.uniform([2], seed=3)
    tf.random.set_seed(seed)
    b = tf.function(lambda: tf.random.uniform([2], seed=3))()
    return np.array_equal(a, b)


def _called_again(tf, function):
    """What three calls of a function give."""
    f = tf.function(function)
    return [f() for _ in range(3)]


@case(kind=["for", "while_loop", "map_fn", "cond", "scan"])
def effects_on_known_values_happen_in_every_call(tf, kind):
    count = [0]

    def counted():
        count[0] += 1
        return np.float32(count[0])

    def number():
        found = tf.numpy_function(counted, [], tf.float32)
        found.set_shape([])
        return found

    def run():
        if kind == "for":
            total = tf.constant(0.0)
            for _ in tf.range(2):
                total += number()
            return total
        if kind == "while_loop":
            return tf.while_loop(lambda i, t: i < 2, lambda i, t: (i + 1, t + number()), [0, 0.0])[1]
        if kind == "map_fn":
            return tf.map_fn(lambda x: x + number(), tf.zeros([2]))
        if kind == "scan":
            return tf.scan(lambda a, x: a + number(), tf.zeros([2]))
        return tf.cond(tf.constant(True), number, lambda: 0.0)

    return _called_again(tf, run)


@case
def iterator_in_a_loop_over_a_known_range(tf):
    it = iter(tf.data.Dataset.range(10))

    @tf.function
    def step(it):
        total = tf.constant(0, tf.int64)
        for _ in tf.range(2):
            total += next(it)
        return total

    return step(it), step(it), next(it)


@case(p=[True, False])
def cond_of_other_ranks(tf, p):
    @tf.function
    def f(p, x):
        y = tf.cond(p, lambda: tf.ones([1, 3]) * x, lambda: tf.ones([3]) * x * 2.0)
        return y, tf.gradients(y, x)[0]

    return f(tf.constant(p), tf.constant(2.0))


@case(other=["int64", "dense"])
def cond_of_rows(tf, other):
    @tf.function
    def f(p):
        values, indices = tf.constant([10]), tf.constant([0])
        second = {
            "int64": lambda: tf.IndexedSlices(values - 1, tf.cast(indices, tf.int64)),
            "dense": lambda: values + 1,
        }[other]
        found = tf.cond(p, lambda: tf.IndexedSlices(values + 1, indices), second)
        return found.values, found.indices

    return f(tf.constant(True))


@case(p=[True, False])
def assert_in_a_branch(tf, p):
    @tf.function
    def f(p):
        tf.cond(p, lambda: tf.no_op(), lambda: tf.debugging.Assert(False, ["the wrong branch"]))
        return 1

    return f(tf.constant(p))


@case
def case_of_nothing(tf):
    return tf.case([])


@case(where=["branch", "loop", "nested", "constant"])
def gradients_of_what_came_before(tf, where):
    @tf.function
    def f(x):
        x = tf.constant(5.0) if where == "constant" else x
        y = tf.square(x)
        inside = lambda: tf.gradients(tf.constant([1.0, 2.0, 3.0]) * y, x)[0]  # noqa: E731
        if where == "branch":
            return tf.cond(tf.reduce_sum(y) > 0.0, inside, lambda: x)
        if where == "nested":
            step = lambda i, s: (i + 1, s + tf.cond(i > 1, inside, lambda: x))  # noqa: E731
        else:
            step = lambda i, s: (i + 1, s + inside())  # noqa: E731
        return tf.while_loop(lambda i, s: i < 4, step, [tf.constant(0), tf.constant(0.0)])[1]

    return f(tf.constant(5.0))


@case(mode=MODES)
def while_loop_over_a_scalar_of_unknown_rank(tf, mode):
    def f():
        invariants = [tf.TensorShape(None)]
        return tf.while_loop(lambda n: n < 10.0, lambda n: [n * 2.0], [tf.constant(1.0)], invariants)[0]

    return run(tf, mode, f)


@case(mode=MODES, invariant=["any", "any_rank", "of_rank_1", "of_rank_5", "spec"], grows=[False, True])
def while_loop_over_a_sparse_tensor(tf, mode, invariant, grows):
    def f():
        x = tf.SparseTensor(tf.constant([[0], [3]], tf.int64), tf.constant([2.0, 4.0]), tf.constant([10], tf.int64))

        def body(i, x):
            if not grows:
                return [i + 1, tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape)]
            column = tf.cast(tf.fill([2, 1], i), tf.int64)
            shape = tf.concat([x.dense_shape, [10]], 0)
            return [i + 1, tf.SparseTensor(tf.concat([x.indices, column], 1), x.values, shape)]

        shape = {
            "any": tf.TensorShape(None),
            "any_rank": tf.TensorShape([None]),
            "of_rank_1": tf.TensorShape([1]),
            "of_rank_5": tf.TensorShape([5]),
            "spec": tf.SparseTensorSpec([None]),
        }[invariant]
        return tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), x], [tf.TensorShape([]), shape])[1]

    return run(tf, mode, f)


@case(mode=MODES, invariant=[False, True])
def while_loop_over_rows(tf, mode, invariant):
    def f():
        x = tf.IndexedSlices(tf.constant([[2.0, 4.0], [3.0, 5.0]]), tf.constant([0, 3]), tf.constant([10, 2]))
        body = lambda i, x: [i + 1, tf.IndexedSlices(x.values * 2.0, x.indices, x.dense_shape)]  # noqa: E731
        more = {"shape_invariants": [tf.TensorShape([]), tf.TensorShape([None, 2])]} if invariant else {}
        found = tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), x], **more)[1]
        return found.values, found.indices, found.dense_shape

    return run(tf, mode, f)


@case(variable=["tensor", "ragged", "dtype"])
def while_loop_with_the_spec_of_something_else(tf, variable):
    x = {
        "tensor": lambda: tf.constant([1]),
        "ragged": lambda: tf.ragged.constant([[1, 2], [3]]),
        "dtype": lambda: tf.SparseTensor([[0]], [1.0], [10]),
    }[variable]()
    first = tf.constant(0.0) if variable == "dtype" else tf.constant(0)

    @tf.function
    def f():
        specs = [tf.TensorSpec([], tf.int32), tf.SparseTensorSpec([None])]
        return tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, x), [first, x], specs)[0]

    return f()
