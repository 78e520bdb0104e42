"""Devices: the CPU, and GPUs where CuPy is installed. An array's type says where it lives."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from gradtape.core import errors, state

_PREFIX = "/job:localhost/replica:0/task:0/device:"
_PATTERN = r"^(?:/job:[^/]+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?(cpu|gpu|tpu)(?::(\d+|\*))?$"


class _Division:
    """Into how many devices programs have divided the CPU; the names count, the cores are the same."""

    cpus = 1


division = _Division()


class _Placement:
    """Whether a block for a device that is not there runs on the CPU."""

    soft = True


placement = _Placement()


def parse(name: str) -> tuple[str, int]:
    """`("CPU", 0)` of `"/CPU:0"`, `"cpu"`, `"/device:GPU:1"` and full names."""
    import re

    match = re.match(_PATTERN, name, re.IGNORECASE)
    if match is None:
        raise ValueError(
            errors.compose(f"device: {name!r} is not a device name.", 'use a name like "/CPU:0" or "/GPU:0".')
        )
    index = match.group(2)
    return match.group(1).upper(), 0 if index in (None, "*") else int(index)


def of_array(array: Any) -> str:
    """The full device name of an array."""
    if not isinstance(array, (np.ndarray, np.generic)) and type(array).__module__.startswith("cupy"):
        return f"{_PREFIX}GPU:{array.device.id}"
    return f"{_PREFIX}CPU:0"


def to_host(array: Any) -> Any:
    """A NumPy array of another array type, by its own `get` (CuPy) or `__array__`."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def has_cupy() -> bool:
    """True if CuPy is installed."""
    from importlib.util import find_spec

    return "cupy" in sys.modules or find_spec("cupy") is not None


def gpu_count() -> int:
    """How many GPUs CuPy can use; 0 without CuPy, which is not imported just to find out that it is missing."""
    if not has_cupy():
        return 0
    try:
        import cupy

        return int(cupy.cuda.runtime.getDeviceCount())
    except Exception:
        # CuPy without a driver or a device raises its own errors: there is no usable GPU then.
        return 0


def check(name: str) -> str:
    """The short form of a device name; a clear error if the device does not exist."""
    kind, index = parse(name)
    if kind == "CPU":
        if index >= division.cpus:
            present = "CPU:0" if division.cpus == 1 else f"CPU:0 to CPU:{division.cpus - 1}"
            raise errors.build(
                errors.DeviceError,
                f"device: there is no {name!r}, only {present}.",
                'use "/CPU:0", or divide the CPU with tf.config.set_logical_device_configuration.',
            )
    elif kind == "TPU":
        raise errors.build(errors.DeviceError, f"device: there is no {name!r}: gradtape uses no TPUs.", 'use "/CPU:0".')
    elif index >= gpu_count():
        installed = has_cupy()
        raise errors.build(
            errors.DeviceError,
            f"device: there is no {name!r}: "
            + (f"CuPy sees {gpu_count()} GPU(s)." if installed else "GPU arrays need CuPy, which is not installed."),
            'use "/CPU:0"'
            + (", or install CuPy for your CUDA version (pip install cupy-cuda12x)." if not installed else "."),
        )
    return f"{kind}:{index}"


def chosen(name: str) -> str:
    """The short form of the device that a block runs on: the named one, or the CPU if that does not exist."""
    try:
        return check(name)
    except errors.DeviceError:
        if not placement.soft:
            raise
        return "CPU:0"


def place(array: Any) -> Any:
    """A new array on the device that `tf.device` chose."""
    chosen = state.current.device
    if chosen is None or chosen.startswith("CPU") or not isinstance(array, (np.ndarray, np.generic)):
        return array
    import cupy

    with cupy.cuda.Device(int(chosen.split(":")[1])):
        return cupy.asarray(array)
