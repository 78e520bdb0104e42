"""AutoGraph: nested statements, objects, datasets, calls, errors."""

from behaviour import case

# ruff: noqa: B007


def run(tf, function, *args):
    return tf.function(function)(*args)


@case
def nested_loops(tf):
    def f(n):
        s = 0
        for i in tf.range(n):
            for j in tf.range(i):
                if j % 2 == 0:
                    continue
                s += i * j
        return s

    return run(tf, f, tf.constant(6))


@case
def branch_in_a_loop_in_a_branch(tf):
    def f(x, n):
        if n > 0:
            for i in tf.range(n):
                if i % 2 == 0:
                    x = x + 1.0
                else:
                    x = x * 2.0
        return x

    return run(tf, f, tf.constant(1.0), tf.constant(5)), run(tf, f, tf.constant(1.0), tf.constant(-5))


@case
def attribute_as_loop_state(tf):
    class Counter:
        pass

    def f(n):
        c = Counter()
        c.total = tf.constant(0)
        for i in tf.range(n):
            c.total = c.total + i
        return c.total

    return run(tf, f, tf.constant(4))


@case
def item_as_loop_state(tf):
    def f(n):
        d = {"total": tf.constant(0)}
        for i in tf.range(n):
            d["total"] = d["total"] + i
        return d["total"]

    return run(tf, f, tf.constant(4))


@case
def item_as_branch_state(tf):
    def f(x):
        d = {"y": x}
        if x > 0:
            d["y"] = x * 2
        return d["y"]

    return run(tf, f, tf.constant(4)), run(tf, f, tf.constant(-4))


@case
def tuple_as_loop_state(tf):
    def f(n):
        state = (tf.constant(0), tf.constant(1))
        for _ in tf.range(n):
            state = (state[1], state[0] + state[1])
        return state

    return run(tf, f, tf.constant(10))


@case
def variable_in_a_loop(tf):
    v = tf.Variable(1.0)

    def f(n):
        for _ in tf.range(n):
            v.assign_add(v)
        return v.read_value()

    return run(tf, f, tf.constant(4)), v


@case(x=[-1.0, 1.0])
def variable_in_a_branch(tf, x):
    v = tf.Variable(1.0)

    def f(x):
        if x > 0:
            v.assign_add(x)
        return v + x

    return run(tf, f, tf.constant(x)), v


@case
def lambda_and_comprehension(tf):
    return run(tf, lambda x: tf.stack([(lambda y: y * k)(x) for k in range(3)]), tf.constant(2))


@case
def closure_that_is_changed(tf):
    def f(x):
        total = x

        def add(y):
            nonlocal total
            total = total + y

        add(1)
        add(2)
        return total

    return run(tf, f, tf.constant(1))


@case
def function_called_from_a_loop(tf):
    def step(x):
        if x % 2 == 0:
            return x // 2
        return 3 * x + 1

    def f(x):
        n = 0
        while x != 1:
            x = step(x)
            n += 1
        return n

    return run(tf, f, tf.constant(27))


@case
def recursion_of_tensors_is_refused(tf):
    def f(x):
        if x <= 1:
            return 1
        return x * f(x - 1)

    try:
        return run(tf, f, tf.constant(3))
    except RecursionError:
        return "RecursionError"


@case
def try_around_a_loop(tf):
    def f(n):
        try:
            s = 0
            for i in tf.range(n):
                s += i
        finally:
            s = s * 2
        return s

    return run(tf, f, tf.constant(4))


@case
def with_around_a_loop(tf):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while y < 100.0:
                y = y * y
        return tape.gradient(y, x)

    return run(tf, f, tf.constant(3.0))


@case
def dataset_in_a_for(tf):
    def f(ds):
        s = tf.constant(0, tf.int64)
        for x in ds:
            s = s * 2 + x
        return s

    return run(tf, f, tf.data.Dataset.range(5))


@case
def dataset_with_a_break(tf):
    def f(ds):
        s = tf.constant(0, tf.int64)
        for x in ds:
            if x > 2:
                break
            s += x
        return s

    return run(tf, f, tf.data.Dataset.range(10))


@case
def iterator_as_argument(tf):
    def f(it):
        s = tf.constant(0, tf.int64)
        for x in it:
            s = s * 2 + x
        return s

    it = iter(tf.data.Dataset.range(5))
    next(it)
    return run(tf, f, it)


@case
def iterator_continues_after_a_break(tf):
    @tf.function
    def f(it):
        s = tf.constant(0, tf.int64)
        for x in it:
            s += x
            if x >= 2:
                break
        return s

    it = iter(tf.data.Dataset.range(6))
    return f(it), f(it), next(it, None) is None


@case
def next_in_a_function(tf):
    f = tf.function(lambda it: next(it) * 10)
    it = iter(tf.data.Dataset.range(3))
    return f(it), f(it), next(it), f.experimental_get_tracing_count()


@case
def next_after_the_end(tf):
    f = tf.function(lambda it: next(it))
    return f(iter(tf.data.Dataset.range(0)))


@case
def iterator_made_in_a_function(tf):
    def f():
        it = iter(tf.data.Dataset.range(4))
        return next(it), next(it)

    return run(tf, f)


@case
def for_over_an_iterator_made_in_a_function(tf):
    def f(n):
        s = tf.constant(0, tf.int64)
        for x in iter(tf.data.Dataset.range(n)):
            s += x
        return s

    return run(tf, f, tf.constant(5, tf.int64))


@case
def dataset_of_an_argument(tf):
    def f(x):
        s = tf.constant(0)
        for v in tf.data.Dataset.from_tensor_slices(x).map(lambda v: v * 2):
            s += v
        return s

    return run(tf, f, tf.constant([1, 2, 3]))


@case
def dataset_returned_by_a_function(tf):
    ds = run(tf, lambda n: tf.data.Dataset.range(n).map(lambda x: x * x), tf.constant(4, tf.int64))
    return [x.numpy() for x in ds]


@case
def two_datasets_of_one_spec(tf):
    @tf.function
    def f(ds):
        return ds.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    return f(tf.data.Dataset.range(3)), f(tf.data.Dataset.range(5)), f.experimental_get_tracing_count()


@case
def variable_assigned_by_a_map(tf):
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(ds):
        s = tf.constant(0, tf.int64)
        for x in ds:
            s += x
        with tf.control_dependencies([s]):
            return s, v.read_value()

    return f(tf.data.Dataset.range(4).map(lambda x: v.assign_add(x)))


@case
def return_in_a_loop_over_a_dataset(tf):
    def f(ds):
        for x in ds:
            if x > 2:
                return x
        return tf.constant(-1, tf.int64)

    return run(tf, f, tf.data.Dataset.range(10))


@case
def break_under_a_tensor_in_a_python_loop(tf):
    def f(x):
        for i in range(5):
            if x > 3:
                break
            x = x + 1
        return x

    return run(tf, f, tf.constant(1))


@case
def return_under_a_tensor_in_a_python_loop(tf):
    def f(x):
        for i in range(5):
            if x > i:
                return x
        return x

    return run(tf, f, tf.constant(1))


@case
def python_if_is_left_alone(tf):
    def f(x, flag):
        if flag:
            x = [x, x]
        return x

    return run(tf, f, tf.constant(1), True), run(tf, f, tf.constant(1), False)


@case
def do_not_convert(tf):
    @tf.autograph.experimental.do_not_convert
    def f(x):
        if x > 0:
            return x
        return -x

    return run(tf, f, tf.constant(1))


@case
def without_autograph(tf):
    return tf.function(lambda x: x if x > 0 else -x, autograph=False)(tf.constant(1))


@case
def to_graph_and_to_code(tf):
    def f(x):
        if x > 0:
            return x
        return -x

    graph = tf.autograph.to_graph(f)
    return tf.function(graph)(tf.constant(-3)), "if_stmt" in tf.autograph.to_code(f)


@case
def del_in_a_loop(tf):
    def f(n):
        s = 0
        for i in tf.range(n):
            t = i * 2
            s += t
            del t
        return s

    return run(tf, f, tf.constant(3))


@case
def walrus_in_a_while(tf):
    def f(x):
        n = 0
        while (x := x // 2) > 0:
            n += 1
        return n

    return run(tf, f, tf.constant(100))


@case
def slices_as_state(tf):
    def f(x):
        x = tf.identity(x)
        for i in tf.range(3):
            x = tf.tensor_scatter_nd_update(x, [[i]], [i * i])
        return x

    return run(tf, f, tf.zeros([4], tf.int32))


@case
def while_of_python_that_becomes_a_tensor(tf):
    def f(x):
        n = 0
        while n < 3:
            n = n + x
        return n

    return run(tf, f, tf.constant(1))


@case
def gradient_through_a_while(tf):
    @tf.function
    def f(x, n):
        y = tf.ones([])
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = y + x
        return y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(5))
    return y, tape.gradient(y, x)


@case(n=[0, 3])
def maximum_iterations(tf, n):
    def f(n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=2)
            i += 1
        return i

    return run(tf, f, tf.constant(n))


@case(name=["x", "undefined_name"])
def an_undefined_name(tf, name):
    def f(x):
        if x > 0:
            return eval(name)
        return x

    return run(tf, f, tf.constant(1))


@case
def an_unbound_local(tf):
    def f(x):
        y = z + x  # noqa: F821
        z = y
        return z

    return run(tf, f, tf.constant(1))


@case(x=[-1, 1])
def error_raised_in_a_branch(tf, x):
    def f(x):
        if x > 0:
            raise ValueError("positive")
        return x

    return run(tf, f, tf.constant(x))


@case(start=[0, 3], limit=[0, 3, 5], known=[True, False])
def target_of_a_range_without_numbers(tf, start, limit, known):
    @tf.function
    def f(start, limit):
        for i in tf.range(start, limit):
            pass
        return i

    return f(start, limit) if known else f(tf.constant(start), tf.constant(limit))


@case(n=[0, 1, 3])
def matrix_of_unknown_size_first_made_in_a_loop(tf, n):
    @tf.function
    def f(n):
        while n > 0:
            v = tf.ones([2, n])
            n -= 1
        return v

    return f(tf.constant(n))


@case(n=[0, 2])
def vector_of_unknown_size_first_made_in_a_for(tf, n):
    @tf.function
    def f(n, x):
        for i in tf.range(n):
            v = tf.boolean_mask(x, x > tf.cast(i, tf.float32))
        return v

    return f(tf.constant(n), tf.constant([1.0, 2.0, 3.0]))


@case
def ragged_state_that_grows(tf):
    @tf.function
    def f(n):
        v = tf.ragged.constant([[1], [2, 3]])
        for _ in tf.range(n):
            v = tf.concat([v, v], 1)
        return v

    return f(tf.constant(2))


@case(shape=["none", "open"])
def sparse_state_that_grows(tf, shape):
    @tf.function
    def f(n):
        v = tf.SparseTensor([[0, 0], [1, 1]], [-1, -1], [10, 10])
        for _ in tf.range(n):
            given = tf.TensorShape(None if shape == "none" else [None, 10])
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, given)])
            v = tf.sparse.concat(0, [v, v])
        return v

    return f(tf.constant(2))


@case(kind=["for", "while", "branch"])
def state_that_is_read_before_it_is_set(tf, kind):
    def f(n):
        if kind == "for":
            for i in tf.range(n):
                if i == 0:
                    a = 1
                else:
                    a = a + 1
            return a
        if kind == "while":
            while n > 0:
                b = b + 1  # noqa: F821 - that it has no value is the point
                n -= 1
            return b
        while n > 0:
            if n > 1:
                c = n
            n -= 1
        return c

    return tf.function(f)(tf.constant(2))


def _helper(n):
    found = 0
    for i in range(n):
        found += i
    return found


TABLE = {"helper": _helper}


@case
def function_out_of_a_global_table(tf):
    return tf.function(lambda n: TABLE["helper"](n))(tf.constant(4))


@case(of=["any", "all"], flags=[(), (True, False), (True, True), (False, False)])
def truth_over_a_dataset(tf, of, flags):
    dataset = tf.data.Dataset.from_tensor_slices(tf.constant(list(flags), tf.bool))

    @tf.function
    def truth(elements):
        return any(elements) if of == "any" else all(elements)

    return truth(dataset)


@case(main=[(1, None), (1, 2)], other=[(2, None), (2, 3)])
def none_in_a_result_of_branches(tf, main, other):
    def choose(condition):
        if condition:
            return main
        else:
            return other

    return tf.function(choose)(tf.constant(True))


@case
def condition_that_becomes_a_constant(tf):
    def f():
        c = True
        while c:
            c = tf.constant(True)
        return c

    return run(tf, f)
