"""tf.train: averages, clusters, threads, views of checkpoints; profiles."""

from __future__ import annotations

import json
import pstats
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize("staged", [False, True])
def test_moving_average(staged: bool) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    average = tf.train.ExponentialMovingAverage(0.9)
    apply = tf.function(lambda: average.apply([v])) if staged else lambda: average.apply([v])
    expected = np.array([1.0, 2.0])
    for step in range(3):
        v.assign([1.0 + step, 2.0 - step])
        apply()
        expected = 0.9 * expected + 0.1 * np.array([1.0 + step, 2.0 - step])
    np.testing.assert_allclose(average.average(v), expected, rtol=1e-6)
    assert average.average_name(v) == "v/ExponentialMovingAverage"
    assert average.average(tf.Variable(1.0)) is None
    assert not average.average(v).trainable
    with pytest.raises(TypeError, match="floats"):
        average.apply([tf.Variable(1)])
    with pytest.raises(ValueError, match="pass the variables"):
        average.apply()


def test_moving_average_with_other_decays() -> None:
    v, n = tf.Variable(1.0), tf.Variable(0)
    slow = tf.train.ExponentialMovingAverage(0.9, num_updates=n)
    slow.apply([v])
    v.assign(2.0)
    slow.apply([v])
    assert float(slow.average(v)) == pytest.approx(0.1 * 1.0 + 0.9 * 2.0)
    debiased = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
    for value in (4.0, 2.0):
        v.assign(value)
        debiased.apply([v])
    assert float(debiased.average(v)) == pytest.approx((0.5 * 0.5 * 4.0 + 0.5 * 2.0) / 0.75)


def test_clusters() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {2: "c:1"}})
    assert spec.jobs == ["ps", "worker"]
    assert spec.as_dict() == {"ps": {2: "c:1"}, "worker": ["a:1", "b:1"]}
    assert spec.task_address("worker", 1) == "b:1"
    assert spec.job_tasks("ps") == [None, None, "c:1"]
    assert tf.train.ClusterSpec(spec) == spec
    assert not tf.train.ClusterSpec({})
    with pytest.raises(ValueError, match="No such job"):
        spec.num_tasks("chief")
    with pytest.raises(ValueError, match="No task"):
        spec.task_address("worker", 5)
    with pytest.raises(TypeError, match="dictionary"):
        tf.train.ClusterSpec("a")


def test_threads_stop_together() -> None:
    coordinator, counts = tf.train.Coordinator(), []

    def work(fails: bool) -> None:
        with coordinator.stop_on_exception():
            while not coordinator.should_stop():
                counts.append(1)
                if fails:
                    raise ValueError("enough")

    threads = [threading.Thread(target=work, args=(fails,)) for fails in (False, True)]
    for thread in threads:
        thread.start()
    with pytest.raises(ValueError, match="enough"):
        coordinator.join(threads)
    assert coordinator.joined
    coordinator.clear_stop()
    assert not coordinator.should_stop()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coordinator.join([])


def test_views(tmp_path: Path) -> None:
    root = tf.Module()
    root.a, root.b = tf.Variable(1.0), [tf.Variable(2.0)]  # type: ignore[attr-defined]
    view = tf.train.TrackableView(root)
    assert set(view.children(root)) == {"a", "b"}
    assert view.root is root
    assert len(view.descendants()) == 4
    path = tf.train.Checkpoint(root).write(str(tmp_path / "values"))
    saved = tf.train.CheckpointView(path)
    assert set(saved.children(0)) >= {"a", "b"}
    matched = saved.match(root)
    assert any(value is root.a for value in matched.values())  # type: ignore[attr-defined]
    del root.a  # type: ignore[attr-defined]
    root.c = tf.Variable(3.0)  # type: ignore[attr-defined]
    _, gone, alone = saved.diff(root)
    assert any(value is root.c for value in alone)  # type: ignore[attr-defined]
    assert saved.children(0)["a"] in gone
    with pytest.raises(ValueError, match="has no parts"):
        saved.match(1.0)


def test_a_view_of_references_that_differ(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    root, other = tf.Module(), tf.Module()
    root.a = root.b = tf.Module()  # type: ignore[attr-defined]
    other.a, other.b = tf.Module(), tf.Module()  # type: ignore[attr-defined]
    path = tf.train.Checkpoint(root).write(str(tmp_path / "values"))
    assert tf.train.CheckpointView(path).match(other) == {0: other, 1: other.a}  # type: ignore[attr-defined]
    assert "Inconsistent references" in caplog.text


def test_profiles(tmp_path: Path) -> None:
    profiler: Any = tf.profiler.experimental
    profiler.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError):
        profiler.start(str(tmp_path))
    with profiler.Trace("step", step_num=1) as trace:
        trace.set_metadata(loss=2)
        tf.ones([3]) + 1.0
    profiler.stop()
    (event,) = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert (event["name"], event["args"]) == ("step", {"step_num": "1", "loss": "2"})
    assert pstats.Stats(str(tmp_path / "profile.pstats")).total_calls > 0  # type: ignore[attr-defined]
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()


def test_switches_are_accepted() -> None:
    experimental, optimizer = tf.config.experimental, tf.config.optimizer
    experimental.enable_op_determinism()
    experimental.set_device_policy("warn")
    assert experimental.get_device_policy() == "warn"
    experimental.set_device_policy(None)
    optimizer.set_jit(True)
    assert optimizer.get_jit() == "autoclustering"
    optimizer.set_jit(False)
    with pytest.raises(ValueError, match="device_policy"):
        experimental.set_device_policy("loud")
    with pytest.raises(ValueError, match="not counted"):
        experimental.get_memory_usage("CPU:0")
    assert experimental.VirtualDeviceConfiguration is tf.config.LogicalDeviceConfiguration


def test_types() -> None:
    types = tf.types.experimental
    f = tf.function(lambda x: x)
    assert isinstance(f, types.GenericFunction)
    assert isinstance(f, types.Callable)
    assert isinstance(f.get_concrete_function(1.0), types.ConcreteFunction)

    class Traced:
        def __tf_tracing_type__(self, context: Any) -> Any:
            return None

    assert isinstance(Traced(), types.SupportsTracingProtocol)
