"""ConcreteFunction: calling conventions, signatures, names."""

from behaviour import case


def concrete(tf, function, *args, **kwargs):
    return tf.function(function).get_concrete_function(*args, **kwargs)


SPECS = ["scalar", "named", "open"]


def spec(tf, kind):
    return {
        "scalar": tf.TensorSpec([], tf.float32),
        "named": tf.TensorSpec([], tf.float32, name="given"),
        "open": tf.TensorSpec(None, tf.float32),
    }[kind]


@case(kind=SPECS)
def name_in_the_signature(tf, kind):
    c = concrete(tf, lambda x: x * 2.0, spec(tf, kind))
    (args, kwargs) = c.structured_input_signature
    return args[0].name, args[0].shape, args[0].dtype, kwargs


@case(kind=SPECS)
def call_by_position(tf, kind):
    return concrete(tf, lambda x: x * 2.0, spec(tf, kind))(tf.constant(3.0))


@case(kind=SPECS)
def call_by_the_parameter(tf, kind):
    return concrete(tf, lambda x: x * 2.0, spec(tf, kind))(x=tf.constant(3.0))


@case
def call_by_the_name_of_the_spec(tf):
    return concrete(tf, lambda x: x * 2.0, spec(tf, "named"))(given=tf.constant(3.0))


@case
def call_by_names_of_several_specs(tf):
    c = concrete(tf, lambda x, y: x - y, tf.TensorSpec([], name="first"), tf.TensorSpec([], name="second"))
    return c(first=tf.constant(3.0), second=tf.constant(1.0)), c(tf.constant(3.0), second=tf.constant(1.0))


@case(missing=["none", "one"])
def call_with_too_few(tf, missing):
    c = concrete(tf, lambda x, y: x - y, tf.TensorSpec([]), tf.TensorSpec([]))
    return c() if missing == "none" else c(tf.constant(1.0))


@case
def call_with_too_many(tf):
    return concrete(tf, lambda x: x, tf.TensorSpec([]))(tf.constant(1.0), tf.constant(2.0))


@case
def call_with_an_unknown_name(tf):
    return concrete(tf, lambda x: x, tf.TensorSpec([]))(z=tf.constant(1.0))


@case
def call_with_a_name_twice(tf):
    return concrete(tf, lambda x: x, tf.TensorSpec([]))(tf.constant(1.0), x=tf.constant(1.0))


@case(given=["int", "float", "list", "array"])
def call_with_python_values(tf, given):
    import numpy as np

    value = {"int": 3, "float": 3.0, "list": [3.0], "array": np.float32(3.0)}[given]
    return concrete(tf, lambda x: x * 2.0, tf.TensorSpec([], tf.float32))(value)


@case
def call_with_another_dtype(tf):
    return concrete(tf, lambda x: x, tf.TensorSpec([], tf.float32))(tf.constant(1))


@case
def call_with_another_shape(tf):
    return concrete(tf, lambda x: x, tf.TensorSpec([2], tf.float32))(tf.ones([3]))


@case
def call_with_a_variable(tf):
    return concrete(tf, lambda x: x * 2.0, tf.TensorSpec([], tf.float32))(tf.Variable(3.0))


@case
def python_argument_is_part_of_the_trace(tf):
    c = concrete(tf, lambda x, n: x * n, tf.TensorSpec([], tf.int32), 3)
    return c(tf.constant(2)), c(tf.constant(2), 3), c.structured_input_signature[0][1]


@case
def another_python_argument_is_refused(tf):
    return concrete(tf, lambda x, n: x * n, tf.TensorSpec([], tf.int32), 3)(tf.constant(2), 4)


@case
def tensor_for_a_python_argument_is_refused(tf):
    return concrete(tf, lambda n: tf.constant(n), 3)(tf.constant(3))


@case
def python_argument_only(tf):
    c = concrete(tf, lambda n: tf.constant(n * 2), 3)
    return c(), c(3), c(n=3)


@case
def nested_arguments(tf):
    c = concrete(tf, lambda s: s["a"] - s["b"][0], {"a": tf.TensorSpec([]), "b": [tf.TensorSpec([])]})
    one, two = tf.constant(1.0), tf.constant(2.0)
    return c({"a": one, "b": [two]}), c(one, two)


@case
def names_of_nested_arguments(tf):
    c = concrete(tf, lambda s, t: s["a"], {"a": tf.TensorSpec([]), "b": [tf.TensorSpec([])]}, tf.TensorSpec([]))
    return [s.name for s in tf.nest.flatten(c.structured_input_signature)]


@case
def nested_with_python_values(tf):
    c = concrete(tf, lambda x, y: x["a"] + y["b"], {"a": tf.constant(1), "b": 5}, y={"b": tf.constant(2)})
    return c({"a": tf.constant(100), "b": 5}, y={"b": tf.constant(20)})


@case
def nested_with_other_python_values_is_refused(tf):
    c = concrete(tf, lambda x: x["a"] + x["b"], {"a": tf.constant(1), "b": 5})
    return c({"a": tf.constant(100), "b": 6})


@case
def another_structure_is_refused(tf):
    c = concrete(tf, lambda x: x["a"], {"a": tf.TensorSpec([]), "b": tf.TensorSpec([])})
    return c({"a": tf.constant(1.0)})


@case
def varargs_names(tf):
    c = concrete(tf, lambda x, *args: x, tf.TensorSpec([]), tf.TensorSpec([]), tf.TensorSpec([]))
    (args, kwargs) = c.structured_input_signature
    return [a.name for a in args], kwargs


@case
def varargs_call(tf):
    c = concrete(tf, lambda x, *args: x + args[0] * args[1], tf.TensorSpec([]), tf.TensorSpec([]), tf.TensorSpec([]))
    return c(tf.constant(1.0), tf.constant(2.0), tf.constant(3.0))


@case
def kwargs_names(tf):
    c = concrete(tf, lambda x, **kwargs: x + kwargs["z"], tf.TensorSpec([]), z=tf.TensorSpec([]), y=tf.TensorSpec([]))
    (args, kwargs) = c.structured_input_signature
    return [a.name for a in args], {k: v.name for k, v in kwargs.items()}


@case
def kwargs_call(tf):
    c = concrete(tf, lambda x, **kwargs: x - kwargs["z"], tf.TensorSpec([]), z=tf.TensorSpec([]))
    return c(tf.constant(3.0), z=tf.constant(1.0))


@case
def keyword_only_call(tf):
    def f(x, *, y, z=2):
        return x - y * z

    c = concrete(tf, f, tf.TensorSpec([]), y=tf.TensorSpec([]))
    return c(tf.constant(3.0), y=tf.constant(1.0)), sorted(c.structured_input_signature[1])


@case
def keyword_only_is_missing(tf):
    def f(*, x, y):
        return x - y

    return concrete(tf, f, x=tf.TensorSpec([]), y=tf.TensorSpec([]))(x=tf.constant(1.0))


@case
def inputs_and_outputs(tf):
    v = tf.Variable(1.0)
    c = concrete(tf, lambda x, y: (x + v, {"d": y}), tf.TensorSpec([2]), tf.TensorSpec([], tf.int32))
    return (
        [s.shape for s in c.structured_outputs[:1]],
        [o.dtype for o in c.outputs],
        c.output_dtypes,
        c.output_shapes,
        len(c.captured_inputs),
        len(c.variables),
        len(c.trainable_variables),
    )


@case
def same_function_for_the_same_kind(tf):
    f = tf.function(lambda x: x)
    a = f.get_concrete_function(tf.TensorSpec([2]))
    return a is f.get_concrete_function(tf.ones([2])), a is f.get_concrete_function(tf.TensorSpec([3]))


@case
def an_open_trace_serves_calls(tf):
    f = tf.function(lambda x: x)
    f.get_concrete_function(tf.TensorSpec([None]))
    f(tf.ones([2]))
    f(tf.ones([3]))
    return f.experimental_get_tracing_count()


@case
def the_narrowest_trace_serves(tf):
    @tf.function
    def f(x):
        return tf.constant(-1 if x.shape[0] is None else x.shape[0])

    f.get_concrete_function(tf.TensorSpec([None]))
    f.get_concrete_function(tf.TensorSpec([2]))
    return f(tf.ones([2])), f(tf.ones([3]))


@case
def concrete_with_signature(tf):
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], name="xs")])
    c = f.get_concrete_function()
    return c(tf.constant([1.0])), c(xs=tf.constant([2.0])), c.structured_input_signature[0][0].name


@case
def concrete_with_signature_and_values(tf):
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None])])
    return f.get_concrete_function(tf.constant([1.0, 2.0]))(tf.constant([5.0]))


@case
def gradient_through_a_concrete_function(tf):
    c = concrete(tf, lambda x: x**3, tf.TensorSpec([]))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = c(x)
    return tape.gradient(y, x)


@case
def call_in_another_function(tf):
    c = concrete(tf, lambda x, y: x - y, tf.TensorSpec([], name="u"), tf.TensorSpec([], name="w"))
    return tf.function(lambda x: c(u=x, w=x * 2.0) + c(x, x))(tf.constant(1.0))


@case
def variable_argument(tf):
    v = tf.Variable(1.0)
    f = tf.function(lambda v: v * 2.0)
    c = f.get_concrete_function(v)
    return c(v), c(tf.Variable(5.0))


@case(attribute=["name", "shape", "dtype"])
def inputs_are_symbols(tf, attribute):
    c = concrete(tf, lambda first: first, tf.TensorSpec([2], tf.int32))
    value = getattr(c.inputs[0], attribute)
    return value if attribute != "name" else value.partition(":")[0]


@case
def parameters_of_the_function_type(tf):
    c = concrete(tf, lambda x, y, k=3: x, tf.TensorSpec([]), tf.TensorSpec([]))
    return list(c.function_type.parameters)


@case
def kinds_of_the_function_type(tf):
    def f(x, *args, y=1, **kwargs):
        return x

    parameters = tf.function(f).function_type.parameters
    return [(name, p.kind.name) for name, p in parameters.items()]


@case
def a_duplicate_name_is_made_unique(tf):
    c = concrete(tf, lambda x, y: x - y, tf.TensorSpec([], name="same"), tf.TensorSpec([], name="same"))
    return [s.name for s in c.structured_input_signature[0]]


@case(name=["a b", "a/b", "1a", "a-b"])
def names_are_cleaned(tf, name):
    c = concrete(tf, lambda x: x, tf.TensorSpec([], name=name))
    return c.structured_input_signature[0][0].name, c.inputs[0].name


@case(verbose=[True, False])
def signature_as_text(tf, verbose):
    c = concrete(
        tf, lambda x, rows, k: {"a": rows, "b": [x]}, tf.TensorSpec([2]), tf.RaggedTensorSpec([None, None], tf.int32), 3
    )
    return c.pretty_printed_signature(verbose=verbose)


@case
def structure_for_a_ragged_tensor(tf):
    c = concrete(tf, lambda rows: rows.values, tf.RaggedTensorSpec([None, None], tf.int32))
    return c({"a": tf.constant([1, 2])})
