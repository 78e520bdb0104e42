"""Questions about traces and names; hooks; when code runs."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def test_static_values() -> None:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        seen.extend([tf.get_static_value(x), tf.get_static_value(tf.shape(x)), tf.is_symbolic_tensor(x)])
        return x

    f(tf.ones([2, 3]))
    assert seen[0] is None
    np.testing.assert_array_equal(seen[1], [2, 3])
    assert seen[2] is True
    assert tf.get_static_value(tf.constant(2)) == 2
    assert not tf.is_symbolic_tensor(tf.constant(2))


def test_time_is_that_of_the_run() -> None:
    now = tf.function(tf.timestamp)
    first = float(now())
    assert abs(first - time.time()) < 10
    time.sleep(0.01)
    assert float(now()) > first
    assert float(tf.timestamp()) >= first


def test_critical_section_excludes_other_threads() -> None:
    section, inside, most = tf.CriticalSection(name="one"), [], []

    def work() -> Any:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.001)
        inside.pop()
        return tf.constant(1.0)

    threads = [threading.Thread(target=lambda: section.execute(work)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    v = tf.Variable(0.0)
    assert float(tf.function(lambda: section.execute(lambda: v.assign_add(1.0)))()) == 1.0
    assert section.name == "one"


def test_batch_functions_have_no_gradient() -> None:
    @tf.nondifferentiable_batch_function(1, 10, 1000)
    def double(x: Any) -> Any:
        return {"y": 2.0 * x}

    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = double(x)["y"]
    assert float(y[0]) == 2.0
    assert tape.gradient(y, x) is None
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.guarantee_const(x) * 3.0
    assert float(tape.gradient(y, x)[0]) == 3.0


def test_conversion_functions() -> None:
    class Celsius:
        def __init__(self, value: float) -> None:
            self.value = value

    class Special(Celsius):
        pass

    def kelvin(value: Celsius, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(value.value + 273.15, dtype)

    def never(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return NotImplemented

    tf.register_tensor_conversion_function(Celsius, kelvin)
    tf.register_tensor_conversion_function(Special, never, priority=1)
    assert float(tf.add(Celsius(0.0), 1.0)) == pytest.approx(274.15)
    assert tf.convert_to_tensor(Special(1.0), tf.float64).dtype is tf.float64
    assert tf.stack([Celsius(0.0), tf.constant(1.0)]).shape == [2]
    with pytest.raises(TypeError, match="numeric types"):
        tf.register_tensor_conversion_function(float, kelvin)
    with pytest.raises(TypeError, match="callable"):
        tf.register_tensor_conversion_function(Celsius, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (tf.zeros_initializer(), [0.0, 0.0]),
        (tf.ones_initializer(), [1.0, 1.0]),
        (tf.constant_initializer(3), [3.0, 3.0]),
        (tf.constant_initializer([3, 4]), [3.0, 4.0]),
    ],
)
def test_initializers(make: Any, values: Any) -> None:
    np.testing.assert_array_equal(make([2]), values)
    assert make([2], tf.float64).dtype is tf.float64
    again = type(make).from_config(make.get_config())
    np.testing.assert_array_equal(again(shape=[2], dtype=tf.float32), values)


def test_random_initializers() -> None:
    normal = tf.random_normal_initializer(1.0, 2.0, seed=3)
    x = normal([10_000])
    assert abs(float(tf.reduce_mean(x)) - 1.0) < 0.1
    assert abs(float(tf.math.reduce_std(x)) - 2.0) < 0.1
    np.testing.assert_array_equal(x, normal([10_000]))
    uniform = tf.random_uniform_initializer(-1.0, 1.0)([1000])
    assert float(tf.reduce_min(uniform)) >= -1.0
    assert float(tf.reduce_max(uniform)) < 1.0
    assert normal.get_config() == {"mean": 1.0, "stddev": 2.0, "seed": 3}
    with pytest.raises(ValueError, match="float dtype"):
        normal([2], tf.int32)


def test_device_specs() -> None:
    spec = tf.DeviceSpec.from_string("/job:worker/replica:0/task:1/device:gpu:3")
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("worker", 0, 1, "GPU", 3)
    assert spec.to_string() == "/job:worker/replica:0/task:1/device:GPU:3"
    assert spec.replace(job=None, task=2).to_string() == "/replica:0/task:2/device:GPU:3"
    assert tf.DeviceSpec(job="a").make_merged_spec(tf.DeviceSpec(device_type="CPU")) == tf.DeviceSpec(
        "a", device_type="cpu"
    )
    assert tf.DeviceSpec(device_type="CPU").to_string() == "/device:CPU:*"
    with pytest.raises(ValueError, match="Unknown attribute"):
        tf.DeviceSpec.from_string("/nonsense:1")
    with pytest.raises(ValueError, match="Multiple device types are not allowed"):
        tf.DeviceSpec.from_string("/job:worker/gpu:2/cpu:0")
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0).to_string()):
        assert tf.constant(1.0).device.endswith("CPU:0")


def test_a_critical_section_is_not_entered_twice():
    """Sections with one shared name are one section."""
    section = tf.CriticalSection(shared_name="entered twice")
    for inner in (section, tf.CriticalSection(shared_name="entered twice")):
        for run in (section.execute, tf.function(section.execute)):
            with pytest.raises(ValueError, match="already running"):
                run(lambda inner=inner: inner.execute(lambda: tf.constant(1)))
    assert section.execute(lambda: tf.CriticalSection().execute(lambda: tf.constant(1))) == 1


def test_static_values_of_a_part() -> None:
    """What is known of values that are stacked, with None for the others."""
    found: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        found.append(tf.get_static_value(tf.stack([1, x, 3]), partial=True))
        found.append(tf.get_static_value(tf.stack([1, x, 3])))
        found.append(tf.get_static_value(tf.stack([[1, 2], [x, 3]]), partial=True))
        found.append(tf.get_static_value(x + 1, partial=True))
        return x

    f(tf.constant(2))
    assert found[0].tolist() == [1, None, 3]
    assert found[1] is None
    assert found[2].tolist() == [[1, 2], [None, 3]]
    assert found[3] is None
