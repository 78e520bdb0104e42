"""AutoGraph: Python's statements on tensors."""

from behaviour import case

# ruff: noqa: B007


def run(tf, function, *args):
    return tf.function(function)(*args)


@case(n=[0, 1, 3])
def for_over_range(tf, n):
    def f(n):
        s = 0
        for i in tf.range(n):
            s += i
        return s

    return run(tf, f, tf.constant(n))


@case(n=[0, 3])
def loop_variable_afterwards(tf, n):
    def f(n):
        for i in tf.range(n):
            pass
        return i

    return run(tf, f, tf.constant(n))


@case(n=[0, 3])
def static_range_and_its_variable_afterwards(tf, n):
    def f():
        for i in tf.range(n):
            pass
        return i

    return run(tf, f)


@case(n=[0, 3])
def value_first_made_in_a_loop(tf, n):
    def f(n):
        for i in tf.range(n):
            last = i * 10
        return last

    return run(tf, f, tf.constant(n))


@case(n=[0, 3])
def value_first_made_in_a_while(tf, n):
    def f(n):
        i = 0
        while i < n:
            i += 1
            last = i * 10
        return last

    return run(tf, f, tf.constant(n))


@case
def loop_variable_that_was_something_else(tf):
    def f(n):
        i = -1
        for i in tf.range(n):
            pass
        return i

    return run(tf, f, tf.constant(0)), run(tf, f, tf.constant(3))


@case(x=[-1, 1])
def value_made_in_one_branch(tf, x):
    def f(x):
        if x > 0:
            y = x * 2
        return y

    return run(tf, f, tf.constant(x))


@case(x=[-1, 1])
def value_made_in_one_branch_of_python(tf, x):
    def f(x):
        if x > 0:
            y = tf.constant(x)
        return y

    return run(tf, f, x)


@case(x=[-1, 1])
def unused_value_made_in_one_branch(tf, x):
    def f(x):
        z = x
        if x > 0:
            y = x * 2
            z = y
        return z

    return run(tf, f, tf.constant(x))


@case
def branches_of_other_dtypes(tf):
    def f(x):
        if x > 0:
            y = 1
        else:
            y = 1.0
        return y

    return run(tf, f, tf.constant(1))


@case
def branches_of_other_shapes(tf):
    def f(x):
        if x > 0:
            y = tf.zeros([2])
        else:
            y = tf.zeros([3])
        return y

    return run(tf, f, tf.constant(1))


@case
def branches_with_none(tf):
    def f(x):
        y = None
        if x > 0:
            y = tf.constant(1)
        return y

    return run(tf, f, tf.constant(1))


@case
def branches_of_other_structures(tf):
    def f(x):
        if x > 0:
            y = (x, x)
        else:
            y = x
        return y

    return run(tf, f, tf.constant(1))


@case(x=[-1, 1])
def return_in_one_branch(tf, x):
    def f(x):
        if x > 0:
            return x * 2
        return x * 3

    return run(tf, f, tf.constant(x))


@case(x=[-1, 1])
def return_missing_in_one_branch(tf, x):
    def f(x):
        if x > 0:
            return x * 2

    return run(tf, f, tf.constant(x))


@case(x=[-1, 1])
def return_none_in_one_branch(tf, x):
    def f(x):
        if x > 0:
            return None
        return x

    return run(tf, f, tf.constant(x))


@case(x=[-1, 1])
def return_of_none_in_both(tf, x):
    def f(x):
        if x > 0:
            return None
        else:
            return None

    return run(tf, f, tf.constant(x))


@case(x=[-2, 0, 2])
def elif_chain(tf, x):
    def f(x):
        if x > 0:
            y = "positive"
        elif x < 0:
            y = "negative"
        else:
            y = "zero"
        return tf.constant(y) if isinstance(y, str) else y

    return run(tf, f, tf.constant(x))


@case(x=[1, 5, 20])
def while_with_break_and_continue(tf, x):
    def f(n):
        s = i = tf.constant(0)
        while i < n:
            i += 1
            if i % 2 == 0:
                continue
            if i > 7:
                break
            s += i
        return s, i

    return run(tf, f, tf.constant(x))


@case(n=[0, 2, 9])
def for_with_break(tf, n):
    def f(x):
        s = 0.0
        for v in x:
            if v > 4.0:
                break
            s += v
        return s

    return run(tf, f, tf.range(n, dtype=tf.float32))


@case(n=[0, 2, 9])
def return_in_a_loop(tf, n):
    def f(x):
        for v in x:
            if v > 4.0:
                return v
        return -1.0

    return run(tf, f, tf.range(n, dtype=tf.float32))


@case(n=[0, 2, 9])
def else_of_a_for(tf, n):
    def f(x):
        s = 0.0
        for v in x:
            if v > 4.0:
                break
            s += v
        else:
            s = -s
        return s

    return run(tf, f, tf.range(n, dtype=tf.float32))


@case
def loop_that_changes_the_dtype(tf):
    def f(n):
        s = 0
        for i in tf.range(n):
            s = tf.cast(i, tf.float32)
        return s

    return run(tf, f, tf.constant(2))


@case
def loop_that_changes_the_shape(tf):
    def f(n):
        s = tf.zeros([1])
        for i in tf.range(n):
            s = tf.concat([s, s], 0)
        return s

    return run(tf, f, tf.constant(2))


@case
def loop_with_a_shape_invariant(tf):
    def f(n):
        s = tf.ones([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(s, tf.TensorShape([None]))])
            s = tf.concat([s, s], 0)
        return s

    return run(tf, f, tf.constant(3))


@case
def while_with_a_violated_invariant(tf):
    def f(n):
        i = 0
        s = tf.ones([1])
        while i < n:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(s, tf.TensorShape([1]))])
            s = tf.concat([s, s], 0)
            i += 1
        return s

    return run(tf, f, tf.constant(3))


@case
def loop_that_changes_the_structure(tf):
    def f(n):
        s = (tf.constant(1), tf.constant(2))
        for i in tf.range(n):
            s = (s[0],)
        return s

    return run(tf, f, tf.constant(2))


@case
def loop_that_makes_none_a_tensor(tf):
    def f(n):
        s = None
        for i in tf.range(n):
            s = i
        return s

    return run(tf, f, tf.constant(2))


@case
def list_that_grows_in_a_loop(tf):
    def f(n):
        items = []
        for i in tf.range(n):
            items.append(i)
        return tf.stack(items)

    return run(tf, f, tf.constant(2))


@case
def generator_in_a_for(tf):
    def f(n):
        def numbers():
            yield n
            yield n * 2

        s = 0
        for v in numbers():
            s += v
        return s

    return run(tf, f, tf.constant(2))


@case
def generator_with_a_tensor_loop(tf):
    def f(n):
        def numbers():
            yield from tf.range(n)

        s = 0
        for v in numbers():
            s += v
        return s

    return run(tf, f, tf.constant(2))


@case(a=[0, 1], b=[0, 1])
def logical_operators(tf, a, b):
    def f(a, b):
        return a > 0 and b > 0, a > 0 or b > 0, not a > 0

    return run(tf, f, tf.constant(a), tf.constant(b))


@case
def chained_comparison(tf):
    def f(x):
        return 0 < x < 3

    return run(tf, f, tf.constant(2)), run(tf, f, tf.constant(5))


@case(x=[-1, 1])
def conditional_expression(tf, x):
    return run(tf, lambda x: x * 2 if x > 0 else -x, tf.constant(x))


@case
def equality_of_tensors(tf):
    return run(tf, lambda a, b: (a == b, a != b), tf.constant([1, 2]), tf.constant([1, 3]))


@case(x=[-1, 1])
def assert_statement(tf, x):
    def f(x):
        assert x > 0, "x must be positive"
        return x

    return run(tf, f, tf.constant(x))


@case
def python_builtins(tf):
    def f(x):
        return len(x), max(x[0], x[1]), min(x[0], x[1]), abs(-x[0]), int(x[0]), float(x[1]), sum(x)

    return run(tf, f, tf.constant([3, 1]))


@case
def enumerate_and_zip(tf):
    def f(x, y):
        s = 0
        for i, (a, b) in enumerate(zip(x, y, strict=False)):
            s += tf.cast(i, tf.int32) * a * b
        return s

    return run(tf, f, tf.constant([1, 2, 3]), tf.constant([4, 5, 6]))


@case
def range_of_a_tensor(tf):
    def f(n):
        s = 0
        for i in range(n):
            s += i
        return s

    return run(tf, f, tf.constant(5))


@case
def for_over_a_matrix(tf):
    def f(x):
        s = tf.zeros([2])
        for row in x:
            s = s * 2.0 + row
        return s

    return run(tf, f, tf.reshape(tf.range(6.0), [3, 2]))


@case
def for_over_a_scalar(tf):
    def f(x):
        for v in x:
            pass
        return x

    return run(tf, f, tf.constant(1))
