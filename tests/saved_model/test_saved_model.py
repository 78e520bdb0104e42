"""`tf.saved_model`: objects, their functions and signatures."""

from __future__ import annotations

import collections
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from saved_model.programs import Network, normal

Point = collections.namedtuple("Point", "x y")


def again(module: Any, folder: Path, **options: Any) -> Any:
    """An object, saved and loaded."""
    tf.saved_model.save(module, folder, **options)
    return tf.saved_model.load(folder)


class TestObjects:
    def test_variables(self, tmp_path: Path) -> None:
        network = Network()
        loaded = again(network, tmp_path)
        assert [v.name for v in loaded.variables] == [v.name for v in network.variables]
        assert [v.name for v in loaded.trainable_variables] == ["bias:0", "first:0", "second:0"]
        assert [v.name for v in loaded.non_trainable_variables] == ["steps:0"]
        np.testing.assert_array_equal(loaded.weights[1], network.weights[1])
        assert loaded.bias["hidden"] is loaded.variables[0]
        assert loaded.steps.dtype is tf.int32

    def test_variables_of_other_kinds(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.parts = (
            tf.Variable([1.0], shape=[None]),
            tf.Variable(tf.constant(1.5, tf.bfloat16)),
            tf.Variable(["a", "bc"]),
            tf.Variable(2.0, aggregation=tf.VariableAggregation.MEAN),
        )
        loose, narrow, text, mean = again(module, tmp_path).parts
        loose.assign([1.0, 2.0])
        assert narrow.dtype is tf.bfloat16
        assert text.numpy().tolist() == [b"a", b"bc"]
        assert mean.aggregation is tf.VariableAggregation.MEAN

    def test_structure(self, tmp_path: Path) -> None:
        inner = tf.Module()
        inner.v = tf.Variable(1.0)
        module = tf.Module()
        module.inner, module.parts = inner, [inner, {"v": inner.v, "n": 3}, "text", None]
        module.ring = [module]
        module.number = 5
        loaded = again(module, tmp_path)
        assert loaded.parts[0] is loaded.inner
        assert loaded.parts[1] == {"v": loaded.inner.v}  # as in TensorFlow, what is no part is left out
        assert len(loaded.parts) == 2
        assert loaded.ring[0] is loaded
        assert not hasattr(loaded, "number")
        assert loaded.submodules == (loaded.inner,)

    def test_checkpoints_fit(self, tmp_path: Path) -> None:
        network = Network()
        loaded = again(network, tmp_path / "model")
        network.steps.assign(7)
        path = tf.train.Checkpoint(model=network).save(tmp_path / "ckpt")
        tf.train.Checkpoint(model=loaded).restore(path).assert_consumed()
        assert int(loaded.steps) == 7

    def test_without_values(self, tmp_path: Path) -> None:
        tf.saved_model.save(Network(), tmp_path)
        options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
        loaded = tf.saved_model.load(tmp_path, options=options)
        assert not np.any(loaded.weights[0].numpy())

    def test_nothing_to_save(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="neither variables nor functions"):
            tf.saved_model.save(object(), tmp_path)

    def test_in_a_function(self, tmp_path: Path) -> None:
        network = Network()
        with pytest.raises(AssertionError, match=r"in a tf\.function"):
            tf.function(lambda: tf.saved_model.save(network, tmp_path))()


class TestTraining:
    def test_a_saved_step_goes_on(self, tmp_path: Path) -> None:
        network, x, y = Network(), normal([5, 3], 4), tf.ones([5, 2])
        network.train(x, y)
        loaded = again(network, tmp_path)
        for _ in range(3):
            assert float(network.train(x, y)) == float(loaded.train(x, y))
        for own, its in zip(network.variables, loaded.variables, strict=True):
            np.testing.assert_array_equal(own, its)
        assert int(loaded.steps) == 4

    def test_gradients_from_outside(self, tmp_path: Path) -> None:
        network, x = Network(), normal([5, 3], 4)
        loaded = again(network, tmp_path)

        def gradients(model: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(x)[:, 0] ** 2)
            return tape.gradient(loss, model.trainable_variables)

        for own, its in zip(gradients(network), gradients(loaded), strict=True):
            np.testing.assert_array_equal(own, its)
            assert np.any(its.numpy())

    def test_without_the_source(self, tmp_path: Path) -> None:
        network, x = Network(), normal([2, 3], 4)
        tf.saved_model.save(network, tmp_path / "model")
        np.save(tmp_path / "x.npy", x)
        program = (
            "import sys, numpy as np, gradtape as tf\n"
            "model, x = tf.saved_model.load(sys.argv[1] + '/model'), tf.constant(np.load(sys.argv[1] + '/x.npy'))\n"
            "np.save(sys.argv[1] + '/y.npy', model(x))"
        )
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p and "tests" not in p)}
        subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, env=settings, cwd=tmp_path)
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), network(x))


class TestCalls:
    def test_arguments(self, tmp_path: Path) -> None:
        module = tf.Module()

        @tf.function
        def f(x: Any, scale: float = 2.0, *, pair: Any = None, flag: bool = False) -> Any:
            total = x * scale if pair is None else x * pair["a"] + pair["b"][0]
            return {"y": -total if flag else total, "n": (None, x)}

        module.f = f
        x = tf.constant([1.0, 2.0])
        f(x)
        f(x, 3.0, flag=True)
        f(x, pair={"a": x, "b": [x]})
        loaded = again(module, tmp_path)
        assert loaded.f(x)["y"].numpy().tolist() == [2.0, 4.0]
        assert loaded.f(x, scale=3.0, flag=True)["y"].numpy().tolist() == [-3.0, -6.0]
        result = loaded.f(x, pair={"b": [x], "a": x})
        assert result["y"].numpy().tolist() == [2.0, 6.0]
        assert result["n"][0] is None
        assert loaded.f(np.array([1.0, 2.0], np.float32))["y"].numpy().tolist() == [2.0, 4.0]
        assert loaded.f([1, 2])["y"].numpy().tolist() == [2.0, 4.0]
        assert loaded.f(tf.Variable([1.0, 2.0]))["y"].numpy().tolist() == [2.0, 4.0]

    def test_named_tuples(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda p: Point(p.y, p.x))
        module.f(Point(tf.constant(1.0), tf.constant(2.0)))
        swapped = again(module, tmp_path).f(Point(tf.constant(3.0), tf.constant(4.0)))
        assert (float(swapped.x), float(swapped.y)) == (4.0, 3.0)

    def test_sparse_arguments_and_rows(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda s: s.values * 2.0)
        module.g = tf.function(lambda x: tf.IndexedSlices(x, [1]))
        s = tf.SparseTensor([[0, 1]], [3.0], [2, 3])
        module.f(s)
        module.g(tf.ones([1, 2]))
        loaded = again(module, tmp_path)
        assert loaded.f(s).numpy().tolist() == [6.0]
        assert np.asarray(loaded.g(tf.ones([1, 2])).indices).tolist() == [1]

    def test_no_trace_fits(self, tmp_path: Path) -> None:
        network = Network()
        network.train(tf.ones([5, 3]), tf.ones([5, 2]))
        loaded = again(network, tmp_path)
        with pytest.raises(ValueError, match="Could not find matching concrete function") as problem:
            loaded.train(tf.ones([4, 3]), y=3)
        text = str(problem.value)
        assert "shape=(4, 3)" in text
        assert "y=3" in text
        assert "option 1:\n    TensorSpec(shape=(5, 3), dtype=tf.float32, name='x')" in text
        with pytest.raises(ValueError, match="saved with 1 trace"):
            loaded.train(tf.ones([5, 3]))
        with pytest.raises(ValueError, match=r"shape=\(None, 3\)"):
            loaded(tf.ones([5, 4]))
        with pytest.raises(NotImplementedError, match="without its Python code"):
            loaded.train.python_function(1)

    def test_untraced_functions(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda x: x)
        with pytest.raises(ValueError, match="saved with 0 traces"):
            again(module, tmp_path).f(tf.constant(1.0))

    def test_the_narrowest_fits_first(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda x, n: x * n)
        for n in (2, 3):
            module.f(tf.constant(1.0), n)
        loaded = again(module, tmp_path)
        assert [float(loaded.f(tf.constant(5.0), n)) for n in (3, 2)] == [15.0, 10.0]

    def test_concrete_functions(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([2]))
        loaded = again(module, tmp_path)
        assert loaded.f(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]
        assert loaded.f.structured_input_signature[0][0].shape == [2]

    def test_it_is_a_function(self, tmp_path: Path) -> None:
        loaded = again(Network(), tmp_path)
        function = vars(loaded)["__call__"]
        assert function.input_signature[0].shape.as_list() == [None, 3]
        concrete = function.get_concrete_function(tf.TensorSpec([None, 3]))
        assert {v.name for v in concrete.variables} == {"bias:0", "first:0", "second:0"}
        assert function.experimental_get_tracing_count() == 0
        loaded(tf.ones([2, 3]))
        assert function.explain().traces[0].because == "it was loaded"


class TestSignatures:
    def test_the_only_function(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], name="given")])
        signatures = again(module, tmp_path).signatures
        assert list(signatures) == ["serving_default"]
        serve = signatures["serving_default"]
        assert serve(given=tf.constant([1.0]))["output_0"].numpy().tolist() == [2.0]
        assert serve([3.0])["output_0"].numpy().tolist() == [6.0]
        assert serve.structured_input_signature == ((), {"given": tf.TensorSpec([None], name="given")})
        assert list(serve.structured_outputs) == ["output_0"]
        with pytest.raises(TypeError, match="takes given, but was given x"):
            serve(x=tf.constant([1.0]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape=\(None,\).*was given.*shape=\(\)"):
            serve(tf.constant(1.0))
        with pytest.raises(KeyError, match="there are 'serving_default'"):
            signatures["other"]

    def test_the_only_function_that_returns_tensors(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.v = tf.Variable(2.0)
        module.scale = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([])])
        module.change = tf.function(lambda x: (module.v.assign(x), None)[1], input_signature=[tf.TensorSpec([])])
        module.free = tf.function(lambda x: x)
        loaded = again(module, tmp_path)
        loaded.change(5.0)
        assert loaded.signatures["serving_default"](x=tf.constant(3.0))["output_0"].numpy() == 15.0

    def test_given(self, tmp_path: Path) -> None:
        network = Network()
        named = tf.function(lambda a, b: {"sum": a + b, "difference": a - b})
        concrete = named.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([]))
        signatures = again(network, tmp_path, signatures={"predict": network.__call__, "both": concrete}).signatures
        assert set(signatures) == {"predict", "both"}
        result = signatures["both"](b=tf.constant(1.0), a=tf.constant(3.0))
        assert {k: float(v) for k, v in result.items()} == {"sum": 4.0, "difference": 2.0}
        x = normal([2, 3], 1)
        np.testing.assert_array_equal(signatures["predict"](features=x)["output_0"], network(x))

    def test_share_variables_with_the_object(self, tmp_path: Path) -> None:
        network = Network()
        loaded = again(network, tmp_path, signatures=network.__call__)
        before = loaded.signatures["serving_default"](tf.ones([1, 3]))["output_0"]
        loaded.weights[1].assign(tf.zeros([8, 2]))
        after = loaded.signatures["serving_default"](tf.ones([1, 3]))["output_0"]
        assert after.numpy().tolist() == [[0.5, 0.5]] != before.numpy().tolist()

    def test_refused(self, tmp_path: Path) -> None:
        network = Network()
        with pytest.raises(ValueError, match=r"only a tf\.function with an input signature"):
            tf.saved_model.save(network, tmp_path, signatures=network.train)
        nested = tf.function(lambda x: {"a": [x]}, input_signature=[tf.TensorSpec([])])
        with pytest.raises(ValueError, match="return a flat dict"):
            tf.saved_model.save(network, tmp_path, signatures=nested)
        with pytest.raises(ValueError, match="name signatures by strings"):
            tf.saved_model.save(network, tmp_path, signatures={1: network.__call__})

    def test_tags(self, tmp_path: Path) -> None:
        tf.saved_model.save(Network(), tmp_path)
        assert tf.saved_model.load(tmp_path, tags=["serve"]).steps.dtype is tf.int32
        assert tf.saved_model.load(tmp_path, "serve").steps.dtype is tf.int32
        with pytest.raises(ValueError, match=r"has the tags \['serve'\]"):
            tf.saved_model.load(tmp_path, tags="train")


class TestAssets:
    def test_files_go_along(self, tmp_path: Path) -> None:
        (tmp_path / "words.txt").write_text("yes no")
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "words.txt").write_text("maybe")
        module = tf.Module()
        module.words = [tf.saved_model.Asset(tmp_path / d / "words.txt") for d in (".", "other")]
        module.path = tf.function(lambda: tf.identity(module.words[1].asset_path), input_signature=[])
        tf.saved_model.save(module, tmp_path / "model")
        (tmp_path / "model").rename(tmp_path / "moved")
        for d in (".", "other"):
            (tmp_path / d / "words.txt").unlink()
        loaded = tf.saved_model.load(tmp_path / "moved")
        assert [Path(asset.file).read_text() for asset in loaded.words] == ["yes no", "maybe"]
        assert loaded.path().numpy().decode() == loaded.words[1].file

    def test_a_missing_file(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.words = tf.saved_model.Asset(str(tmp_path / "no.txt"))
        with pytest.raises(tf.errors.NotFoundError, match=r"no\.txt"):
            tf.saved_model.save(module, tmp_path / "model")
        assert not tf.saved_model.contains_saved_model(tmp_path / "model")


def test_a_missing_model_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path / "nothing")


class Interval(tf.experimental.ExtensionType):
    """A class with a name that saved models may use."""

    __name__ = "tests.Interval"

    ends: tuple[tf.Tensor, int]
    middle: tf.Tensor


class Nameless(tf.experimental.ExtensionType):
    """A class without one."""

    x: tf.Tensor


def test_policy_for_variables() -> None:
    assert tf.saved_model.SaveOptions().experimental_variable_policy is None
    options = tf.saved_model.SaveOptions(experimental_variable_policy="SAVE_VARIABLE_DEVICES")
    assert options.experimental_variable_policy == "save_variable_devices"
    with pytest.raises(ValueError, match="Received invalid VariablePolicy value: none"):
        tf.saved_model.SaveOptions(experimental_variable_policy="none")


class TestExtensionTypes:
    def test_arguments_and_results(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.sum = tf.function(lambda i: i.ends[0] + i.ends[1] + i.middle)
        module.make = tf.function(lambda i: Interval((i.middle, 2), i.middle + 1))
        for interval in (Interval((1, 2), 3), Interval((1.0, 2), [3.0, 4.0])):
            module.sum(interval)
        module.make(interval)
        loaded = again(again(module, tmp_path / "once"), tmp_path / "twice")
        assert loaded.sum(Interval((5, 2), 3)).numpy() == 10
        assert loaded.sum(interval).numpy().tolist() == [6.0, 7.0]
        made = loaded.make(interval)
        assert type(made) is Interval
        assert made.ends[1] == 2
        assert made.middle.numpy().tolist() == [4.0, 5.0]

    def test_class_without_a_name(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        module = tf.Module()
        module.f = tf.function(lambda n: n.x)
        module.f(Nameless(1.0))
        loaded = again(module, tmp_path)
        assert "Nameless, an ExtensionType without a field __name__" in caplog.text
        with pytest.raises(ValueError, match="Found zero restored functions"):
            loaded.f(Nameless(1.0))

    def test_class_that_the_program_has_not_defined(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.f = tf.function(lambda i: i.middle)
        module.f(Interval((1, 2), 3))
        tf.saved_model.save(module, tmp_path)
        file = tmp_path / "saved_model.json"
        file.write_text(file.read_text().replace("tests.Interval", "tests.Elsewhere"))
        with pytest.raises(
            tf.errors.NotFoundError, match=r"ExtensionType 'tests\.Elsewhere', which the program has not"
        ):
            tf.saved_model.load(tmp_path)

    @pytest.mark.parametrize("name", ["__class__", "_components", "centre"])
    def test_class_with_other_fields(self, tmp_path: Path, name: str) -> None:
        module = tf.Module()
        module.f = tf.function(lambda i: i.middle)
        module.f(Interval((1, 2), 3))
        tf.saved_model.save(module, tmp_path)
        file = tmp_path / "saved_model.json"
        file.write_text(file.read_text().replace('"middle"', f'"{name}"'))
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Interval must have the fields .*: ends, {name}"):
            tf.saved_model.load(tmp_path)


class TestWhatIsAsked:
    """Things that a saved object or function is asked for."""

    @pytest.mark.parametrize("shape", [None, [None], [2]])
    def test_custom_gradient_of_outputs_of_unknown_size(self, tmp_path: Path, shape: Any) -> None:
        @tf.custom_gradient
        def both(x: Any) -> Any:
            return (x * 1.0, x * 1.0), lambda a, b: 2.0 * a + 3.0 * b

        module = tf.Module()
        module.f = tf.function(both, input_signature=[tf.TensorSpec(shape)])  # type: ignore[attr-defined]
        tf.saved_model.save(module, tmp_path)
        loaded = tf.saved_model.load(tmp_path)
        x = tf.constant([1.0, 2.0])
        for chosen, slope in enumerate((2.0, 3.0)):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = loaded.f(x)[chosen]
            np.testing.assert_array_equal(tape.gradient(y, x), [slope, slope])

    def test_a_property_that_gives_a_function_is_asked_once(self, tmp_path: Path) -> None:
        asked = []

        class Model(tf.Module):
            @property
            def f(self) -> Any:
                asked.append(self)
                return tf.function(lambda: tf.constant(len(asked)), input_signature=[])

            @property
            def broken(self) -> Any:
                raise KeyError("it cannot be read")

        tf.saved_model.save(Model(), tmp_path)
        assert len(asked) == 1
        assert int(tf.saved_model.load(tmp_path).f()) == 1

    def test_an_asset_as_a_tensor(self, tmp_path: Path) -> None:
        (tmp_path / "words").write_text("one")
        module = tf.Module()
        module.asset = tf.saved_model.Asset(tmp_path / "words")  # type: ignore[attr-defined]
        module.f = tf.function(lambda: tf.io.read_file(module.asset))  # type: ignore[attr-defined]
        assert module.f() == b"one"  # type: ignore[attr-defined]
        tf.saved_model.save(module, tmp_path / "model")
        (tmp_path / "words").unlink()
        assert tf.saved_model.load(tmp_path / "model").f() == b"one"

    def test_declared_shapes_stay_in_signatures(self, tmp_path: Path) -> None:
        @tf.function
        def f(x: Any) -> Any:
            x.set_shape((5, 1))
            return x

        tf.saved_model.save(tf.Module(), tmp_path, f.get_concrete_function(tf.TensorSpec([None, 1], name="x")))
        spec = tf.saved_model.load(tmp_path).signatures["serving_default"].structured_input_signature[1]["x"]
        assert spec.shape.as_list() == [None, 1]

    def test_names_in_a_scope(self, tmp_path: Path) -> None:
        module = tf.Module()
        module.v = tf.Variable(1.0, name="v")  # type: ignore[attr-defined]
        tf.saved_model.save(module, tmp_path)
        with tf.name_scope("inner"):
            assert tf.saved_model.load(tmp_path).v.name == "inner/v:0"
        assert tf.saved_model.load(tmp_path).v.name == "v:0"

    def test_a_checkpoint_without_init_and_with_functions(self, tmp_path: Path) -> None:
        class Held(tf.train.Checkpoint):
            def __init__(self) -> None:
                self.v = tf.Variable(2.0)

        tf.saved_model.save(Held(), tmp_path / "held")
        assert float(tf.saved_model.load(tmp_path / "held").v) == 2.0
        double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([])])
        tf.saved_model.save(tf.train.Checkpoint(double=double), tmp_path / "function")
        assert float(tf.saved_model.load(tmp_path / "function").double(3.0)) == 6.0
