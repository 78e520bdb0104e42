"""DeviceSpec: the parts of a device's name."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape.core import errors


class _Parts(NamedTuple):
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None


class DeviceSpec:
    """The name of a device in parts; each part may be unset.

    Args:
      job: the name of a job.
      replica: a number.
      task: a number.
      device_type: "CPU" or "GPU".
      device_index: a number.

    >>> tf.DeviceSpec(device_type="GPU", device_index=0).to_string()
    '/device:GPU:0'
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        def number(value: Any) -> int | None:
            return None if value is None else int(value)

        kind = device_type.upper() if device_type and device_type.lower() in ("cpu", "gpu") else device_type
        self._parts = _Parts(job, number(replica), number(task), kind, number(device_index))

    job = property(lambda self: self._parts.job, doc="The name of the job, or None.")
    replica = property(lambda self: self._parts.replica, doc="The number of the replica, or None.")
    task = property(lambda self: self._parts.task, doc="The number of the task, or None.")
    device_type = property(lambda self: self._parts.device_type, doc="The type, or None.")
    device_index = property(lambda self: self._parts.device_index, doc="The number among devices of the type, or None.")

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The spec of a name such as "/job:worker/task:1/device:CPU:0".

        >>> tf.DeviceSpec.from_string("/task:1/cpu:0").device_type
        'CPU'
        """
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            key, *rest = part.split(":")
            if key in ("job", "replica", "task") and len(rest) == 1:
                found[key] = rest[0]
            elif (key == "device" and rest) or key.lower() in ("cpu", "gpu"):
                kind, *index = rest if key == "device" else [key, *rest]
                if "device_type" in found:
                    raise errors.build(
                        ValueError,
                        f"Multiple device types are not allowed while parsing the device spec: {spec}.",
                        "name one device.",
                    )
                found["device_type"] = None if kind == "*" else kind
                found["device_index"] = None if not index or index[0] == "*" else index[0]
            else:
                raise errors.build(
                    ValueError,
                    f"Unknown attribute {part!r} in the device name {spec!r}.",
                    'write it like "/device:CPU:0".',
                )
        return cls(**found)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """`from_string`."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name; open parts are left out."""
        job, replica, task, kind, index = self._parts
        text = "".join(
            f"/{name}:{value}"
            for name, value in (("job", job), ("replica", replica), ("task", task))
            if value is not None
        )
        return text + ("" if kind is None else f"/device:{kind}:{'*' if index is None else index}")

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A spec with some parts replaced."""
        return DeviceSpec(**self._parts._asdict() | kwargs)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """A spec with the parts of another one where that has some."""
        return self.replace(**{name: value for name, value in dev._parts._asdict().items() if value is not None})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and other._parts == self._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"<DeviceSpec {self.to_string()!r}>"
