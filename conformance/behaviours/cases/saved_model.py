"""tf.saved_model: what is saved, loaded, called and refused."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from behaviour import case


def _again(tf: Any, signatures: Any = None, **parts: Any) -> Any:
    module = tf.Module()
    for name, part in parts.items():
        setattr(module, name, part)
    folder = tempfile.mkdtemp()
    tf.saved_model.save(module, folder, signatures=signatures)
    return tf.saved_model.load(folder)


def _square(tf: Any, shape: Any = (None,), **options: Any) -> Any:
    return tf.function(lambda x: x * x, input_signature=[tf.TensorSpec(shape, **options)])


@case(path=["missing", "empty folder", "file"])
def loads_what_is_not_there(tf, path):
    folder = tempfile.mkdtemp()
    Path(folder, "file").write_text("x")
    given = {"missing": "/no/such/folder", "empty folder": tempfile.mkdtemp(), "file": folder + "/file"}
    return tf.saved_model.load(given[path])


@case(path=["missing", "empty folder", "model"])
def contains_saved_model(tf, path):
    folder = tempfile.mkdtemp()
    if path == "model":
        tf.saved_model.save(tf.Module(), folder)
    return tf.saved_model.contains_saved_model("/no/such" if path == "missing" else folder)


@case(what=["number", "text", "none", "function", "list", "variable"])
def saves_what_is_no_object(tf, what):
    given = {"number": 3, "text": "x", "none": None, "function": len, "list": [1], "variable": tf.Variable(1.0)}
    tf.saved_model.save(given[what], tempfile.mkdtemp())
    return 1


@case
def saves_in_place_of_a_file(tf):
    path = Path(tempfile.mkdtemp(), "file")
    path.write_text("x")
    tf.saved_model.save(tf.Module(), str(path))
    return 1


@case
def saves_below_a_file(tf):
    path = Path(tempfile.mkdtemp(), "file")
    path.write_text("x")
    tf.saved_model.save(tf.Module(), str(path / "x"))
    return 1


@case(tags=["serve", "train", "list"])
def loads_with_tags(tf, tags):
    folder = tempfile.mkdtemp()
    module = tf.Module()
    module.v = tf.Variable(2.0)
    tf.saved_model.save(module, folder)
    return tf.saved_model.load(folder, tags=["serve"] if tags == "list" else tags).v


@case(dtype=["float32", "float64", "int32", "bool", "string", "complex64"])
def variables_of_every_dtype(tf, dtype):
    value = ["a", "b"] if dtype == "string" else tf.cast([1, 0], dtype)
    return _again(tf, v=tf.Variable(value)).v.numpy().tolist()


@case(trainable=[True, False])
def trainable_variables(tf, trainable):
    loaded = _again(tf, v=tf.Variable(1.0, trainable=trainable))
    return loaded.v.trainable


@case
def structures(tf):
    loaded = _again(tf, a=[tf.Variable(1.0), tf.Variable(2.0)], b={"x": tf.Variable(3.0)})
    return loaded.a[1], loaded.b["x"], len(loaded.a)


@case
def nested_modules(tf):
    inner = tf.Module()
    inner.v = tf.Variable(3.0)
    loaded = _again(tf, inner=inner, other=inner)
    loaded.inner.v.assign(5.0)
    return loaded.other.v


@case(shape=["[3]", "[]", "[2, 2]", "[0]"])
def calls_that_fit(tf, shape):
    f = _square(tf, None)
    return _again(tf, f=f).f(tf.ones(eval(shape)) * 2.0)


@case(given=["other dtype", "other rank", "list", "number", "array", "two", "none", "keyword", "wrong keyword"])
def calls_with(tf, given):
    f = _again(tf, f=_square(tf)).f
    import numpy as np

    calls = {
        "other dtype": lambda: f(tf.constant([1, 2])), "other rank": lambda: f(tf.ones([2, 2])), "list": lambda: f([1.0, 2.0]),
        "number": lambda: f(3.0), "array": lambda: f(np.array([1.0], np.float32)), "two": lambda: f(tf.ones([1]), tf.ones([1])),
        "none": f, "keyword": lambda: f(x=tf.ones([2])), "wrong keyword": lambda: f(y=tf.ones([2])),
    }  # fmt: skip
    return calls[given]()


@case
def functions_that_were_never_called(tf):
    return _again(tf, f=tf.function(lambda x: x + 1.0)).f(tf.ones([2]))


@case(size=[2, 3])
def functions_for_the_shapes_that_they_met(tf, size):
    f = tf.function(lambda x: x + 1.0)
    f(tf.ones([2]))
    return _again(tf, f=f).f(tf.ones([size]))


@case(flag=[True, False, None])
def functions_with_python_arguments(tf, flag):
    f = tf.function(lambda x, flag: x + 1.0 if flag else x - 1.0)
    f(tf.ones([2]), True)
    f(tf.ones([2]), False)
    return _again(tf, f=f).f(tf.ones([2]), flag)


@case
def functions_update_variables(tf):
    v = tf.Variable(1.0)
    loaded = _again(tf, v=v, f=tf.function(lambda: v.assign_add(2.0), input_signature=[]))
    loaded.f()
    return loaded.f(), loaded.v, v


@case
def gradients(tf):
    loaded = _again(tf, v=tf.Variable([1.0, 2.0]), f=_square(tf))
    with tf.GradientTape() as tape:
        y = loaded.f(loaded.v)
    return tape.gradient(y, loaded.v)


@case
def control_flow(tf):
    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        for _ in tf.range(n):
            if x > 10.0:
                x = x / 2.0
            else:
                x = x * 3.0
        return x

    return _again(tf, f=f).f(tf.constant(1.0), tf.constant(7))


@case
def strings_and_tables(tf):
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1
    )
    f = tf.function(lambda w: table.lookup(tf.strings.lower(w)), input_signature=[tf.TensorSpec([None], tf.string)])
    return _again(tf, table=table, f=f).f(tf.constant(["A", "c"]))


@case(name=["serving_default", "other"])
def signatures(tf, name):
    f = tf.function(lambda x: {"y": x + 1.0, "z": x * 2.0}, input_signature=[tf.TensorSpec([2], name="x")])
    loaded = _again(tf, signatures={"serving_default": f}, f=f)
    return loaded.signatures[name](x=tf.ones([2]))


@case
def signatures_by_name(tf):
    f = _square(tf)
    loaded = _again(tf, signatures={"a": f, "b": f}, f=f)
    return sorted(loaded.signatures.keys()), "a" in loaded.signatures, len(loaded.signatures)


@case(given=["position", "wrong name", "missing", "list"])
def signatures_called_with(tf, given):
    serve = _again(tf, signatures=_square(tf), f=None).signatures["serving_default"]
    calls = {
        "position": lambda: serve(tf.ones([2])), "wrong name": lambda: serve(y=tf.ones([2])), "missing": serve,
        "list": lambda: serve(x=[1.0]),
    }  # fmt: skip
    return calls[given]()


@case(given=["function without signature", "python function", "number", "bad name", "nested result"])
def signatures_that_are_none(tf, given):
    options = {
        "function without signature": tf.function(lambda x: x), "python function": len, "number": 3,
        "bad name": {3: _square(tf)},
        "nested result": tf.function(lambda x: {"a": {"b": x}}, input_signature=[tf.TensorSpec([2])]),
    }  # fmt: skip
    _again(tf, signatures=options[given])
    return 1


@case
def results_are_named(tf):
    f = tf.function(lambda x: (x, x + 1.0), input_signature=[tf.TensorSpec([2])])
    return _again(tf, signatures=f, f=f).signatures["serving_default"](x=tf.ones([2]))


@case
def structured_outputs(tf):
    f = tf.function(lambda x: {"a": x, "b": (x, [x])}, input_signature=[tf.TensorSpec([])])
    return _again(tf, f=f).f(tf.constant(2.0))


@case
def assets(tf):
    path = Path(tempfile.mkdtemp(), "words.txt")
    path.write_text("yes no")
    module = tf.Module()
    module.asset = tf.saved_model.Asset(str(path))
    module.f = tf.function(lambda: tf.io.read_file(module.asset.asset_path), input_signature=[])
    folder = tempfile.mkdtemp()
    tf.saved_model.save(module, folder)
    path.unlink()
    loaded = tf.saved_model.load(folder)
    return loaded.f(), Path(loaded.asset.asset_path.numpy().decode()).name


@case
def missing_asset(tf):
    module = tf.Module()
    module.asset = tf.saved_model.Asset("/no/such/file")
    tf.saved_model.save(module, tempfile.mkdtemp())
    return 1


@case
def saved_twice(tf):
    folder, module = tempfile.mkdtemp(), tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, folder)
    module.v.assign(2.0)
    tf.saved_model.save(module, folder)
    return tf.saved_model.load(folder).v


@case
def saved_loaded_saved_again(tf):
    first = _again(tf, v=tf.Variable(3.0), f=_square(tf))
    folder = tempfile.mkdtemp()
    tf.saved_model.save(first, folder)
    second = tf.saved_model.load(folder)
    return second.v, second.f(tf.constant([2.0]))


@case
def inside_a_function(tf):
    module, folder = tf.Module(), tempfile.mkdtemp()

    @tf.function
    def f():
        tf.saved_model.save(module, folder)
        return 1

    return f()


@case
def untracked_variable(tf):
    hidden = tf.Variable(2.0)
    return _again(tf, f=tf.function(lambda x: x * hidden, input_signature=[tf.TensorSpec([])])).f(tf.constant(3.0))


@case
def ragged_and_sparse_arguments(tf):
    f = tf.function(lambda r: tf.reduce_sum(r, 1), input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    g = tf.function(tf.sparse.to_dense, input_signature=[tf.SparseTensorSpec([None, 2], tf.float32)])
    loaded = _again(tf, f=f, g=g)
    return loaded.f(tf.ragged.constant([[1.0, 2.0], []])), loaded.g(tf.sparse.from_dense([[0.0, 1.0]]))


@case
def custom_gradient(tf):
    @tf.custom_gradient
    def double(x):
        return x * 2.0, lambda dy: dy * 10.0

    loaded = _again(tf, f=tf.function(double, input_signature=[tf.TensorSpec([])]))
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    return y, tape.gradient(y, x)
