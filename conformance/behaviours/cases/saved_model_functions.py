"""tf.saved_model: functions after one or two rounds of saving and loading."""

from __future__ import annotations

import collections
import gc
import tempfile
import weakref
from typing import Any

from behaviour import case

Point = collections.namedtuple("Point", ["b", "a"])
ROUNDS = [1, 2]


def again(tf: Any, rounds: int, signatures: Any = None, **parts: Any) -> Any:
    """A module with these attributes, after saving and loading."""
    made = tf.Module()
    for name, part in parts.items():
        setattr(made, name, part)
    for _ in range(rounds):
        folder = tempfile.mkdtemp()
        tf.saved_model.save(made, folder, signatures=signatures)
        made = tf.saved_model.load(folder)
        signatures = made.signatures
    return made


@case(rounds=ROUNDS)
def literal_texts(tf, rounds):
    f = tf.function(lambda x, y: tf.strings.join([x, y]))
    f("left", "right")
    f("left", tf.constant("right"))
    loaded = again(tf, rounds, f=f)
    return loaded.f("left", "right"), loaded.f("left", tf.constant("other"))


@case(rounds=ROUNDS)
def variable_of_text(tf, rounds):
    return again(tf, rounds, v=tf.Variable("text"), w=tf.Variable(["a", "b"])).v + "s"


@case(rounds=ROUNDS)
def table_asked_in_any_shape(tf, rounds):
    entries = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
    table = tf.lookup.StaticHashTable(entries, -1)
    f = tf.function(lambda x: table.lookup(x), input_signature=[tf.TensorSpec(None, tf.string)])
    loaded = again(tf, rounds, table=table, f=f)
    return loaded.f(tf.constant([["a"], ["c"]])), loaded.f(tf.constant("b"))


@case
def static_shape_of_a_lookup(tf):
    entries = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([1], tf.int64))
    table = tf.lookup.StaticHashTable(entries, -1)
    f = tf.function(lambda x: table.lookup(x), input_signature=[tf.TensorSpec(None, tf.string)])
    return f.get_concrete_function().output_shapes.rank


@case(rounds=ROUNDS)
def named_tuples(tf, rounds):
    f = tf.function(lambda p: [Point(p.a + 1, p.b), {"x": p.a}])
    f(Point(tf.constant(1), tf.constant(2)))
    result = again(tf, rounds, f=f).f(Point(tf.constant(5), tf.constant(7)))
    return type(result[0]).__name__, list(result[0]._fields), result[0].a, result[0].b, result[1]["x"]


@case(rounds=ROUNDS, given=["number", "equal tensor", "other tensor", "other number"])
def trace_for_a_number_beside_one_for_tensors(tf, rounds, given):
    def f(a):
        return a if isinstance(a, int) else a + 1

    f = tf.function(f, autograph=False)
    f(2)
    f(tf.constant(2))
    values = {"number": 2, "equal tensor": tf.constant(2), "other tensor": tf.constant(5), "other number": 5}
    return again(tf, rounds, f=f).f(values[given])


@case(rounds=ROUNDS)
def names_of_arguments_and_results(tf, rounds):
    f = tf.function(lambda x, p, **named: {"list": [x, (named["k"], x + p.a[0])]})
    concrete = f.get_concrete_function(tf.constant(1), Point(tf.constant(2), [tf.constant(4), 5]), k=tf.constant(3))
    return again(tf, rounds, signatures={}, f=concrete).f.pretty_printed_signature(verbose=False)


@case(result=["tensor", "tuple", "dict", "named tuple", "nested"])
def names_of_results(tf, result):
    make = {
        "tensor": lambda x: x,
        "tuple": lambda x: (x, x + 1),
        "dict": lambda x: {"q": x},
        "named tuple": lambda x: Point(x, x),
        "nested": lambda x: [x, {"R": (x, Point(x, x))}],
    }
    concrete = tf.function(make[result]).get_concrete_function(tf.constant(1))
    return again(tf, 1, signatures={}, f=concrete).f.pretty_printed_signature(verbose=False)


@case(compiled=[None, True, False])
def jit_compile_is_kept(tf, compiled):
    f = tf.function(lambda x: x + 1.0, jit_compile=compiled)
    f(tf.constant(1.0))
    return again(tf, 1, f=f).f._jit_compile


@case
def what_is_no_part_is_left_out_of_containers(tf):
    v = tf.Variable(1.0)
    loaded = again(tf, 1, table={"v": v, "n": 3}, row=[v, 1, "x"], pair=(v, 2))
    return sorted(loaded.table), [type(p).__name__ for p in loaded.row[1:]], len(loaded.pair)


@case
def object_without_variables(tf):
    inner = tf.Module()
    inner.below = tf.Module()
    loaded = again(tf, 2, first=inner, second=inner.below)
    return loaded.second is loaded.first.below


@case(call=["by position", "by name", "mixed", "one"])
def signature_of_two_tensors(tf, call):
    f = tf.function(lambda x, y: x - y)
    two = f.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([]))
    one = tf.function(lambda x: -x).get_concrete_function(tf.TensorSpec([]))
    loaded = again(tf, 1, {"two": two, "one": one}, f=f)
    x, y = tf.constant(3.0), tf.constant(1.0)
    if call == "one":
        return loaded.signatures["one"](x)
    given = {"by position": ((x, y), {}), "by name": ((), {"x": x, "y": y}), "mixed": ((x,), {"y": y})}
    args, kwargs = given[call]
    return loaded.signatures["two"](*args, **kwargs)


@case
def attribute_signatures_is_reserved(tf):
    loaded = again(tf, 1, v=tf.Variable(1.0))
    loaded.signatures = {"key": 1}
    return again(tf, 1, inner=loaded) and tf.saved_model.save(loaded, tempfile.mkdtemp())


@case
def version(tf):
    loaded = again(tf, 1, v=tf.Variable(1.0))
    return loaded.tensorflow_version == tf.version.VERSION, isinstance(loaded.tensorflow_git_version, str)


@case
def variables_go_with_the_loaded_object(tf):
    gc.disable()
    try:
        loaded = again(tf, 1, v=tf.Variable(1.0))
        reference = weakref.ref(loaded.v)
        del loaded
        return reference() is None
    finally:
        gc.enable()


@case
def function_without_a_trace(tf):
    return again(tf, 1, f=tf.function(lambda x: x)).f(1)


@case(watched=["variable", "tensor"], depth=[1, 2])
def variable_for_a_tensor_of_the_input_signature(tf, watched, depth):
    f = tf.function(lambda x, n: x * x, input_signature=[tf.TensorSpec([]), tf.TensorSpec([], tf.int32)])
    g = f if depth == 1 else tf.function(lambda x, n: f(x, n))
    x = tf.Variable(3.0) if watched == "variable" else tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x, 1)
    return y, tape.gradient(y, x)


@case(shape=[[], [None], None])
def custom_gradient_with_an_unused_result(tf, shape):
    @tf.custom_gradient
    def both(x, n):
        return (x * 2.0, n), lambda *d: (d[0] * 5.0, None)

    f = tf.function(both, input_signature=[tf.TensorSpec(shape), tf.TensorSpec(shape, tf.int32)])
    x = tf.Variable(tf.ones([] if shape == [] else [2]))
    with tf.GradientTape() as tape:
        y, _ = f(x, tf.ones(x.shape, tf.int32))
    return tape.gradient(y, x)


@case(part=["function", "hidden function"])
def functions_under_other_names(tf, part):
    module, folder = tf.Module(), tempfile.mkdtemp()
    hidden = tf.function(lambda x: 2 * x)
    if part == "function":
        module.f = hidden
        module.f(tf.constant(1.0))
    else:
        module.g = tf.function(lambda x: hidden(x) + 1)
        module.g(tf.constant(1))
        module.g(tf.constant(1.0))
    options = tf.saved_model.SaveOptions(function_aliases={"alias": hidden})
    tf.saved_model.save(module, folder, options=options)
    plain = hasattr(tf.saved_model.load(folder), "function_aliases")
    wanted = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    found = tf.saved_model.load(folder, options=wanted).function_aliases["alias"]
    return plain, found(tf.constant(3.0)) if part == "function" else len(found)


@case
def attribute_in_place_of_aliases(tf):
    module, folder = tf.Module(), tempfile.mkdtemp()
    module.f = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([])])
    module.function_aliases = tf.Variable(1.0)
    options = tf.saved_model.SaveOptions(function_aliases={"alias": module.f})
    tf.saved_model.save(module, folder, options=options)
    return tf.saved_model.load(
        folder, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    ).function_aliases
