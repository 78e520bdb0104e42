"""Horovod in graphs of TensorFlow 1, which sessions run: broadcasting all variables, and optimizers that compute and apply apart.

The graphs belong to a room above this one, so its list of variables is asked for by name.
"""

from __future__ import annotations

import importlib
from typing import Any

from gradtape.core import errors, state
from gradtape.horovod._objects import broadcast_variables
from gradtape.horovod._tape import Reducer


def broadcast_global_variables(root_rank: int) -> Any:
    """Broadcast all variables of the graph from one rank; refused outside of graphs, where nobody lists all variables."""
    if _graph() is None:
        raise errors.build(
            RuntimeError,
            "hvd.broadcast_global_variables() does not support eager execution.",
            "hvd.broadcast_variables(model.variables, root_rank=0).",
        )
    return broadcast_variables(importlib.import_module("gradtape.compat.v1").global_variables(), root_rank)


class BroadcastGlobalVariablesHook:
    """Broadcasts all variables of a graph when its session was created.

    Args:
      root_rank: the rank whose values are taken.
      device: ignored.
    """

    def __init__(self, root_rank: int, device: str = "") -> None:
        self.root_rank, self.device = root_rank, device
        self.bcast_op: Any = None
        self._graph: Any = None

    def begin(self) -> None:
        """Add the broadcast to the graph."""
        if self.bcast_op is None or self._graph is not _graph():
            self.bcast_op, self._graph = broadcast_global_variables(self.root_rank), _graph()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Run it, when the variables were initialized."""
        session.run(self.bcast_op)

    def before_run(self, run_context: Any) -> None:
        """Nothing."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Nothing."""

    def end(self, session: Any) -> None:
        """Nothing."""


def distributed(optimizer: Any, reducer: Reducer, name: str | None, passes: int) -> Any:
    """An optimizer whose `compute_gradients` reduces the gradients of all ranks."""
    if passes > 1:
        raise errors.build(
            errors.UnimplementedError,
            "DistributedOptimizer: backward_passes_per_step is not supported for optimizers of TensorFlow 1.",
            "use an optimizer of Keras.",
        )
    base = type(optimizer)

    def compute_gradients(self: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        pairs = base.compute_gradients(self, *args, **kwargs)
        reduced = reducer([g for g, _ in pairs], [v for _, v in pairs])
        return [(g, v) for g, (_, v) in zip(reduced, pairs, strict=True)]

    methods = {
        "compute_gradients": compute_gradients,
        "register_local_var": lambda self, var: reducer.register_local(var),
        "__module__": base.__module__,
    }
    optimizer.__class__ = type(base.__name__, (base,), methods)
    if name is not None:
        optimizer._name = name
    return optimizer


def _graph() -> Any:
    return getattr(state.current.trace, "session_graph", None)
