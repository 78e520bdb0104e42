"""Devices: `tf.device`, and the functions of `tf.config` that list them.

There is the CPU, and a GPU where CuPy is installed. Settings that concern TensorFlow's own memory and placement are
accepted where a program would run the same without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from gradtape.core import device as devices
from gradtape.core import errors, state

_current = state.current


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs name it."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """A part of a device that is divided. The parts share its memory, so limits are accepted without effect."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@contextmanager
def device(device_name: str | None) -> Iterator[None]:
    """Run a block in which new tensors are made on a device.

    Args:
      device_name: a name such as "/CPU:0" or "/GPU:0"; None or "" takes back an outer choice. Where the device is not there, the
        block runs on the CPU, unless `tf.config.set_soft_device_placement(False)` was called.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1.0)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    if device_name is not None and not isinstance(device_name, str):
        raise errors.build(
            ValueError,
            f"device: expecting a string device name, got {device_name!r}.",
            'use a name like "/CPU:0" or "/GPU:0".',
        )
    device_name = device_name or None
    before = _current.device
    _current.device = None if device_name is None else devices.chosen(device_name)
    try:
        yield
    finally:
        _current.device = before


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine; those of one type ("CPU", "GPU") if it is given.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [PhysicalDevice(f"/physical_device:{kind}:{i}", kind) for kind, i in _present(device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that programs can name; those of one type if it is given.

    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    visible = {name.rpartition("/physical_device:")[2] for name, _ in get_visible_devices(device_type)}
    found = [(kind, i) for kind, i in _present(device_type) if f"{kind}:{i}" in visible]
    if ("CPU", 0) in found:
        found[:1] = [("CPU", i) for i in range(devices.division.cpus)]
    return [LogicalDevice(f"/device:{kind}:{i}", kind) for kind, i in found]


def _present(device_type: str | None) -> list[tuple[str, int]]:
    found = [("CPU", 0), *[("GPU", i) for i in range(devices.gpu_count())]]
    return [pair for pair in found if device_type in (None, pair[0])]


_hidden: set[str] = set()


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that have not been hidden by `set_visible_devices`.

    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [d for d in list_physical_devices(device_type) if d.name not in _hidden]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Choose the devices that are listed as logical devices.

    Args:
      devices: a device, or a list of devices, from `list_physical_devices`.
      device_type: the type that the choice concerns; others stay as they are.

    >>> tf.config.set_visible_devices([], "GPU")
    """
    chosen: list[Any] = [devices] if isinstance(devices, (PhysicalDevice, str)) else list(devices)
    for d in chosen:
        _check_physical(d)
        if device_type not in (None, d.device_type):
            raise ValueError(f"set_visible_devices: {d} is not a device of type {device_type!r}.")
    concerned = {d.name for d in list_physical_devices(device_type)}
    _hidden.difference_update(concerned)
    _hidden.update(concerned - {d.name for d in chosen})


def _check_physical(device: Any) -> None:
    if device not in list_physical_devices():
        raise errors.build(
            ValueError, f"Unrecognized device: {device!r}.", "pass a device from tf.config.list_physical_devices()."
        )


def get_soft_device_placement() -> bool:
    """Whether `tf.device` runs its block on the CPU if the device is missing.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return devices.placement.soft


def set_soft_device_placement(enabled: bool) -> None:
    """Choose whether `tf.device` runs its block on the CPU if the device is missing, or raises an error.

    >>> tf.config.set_soft_device_placement(True)
    """
    devices.placement.soft = bool(enabled)


def set_memory_growth(device: Any, enable: bool) -> None:
    """Accepted for a GPU: CuPy's memory grows as it is needed. ValueError for other devices.

    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    _check_physical(device)
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on devices that are not GPUs.")


def get_memory_growth(device: Any) -> bool:
    """True for a GPU: CuPy's memory grows as it is needed. ValueError for other devices.

    >>> [tf.config.experimental.get_memory_growth(gpu) for gpu in tf.config.list_physical_devices("GPU")]
    []
    """
    set_memory_growth(device, True)
    return True


def get_device_details(device: Any) -> dict[str, Any]:
    """Details of a device: for a GPU, its `device_name` and `compute_capability`.

    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}
    """
    _check_physical(device)
    if device.device_type == "CPU":
        return {}
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(int(device.name.rpartition(":")[2]))
    return {
        "device_name": properties["name"].decode(),
        "compute_capability": (properties["major"], properties["minor"]),
    }


def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """The parts into which a device is divided; None if it is not.

    >>> tf.config.get_logical_device_configuration(tf.config.list_physical_devices("CPU")[0])
    """
    _check_physical(device)
    return _divided.get(device.name)


_divided: dict[str, list[LogicalDeviceConfiguration]] = {}


def set_logical_device_configuration(device: Any, logical_devices: Sequence[LogicalDeviceConfiguration]) -> None:
    """Divide the CPU into several devices, for instance to try a `tf.distribute.MirroredStrategy`.

    They share the cores and the memory of the machine. ValueError for several parts of a GPU.

    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    >>> [d.name for d in tf.config.list_logical_devices("CPU")]
    ['/device:CPU:0', '/device:CPU:1']
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    """
    _check_physical(device)
    parts = list(logical_devices)
    if not parts or (len(parts) > 1 and device.device_type != "CPU"):
        raise errors.build(
            ValueError,
            f"{device.name} cannot be divided into {len(parts)} logical devices.",
            "use one per GPU; only the CPU can be divided.",
        )
    if device.device_type == "CPU":
        devices.division.cpus = len(parts)
    _divided.pop(device.name, None)
    if len(parts) > 1:
        _divided[device.name] = parts
