"""Functions and concrete functions: what binds to what, copies, pickles, composites as arguments."""

import copy
import pickle

import numpy as np
from behaviour import case


def message(function, *words):
    """The class of the error, and which of the words its text has."""
    try:
        value = function()
    except Exception as error:
        text = str(error)
        return type(error).__mro__[0].__name__ if type(error).__module__ == "builtins" else "other", [
            w for w in words if w in text
        ]
    return "returned", value


@case
def structured_call_dict_for_tensor(tf):
    f = tf.function(lambda x: x["a"] + x["b"])
    spec = {"a": tf.TensorSpec([], tf.int32), "b": tf.TensorSpec([], tf.int32)}
    c = f.get_concrete_function(spec)
    return message(lambda: c(tf.constant(5)), "Binding inputs", "failed", "Can not cast")


@case
def structured_call_with_dict(tf):
    f = tf.function(lambda x, n: (x["a"] + x["b"]) * n)
    c = f.get_concrete_function({"a": tf.constant(1), "b": tf.constant(2)}, 3)
    return c({"a": tf.constant(1000), "b": tf.constant(200)}, 3), c({"a": tf.constant(1000), "b": tf.constant(200)})


@case
def structured_call_nested_python_values(tf):
    f = tf.function(lambda x, y: x["a"] * x["b"][1] + y)
    c = f.get_concrete_function({"a": tf.constant(1), "b": (1, 5)}, y=tf.constant(2))
    return c({"a": tf.constant(3), "b": (1, 5)}, y=tf.constant(4))


@case(given=["other", "tensor", "same", "none"])
def structured_call_int(tf, given):
    f = tf.function(lambda x: x + 1)
    c = f.get_concrete_function(5)
    if given == "none":
        return c()
    value = {"other": 6, "tensor": tf.constant(5), "same": 5}[given]
    return message(lambda: c(value), "Binding inputs", "failed", "Can not cast", "5")


@case(given=["missing", "keyword only", "vararg", "extra", "unknown"])
def structured_call_missing(tf, given):
    if given == "missing":
        c = tf.function(lambda x, y: x + y).get_concrete_function(tf.constant(1), tf.constant(2))
        return message(lambda: c(tf.constant(1)), "missing a required argument: 'y'")
    if given == "keyword only":

        @tf.function
        def f(x, *, c):
            return x + c

        c = f.get_concrete_function(tf.constant(1), c=tf.constant(2))
        return message(lambda: c(tf.constant(1)), "missing a required", "argument: 'c'")
    if given == "vararg":

        @tf.function
        def f(x, *varargs):
            return x + varargs[0]

        c = f.get_concrete_function(tf.constant(1), tf.constant(2))
        return message(lambda: c(tf.constant(1)), "missing a required argument: 'varargs_0'")
    if given == "extra":
        c = tf.function(lambda x: x).get_concrete_function(tf.constant(1))
        return message(lambda: c(tf.constant(1), tf.constant(2)), "too many positional arguments")
    c = tf.function(lambda x: x).get_concrete_function(tf.constant(1))
    return message(lambda: c(tf.constant(1), z=tf.constant(2)), "got an unexpected keyword argument 'z'")


@case(given=["nest", "dense"])
def structured_call_ragged(tf, given):
    f = tf.function(lambda x: x * 2)
    c = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    value = {"a": tf.constant([1, 2, 3])} if given == "nest" else tf.constant([[1, 2]])
    return message(lambda: c(value), "Binding inputs", "failed")


@case
def structured_call_ragged_for_tensor(tf):
    f = tf.function(lambda x: x * 2)
    c = f.get_concrete_function(tf.TensorSpec([None, None], tf.int32))
    return message(lambda: c(tf.ragged.constant([[1], [2, 3]])), "Binding inputs", "failed")


@case
def concrete_of_python_values_only(tf):
    f = tf.function(lambda x, y=2: tf.constant(x * y))
    c = f.get_concrete_function(3)
    return c(), c(3, 2), message(lambda: c(tf.constant([7])), "Binding inputs to tf.function failed")


@case
def nested_input_spec(tf):
    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None]),
            [{"b": tf.TensorSpec([None, None]), "c": tf.TensorSpec([None])}, tf.TensorSpec([])],
        ]
    )
    def f(first_mat, mats):
        return tf.matmul(first_mat, mats[0]["b"]) + mats[0]["c"] * mats[1]

    a, b, c = tf.ones([2, 2]), tf.ones([2, 2]) * 2, tf.ones([2])
    return (
        f(a, [{"b": b, "c": c}, 3.0]),
        f.get_concrete_function()(a, [{"b": b, "c": c}, tf.constant(3.0)]),
        f.get_concrete_function()(first_mat=a, mats=[{"b": b, "c": c}, tf.constant(3.0)]),
    )


@case(how=["positional", "keyword", "swapped"])
def concrete_keyword_arguments(tf, how):
    @tf.function
    def f(x):
        return x

    c = f.get_concrete_function(tf.TensorSpec(None, tf.float32, name="y"))
    if how == "positional":
        return c(tf.constant(3.0))
    if how == "keyword":
        return c(y=tf.constant(3.0)), c(x=tf.constant(3.0))
    g = tf.function(lambda x, y: x - y).get_concrete_function(
        tf.TensorSpec(None, tf.float32, name="y"), tf.TensorSpec(None, tf.float32, name="x")
    )
    return message(lambda: g(x=tf.constant(1.0), y=tf.constant(3.0)))


@case
def concrete_names_of_varargs(tf):
    @tf.function
    def f(x, *args, **kwargs):
        return x + args[0] + args[1] + kwargs["z"] + kwargs["cust"]

    c = f.get_concrete_function(
        tf.TensorSpec(None, tf.float32, name="x"),
        tf.TensorSpec(None, tf.float32, name="y"),
        tf.TensorSpec(None, tf.float32),
        z=tf.TensorSpec(None, tf.float32, name="z"),
        cust=tf.TensorSpec(None, tf.float32, name="cust"),
    )
    one = tf.constant(1.0)
    return (
        [i.op.name for i in c.inputs],
        c(one, one, one, z=one, cust=one),
        sorted(c.structured_input_signature[1]),
        [a.name for a in c.structured_input_signature[0]],
    )


@case
def concrete_names_of_structures(tf):
    f = tf.function(lambda d, t: d["b"] + d["a"] + t[0] + t[1])
    spec = tf.TensorSpec([], tf.float32)
    c = f.get_concrete_function({"a": spec, "b": spec}, (spec, tf.TensorSpec([], tf.float32, name="named")))
    return [i.op.name for i in c.inputs], [a.name for a in c.structured_input_signature[0][1]]


@case
def concrete_names_of_unnamed(tf):
    @tf.function
    def f(a, b, *rest, **more):
        return a

    one = tf.constant(1.0)
    c = f.get_concrete_function(one, [one, one], one, one, k=one)
    return [i.op.name for i in c.inputs]


@case(kind=["plain", "signature"])
def pretty_signature(tf, kind):
    f = (
        tf.function(lambda x, y=1: x + 1)
        if kind == "plain"
        else tf.function(lambda x: x, input_signature=[tf.TensorSpec([None])])
    )
    c = f.get_concrete_function(tf.TensorSpec([])) if kind == "plain" else f.get_concrete_function()
    text = c.pretty_printed_signature() if hasattr(c, "pretty_printed_signature") else str(c)
    return ["Input Parameters" in text, "Output Type" in text, "Captures" in text, "x" in text]


@case
def concrete_str_and_repr(tf):
    f = tf.function(lambda x: x + 1.0)
    c = f.get_concrete_function(tf.TensorSpec([None]))
    return str(c).splitlines()[:4], "ConcreteFunction" in repr(c)


def _square_plus(x):
    return x * x + 1.0


class _Holder:
    def __init__(self, tf):
        self.function = tf.function(_square_plus)


@case(how=["copy", "deepcopy"])
def copies_of_a_function(tf, how):
    f = tf.function(_square_plus)
    g = getattr(copy, how)(f)
    return g(tf.constant(3.0)), g is f, g.python_function is f.python_function


@case
def deepcopy_of_a_method(tf):
    class M(tf.Module):
        def __init__(self):
            self.v = tf.Variable(2.0)

        @tf.function
        def f(self, x):
            return self.v * x

    m = M()
    m.f(tf.constant(1.0))
    n = copy.deepcopy(m)
    n.v.assign(5.0)
    return m.f(tf.constant(3.0)), n.f(tf.constant(3.0))


@case
def deepcopy_of_a_holder(tf):
    h = _Holder(tf)
    return copy.deepcopy(h).function(tf.constant(3.0))


@case(autograph=[True, False], signature=[False, True], reduce=[False, True])
def pickled_function(tf, autograph, signature, reduce):
    f = tf.function(
        _square_plus,
        autograph=autograph,
        input_signature=[tf.TensorSpec(None, tf.float32)] if signature else None,
        reduce_retracing=reduce,
    )
    g = pickle.loads(pickle.dumps(f))
    return g(tf.constant(3.0)), g.input_signature == f.input_signature, g.function_spec == f.function_spec


@case
def slices_argument_with_dense_shape(tf):
    f = tf.function(lambda x: x)
    x = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([3]))
    y = f(x)
    return type(y).__name__, y, y.dense_shape, f(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))).dense_shape


@case
def slices_argument_of_a_concrete_function(tf):
    f = tf.function(lambda x: tf.convert_to_tensor(x) * 2.0)
    x = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([3, 1]))
    return f.get_concrete_function(x)(x), f(x)


@case
def slices_spec_argument(tf):
    f = tf.function(
        lambda x: x.values * 2.0, input_signature=[tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [None])]
    )
    return f(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2])))


@case
def slices_are_converted_in_a_function(tf):
    f = tf.function(lambda x, i: tf.convert_to_tensor(tf.IndexedSlices(x, i, tf.constant([3, 2]))))
    return f(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]))


class _Masked:
    """A value of a class that says how it is taken apart."""

    def __init__(self, mask, value):
        self.mask, self.value = mask, value

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


@case
def flattened_through_a_function(tf):
    f = tf.function(lambda x: _Masked(x.mask, x.value * 2.0))
    y = f(_Masked(True, tf.constant([1.0])))
    return type(y).__name__, y.mask, y.value


@case
def flattened_traces(tf):
    traces = []

    @tf.function
    def f(x):
        traces.append(1)
        return x.value * 2.0 if x.mask else x.value * 3.0

    one = tf.constant(1.0)
    found = [f(_Masked(True, one)), f(_Masked(True, one + 1.0)), f(_Masked(False, one))]
    return found, len(traces)


@case
def flattened_inside_structures(tf):
    f = tf.function(lambda d: {"out": [_Masked(d["x"].mask, d["x"].value + d["y"])]})
    y = f({"x": _Masked(True, tf.constant(1.0)), "y": tf.constant(3.0)})["out"][0]
    return y.mask, y.value


@case
def flattened_nested(tf):
    f = tf.function(lambda x: _Masked("outer", _Masked(x.value.mask, x.value.value * 2.0)))
    y = f(_Masked("first", _Masked(False, tf.constant([4.0]))))
    return y.mask, y.value.mask, y.value.value


@case
def flattened_in_a_concrete_function(tf):
    f = tf.function(lambda x: x.value * 2.0)
    c = f.get_concrete_function(_Masked(True, tf.constant([1.0])))
    return c(_Masked(True, tf.constant([5.0])))


@case
def flattened_in_a_cond(tf):
    @tf.function
    def f(p, x):
        return tf.cond(p, lambda: _Masked(True, x * 2.0), lambda: _Masked(True, x * 3.0)).value

    return f(tf.constant(True), tf.constant(1.0)), f(tf.constant(False), tf.constant(1.0))


@case
def flattened_in_a_loop(tf):
    @tf.function
    def f(x):
        m = _Masked(True, x)
        for _ in tf.range(3):
            m = _Masked(True, m.value * 2.0)
        return m.value

    return f(tf.constant(1.0))


@case
def flattened_gradient(tf):
    f = tf.function(lambda x: _Masked(True, x.value**2))
    v = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = f(_Masked(True, v)).value
    return tape.gradient(y, v)


@case(mode=["eager", "function"])
def flattened_in_a_map_of_a_dataset(tf, mode):
    def run():
        ds = tf.data.Dataset.range(3).map(lambda i: _Masked(True, i)).map(lambda m: m.value * 2)
        total = tf.constant(0, tf.int64)
        for x in ds:
            total += x
        return total

    return run() if mode == "eager" else tf.function(run)()


@case
def tensors_of_another_trace_are_refused(tf):
    kept = []

    @tf.function
    def f(a):
        kept.append(a)
        return a

    @tf.function
    def g():
        return kept[0] + 1

    f(tf.constant(1))
    try:
        g()
    except Exception as error:
        return isinstance(error, TypeError)
    return "returned"


@case
def tensors_of_another_trace_are_refused_as_arguments(tf):
    kept = []

    @tf.function
    def f1(a):
        kept.append(a)
        return a

    @tf.function
    def f2(b):
        return b + 1

    f1(tf.constant(1))
    try:
        f2(kept[0])
    except Exception as error:
        return isinstance(error, TypeError)
    return "returned"


@case
def dataset_spec_in_a_signature(tf):
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))

    @tf.function(input_signature=[spec])
    def f(ds):
        total = tf.constant(0, tf.int64)
        for x in ds:
            total += x
        return total

    return f(tf.data.Dataset.range(4)), f(tf.data.Dataset.range(5).map(lambda x: x * 2))


@case
def datasets_of_one_spec_are_one_trace(tf):
    traces = []

    @tf.function
    def f(ds):
        traces.append(1)
        return ds.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    found = [f(tf.data.Dataset.range(n)) for n in (3, 4, 5)]
    found.append(f(tf.data.Dataset.from_tensor_slices(tf.constant([7, 8], tf.int64))))
    return found, len(traces)


@case
def iterators_of_one_spec_are_one_trace(tf):
    traces = []

    @tf.function
    def f(it):
        traces.append(1)
        return next(it)

    return [f(iter(tf.data.Dataset.range(n, n + 3))) for n in (3, 4, 5)], len(traces)


@case
def method_of_an_extension_type(tf):
    class Scaled(tf.experimental.ExtensionType):
        x: tf.Tensor
        n: int

        @tf.function
        def total(self, y):
            return tf.reduce_sum(self.x) * self.n + y

    s, t = Scaled(tf.constant([1.0, 2.0]), 3), Scaled(tf.constant([4.0]), 3)
    return s.total(1.0), t.total(tf.constant(1.0))


@case
def generator_function_is_refused(tf):
    @tf.function
    def f(x):
        yield x
        yield x + 1

    return list(f(tf.constant(1)))


@case
def generator_expression_in_a_function(tf):
    return tf.function(lambda n: sum(i * 2 for i in [n, n + 1]))(tf.constant(3))


@case
def generator_called_in_a_function(tf):
    def numbers(n):
        for i in range(3):
            yield n + i

    @tf.function
    def f(n):
        total = 0
        for i in numbers(n):
            total += i
        return total

    return f(tf.constant(3))


@case
def mutated_argument(tf):
    @tf.function
    def f(x):
        x.append(1)
        return tf.constant(1)

    return f([tf.constant(1)])


@case
def numpy_argument_types(tf):
    f = tf.function(lambda x: x)
    return [f(np.float64(1.5)), f(np.array([1, 2])), f(np.True_), f(np.int8(3))]


@case
def ragged_traces(tf):
    traces = []

    @tf.function
    def f(x):
        traces.append(1)
        return x.row_lengths()

    found = [f(tf.ragged.constant(v)) for v in ([[1], [2, 3]], [[1, 2], []], [[1]])]
    return found, len(traces)


@case
def function_spec_names(tf):
    f = tf.function(lambda x, y=3, *args, z, **kw: x)
    return f.function_spec.arg_names, f.function_spec.fullargspec.kwonlyargs


@case
def inside_function_and_executing_eagerly(tf):
    seen = []

    @tf.function
    def f():
        seen.append((tf.inside_function(), tf.executing_eagerly()))
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        return tf.constant(1)

    f()
    return seen, tf.inside_function()
