"""`tf.experimental.dtensor`: tensors over many machines. Here there is one machine: classes serve isinstance checks, functions raise."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors

__all__ = [
    "UNSHARDED",
    "DTensorDataset",
    "DVariable",
    "Layout",
    "Mesh",
    "call_with_layout",
    "copy_to_mesh",
    "create_mesh",
    "default_mesh",
    "fetch_layout",
    "relayout",
    "run_on",
    "unpack",
]

UNSHARDED = "unsharded"


def _refused(*_: Any, **__: Any) -> Any:
    raise errors.LeftOutError(
        errors.compose(
            "tf.experimental.dtensor is left out: processes train together through MPI; there are no servers.",
            "use tf.distribute.MirroredStrategy, which runs in this process.",
            depth=2,
        )
    )


class DVariable:
    """A variable over several machines: nothing is one."""

    __init__ = _refused


class Layout:
    """The layout of a tensor over several machines: nothing is one."""

    __init__ = _refused


class Mesh:
    """Several machines: nothing is one."""

    __init__ = _refused


class DTensorDataset:
    """A dataset over several machines: nothing is one."""

    __init__ = _refused


call_with_layout = copy_to_mesh = create_mesh = default_mesh = _refused
fetch_layout = relayout = run_on = unpack = _refused
