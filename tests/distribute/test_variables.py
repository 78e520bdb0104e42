"""Variables of several replicas."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import gradtape as tf

AGGREGATIONS = tf.VariableAggregation


def number() -> float:
    return float(tf.distribute.get_replica_context().replica_id_in_sync_group)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [(AGGREGATIONS.SUM, 13.0), (AGGREGATIONS.MEAN, 11.5), (AGGREGATIONS.ONLY_FIRST_REPLICA, 11.0)],
)
def test_assignments_are_aggregated(two: Any, staged: bool, aggregation: Any, expected: float) -> None:
    with two.scope():
        v = tf.Variable(10.0, aggregation=aggregation)

    def run() -> Any:
        return two.run(lambda: v.assign_add(1.0 + number()).read_value())

    seen = (tf.function(run) if staged else run)()
    assert float(v) == expected
    assert [float(s) for s in two.experimental_local_results(seen)] == [expected] * len(
        two.experimental_local_results(seen)
    )
    two.run(lambda: v.assign(4.0))
    assert float(v) == (8.0 if aggregation is AGGREGATIONS.SUM else 4.0)
    v.assign(1.0)
    assert float(v) == 1.0


def test_without_aggregation_replicas_cannot_assign(two: Any) -> None:
    with two.scope():
        v = tf.Variable(1.0)
        v.assign(2.0)
    with pytest.raises(ValueError, match="aggregation method"):
        two.run(lambda: v.assign(3.0))
    assert float(v) == 2.0


@pytest.mark.parametrize("staged", [False, True])
def test_synchronised_on_read(two: Any, staged: bool) -> None:
    with two.scope():
        total = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=AGGREGATIONS.SUM)
        mean = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=AGGREGATIONS.MEAN)

    def step() -> Any:
        total.assign_add(1.0 + number())
        mean.assign(mean + 1.0 + number())
        return total.read_value()

    def run() -> Any:
        return two.run(step)

    own = (tf.function(run) if staged else run)()
    assert [float(v) for v in own] == [1.0, 2.0]
    assert float(total) == 3.0
    assert float(mean) == 1.5
    assert [float(v) for v in two.experimental_local_results(total)] == [1.0, 2.0]
    assert not total.trainable
    assert total.shape == []
    assert total.dtype is tf.float32
    total.assign(5.0)
    assert float(total) == 5.0
    total.assign_add(1.0)
    np.testing.assert_array_equal(total + 1.0, 7.0)


def test_variables_made_in_replicas_are_shared(two: Any) -> None:
    class Layer(tf.Module):
        w: Any = None

        def __call__(self, x: Any) -> Any:
            if self.w is None:
                self.w = tf.Variable(2.0)
            return self.w * x

    layer = Layer()
    results = two.run(layer, args=(tf.constant(3.0),))
    assert [float(r) for r in results] == [6.0, 6.0]
    with pytest.raises(ValueError, match="aggregation method"):
        two.run(lambda: layer.w.assign(1.0))


def test_creators_make_variables() -> None:
    seen = []

    def doubled(next_creator: Any, **arguments: Any) -> Any:
        seen.append(arguments["name"])
        arguments["initial_value"] = arguments["initial_value"] * 2.0
        return next_creator(**arguments)

    with tf.variable_creator_scope(doubled):
        with tf.variable_creator_scope(doubled):
            v = tf.Variable(1.0, name="v")
        w = tf.Variable(initial_value=1.0, trainable=False, name="w")
    assert (float(v), float(w), float(tf.Variable(1.0))) == (4.0, 2.0, 1.0)
    assert seen == ["v", "v", "w"]
    assert not w.trainable


def test_one_replica_has_its_variables_too():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        v = tf.Variable(2.0, aggregation=tf.VariableAggregation.MEAN)
    (own,) = v.values
    strategy.run(lambda: v.assign_add(1.0))
    assert float(own.read_value()) == float(v) == 3.0


def test_replicas_run_in_the_scope_of_a_subclass():
    def frozen(next_creator, **arguments):
        return next_creator(**arguments | {"trainable": False})

    class Own(tf.distribute.MirroredStrategy):
        @contextlib.contextmanager
        def scope(self):
            with super().scope(), tf.variable_creator_scope(frozen):
                yield

    made = Own().run(lambda: tf.Variable(1.0))
    assert not made.trainable
    assert len(made.values) == 1
