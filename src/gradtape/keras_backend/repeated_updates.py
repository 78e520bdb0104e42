"""The updates of an optimizer in a loop that is not a `tf.function`, compiled.

Keras's Adam runs some sixteen functions per variable: in an eager loop over a small model, most of the time goes into them.
An update is a function of the gradients; the variables and everything else that it reads belong to the optimizer. So after some
updates of the same variables, the update is traced into one program. Only optimizers, schedules and constraints of Keras itself are
compiled: code of the user runs in every step, as written. Settings of the optimizer are compared before each update; a program is
dropped when one of them has changed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from keras.src.backend.common.stateless_scope import in_stateless_scope

import gradtape as tf
from gradtape.core import hot_kernels, state
from gradtape.core.tensor import Tensor

_OFTEN = 32  # updates before one is compiled
_MOST = 8  # lists of variables that an optimizer updates in turn
_MOST_CHANGES = 4  # of settings, after which nothing is compiled any more

Apply = Callable[[Any, Sequence[Any], Sequence[Any]], None]


class Updates:
    """The updates of one list of variables.

    Attributes:
      seen: updates since the settings changed.
      changes: how often the settings changed after a program had been compiled; many if there can be no program.
      settings: those of the optimizer, as compared.
      held: the objects among the settings, so that no other object gets their numbers.
      program: the compiled update.
    """

    __slots__ = ("changes", "held", "program", "seen", "settings")

    def __init__(self) -> None:
        self.seen = self.changes = 0
        self.settings: tuple[Any, ...] = ()
        self.held: list[Any] = []
        self.program: Callable[[list[Any]], Any] | None = None


class Cache:
    """The updates of an optimizer, by the identities of the variables. Copies of the optimizer start empty."""

    def __init__(self) -> None:
        self.updates: dict[tuple[int, ...], Updates] = {}

    def __reduce__(self) -> tuple[type[Cache], tuple[()]]:
        return Cache, ()


def run(optimizer: Any, grads: Sequence[Any], variables: Sequence[Any], apply: Apply) -> bool:
    """True if a program has updated the variables."""
    if not _is_eager(grads) or not optimizer.built:
        return False
    cache = optimizer.__dict__.get("_gradtape_updates")
    if cache is None:
        cache = Cache()
        object.__setattr__(optimizer, "_gradtape_updates", cache)
    found = cache.updates.get(key := tuple(map(id, variables)))
    if found is None:
        if len(cache.updates) < _MOST and _is_own(optimizer, variables):
            cache.updates[key] = Updates()
        return False
    settings, held = _settings(optimizer)
    if settings != found.settings:
        found.changes += found.program is not None
        found.seen, found.settings, found.held, found.program = 0, settings, held, None
    found.seen += 1
    if found.program is None:
        if found.seen < _OFTEN or found.changes > _MOST_CHANGES or not _is_own(optimizer, variables):
            return False
        found.held = [*held, *variables]
        found.program = _program(optimizer, list(variables), apply)
    try:
        found.program(list(grads))
    except Exception:  # the same update, step by step, raises the precise error
        found.changes, found.program = _MOST_CHANGES + 1, None
        return False
    return True


def _program(optimizer: Any, variables: list[Any], apply: Apply) -> Callable[[list[Any]], Any]:
    @tf.function(autograph=False)
    def update(grads: list[Any]) -> None:
        apply(optimizer, grads, variables)

    return update


def _is_eager(grads: Sequence[Any]) -> bool:
    """Whether these are plain tensors, outside of functions, maps and stateless scopes."""
    return (
        state.current.trace is None
        and hot_kernels.is_enabled()
        and all(type(g) is Tensor for g in grads)
        and not in_stateless_scope()
    )


def _is_own(optimizer: Any, variables: Sequence[Any]) -> bool:
    """Whether an update runs no code but Keras's own."""
    optimizers = [o for o in (optimizer, getattr(optimizer, "inner_optimizer", None)) if o is not None]
    if not all(type(o).__module__.startswith("keras.src.optimizers.") for o in optimizers):
        return False
    if any(callable(getattr(type(o), name, None)) for o in optimizers for name in vars(o)):
        return False  # a method was replaced on the object
    parts = [*[getattr(o, "_learning_rate", None) for o in optimizers], *[v.constraint for v in variables]]
    return all(p is None or type(p).__module__.startswith(("keras.src.", "gradtape.keras_backend.")) for p in parts)


def _settings(optimizer: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """The attributes of an optimizer and of the one inside of it: plain values, the numbers of objects, and these objects."""
    values = [*vars(optimizer).values()]
    with contextlib.suppress(KeyError):
        values += vars(vars(optimizer)["inner_optimizer"]).values()
    held = [v for v in values if type(v) not in _PLAIN]
    return tuple([v if type(v) in _PLAIN else id(v) for v in values]), held


_PLAIN = frozenset({int, float, bool, str, type(None)})
