"""DeviceSpec of version 1, whose parts can be changed."""

from __future__ import annotations

from typing import Any

from gradtape.config._device_spec import DeviceSpec as _DeviceSpec


def _part(name: str) -> Any:
    def change(self: DeviceSpec, value: Any) -> None:
        self._become(self.replace(**{name: value}))

    return property(lambda self: getattr(self._parts, name), change, doc=f"The {name}, or None.")


class DeviceSpec(_DeviceSpec):
    """The name of a device in parts, which can be assigned; each part may be unset.

    Args:
      job: the name of a job.
      replica, task: numbers.
      device_type: "CPU" or "GPU".
      device_index: a number.

    >>> spec = tf.compat.v1.DeviceSpec(job="worker")
    >>> spec.task = 3
    >>> spec.to_string()
    '/job:worker/task:3'
    """

    job, replica, task = _part("job"), _part("replica"), _part("task")
    device_type, device_index = _part("device_type"), _part("device_index")

    def _become(self, other: _DeviceSpec) -> None:
        self._parts = other._parts

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """This spec, with the parts of a name and no others."""
        self._become(self.from_string(spec))
        return self

    def merge_from(self, dev: _DeviceSpec) -> None:
        """Take the parts of another spec where that has some."""
        self._become(self.make_merged_spec(dev))

    __hash__ = _DeviceSpec.__hash__
