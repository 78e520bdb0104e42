"""Functions that were saved and loaded: what they compute, their derivatives, and what cannot be saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.ops import load_all
from gradtape.saved_model import _functions as functions
from gradtape.saved_model._graph_reader import GraphReader
from gradtape.saved_model._graph_writer import GraphWriter
from gradtape.testing.sample import SAMPLES, Sample
from saved_model.programs import PROGRAMS, normal


def again(folder: Path, **parts: Any) -> Any:
    """An object with these attributes, saved and loaded."""
    module = tf.Module()
    for name, part in parts.items():
        setattr(module, name, part)
    tf.saved_model.save(module, folder)
    return tf.saved_model.load(folder)


def derivatives(function: Any, x: Any) -> list[Any]:
    """The result, its gradient and the gradient of that."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return [y, first, outer.gradient(first, x)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, tmp_path: Path) -> None:
    function, x = tf.function(PROGRAMS[name]), normal([2, 4], 3)
    function(x)
    loaded = again(tmp_path, f=function)
    for own, its in zip(derivatives(function, x), derivatives(loaded.f, x), strict=True):
        np.testing.assert_array_equal(own, its)


@pytest.mark.parametrize("name", ["dense", "branches", "custom"])
def test_programs_of_any_size(name: str, tmp_path: Path) -> None:
    function = tf.function(PROGRAMS[name], input_signature=[tf.TensorSpec([None, None])])
    loaded = again(tmp_path, f=function)
    for shape in ([2, 4], [3, 1]):
        x = normal(shape, 3)
        for own, its in zip(derivatives(function, x), derivatives(loaded.f, x), strict=True):
            np.testing.assert_array_equal(own, its)


def test_a_tape_over_unknown_sizes(tmp_path: Path) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec(None)])
    def slope(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.reduce_mean(tf.reshape(x, [-1, 2]) ** 3, axis=0) + tf.reduce_sum(y)
        return tape.gradient(z, x), tf.concat([tf.reshape(y, [-1]), x[0]], 0)

    loaded = again(tmp_path, slope=slope)
    for x, y in ((normal([2, 4], 1), normal([3], 2)), (normal([4, 1], 1), tf.constant(1.0))):
        for own, its in zip(slope(x, y), loaded.slope(x, y), strict=True):
            np.testing.assert_array_equal(own, its)


def test_it_can_be_saved_again(tmp_path: Path) -> None:
    function, x = tf.function(PROGRAMS["branches"]), normal([2, 4], 3)
    function(x)
    twice = again(tmp_path / "b", f=again(tmp_path / "a", f=function).f)
    for own, its in zip(derivatives(function, x), derivatives(twice.f, x), strict=True):
        np.testing.assert_array_equal(own, its)


def test_in_other_functions_and_maps(tmp_path: Path) -> None:
    function = tf.function(lambda x: tf.sin(x) * x, input_signature=[tf.TensorSpec([3])])
    loaded = again(tmp_path, f=function)
    x = normal([4, 3], 2)
    outer = tf.function(lambda x: loaded.f(x[0]) + loaded.f(x[1]))
    np.testing.assert_array_equal(outer(x), function(x[0]) + function(x[1]))
    np.testing.assert_allclose(tf.vectorized_map(loaded.f, x), tf.sin(x) * x, rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    assert tape.jacobian(y, x).shape == (3, 4, 3)


def test_variables_among_the_arguments(tmp_path: Path) -> None:
    @tf.function
    def double(v: Any, w: Any) -> Any:
        v.assign(v * w)
        return v + 1.0

    double(tf.Variable(1.0), tf.Variable(2.0))
    loaded = again(tmp_path, double=double)
    v, w = tf.Variable(4.0), tf.Variable(5.0)
    assert float(loaded.double(v, w)) == 21.0
    assert float(v) == 20.0


def test_scatters_into_variables(tmp_path: Path) -> None:
    v = tf.Variable(tf.zeros([4]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def count(i: Any) -> Any:
        v.scatter_add(tf.IndexedSlices(tf.ones(tf.shape(i)), i))
        v.scatter_nd_max([[0]], [7.0])
        return v[1:]

    loaded = again(tmp_path, count=count, v=v)
    np.testing.assert_array_equal(loaded.count(tf.constant([1, 1, 3])), [2.0, 0.0, 1.0])
    np.testing.assert_array_equal(loaded.v, [7.0, 2.0, 0.0, 1.0])
    np.testing.assert_array_equal(v, np.zeros(4))


def test_random_numbers(tmp_path: Path) -> None:
    generator = tf.random.Generator.from_seed(3)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def draw(x: Any) -> Any:
        shape = tf.shape(x)
        return generator.normal(shape), tf.random.stateless_uniform(shape, [1, 2]), tf.random.uniform(shape)

    loaded = again(tmp_path, draw=draw, generator=generator)
    for _ in range(2):
        tf.random.set_seed(5)
        own = draw(tf.ones([3]))
        tf.random.set_seed(5)
        its = loaded.draw(tf.ones([3]))
        for a, b in zip(own, its, strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(loaded.generator.state, generator.state)


def test_lookup_tables(tmp_path: Path) -> None:
    words = tf.lookup.KeyValueTensorInitializer(["red", "green"], tf.constant([5, 6], tf.int64))
    static = tf.lookup.StaticHashTable(words, -1)
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, default_value=[0.0, 0.0])
    counts.insert(tf.constant(["red"]), tf.constant([[1.0, 2.0]]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(keys: Any) -> Any:
        counts.insert(keys, counts.lookup(keys) + 1.0)
        return static.lookup(keys), counts.lookup(keys)

    loaded = again(tmp_path, look=look, static=static, parts=[counts])
    numbers, rows = loaded.look(tf.constant(["red", "blue"]))
    assert numbers.numpy().tolist() == [5, -1]
    assert rows.numpy().tolist() == [[2.0, 3.0], [1.0, 1.0]]
    assert int(loaded.static.size()) == 2
    assert int(loaded.parts[0].size()) == 2
    assert int(counts.size()) == 1


def test_prints_and_checks(tmp_path: Path, capsys: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def checked(x: Any) -> Any:
        tf.print("x is", {"x": x}, tf.size(x))
        tf.debugging.assert_positive(x, "must be positive")
        tf.debugging.assert_less(x, 9.0, "must be small")
        tf.Assert(tf.reduce_any(x > 1.0), ["too small", x])
        return tf.debugging.check_numerics(x, "x")

    loaded = again(tmp_path, checked=checked)
    loaded.checked(tf.constant([1.0, 2.0]))
    assert "x is {'x': [1 2]} 2" in capsys.readouterr().err
    for x, text in (([-1.0], "must be positive"), ([10.0], "must be small"), ([0.5], "too small")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text) as problem:
            loaded.checked(tf.constant(x))
        assert "test_graphs.py" in str(problem.value)


def test_python_functions_are_refused(tmp_path: Path) -> None:
    def halved(x: Any) -> Any:
        return x / 2

    module = tf.Module()
    module.f = tf.function(lambda x: tf.py_function(halved, [x], tf.float32))
    module.f(tf.constant(1.0))
    line = halved.__code__.co_firstlineno
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"halved \(.*test_graphs.py:{line}\)"):
        tf.saved_model.save(module, tmp_path)
    module.f = tf.function(lambda x: tf.numpy_function(np.sin, [x], tf.float32) * 2.0)
    module.f(tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"sin(.|\n)*at:  .*test_graphs.py"):
        tf.saved_model.save(module, tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)


def test_custom_gradients_can_be_left_out(tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(PROGRAMS["custom"], input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(module, tmp_path, options=tf.saved_model.SaveOptions(experimental_custom_gradients=False))
    loaded, x = tf.saved_model.load(tmp_path), tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(loaded.f(x), module.f(x))
    with pytest.raises(tf.errors.UnimplementedError, match="was not saved"):
        derivatives(loaded.f, x)


def restored(concrete: Any) -> Any:
    """A trace that was described and read, without a folder."""
    writer = GraphWriter()
    described = functions.describe_concrete(writer, concrete)
    tables, described = json.loads(json.dumps([writer.tables(), described]))
    sources = [*writer.variables, *writer.tensors]
    reader = GraphReader(
        tables, writer.arrays.__getitem__, writer.variables, writer.tensors, writer.identities_of(sources)
    )
    return functions.restored_concrete(reader, described)


def texts(concrete: Any) -> list[str]:
    """The graphs of a function and of its derivative."""
    concrete.graph.outputs = concrete._staged.values
    found = [str(concrete.graph)]
    for pullback in concrete._staged.call._pullbacks.values():
        pullback.staged.trace.graph.outputs = pullback.staged.values
        found.append(str(pullback.staged.trace.graph))
    # Messages name the line where a node was made, which has no text after loading.
    return ["\n".join([line.partition(" # ")[0].rstrip() for line in text.splitlines()]) for text in found]


def samples() -> list[Any]:
    """The first sample of each op."""
    load_all()
    import ops.samples  # noqa: F401 - adds them

    first: dict[str, Sample] = {}
    for sample in SAMPLES:
        first.setdefault(sample.op.name, sample)
    return [pytest.param(sample, id=name) for name, sample in first.items()]


@pytest.mark.parametrize("sample", samples())
def test_every_op(sample: Sample) -> None:
    arrays = [np.asarray(x) for x in sample.inputs]
    function = tf.function(lambda *xs: sample.op(*xs, **sample.params))
    concrete = function.get_concrete_function(*[tf.constant(a) for a in arrays])
    assert texts(concrete) == texts(restored(concrete))
