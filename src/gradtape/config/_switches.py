"""Switches of TensorFlow's runtime, as far as programs would run the same without them, and the memory of GPUs."""

from __future__ import annotations

from typing import Any

from gradtape.core import device as devices
from gradtape.core import errors

_settings: dict[str, Any] = {"policy": "silent", "jit": "", "options": {}}


def enable_op_determinism() -> None:
    """Nothing changes: the same program gives the same bits in every run.

    >>> tf.config.experimental.enable_op_determinism()
    """


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Accepted: float32 is computed as float32.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """


def tensor_float_32_execution_enabled() -> bool:
    """False: float32 is computed as float32.

    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    False
    """
    return False


def get_synchronous_execution() -> bool:
    """True: ops have finished when they return.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Accepted: ops have finished when they return.

    >>> tf.config.experimental.set_synchronous_execution(True)
    """


def get_device_policy() -> str:
    """The value set by `set_device_policy`; "silent" by default.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return str(_settings["policy"])


def set_device_policy(device_policy: str | None) -> None:
    """Accepted: an op runs where its tensors are, under every policy.

    Args:
      device_policy: None, "silent", "silent_for_int32", "warn" or "explicit".

    >>> tf.config.experimental.set_device_policy(None)
    """
    if device_policy not in (None, "silent", "silent_for_int32", "warn", "explicit"):
        raise ValueError(f"Invalid argument `device_policy`: {device_policy!r}.")
    _settings["policy"] = device_policy or "silent"


def get_jit() -> str:
    """The value set by `set_jit`; functions are always compiled.

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return str(_settings["jit"])


def set_jit(enabled: bool | str) -> None:
    """Accepted: functions are compiled in any case.

    Args:
      enabled: a bool, or "autoclustering".

    >>> tf.config.optimizer.set_jit(False)
    """
    if enabled not in (True, False, "", "autoclustering"):
        raise ValueError(f"Invalid argument `enabled`: {enabled!r}; it may be a bool or 'autoclustering'.")
    _settings["jit"] = "autoclustering" if enabled else ""


def get_experimental_options() -> dict[str, Any]:
    """The options that were set, which have no effect.

    >>> tf.config.optimizer.get_experimental_options()
    {}
    """
    return dict(_settings["options"])


def set_experimental_options(options: dict[str, Any]) -> None:
    """Store options of TensorFlow's graph optimizer; they have no effect.

    >>> tf.config.optimizer.set_experimental_options({})
    """
    _settings["options"] = {**_settings["options"], **options}


def get_memory_info(device: str) -> dict[str, int]:
    """The bytes that CuPy has allocated on a GPU: `current`, and `peak` since the start. ValueError for a CPU.

    >>> tf.config.experimental.get_memory_info("CPU:0")
    Traceback (most recent call last):
    ValueError: get_memory_info: the memory of 'CPU:0' is not counted...
    """
    if devices.parse(device)[0] != "GPU":
        raise errors.build(
            ValueError,
            f"get_memory_info: the memory of {device!r} is not counted.",
            "use tracemalloc, or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss.",
        )
    devices.check(device)
    import cupy

    pool = cupy.get_default_memory_pool()
    return {"current": int(pool.used_bytes()), "peak": int(pool.total_bytes())}


def get_memory_usage(device: str) -> int:
    """The bytes that CuPy has allocated on a GPU. ValueError for a CPU."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Free the memory that CuPy caches on a GPU, and reset the peak. ValueError for a CPU."""
    get_memory_info(device)
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
