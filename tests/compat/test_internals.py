"""TensorFlow's inside as programs import it: a finite table, whose every name is there."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import _tables


@pytest.fixture(autouse=True)
def tensorflow() -> Iterator[Any]:
    """The module that programs get."""
    tf.compat.install()
    yield importlib.import_module("tensorflow")
    tf.compat.uninstall()


@pytest.mark.parametrize("name", sorted(_tables.modules()))
def test_every_listed_name_is_there(name: str) -> None:
    module = importlib.import_module(f"tensorflow.{name}")
    if "keras" in name.split(".")[1:2]:
        pytest.importorskip("keras")
    for listed in module._origins:
        assert getattr(module, listed) is getattr(module, listed)


def test_a_name_that_is_not_there_says_who_asked() -> None:
    ops = importlib.import_module("tensorflow.python.framework.ops")
    with pytest.raises(AttributeError) as caught:
        _ = ops.no_such_name
    what, at, fix = str(caught.value).splitlines()
    assert "tensorflow.python.framework.ops.no_such_name" in what
    assert "test_internals" in at
    assert fix.startswith("  fix: ")
    assert not hasattr(ops, "no_such_name")


def test_the_public_name_is_told() -> None:
    with pytest.raises(ImportError, match=r"fix: use the public name, tf\.nn\.relu"):
        exec("from tensorflow.python.framework.ops import relu", {"__name__": "somelibrary.part"})
    with pytest.raises(ImportError, match="the library somelibrary asks for it"):
        exec("from tensorflow.python.framework.ops import nothing", {"__name__": "somelibrary.part"})


def test_a_module_that_is_not_there_says_who_asked() -> None:
    with pytest.raises(ModuleNotFoundError, match="no such module of TensorFlow's inside") as caught:
        exec("import tensorflow.python.nowhere.at_all", {"__name__": "somelibrary"})
    assert re.search(r"at: +the library somelibrary", str(caught.value))


def test_nothing_is_left_behind() -> None:
    importlib.import_module("tensorflow.python.framework.ops")
    importlib.import_module("tensorflow.compat.v2")
    tf.compat.uninstall()
    assert not any(name.partition(".")[0] == "tensorflow" for name in sys.modules)
    assert not hasattr(tf, "python")
    assert not hasattr(tf, "__internal__")
    assert tf.compat.v2 is tf


def test_probes_answer(tensorflow: Any) -> None:
    assert hasattr(tensorflow.raw_ops, "FusedBatchNormV2")
    assert not hasattr(tensorflow.raw_ops, "BlockLSTMV2")
    assert isinstance(tensorflow.distribute.experimental.TPUStrategy, type)
    assert [tensorflow.as_dtype(d).name for d in (tensorflow.qint8, "quint16")] == ["qint8", "quint16"]
    assert tensorflow.qint8.is_quantized
    assert not tensorflow.int8.is_quantized
    assert tensorflow.compat.dimension_value(tensorflow.ones([3]).shape[0]) == 3
    tensorflow.no_gradient("Something")
    assert tensorflow.RegisterGradient("Other")(len) is len


def test_structures_up_to_a_shallow_one() -> None:
    nest = importlib.import_module("tensorflow.python.util.nest")
    assert nest.flatten_up_to({"a": 0, "b": 0}, {"b": [1, 2], "a": (3,)}) == [(3,), [1, 2]]
    assert nest.map_structure_up_to([0, 0], len, [[1, 2], "abc"]) == [2, 3]
    assert nest.flatten_with_tuple_paths({"b": [1, 2], "a": 3}) == [(("a",), 3), (("b", 0), 1), (("b", 1), 2)]
    assert nest.flatten_with_joined_string_paths([1, {"x": 2}]) == [("0", 1), ("1/x", 2)]
    assert nest.map_structure_with_tuple_paths(lambda path, x: (path, x), {"k": 1}) == {"k": (("k",), 1)}
    assert nest.get_traverse_shallow_structure(lambda s: isinstance(s, list), [1, (2, 3)]) == [False, False]
    with pytest.raises(ValueError, match="sequence length"):
        nest.assert_shallow_structure([0, 0], [1])
    with pytest.raises(TypeError, match="must also be a sequence"):
        nest.flatten_up_to([0], 1)


def test_signatures_have_no_annotations() -> None:
    inspect = importlib.import_module("tensorflow.python.util.tf_inspect")
    found = inspect.getfullargspec(tf.rank)
    assert found.args == ["input", "name"]
    assert found.annotations == {}


class Pair:
    """Made a composite below."""


def test_objects_that_consist_of_tensors(tensorflow: Any) -> None:
    composite = importlib.import_module("tensorflow.python.framework.composite_tensor").CompositeTensor
    batchable = importlib.import_module("tensorflow.python.framework.type_spec").BatchableTypeSpec

    class PairSpec(batchable):  # type: ignore[misc, valid-type]
        value_type = property(lambda self: TwoTensors)
        _component_specs = property(lambda self: self._specs)

        def __init__(self, specs: Any, label: str) -> None:
            self._specs, self.label = specs, label

        def _serialize(self) -> Any:
            return self._specs, self.label

        def _to_components(self, value: Any) -> Any:
            return {"a": value.a, "b": value.b}

        def _from_components(self, components: Any) -> Any:
            return TwoTensors(components["a"], components["b"], self.label)

    class TwoTensors(composite):  # type: ignore[misc, valid-type]
        def __init__(self, a: Any, b: Any, label: str) -> None:
            self.a, self.b, self.label = a, b, label

        @property
        def _type_spec(self) -> Any:
            return PairSpec(
                {"a": tf.TensorSpec.from_tensor(self.a), "b": tf.TensorSpec.from_tensor(self.b)}, self.label
            )

    pair = TwoTensors(tf.constant(1.0), tf.constant([2.0, 3.0]), "x")
    assert [t.numpy().tolist() for t in tf.nest.flatten(pair, expand_composites=True)] == [1.0, [2.0, 3.0]]
    traces = []

    @tf.function
    def doubled(p: Any) -> Any:
        traces.append(p.label)
        return TwoTensors(2 * p.a, 2 * p.b, p.label)

    found = doubled(pair)
    doubled(TwoTensors(tf.constant(5.0), tf.constant([2.0, 3.0]), "x"))
    doubled(TwoTensors(tf.constant(5.0), tf.constant([2.0, 3.0]), "y"))
    assert traces == ["x", "y"]
    assert found.b.numpy().tolist() == [4.0, 6.0]
    with tf.GradientTape() as tape:
        tape.watch(pair.b)
        y = tf.reduce_sum(doubled(pair).b)
    assert tape.gradient(y, pair.b).numpy().tolist() == [2.0, 2.0]
    assert PairSpec(1, "x") == PairSpec(1, "x") != PairSpec(1, "y")
    assert isinstance(tf.sparse.from_dense([1.0]), composite)


def test_raw_ops(tensorflow: Any) -> None:
    rng = np.random.RandomState(0)
    x = rng.randn(4, 3, 3, 2).astype("f")
    raw = tensorflow.raw_ops
    y, mean, variance, *_ = raw.FusedBatchNormV2(
        x=x, scale=[1.0, 2.0], offset=[0.0, 1.0], mean=[], variance=[], epsilon=1e-3, is_training=True
    )
    flat = x.reshape(-1, 2)
    np.testing.assert_allclose(mean, flat.mean(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variance, flat.var(0, ddof=1), rtol=1e-5)
    expected = (x - flat.mean(0)) / np.sqrt(flat.var(0) + 1e-3) * [1.0, 2.0] + [0.0, 1.0]
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    found = raw.UniqueWithCountsV2(x=[[1, 2], [3, 4], [1, 2]], axis=[0])
    assert found.y.numpy().tolist() == [[1, 2], [3, 4]]
    assert found.idx.numpy().tolist() == [0, 1, 0]
    assert found.count.numpy().tolist() == [2, 1]
    args = raw.BroadcastGradientArgs(s0=[2, 3], s1=[3])
    assert [a.numpy().tolist() for a in args] == [[], [0]]
    v, a = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    raw.ResourceApplyKerasMomentum(var=v.handle, accum=a.handle, lr=0.1, grad=tf.constant([1.0, 1.0]), momentum=0.9)
    np.testing.assert_allclose(v, [0.9, 1.9], rtol=1e-6)


def test_attributes_of_tensors() -> None:
    x = tf.constant(1.0)
    x._keras_mask = 3
    assert x._keras_mask == 3
    assert not hasattr(tf.constant(1.0), "_keras_mask")


def test_composite_tensors_tell_their_spec() -> None:
    sparse = tf.SparseTensor([[0, 1]], [1.0], [3, 3])
    assert sparse._type_spec == tf.SparseTensorSpec([3, 3], tf.float32)
    ragged = tf.ragged.constant([[1], [2, 3]])
    assert ragged._type_spec == tf.RaggedTensorSpec([2, None], tf.int32)


def test_the_environment_chooses_keras_2(monkeypatch: pytest.MonkeyPatch, tensorflow: Any) -> None:
    second = ModuleType("tf_keras.api._v2.keras")
    second.__version__ = "2.21.0"  # type: ignore[attr-defined]
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    for name in ("tf_keras", "tf_keras.api", "tf_keras.api._v2"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, second.__name__, second)
    assert tensorflow.keras.__version__ == "2.21.0"


def test_keras_2_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tensorflow: Any) -> None:
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    monkeypatch.setitem(sys.modules, "tf_keras", None)
    with pytest.raises(ImportError, match="TF_USE_LEGACY_KERAS asks for Keras 2"):
        _ = tensorflow.keras


class TestCudnnRNN:
    """Against Keras's layers with the same weights."""

    T, B, SIZE, UNITS = 5, 2, 3, 4
    LAYERS = {"lstm": ("LSTM", [0, 1, 2, 3]), "gru": ("GRU", [1, 0, 2]), "rnn_tanh": ("SimpleRNN", [0])}

    def weights(self, layer: Any, order: list[int], ways: int) -> Any:
        """The weights of a layer of Keras as cuDNN has them."""
        given = layer.get_weights()
        each = len(given) // ways
        matrices, biases = [], []
        for own in (given[:each], given[each:])[:ways]:
            for w in own[:2]:
                parts = np.split(w, len(order), axis=-1)
                matrices += [parts[i].T.ravel() for i in order]
            both = own[2] if own[2].ndim == 2 else np.stack([own[2], np.zeros_like(own[2])])
            for b in both:
                parts = np.split(b, len(order))
                biases += [parts[i] for i in order]
        return np.concatenate([*matrices, *biases])

    @pytest.mark.parametrize("ways", [1, 2])
    @pytest.mark.parametrize("mode", LAYERS)
    def test_against_keras(self, tensorflow: Any, mode: str, ways: int) -> None:
        name, order = self.LAYERS[mode]
        layer = getattr(tf.keras.layers, name)(
            self.UNITS, return_sequences=True, bias_initializer=tf.keras.initializers.RandomNormal(seed=1)
        )
        layer = layer if ways == 1 else tf.keras.layers.Bidirectional(layer)
        x = np.random.default_rng(0).normal(size=(self.B, self.T, self.SIZE)).astype(np.float32)
        expected = layer(x)
        zeros = np.zeros((ways, self.B, self.UNITS), np.float32)
        options = {
            "params": self.weights(layer, order, ways),
            "rnn_mode": mode,
            "direction": "unidirectional" if ways == 1 else "bidirectional",
        }
        for call in (tensorflow.raw_ops.CudnnRNN, tf.function(tensorflow.raw_ops.CudnnRNN)):
            found = call(input=tf.transpose(x, [1, 0, 2]), input_h=zeros, input_c=zeros, **options)
            np.testing.assert_allclose(tf.transpose(found.output, [1, 0, 2]), expected, atol=1e-5)
        lengths = [5, 3]
        masked = layer(x, mask=tf.sequence_mask(lengths, self.T))
        back = zeros.transpose(1, 0, 2)
        found = tensorflow.raw_ops.CudnnRNNV3(
            input=x, input_h=back, input_c=back, sequence_lengths=lengths, time_major=False, **options
        )
        for i, length in enumerate(lengths):
            np.testing.assert_allclose(found.output[i, :length], masked[i, :length], atol=1e-5)
            np.testing.assert_array_equal(found.output[i, length:], 0)


class TestDataStructures:
    """Lists, tuples and dicts that know the layers in them, as Keras 2's layers ask for them."""

    class Part(tf.Module):
        """Like a layer of Keras 2, as far as the containers ask."""

        def __init__(self, trainable: bool = True) -> None:
            super().__init__()
            self.weight = tf.Variable(1.0, trainable=trainable)
            self.trainable_weights = [self.weight] if trainable else []
            self.non_trainable_weights = [] if trainable else [self.weight]
            self.losses = [self.weight * 2.0]
            self.trainable = trainable

    def test_what_is_added_later_is_found(self) -> None:
        structures = importlib.import_module("tensorflow.python.trackable.data_structures")
        held = structures.wrap([])
        assert isinstance(held, list)
        assert isinstance(held, structures.TrackableDataStructure)
        parts = [self.Part(), self.Part(trainable=False), self.Part()]
        held.append(parts[0])
        held.append({"deeper": (parts[1], [parts[2]])})
        assert held._values == parts
        assert [w is p.weight for w, p in zip(held.weights, [parts[0], parts[2], parts[1]], strict=True)] == [True] * 3
        assert [float(x) for x in held.losses] == [2.0] * 3
        held.trainable = False
        assert not any(part.trainable for part in parts)

    def test_values_that_stay_as_they_are(self) -> None:
        structures = importlib.import_module("tensorflow.python.trackable.data_structures")
        pair = (1, 2)
        assert structures.wrap(pair) is pair
        assert type(structures.wrap((self.Part(),))) is structures._TupleWrapper
        assert structures.wrap_or_unwrap(structures.NoDependency(pair)) is pair
        wrapped = structures.wrap({"a": [1]})
        tf.nest.assert_same_structure(wrapped, {"a": [2]})
        assert tf.nest.map_structure(lambda x: x + 1, wrapped) == {"a": [2]}


def test_arguments_by_name_keep_those_that_are_unknown() -> None:
    inspecting = importlib.import_module("tensorflow.python.util.tf_inspect")

    def call(inputs: Any, step: Any = 1, *, flag: bool = False) -> Any:
        return inputs, step, flag

    assert inspecting.getcallargs(call, 5, training=True) == {"inputs": 5, "step": 1, "flag": False, "training": True}


def test_bounds_of_numpy_specs() -> None:
    spec = importlib.import_module("tensorflow.python.framework.tensor_spec").BoundedTensorSpec
    plain = type("ArraySpec", (), {"shape": (2,), "dtype": np.dtype("int32"), "name": "a"})()
    made = spec.from_spec(plain)
    assert (int(made.minimum), int(made.maximum)) == (-(2**31), 2**31 - 1)
    assert made._batch(3).shape.as_list() == [3, 2]
    assert made._unbatch().shape.as_list() == []


def test_derivatives_of_functions() -> None:
    backprop = importlib.import_module("tensorflow.python.eager.backprop")
    v = tf.Variable(3.0)
    ((derivative, variable),) = backprop.implicit_grad(lambda x: v * v * x)(tf.constant(2.0))
    assert derivative.numpy() == 12.0
    assert variable is v
    with pytest.raises(ValueError, match="No trainable variables were accessed"):
        backprop.implicit_grad(lambda: tf.constant(1.0))()
    x = tf.constant(2.0)
    of_both = tf.function(backprop.gradients_function(lambda a, b: a * b, ["a", "b"]))
    assert [d.numpy() for d in of_both(x, x)] == [2.0, 2.0]
    value, (derivative,) = backprop.val_and_grad_function(lambda a: a * a)(x, dy=tf.constant(10.0))
    assert (value.numpy(), derivative.numpy()) == (4.0, 40.0)
    value, pullback = backprop.make_vjp(lambda a, b: a + b, params=[1])(x, x)
    assert [d.numpy() for d in pullback(tf.constant(5.0))] == [5.0]


def test_values_that_are_asked_for_when_a_function_is_called() -> None:
    ops = importlib.import_module("tensorflow.python.framework.ops")
    held = [1.0]

    @tf.function
    def f(x: Any) -> Any:
        graph = ops.get_default_graph()
        first = graph.capture_call_time_value(lambda: held[0], tf.TensorSpec([]), key="held")
        again = graph.capture_call_time_value(lambda: 1 / 0, tf.TensorSpec([]), key="held")
        return x + first + again

    assert f(2.0).numpy() == 4.0
    held[0] = 5.0
    assert f(2.0).numpy() == 12.0


def test_private_members_of_tensors() -> None:
    x = tf.constant([[1.0, 2.0]])
    shapes = []
    f = tf.function(lambda y: shapes.append(y._shape_tuple()), input_signature=[tf.TensorSpec([None, 2])])
    f(x)
    assert shapes[-1] == (None, 2)
    assert (x._shape_tuple(), x._rank(), x._numpy().tolist()) == ((1, 2), 2, [[1.0, 2.0]])
    assert x.cpu() is not x
    assert x.cpu().numpy().tolist() == [[1.0, 2.0]]


def test_lists_are_leaves_in_the_structures_of_datasets() -> None:
    from gradtape.compat._internal import data_nests as nest

    value = {"b": [1, 2], "a": (3, {"c": [4]})}
    assert nest.flatten(value) == [3, [4], [1, 2]]
    assert nest.pack_sequence_as(value, [1, 2, 3]) == {"b": 3, "a": (1, {"c": 2})}
    assert nest.map_structure(len, {"a": [1, 2]}) == {"a": 2}
    assert nest.flatten_up_to({"a": 0, "b": 0}, value) == [(3, {"c": [4]}), [1, 2]]
    assert nest.map_structure_up_to((0, 0), lambda a, b: (a, b), ([1], 2), (3, [4])) == (([1], 3), (2, [4]))
    assert (nest.is_nested([1]), nest.is_nested((1,))) == (False, True)
    nest.assert_same_structure((1, [2, 3]), (1, 2))
    with pytest.raises(ValueError, match="structure"):
        nest.assert_same_structure((1, (2, 3)), (1, [2, 3]))


def test_operators_are_composites_and_their_sums_stay_simple():
    from gradtape.compat._internal import composites
    from gradtape.compat._internal.operator_sums import add_operators

    diagonal = tf.linalg.LinearOperatorDiag(tf.Variable([1.0, 2.0]), is_positive_definite=True)
    assert isinstance(diagonal, composites.CompositeTensor)
    fixed = composites.convert_variables_to_tensors(diagonal)
    assert type(fixed) is type(diagonal)
    assert not fixed.variables
    (total,) = add_operators([diagonal, tf.linalg.LinearOperatorIdentity(2)])
    assert isinstance(total, tf.linalg.LinearOperatorDiag)
    assert total.is_positive_definite
    assert total.diag_part().numpy().tolist() == [2.0, 3.0]
    (total,) = add_operators([diagonal, tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 1.0]])])
    assert isinstance(total, tf.linalg.LinearOperatorLowerTriangular)
    assert total.to_dense().numpy().tolist() == [[2.0, 0.0], [2.0, 3.0]]
    with pytest.raises(ValueError, match="must have the same `domain_dimension`"):
        add_operators([diagonal, tf.linalg.LinearOperatorIdentity(3)])


def test_batches_of_other_channels_are_refused():
    x, two, three = tf.ones([2, 2, 2, 2]), tf.ones([2]), tf.ones([3])
    function = tf.compat.v1.nn.fused_batch_norm
    with pytest.raises(tf.errors.InvalidArgumentError, match="scale must have the same number of elements"):
        function(x, three, two)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is_training=false, variance must have"):
        function(x, two, two, two, three, is_training=False)
    y, mean, _ = function(x, two, two, np.zeros(2), np.ones(2), is_training=False)
    assert y.dtype == mean.dtype == tf.float32


def test_maps_stack_objects_whose_spec_has_batches():
    from gradtape.compat._internal import composites

    class Pair(composites.CompositeTensor):
        def __init__(self, mass: Any, speed: Any) -> None:
            self.mass, self.speed = tf.convert_to_tensor(mass), tf.convert_to_tensor(speed)

        _type_spec = property(
            lambda self: PairSpec(tf.TensorSpec.from_tensor(self.mass), tf.TensorSpec.from_tensor(self.speed))
        )

    class PairSpec(composites.BatchableTypeSpec):
        value_type = Pair

        def __init__(self, mass: Any, speed: Any) -> None:
            self.mass, self.speed = mass, speed

        _component_specs = property(lambda self: (self.mass, self.speed))

        def _serialize(self) -> Any:
            return self.mass, self.speed

        def _to_components(self, value: Any) -> Any:
            return value.mass, value.speed

        def _from_components(self, components: Any) -> Any:
            return Pair(*components)

        def _batch(self, batch_size: Any) -> Any:
            return PairSpec(*(tf.TensorSpec([batch_size, *s.shape], s.dtype) for s in self._component_specs))

    speeds = tf.constant([1.0, 2.0, 3.0])
    found = tf.vectorized_map(lambda i: Pair(4.0, tf.gather(speeds, i)), tf.range(3))
    assert found.mass.numpy().tolist() == [4.0] * 3
    assert found.speed.numpy().tolist() == [1.0, 2.0, 3.0]


def test_specs_of_elements_of_datasets() -> None:
    from gradtape.compat._internal.datasets import type_spec_from_value

    found = type_spec_from_value({"a": (tf.constant(1.0), [1, 2])})
    assert found == {"a": (tf.TensorSpec([]), tf.TensorSpec([2], tf.int32))}
    with pytest.raises(TypeError, match="Could not build a `TypeSpec` for 100 with type int"):
        type_spec_from_value(100, use_fallback=False)


def test_axes_that_were_broadcast_where_a_size_is_zero() -> None:
    from gradtape.compat._internal import raw_ops

    first, second = raw_ops.BroadcastGradientArgs(s0=[2, 0, 3, 0, 5], s1=[3, 1, 5])
    assert first.numpy().tolist() == []
    assert second.numpy().tolist() == [0, 1, 3]
    found = raw_ops.UniqueWithCountsV2(x=[0.0, float("nan"), float("nan")], axis=tf.constant([], tf.int32))
    assert found.idx.numpy().tolist() == [0, 1, 2]
    assert found.count.numpy().tolist() == [1, 1, 1]
