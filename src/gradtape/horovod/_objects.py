"""Broadcasting variables, and collectives of Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradtape.control_flow.functions import group as together
from gradtape.core import errors, state
from gradtape.horovod._functions import group_root
from gradtape.horovod._process_set import ProcessSet, global_process_set
from gradtape.ranks import _operations as operations
from gradtape.transform.gradient_arguments import source_of


def broadcast_variables(
    variables: Iterable[Any], root_rank: int, process_set: ProcessSet = global_process_set, inplace: bool = False
) -> Any:
    """Broadcast variables from one rank.

    Args:
      variables: variables, or those of Keras.
      root_rank: the rank whose values are taken.
      process_set: the ranks that take part.
      inplace: ignored.

    Returns:
      None; in a graph of TensorFlow 1, the operation to run.
    """
    group = process_set.group("broadcast_variables")
    chosen = list(variables)
    for v in chosen:
        _check_variable(v)
    values = operations.broadcast([source_of(v) for v in chosen], group, group_root(group, root_rank))
    assigned = [variable.assign(value) for variable, value in zip(chosen, values, strict=True)]
    return together(*assigned)


def broadcast_(
    variables: Iterable[Any],
    root_rank: int,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> list[Any]:
    """The variables, with the values of one rank; see `broadcast_variables`."""
    chosen = list(variables)
    broadcast_variables(chosen, root_rank, process_set)
    return chosen


def _check_variable(v: Any) -> None:
    if not hasattr(v, "assign"):
        raise errors.build(
            TypeError,
            f"broadcast_variables: the list must hold variables, got {v!r}.",
            "hvd.broadcast_variables(model.variables, root_rank=0).",
        )


def allgather_object(
    obj: Any, session: Any = None, name: str | None = None, process_set: ProcessSet = global_process_set
) -> list[Any]:
    """The objects of all ranks, which must be picklable, by rank."""
    _refuse_trace("allgather_object")
    return list(process_set.group("allgather_object").exchange(obj, name or ""))


def broadcast_object(
    obj: Any,
    root_rank: int = 0,
    session: Any = None,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> Any:
    """The object of one rank, which must be picklable."""
    _refuse_trace("broadcast_object")
    group = process_set.group("broadcast_object")
    root = group_root(group, root_rank)
    return group.exchange(obj if group.rank == root else None, name or "broadcast_object")[root]


def broadcast_object_fn(
    root_rank: int = 0,
    session: Any = None,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> Callable[[Any], Any]:
    """A function that broadcasts objects of one rank."""
    return lambda obj: broadcast_object(obj, root_rank, session, name, process_set)


def _refuse_trace(who: str) -> None:
    trace = state.current.trace
    if trace is not None and getattr(trace, "session_graph", None) is None:
        raise errors.build(
            RuntimeError,
            f"{who}: Python objects cannot be exchanged inside a tf.function.",
            f"call hvd.{who} outside of it.",
        )
