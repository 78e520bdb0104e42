"""tf.device, and what tf.config tells about devices."""

import pytest

import gradtape as tf
from gradtape.config import _devices as devices
from gradtape.core import device, state

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize("name", ["/CPU:0", "cpu", "CPU:0", "/device:CPU:0", CPU, None])
def test_tensors_and_variables_are_on_the_cpu(name):
    with tf.device(name):
        assert tf.constant(1.0).device == CPU
        assert tf.Variable(1.0).device == CPU
        assert tf.random.normal([2]).device == CPU


@pytest.mark.parametrize(("installed", "told"), [(False, "which is not installed"), (True, "CuPy sees 0 GPU")])
def test_a_gpu_that_is_not_there(monkeypatch, installed, told):
    monkeypatch.setattr(device, "gpu_count", lambda: 0)
    monkeypatch.setattr(device, "has_cupy", lambda: installed)
    with tf.device("/GPU:0"):
        assert tf.constant(1.0).device == CPU
        assert tf.function(lambda: tf.constant(1.0) + 1.0)().numpy() == 2.0
    monkeypatch.setattr(device.placement, "soft", False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="there is no '/GPU:0'") as caught, tf.device("/GPU:0"):
        pass
    assert told in str(caught.value)
    assert tf.constant(1.0).device == CPU


def test_gpus_that_are_there(monkeypatch):
    monkeypatch.setattr(device, "gpu_count", lambda: 2)
    first, second = tf.config.list_physical_devices("GPU")
    assert first == ("/physical_device:GPU:0", "GPU")
    assert tf.config.list_logical_devices("GPU")[1].name == "/device:GPU:1"
    devices.set_memory_growth(second, True)
    assert devices.get_memory_growth(second) is True
    with tf.device("/GPU:1"):
        assert state.current.device == "GPU:1"


def test_a_name_that_takes_back_the_choice():
    for name in (None, ""):
        with tf.device("/CPU:0"), tf.device(name):
            assert state.current.device is None


@pytest.mark.parametrize("name", ["foo", 3])
def test_names_that_are_none(name):
    with pytest.raises(ValueError, match="device"), tf.device(name):
        pass


def test_a_tpu_that_is_not_there(monkeypatch):
    with tf.device("/TPU:0"):
        assert tf.constant(1.0).device == CPU
    monkeypatch.setattr(device.placement, "soft", False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="there is no '/TPU:0'"), tf.device("/TPU:0"):
        pass


def test_a_second_cpu():
    with pytest.raises(tf.errors.InvalidArgumentError, match="only CPU:0"):
        device.check("/CPU:1")


def test_scopes_end():
    with tf.device("/CPU:0"):
        with tf.device(None):
            assert state.current.device is None
        assert state.current.device == "CPU:0"
        with pytest.raises(KeyError), tf.device("cpu"):
            raise KeyError
    assert state.current.device is None


def test_lists():
    assert tf.config.list_physical_devices("CPU") == [("/physical_device:CPU:0", "CPU")]
    assert tf.config.list_logical_devices("CPU") == [("/device:CPU:0", "CPU")]
    assert tf.config.list_physical_devices()[0].device_type == "CPU"
    assert tf.config.list_physical_devices("XX") == []
    assert tf.config.list_physical_devices() == [
        *tf.config.list_physical_devices("CPU"),
        *tf.config.list_physical_devices("GPU"),
    ]


def test_visible_devices():
    everything = tf.config.list_physical_devices()
    try:
        tf.config.set_visible_devices([], "GPU")
        assert tf.config.get_visible_devices("GPU") == []
        assert tf.config.list_logical_devices() == [("/device:CPU:0", "CPU")]
        tf.config.set_visible_devices(everything[0])
        assert tf.config.get_visible_devices() == everything[:1]
        tf.config.set_visible_devices([], "CPU")
        assert tf.config.list_logical_devices("CPU") == []
    finally:
        tf.config.set_visible_devices(everything)
    assert tf.config.get_visible_devices() == everything


def test_devices_must_come_from_the_list():
    cpu = tf.config.list_physical_devices("CPU")[0]
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(["CPU:0"])
    with pytest.raises(ValueError, match="is not a device of type 'GPU'"):
        tf.config.set_visible_devices(cpu, "GPU")
    with pytest.raises(ValueError, match="Unrecognized device"):
        devices.set_memory_growth("GPU:0", True)


def test_settings_that_are_accepted():
    cpu = tf.config.list_physical_devices("CPU")[0]
    assert tf.config.get_soft_device_placement() is True
    tf.config.set_soft_device_placement(False)
    assert tf.config.get_soft_device_placement() is False
    tf.config.set_soft_device_placement(True)
    with pytest.raises(ValueError, match="memory growth"):
        devices.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="memory growth"):
        devices.get_memory_growth(cpu)
    assert devices.get_device_details(cpu) == {}
    assert tf.config.get_logical_device_configuration(cpu) is None
    one = tf.config.LogicalDeviceConfiguration(memory_limit=100)
    tf.config.set_logical_device_configuration(cpu, [one])
    with pytest.raises(ValueError, match="cannot be divided"):
        tf.config.set_logical_device_configuration(cpu, [])


def test_the_cpu_can_be_divided():
    cpu = tf.config.list_physical_devices("CPU")[0]
    part = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [part, part])
    try:
        assert tf.config.get_logical_device_configuration(cpu) == [part, part]
        assert [d.name for d in tf.config.list_logical_devices("CPU")] == ["/device:CPU:0", "/device:CPU:1"]
        with tf.device("/CPU:1"):
            assert float(tf.constant(1.0)) == 1.0
    finally:
        tf.config.set_logical_device_configuration(cpu, [part])
    with pytest.raises(tf.errors.InvalidArgumentError, match="only CPU:0"):
        device.check("/CPU:1")
