"""Strategies: running replicas, and bringing their values together."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gradtape as tf

ONE = [
    lambda: tf.distribute.get_strategy(),
    lambda: tf.distribute.MirroredStrategy(),
    lambda: tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(num_packs=2)),
    lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    lambda: tf.distribute.MultiWorkerMirroredStrategy(),
    lambda: tf.distribute.experimental.CentralStorageStrategy(),
]


def replica() -> Any:
    return tf.distribute.get_replica_context()


def per_replica(strategy: Any, *values: Any) -> Any:
    return strategy.experimental_distribute_values_from_function(lambda c: values[c.replica_id_in_sync_group])


@pytest.mark.parametrize("make", ONE)
def test_one_replica_is_as_without_strategy(make: Any) -> None:
    strategy = make()
    with strategy.scope():
        v = tf.Variable(2.0)
    assert strategy.num_replicas_in_sync == 1
    y = strategy.run(lambda x, scale: x * v * scale, args=(tf.constant([1.0, 2.0]),), kwargs={"scale": 3.0})
    np.testing.assert_array_equal(y, [6.0, 12.0])
    assert float(strategy.reduce("SUM", y, axis=0)) == 18.0
    assert float(strategy.reduce(tf.distribute.ReduceOp.MEAN, y, axis=0)) == 9.0
    assert strategy.reduce("SUM", y, axis=None) is not None
    assert strategy.experimental_local_results(y) == (y,)
    np.testing.assert_array_equal(strategy.gather(y, axis=0), y)


def test_places() -> None:
    strategy = tf.distribute.MirroredStrategy()
    assert not tf.distribute.has_strategy()
    assert not tf.distribute.in_cross_replica_context()
    assert replica().replica_id_in_sync_group == 0
    with strategy.scope() as entered:
        assert entered is strategy is tf.distribute.get_strategy()
        assert tf.distribute.has_strategy()
        assert tf.distribute.in_cross_replica_context()
        assert replica() is None
        inside = strategy.run(lambda: (tf.distribute.in_cross_replica_context(), replica().num_replicas_in_sync))
        assert inside == (False, 1)
        with pytest.raises(RuntimeError, match="Mixing different"), tf.distribute.OneDeviceStrategy("cpu").scope():
            pass
    assert not tf.distribute.has_strategy()


def test_set_strategy_stays() -> None:
    strategy = tf.distribute.OneDeviceStrategy("cpu")
    tf.distribute.experimental_set_strategy(strategy)
    try:
        assert tf.distribute.get_strategy() is strategy
    finally:
        tf.distribute.experimental_set_strategy(None)
    assert not tf.distribute.has_strategy()


@pytest.mark.parametrize("staged", [False, True])
def test_two_replicas(two: Any, staged: bool) -> None:
    x = per_replica(two, tf.constant([1.0, 2.0]), tf.constant([3.0]))

    def step(x: Any) -> Any:
        return {"sum": tf.reduce_sum(x), "number": tf.constant(replica().replica_id_in_sync_group)}

    def run(x: Any) -> Any:
        results = two.run(step, args=(x,))
        return two.reduce("SUM", results["sum"], axis=None), two.experimental_local_results(results["number"])

    total, numbers = (tf.function(run) if staged else run)(x)
    assert float(total) == 6.0
    assert [int(n) for n in numbers] == [0, 1]
    assert float(two.reduce("MEAN", x, axis=0)) == 2.0
    assert float(two.reduce("SUM", x, axis=0)) == 6.0
    np.testing.assert_array_equal(two.gather(x, axis=0), [1.0, 2.0, 3.0])


def test_a_value_of_all_replicas_counts_for_each(two: Any) -> None:
    assert float(two.reduce("SUM", tf.constant(2.0), axis=None)) == 4.0
    assert float(two.reduce("MEAN", tf.constant(2.0), axis=None)) == 2.0


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("op", "expected"), [("SUM", 4.0), ("MEAN", 1.0)])
def test_all_reduce_has_a_gradient(two: Any, staged: bool, op: str, expected: float) -> None:
    x = per_replica(two, tf.constant(1.0), tf.constant(5.0))

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = replica().all_reduce(op, 2.0 * x)
        return y, tape.gradient(y, x)

    def run(x: Any) -> Any:
        return two.run(step, args=(x,))

    y, dx = (tf.function(run) if staged else run)(x)
    assert [float(v) for v in y] == [12.0 if op == "SUM" else 6.0] * 2
    assert [float(v) for v in dx] == [expected if op == "SUM" else 2.0] * 2


def test_all_gather_has_a_gradient(two: Any) -> None:
    x = per_replica(two, tf.constant([1.0]), tf.constant([2.0, 3.0]))

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            whole = replica().all_gather(x, 0)
            y = tf.reduce_sum(whole * [1.0, 10.0, 100.0])
        return whole, tape.gradient(y, x)

    whole, dx = two.run(step, args=(x,))
    np.testing.assert_array_equal(whole[0], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(dx[0], [2.0])
    np.testing.assert_array_equal(dx[1], [20.0, 200.0])


def test_merge_call_runs_once(two: Any) -> None:
    calls = []

    def merge(strategy: Any, value: Any, same: str) -> Any:
        calls.append((strategy, same, tf.distribute.in_cross_replica_context()))
        return strategy.reduce("SUM", value, axis=None), value

    result = two.run(lambda: replica().merge_call(merge, (tf.constant(replica().replica_id_in_sync_group), "a")))
    assert calls == [(two, "a", True)]
    assert [int(v) for v in result[0]] == [1, 1]
    assert [int(v) for v in result[1]] == [0, 1]


def test_a_function_runs_on_all_replicas(two: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        if x > 2.0:
            x = x * 10.0
        return replica().all_reduce("SUM", x)

    for _ in range(2):
        assert [float(v) for v in two.run(step, args=(per_replica(two, tf.constant(1.0), tf.constant(3.0)),))] == [
            31.0
        ] * 2


def test_gradient_around_a_run(two: Any) -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = two.reduce("SUM", two.run(lambda x: x * v, args=(per_replica(two, 1.0, 2.0),)), axis=None)
    assert float(tape.gradient(y, v)) == 3.0


def test_a_problem_in_one_replica_is_raised(two: Any) -> None:
    def step() -> Any:
        if replica().replica_id_in_sync_group:
            raise KeyError("second")
        return replica().all_reduce("SUM", 1.0)

    with pytest.raises(KeyError, match="second"):
        two.run(step)


def test_replicas_must_meet(two: Any) -> None:
    def step() -> Any:
        return None if replica().replica_id_in_sync_group else replica().all_reduce("SUM", 1.0)

    with pytest.raises(RuntimeError, match="1 of 2 replicas wait"):
        two.run(step)
    with pytest.raises(RuntimeError, match="cannot meet there"):
        two.run(lambda: tf.function(lambda: replica().all_reduce("SUM", 1.0))())
    with pytest.raises(RuntimeError, match="inside a replica"):
        two.run(lambda: two.reduce("SUM", 1.0, axis=None))


def test_values_of_replicas_are_no_tensors(two: Any) -> None:
    value = per_replica(two, tf.constant(1.0), tf.constant(2.0))
    assert "PerReplica" in repr(value)
    assert isinstance(value, tf.distribute.DistributedValues)
    with pytest.raises(TypeError, match=r"strategy\.reduce"):
        value * 2.0
    with pytest.raises(ValueError, match=r"strategy\.reduce"):
        tf.convert_to_tensor(value)
    with pytest.raises(ValueError, match="SUM or MEAN"):
        two.reduce("MAX", value, axis=None)


def test_they_are_leaves_of_structures(two: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        results = two.run(lambda x: {"sum": tf.reduce_sum(x), "count": tf.size(x)}, args=(x,))
        return tf.nest.map_structure(lambda v: two.reduce("SUM", v, axis=None), results), results

    x = per_replica(two, tf.constant([1.0, 2.0]), tf.constant([3.0]))
    totals, results = step(x)
    assert (float(totals["sum"]), int(totals["count"])) == (6.0, 3)
    assert [int(v) for v in results["count"].values] == [2, 1]
    assert tf.nest.flatten(x) == [x]


def test_rows_of_embeddings(two: Any) -> None:
    table = tf.Variable(tf.ones([4, 2]))

    def gradient(i: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, i))
        return tape.gradient(y, table)

    @tf.function
    def step(i: Any) -> Any:
        rows = two.run(gradient, args=(i,))
        together = two.run(lambda i: replica().all_reduce("SUM", gradient(i)), args=(i,))
        return rows, two.reduce("SUM", rows, axis=None), together

    rows, total, together = step(per_replica(two, tf.constant([0, 1]), tf.constant([1])))
    assert isinstance(rows[0], tf.IndexedSlices)
    expected = [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_array_equal(tf.convert_to_tensor(total), expected)
    np.testing.assert_array_equal(tf.convert_to_tensor(two.experimental_local_results(together)[1]), expected)


def test_devices_must_be_there() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="set_logical_device_configuration"):
        tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with pytest.raises(ValueError, match="empty"):
        tf.distribute.MirroredStrategy([])
    with pytest.raises(ValueError, match="Duplicates"):
        tf.distribute.MirroredStrategy(["CPU:0", "/device:CPU:0"])


def test_one_process_is_the_only_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})
    )
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.NCCL
    )
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    assert strategy.num_replicas_in_sync == 1
    assert strategy.cluster_resolver is None or strategy.cluster_resolver.task_id == 0
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1", "b:1"]}}))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"names 2 workers, but 1 process was started"):
        tf.distribute.MultiWorkerMirroredStrategy()
    monkeypatch.setenv("TF_CONFIG", "{broken")
    with pytest.raises(ValueError, match="TF_CONFIG must be JSON"):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_what_is_left_out_says_so() -> None:
    with pytest.raises(AttributeError, match=r"tf.distribute.Server is left out"):
        _ = tf.distribute.Server
    for name in ("TPUStrategy", "ParameterServerStrategy"):
        kind = getattr(tf.distribute, name)
        assert not isinstance(tf.distribute.get_strategy(), kind)
        with pytest.raises(AttributeError, match=f"tf.distribute.{name} is left out"):
            kind()
    with pytest.raises(AttributeError, match="ClusterCoordinator is left out"):
        tf.distribute.coordinator.ClusterCoordinator(None)


@pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), tf.distribute.MirroredStrategy()])
@pytest.mark.parametrize("args", [3, tf.ones([2]), "ab"])
def test_arguments_of_run_are_a_list_or_tuple(strategy, args):
    with pytest.raises(ValueError, match=r"positional args must be a list or tuple(.|\n)*args=\(batch,\)"):
        strategy.run(lambda *x: x, args)
    with pytest.raises(TypeError, match="keyword args must be a dict"):
        strategy.run(lambda *x: x, kwargs=args)
