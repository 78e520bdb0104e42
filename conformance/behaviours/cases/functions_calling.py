"""Concrete functions: what is refused, kinds of parameters, names of inputs and of signatures, retracing."""

import functools
import tempfile

from behaviour import case

WRONG_CALLS = {
    "no y": (lambda tf: (1, tf.constant(2)), lambda tf: ((1,), {})),
    "no vararg": (lambda tf: (1, 2, tf.constant(1.0)), lambda tf: ((1, 2), {})),
    "one too many": (lambda tf: (1, 2), lambda tf: ((1, 2, 3), {})),
    "unknown keyword": (lambda tf: (1, 2), lambda tf: ((1, 2), {"c": tf.constant(1.0)})),
    "twice": (lambda tf: (1, 2), lambda tf: ((1, 2), {"x": 3})),
    "dict for ragged": (
        lambda tf: (tf.ragged.constant([[1, 2], [3]]),),
        lambda tf: (({"a": tf.constant([1, 2, 3])}, 5), {}),
    ),
    "other ragged rank": (
        lambda tf: (tf.ragged.constant([[1, 2], [3]]),),
        lambda tf: ((tf.ragged.constant([[[1]]]), 5), {}),
    ),
    "other ragged dtype": (
        lambda tf: (tf.ragged.constant([[1]]),),
        lambda tf: ((tf.ragged.constant([[1.0]]), 5), {}),
    ),
    "tensor for dict": (
        lambda tf: ({"a": tf.constant(1), "b": tf.constant(1)},),
        lambda tf: ((tf.constant(1), 5), {}),
    ),
    "tensor for tuple": (lambda tf: ((tf.constant(1), tf.constant(2)),), lambda tf: ((tf.constant(1), 5), {})),
    "other number": (lambda tf: (5,), lambda tf: ((8, 5), {})),
    "tensor for number": (lambda tf: (5,), lambda tf: ((tf.constant(6), 5), {})),
    "other keys": (lambda tf: ({"a": tf.constant(1)},), lambda tf: (({"b": tf.constant(1)}, 5), {})),
}


@case(wrong=list(WRONG_CALLS))
def wrong_call(tf, wrong):
    traced, called = WRONG_CALLS[wrong]

    @tf.function
    def f(x, y=5, *varargs, **kwargs):
        return x

    args, kwargs = called(tf)
    return f.get_concrete_function(*traced(tf))(*args, **kwargs)


@case
def missing_keyword(tf):
    f = tf.function(lambda x, y=5, **kwargs: x)
    return f.get_concrete_function(1, 2, c=tf.constant(1.0))(1, 2)


@case(where=["eager", "function"])
def tensor_for_a_number_of_python(tf, where):
    f = tf.function(lambda x: x).get_concrete_function(1)
    return f(tf.constant(1)) if where == "eager" else tf.function(lambda: f(tf.constant(1)))()


@case(where=["eager", "function"])
def other_shape_than_traced(tf, where):
    f = tf.function(lambda x: x + 1.0).get_concrete_function(tf.constant([1.0]))
    call = lambda: f(tf.constant([1.0, 2.0]))  # noqa: E731
    return call() if where == "eager" else tf.function(call)()


@case(shape=[[3], [2], [None]])
def spec_against_the_signature(tf, shape):
    f = tf.function(lambda a: a, input_signature=[tf.TensorSpec((2,), tf.float32)])
    return f.get_concrete_function(tf.TensorSpec(shape, tf.float32))(tf.ones([2]))


@case
def inputs_by_number(tf):
    spec = tf.TensorSpec(None, tf.float32)
    f = tf.function(lambda x, **kwargs: x[0] - x[1] * x[2] + kwargs["d"]).get_concrete_function(
        (spec, spec, spec), d=spec
    )
    return f(x=tf.constant(1.0), x_1=tf.constant(2.0), x_2=tf.constant(3.0), d=tf.constant(4.0))


@case
def keywords_that_are_one_name(tf):
    return tf.function(lambda **kwargs: kwargs["a_b"] + kwargs["a/b"])(**{"a_b": 1, "a/b": 2})


@case
def names_of_specs_that_change(tf):
    f = tf.function(lambda x: x)
    found = []
    for name in ("y", None, "z"):
        c = f.get_concrete_function(tf.TensorSpec(None, tf.float32, name))
        found.append(c.structured_input_signature[0][0].name)
    return found


@case
def kinds_of_parameters(tf):
    @tf.function
    def f(x, y=2, *rest, z):
        return {"a": x, "b": [x, z]}

    kinds = f.get_concrete_function(tf.TensorSpec([], tf.float32), 3, tf.constant(1), z=tf.constant(2)).function_type
    parameters = [(p.name, str(p.kind), str(p.type_constraint)) for p in kinds.parameters.values()]
    return str(kinds), parameters, str(kinds.output), str(f.function_type)


@case
def kinds_of_a_signature(tf):
    f = tf.function(lambda x, y=2: x, input_signature=[tf.TensorSpec([None], tf.float32)])
    return str(f.function_type)


@case
def kinds_of_captures(tf):
    y = tf.constant(1)
    kinds = tf.function(lambda x: x + y).get_concrete_function(tf.TensorSpec([], tf.int32)).function_type
    return len(kinds.captures), str(kinds.captures[id(y)])


@case(arguments=["two", "nested", "rest", "same name"])
def names_in_a_saved_signature(tf, arguments):
    spec = tf.TensorSpec([], tf.float32)
    named = tf.TensorSpec([], tf.float32, name="given")
    function, args = {
        "two": (lambda a, b: a + b, (spec, spec)),
        "nested": (lambda a, b: a[0] + a[1] + b["u"], ((spec, spec), {"u": spec})),
        "rest": (lambda a, *rest: a + rest[0] + rest[1], (spec, spec, spec)),
        "same name": (lambda a, b: a + b, (named, named)),
    }[arguments]
    module, folder = tf.Module(), tempfile.mkdtemp()
    module.f = tf.function(function)
    tf.saved_model.save(module, folder, signatures=module.f.get_concrete_function(*args))
    return sorted(tf.saved_model.load(folder).signatures["serving_default"].structured_input_signature[1])


@case
def slices_in_a_signature(tf):
    spec = tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)
    f = tf.function(lambda x: (x.values, x.indices), input_signature=[spec])
    return f(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]))), f(
        tf.IndexedSlices(tf.ones([3, 2]), tf.constant([1, 0, 2]))
    )


@case(other=["tensor", "dtype", "dense_shape"])
def slices_that_do_not_fit_a_signature(tf, other):
    f = tf.function(lambda x: x.values, input_signature=[tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)])
    given = {
        "tensor": lambda: tf.ones([1, 2]),
        "dtype": lambda: tf.IndexedSlices(tf.ones([1, 2], tf.int32), tf.constant([1])),
        "dense_shape": lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2])),
    }[other]()
    return f(given)


@case
def sizes_of_sparse_arguments(tf):
    seen = []
    f = tf.function(lambda x: seen.append(str(x.shape)) or tf.sparse.to_dense(x))
    f.get_concrete_function(tf.SparseTensorSpec([None, 3], tf.float32))
    for size in ([2, 3], [2, 4], [5, 4], [2, 4]):
        f(tf.SparseTensor([[0, 0]], [1.0], size))
    return seen


@case
def last_axis_of_a_sparse_argument(tf):
    def f(x, w):
        return tf.reshape(tf.sparse.to_dense(x), [-1, x.shape[-1]]) @ w

    return tf.function(f)(tf.SparseTensor([[0, 1]], [2.0], [2, 3]), tf.reshape(tf.range(6.0), [3, 2]))


@case(kind=["stopped", "floor", "other argument", "branch"])
def tangent_of_a_result_without_one(tf, kind):
    function = {
        "stopped": lambda x, y: tf.stop_gradient(x),
        "floor": lambda x, y: tf.floor(x),
        "other argument": lambda x, y: y * y,
        "branch": lambda x, y: tf.cond(x > 0.0, lambda: tf.constant(1.0), lambda: tf.constant(2.0)),
    }[kind]
    x = tf.constant(2.5)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        z = tf.function(function)(x, tf.constant(3.0))
    return "none" if acc.jvp(z) is None else acc.jvp(z)


@case(given=["positional", "keyword"])
def partial_of_a_function(tf, given):
    f = tf.function(functools.partial(lambda x, y=1.0: x - y, *([3.0] if given == "positional" else []), y=2.0))
    return f() if given == "positional" else f(x=tf.constant(5.0))
