"""Options and records that are protocol buffers in TensorFlow: here objects that take any field and hold it."""

from __future__ import annotations

import copy
from typing import Any


class Fields:
    """An object with any fields: one that was not set is an empty object of fields, false and zero.

    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> config.gpu_options.allow_growth
    True
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.__dict__[name] = Fields()
        return made

    def CopyFrom(self, other: Any) -> None:  # noqa: N802
        """Take the fields of another object."""
        self.__dict__.clear()
        self.__dict__.update(copy.deepcopy(vars(other)))

    MergeFrom = CopyFrom

    def HasField(self, name: str) -> bool:  # noqa: N802
        """Whether a field was set."""
        return name in self.__dict__

    def ClearField(self, name: str) -> None:  # noqa: N802
        """Forget a field."""
        self.__dict__.pop(name, None)

    def SerializeToString(self) -> bytes:  # noqa: N802
        """Nothing: these records are not written."""
        return b""

    def add(self, **fields: Any) -> Fields:
        """A new element of a repeated field."""
        made = Fields(**fields)
        self.__dict__.setdefault("_elements", []).append(made)
        return made

    def append(self, value: Any) -> None:
        """Add to a repeated field."""
        self.__dict__.setdefault("_elements", []).append(value)

    def extend(self, values: Any) -> None:
        """Add several to a repeated field."""
        self.__dict__.setdefault("_elements", []).extend(values)

    def __iter__(self) -> Any:
        return iter(self.__dict__.get("_elements", ()))

    def __len__(self) -> int:
        return len(self.__dict__.get("_elements", ()))

    def __bool__(self) -> bool:
        return bool(self.__dict__)

    def __int__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Fields):
            return vars(self) == vars(other)
        return not self.__dict__ and not other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class ConfigProto(Fields):
    """The options of a session."""


class GPUOptions(Fields):
    """Options of devices."""


class GraphOptions(Fields):
    """Options of graphs."""


class OptimizerOptions(Fields):
    """Options of the passes over graphs."""

    L0, L1 = -1, 0
    OFF, ON_1, ON_2 = -1, 1, 2


class RunOptions(Fields):
    """Options of one run of a session."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3


class RunMetadata(Fields):
    """Metadata of a run of a session: empty."""


class CallableOptions(Fields):
    """Options of a function made from a session."""


class GraphDef(Fields):
    """A serialised graph."""


class NodeDef(Fields):
    """A serialised op."""


class AttrValue(Fields):
    """A serialised parameter of an op."""

    class ListValue(Fields):
        """A serialised list of parameters."""


class Event(Fields):
    """A record of a file of summaries."""


class Summary(Fields):
    """Serialised summaries."""

    class Value(Fields):
        """One summary."""

    class Image(Fields):
        """An image in a summary."""

    class Audio(Fields):
        """A sound in a summary."""


class SummaryMetadata(Fields):
    """The metadata of a summary."""

    class PluginData(Fields):
        """The data of a summary for the plug-in that shows it."""


class HistogramProto(Fields):
    """A serialised histogram."""


class ClusterDef(Fields):
    """The serialised machines of a cluster."""


class StructuredValue(Fields):
    """A serialised structure of specs."""
