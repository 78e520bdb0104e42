"""Classes of the user that hold tensors."""

import typing
from typing import Any

import numpy as np
import pytest

import gradtape as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    name: str = "masked"

    def __validate__(self) -> None:
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    def total(self) -> Any:
        return tf.reduce_sum(tf.where(self.mask, self.values, 0.0))


class Group(tf.experimental.ExtensionType):
    first: Masked
    others: typing.Tuple[tf.Tensor, ...]  # noqa: UP006
    table: typing.Mapping[str, tf.Tensor]

    def __init__(self, first: Any, *others: Any) -> None:
        self.first, self.others, self.table = first, others, {"count": len(others)}


def masked(*values: float) -> Masked:
    return Masked(list(values), [v > 0 for v in values])


def test_fields() -> None:
    x = masked(1.0, -2.0)
    assert x.values.dtype is tf.float32
    assert x.name == "masked"
    assert float(x.total()) == 1.0
    assert "Masked(values=<tf.Tensor" in repr(x)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `name`"):
        x.name = "other"
    with pytest.raises(AttributeError, match="Cannot mutate attribute `name`"):
        del x.name
    with pytest.raises(ValueError, match="incompatible"):
        Masked([1.0], [True, False])
    with pytest.raises(TypeError, match=r"Masked: missing a required argument: 'mask'(.|\n)*fix: Masked\(values, mask"):
        Masked([1.0])
    with pytest.raises(TypeError, match=r"name: expected 'str', got 'int'(.|\n)*fix: .* name: str"):
        Masked([1.0], [True], name=3)
    assert bool(x == masked(1.0, -2.0))
    assert not bool(x == masked(1.0, -3.0))
    assert x != Masked([1.0, -2.0], [True, False], name="other")


def test_in_functions_and_loops() -> None:
    traces = []

    @tf.function
    def doubled(x: Any, times: Any) -> Any:
        traces.append(1)
        for _ in tf.range(times):
            x = Masked(2.0 * x.values, x.mask)
        return x

    y = doubled(masked(1.0, -1.0), tf.constant(3))
    assert isinstance(y, Masked)
    np.testing.assert_array_equal(y.values, [8.0, -8.0])
    doubled(masked(3.0, -1.0), tf.constant(1))
    assert len(traces) == 1


def test_gradients_and_nest() -> None:
    x = masked(1.0, -2.0)
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = tf.function(lambda m: m.total() ** 2)(x)
    np.testing.assert_array_equal(tape.gradient(y, x.values), [2.0, 0.0])
    parts = tf.nest.flatten(x, expand_composites=True)
    assert len(parts) == 2
    again = tf.nest.pack_sequence_as(x, [2.0 * parts[0], parts[1]], expand_composites=True)
    assert float(again.total()) == 2.0


def test_nested() -> None:
    group = Group(masked(1.0), 2.0, 3.0)
    assert int(group.table["count"]) == 2
    moved = tf.function(lambda g: Group(Masked(g.first.values + 1.0, g.first.mask), *g.others))(group)
    np.testing.assert_array_equal(moved.first.values, [2.0])
    assert [float(t) for t in moved.others] == [2.0, 3.0]


def test_specs() -> None:
    spec = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool), "masked")
    assert spec.is_compatible_with(masked(1.0, 2.0))
    assert not spec.is_compatible_with(Masked([[1.0]], [[True]]))
    assert "Masked.Spec(values=TensorSpec" in repr(spec)
    assert tf.type_spec_from_value(masked(1.0)) == Masked.Spec(
        tf.TensorSpec([1]), tf.TensorSpec([1], tf.bool), "masked"
    )
    total = tf.function(lambda m: m.total(), input_signature=[spec])
    assert float(total(masked(1.0, 2.0))) == 3.0
    assert float(total(masked(5.0))) == 5.0


def test_map_fn_takes_its_signature_by_position() -> None:
    class Pair(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

    pairs = Pair([1.0, 2.0], [3.0, 4.0])
    found = tf.map_fn(lambda p: tf.cast(p.x * p.y, tf.int32), pairs, None, None, True, False, True, None, tf.int32)
    assert found.numpy().tolist() == [3, 8]


def test_annotations_with_notes():
    class Noted(tf.experimental.ExtensionType):
        x: typing.Annotated[tf.Tensor, "a note"]
        pair: typing.Annotated[tuple[tf.Tensor, typing.Annotated[int, "b"]], "c"]

    noted = Noted([1, 2], ([3], 4))
    assert noted.x.shape == [2]
    assert noted.pair[1] == 4
    with pytest.raises(TypeError, match="expected 'int'"):
        Noted([1], ([3], "4"))


def test_only_tensors_and_what_says_so_are_tensors() -> None:
    class Like:
        is_tensor_like = True

    assert tf.is_tensor(Like())
    assert tf.is_tensor(tf.IndexedSlices(tf.ones([1, 1]), [0]))
    assert tf.is_tensor(tf.sparse.from_dense([1.0]))
    assert not tf.is_tensor(Masked(tf.ones([1]), tf.constant([True])))
    assert not tf.is_tensor(tf.experimental.RowPartition.from_row_splits([0, 1]))


def test_a_field_holds_a_variable() -> None:
    class Scaled(tf.experimental.ExtensionType):
        scale: type(tf.Variable(1.0))  # type: ignore[valid-type]
        x: tf.Tensor

    scale = tf.Variable(2.0)
    scaled = Scaled(scale, 3.0)
    assert scaled.scale is scale

    @tf.function
    def product(value: Scaled) -> tf.Tensor:
        return value.scale * value.x

    with tf.GradientTape() as tape:
        y = product(scaled)
    assert tape.gradient(y, scale).numpy() == 3.0
    assert product(Scaled(tf.Variable(5.0), 1.0)).numpy() == 5.0

    @tf.function
    def moved(value: Scaled) -> Scaled:
        value.scale.assign_add(value.x)
        return value

    assert moved(scaled).scale is scale
    assert scale.numpy() == 5.0
    with pytest.raises(TypeError, match="expected 'Variable'"):
        Scaled(1.0, 1.0)
