"""tf.function: retracing, arguments, variables, captures, methods."""

import collections

import numpy as np
from behaviour import case

Pair = collections.namedtuple("Pair", ["a", "b"])


def counted(tf, function, *calls, **options):
    """How often a function was traced after some calls, and the results."""
    traced = tf.function(function, **options)
    results = [traced(*args) for args in calls]
    return traced.experimental_get_tracing_count(), results


@case
def one_trace_for_equal_kinds(tf):
    return counted(tf, lambda x: x + 1, (tf.constant(1),), (tf.constant(2),))


@case
def traces_by_dtype_and_shape(tf):
    return counted(
        tf, lambda x: x + x, (tf.constant(1),), (tf.constant(1.0),), (tf.constant([1]),), (tf.constant([2]),)
    )


@case
def traces_by_python_number(tf):
    return counted(tf, lambda x: x + 1, (1,), (2,), (1,))


@case
def traces_by_python_type_of_equal_numbers(tf):
    return counted(tf, lambda x: tf.constant(x), (1,), (1.0,), (True,))


@case
def nan_is_one_value(tf):
    return counted(tf, lambda x: tf.constant(1), (float("nan"),), (float("nan"),))


@case
def arrays_count_as_tensors(tf):
    return counted(tf, lambda x: x * 2, (np.array([1.0, 2.0]),), (np.array([3.0, 4.0]),), (np.array([5.0]),))


@case
def numpy_scalars_count_as_tensors(tf):
    return counted(tf, lambda x: x * 2, (np.float32(1),), (np.float32(2),), (np.int64(3),))


@case(container=["list", "tuple", "dict", "namedtuple"])
def structures_by_their_elements(tf, container):
    make = {
        "list": lambda a, b: [a, b],
        "tuple": lambda a, b: (a, b),
        "dict": lambda a, b: {"x": a, "y": b},
        "namedtuple": Pair,
    }[container]

    def function(s):
        return tf.nest.flatten(s)[0] - tf.nest.flatten(s)[1]

    one, two = tf.constant(1), tf.constant(2)
    return counted(tf, function, (make(one, two),), (make(two, one),), (make(one, 2),), (make(one, 3),))


@case
def list_and_tuple_are_two_kinds(tf):
    return counted(tf, lambda s: s[0], ([tf.constant(1)],), ((tf.constant(1),),))


@case
def dict_order_does_not_matter(tf):
    a, b = tf.constant(1), tf.constant(2)
    return counted(tf, lambda d: d["a"] - d["b"], ({"a": a, "b": b},), ({"b": b, "a": a},))


@case
def keyword_and_position_share_a_trace(tf):
    f = tf.function(lambda x, y: x - y)
    a, b = tf.constant(3), tf.constant(1)
    results = [f(a, b), f(a, y=b), f(x=a, y=b), f(y=b, x=a)]
    return f.experimental_get_tracing_count(), results


@case
def defaults_share_a_trace_with_given_values(tf):
    f = tf.function(lambda x, n=2: x * n)
    return [f(tf.constant(1)), f(tf.constant(1), 2), f(tf.constant(1), n=2)], f.experimental_get_tracing_count()


@case
def varargs_and_kwargs(tf):
    @tf.function
    def f(x, *args, scale=1, **kwargs):
        return (x + sum(args)) * scale + kwargs.get("bias", 0)

    one = tf.constant(1)
    return f(one), f(one, one, one), f(one, one, scale=3), f(one, bias=one * 5), f.experimental_get_tracing_count()


@case
def variables_share_a_trace(tf):
    f = tf.function(lambda v: v + 1.0)
    u, v = tf.Variable(1.0), tf.Variable(2.0)
    return f(u), f(v), f.experimental_get_tracing_count()


@case
def variables_that_are_one_or_two(tf):
    @tf.function
    def f(u, v):
        u.assign_add(1.0)
        return u + v

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    return f(a, b), f(a, a), f(b, a), f.experimental_get_tracing_count()


@case
def reduce_retracing(tf):
    return counted(tf, lambda x: tf.reduce_sum(x), *[(tf.ones([n]),) for n in (1, 2, 3, 4)], reduce_retracing=True)


@case
def spec_is_not_a_value(tf):
    return tf.function(lambda x: x)(tf.TensorSpec([], tf.float32))


@case
def signature_casts_python_numbers(tf):
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)])
    return f([1.0, 2.0]), f(np.array([1.0, 2.0, 3.0], np.float32)), f.experimental_get_tracing_count()


@case(value=["dtype", "rank", "size"])
def signature_refuses(tf, value):
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([2], tf.float32)])
    return f({"dtype": tf.constant([1, 2]), "rank": tf.ones([2, 2]), "size": tf.ones([3])}[value])


@case
def signature_with_too_many_arguments(tf):
    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])(1.0, 2.0)


@case
def signature_of_structures(tf):
    spec = [{"a": tf.TensorSpec([None]), "b": (tf.TensorSpec([]), tf.TensorSpec([]))}]
    f = tf.function(lambda s: tf.reduce_sum(s["a"]) + s["b"][0] * s["b"][1], input_signature=spec)
    return f({"a": tf.ones([3]), "b": (tf.constant(2.0), tf.constant(4.0))})


@case
def signature_leaves_defaults(tf):
    f = tf.function(lambda x, n=3: x * n, input_signature=[tf.TensorSpec([], tf.int32)])
    return f(tf.constant(2))


@case
def signature_of_defaults_is_refused_a_value(tf):
    f = tf.function(lambda x, n=3: x * n, input_signature=[tf.TensorSpec([], tf.int32)])
    return f(tf.constant(2), n=4)


@case
def signature_that_is_too_long(tf):
    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])(1.0)


@case
def signature_that_is_too_short(tf):
    return tf.function(lambda x, y: x, input_signature=[tf.TensorSpec([])])(1.0, 2.0)


@case
def signature_of_something_else(tf):
    return tf.function(lambda x: x, input_signature=[3])(1.0)


@case
def signature_that_is_no_sequence(tf):
    return tf.function(lambda x: x, input_signature=tf.TensorSpec([]))(1.0)


@case
def signature_with_varargs(tf):
    f = tf.function(lambda *xs: tf.add_n(xs), input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    return f(1.0, 2.0)


@case
def argument_that_is_missing(tf):
    return tf.function(lambda x, y: x)(1.0)


@case
def argument_that_is_unknown(tf):
    return tf.function(lambda x: x)(1.0, z=2.0)


@case
def argument_that_is_unhashable(tf):
    class Thing:
        __hash__ = None

        def __eq__(self, other):
            return True

    return tf.function(lambda x: tf.constant(1))(Thing())


@case
def sets_are_refused(tf):
    return tf.function(lambda x: tf.constant(1))({1, 2})


@case
def modified_argument_is_refused(tf):
    def f(x):
        x.append(tf.constant(1))
        return x[0]

    return tf.function(f)([tf.constant(1)])


@case(kind=["object", "generator", "set", "type"])
def return_value_that_is_no_tensor(tf, kind):
    value = {"object": object(), "generator": (i for i in ()), "set": {1}, "type": int}[kind]
    return tf.function(lambda: value)()


@case
def returned_structure(tf):
    f = tf.function(lambda x: {"a": [x, None, 3], "b": Pair(x, (x + 1,))})
    return f(tf.constant(1))


@case
def returned_numbers_are_tensors(tf):
    f = tf.function(lambda: (1, 2.0, True, "s", np.array([1, 2])))
    return [r.dtype for r in f()], f()


@case
def returned_none(tf):
    return tf.function(lambda: None)()


@case
def returned_variable_is_a_tensor(tf):
    v = tf.Variable(1.0)
    y = tf.function(lambda: v)()
    return isinstance(y, tf.Variable), tf.is_tensor(y), y


@case
def python_effects_happen_once_per_trace(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append(1)
        return x

    for n in (1, 1, 2, 2, 1):
        f(tf.zeros([n]))
    return len(seen)


@case
def captured_python_values_are_frozen(tf):
    box = [1]
    f = tf.function(lambda: tf.constant(box[0]))
    first = f()
    box[0] = 2
    return first, f()


@case
def captured_tensors_and_variables(tf):
    c, v = tf.constant(2.0), tf.Variable(3.0)
    f = tf.function(lambda x: x * c + v)
    first = f(tf.constant(1.0))
    v.assign(10.0)
    return first, f(tf.constant(1.0))


@case
def assignments_in_order(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        a = v.read_value()
        v.assign_add(1.0)
        b = v.read_value()
        v.assign(v * 10.0)
        return a, b, v.read_value()

    return f(), v


@case
def methods_have_their_own_traces(tf):
    class Scale(tf.Module):
        def __init__(self, k):
            self.k = k

        @tf.function
        def __call__(self, x):
            return x * self.k

    a, b = Scale(2), Scale(3)
    return a(tf.constant(1)), b(tf.constant(1)), a(tf.constant(5))


@case
def function_of_a_bound_method(tf):
    class Scale:
        def __init__(self, k):
            self.k = k

        def times(self, x):
            return x * self.k

    s = Scale(2)
    f = tf.function(s.times)
    return f(tf.constant(3)), f.__name__


@case
def function_of_a_partial(tf):
    import functools

    f = tf.function(functools.partial(lambda x, y, k: x * k - y, k=2))
    return (
        f(tf.constant(3), tf.constant(1)),
        f(tf.constant(3), y=tf.constant(2)),
        f(tf.constant(3), tf.constant(1), k=5),
    )


@case
def function_of_a_callable_object(tf):
    class Twice:
        def __call__(self, x):
            return x * 2

    return tf.function(Twice())(tf.constant(3))


@case
def function_of_no_function(tf):
    return tf.function(3)


@case
def nested_functions_and_gradients(tf):
    inner = tf.function(lambda x: x**3)
    outer = tf.function(lambda x: inner(x) * inner(x + 1.0))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    return y, tape.gradient(y, x)


@case
def recursion_by_python_numbers(tf):
    @tf.function
    def factorial(n):
        return tf.constant(1) if n <= 1 else n * factorial(n - 1)

    return factorial(5)


@case
def run_functions_eagerly(tf):
    seen = []
    f = tf.function(lambda x: seen.append(1) or x)
    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1)), f(tf.constant(1))
    finally:
        tf.config.run_functions_eagerly(False)
    return len(seen), tf.config.functions_run_eagerly()


@case
def python_function_and_name(tf):
    def cube(x):
        """Its third power."""
        return x**3

    f = tf.function(cube)
    return f.python_function is cube, f.__name__, f.__doc__


@case
def tensor_of_another_function_is_refused(tf):
    kept = []

    @tf.function
    def keep(x):
        kept.append(x)
        return x

    @tf.function
    def use():
        return kept[0] + 1

    keep(tf.constant(1))
    return use()


@case
def tensor_of_a_function_outside_is_refused(tf):
    kept = []
    tf.function(lambda x: kept.append(x * 2))(tf.constant(1))
    return kept[0] + 1


@case(what=["bool", "iter", "int", "numpy", "len"])
def symbolic_tensor_refuses(tf, what):
    @tf.function(autograph=False)
    def f(x):
        if what == "bool":
            return 1 if x[0] > 0 else 2
        if what == "iter":
            return list(x)
        if what == "int":
            return range(int(x[0]))[0]
        if what == "numpy":
            return x.numpy()
        return len(x)

    return f(tf.constant([1, 2]))
