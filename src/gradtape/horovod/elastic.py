"""State that survives a restart.

A job that loses a rank ends, and `gradtape launch --restarts n` starts it again. What `commit` has written, the next start restores;
`run` makes all ranks begin with the same state.
"""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Callable
from typing import Any

from gradtape.core import atomic_file, errors, lazy, plain_file
from gradtape.horovod._objects import broadcast_object, broadcast_variables
from gradtape.horovod._process import init, is_initialized, rank, shutdown
from gradtape.horovod.exceptions import HorovodInternalError, HostsUpdatedInterrupt

# Names that need Keras.
__getattr__, __dir__, _later = lazy.attach(
    __name__, {"gradtape.horovod.callbacks": "CommitStateCallback UpdateBatchStateCallback UpdateEpochStateCallback"}
)
__all__ = [
    "HorovodInternalError", "HostsUpdatedInterrupt", "KerasState", "ObjectState", "State", "TensorFlowKerasState", "TensorFlowState",
    "init", "run", "shutdown", *_later,
]  # fmt: skip


class State:
    """The state of a training program that must survive failures.

    Args:
      path: the file that `commit` writes; GRADTAPE_ELASTIC_FILE by default, which `gradtape launch` sets. Without one, commits last as
        long as the process.
      **values: attributes that are kept.
    """

    def __init__(self, path: str | None = None, **values: Any) -> None:
        self._path = path or os.environ.get("GRADTAPE_ELASTIC_FILE")
        self._names = tuple(values)
        self._callbacks: list[Callable[[], Any]] = []
        for name, value in values.items():
            setattr(self, name, value)
        self._saved: bytes | None = None

    def register_reset_callbacks(self, callbacks: Any) -> None:
        """Functions to call when a job has started again."""
        self._callbacks.extend(callbacks)

    def _contents(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names}

    def _take(self, contents: dict[str, Any]) -> None:
        for name, value in contents.items():
            setattr(self, name, value)

    def save(self) -> None:
        """Keep the state in memory, for `restore`."""
        self._saved = pickle.dumps(self._contents())

    def restore(self) -> None:
        """Restore the last committed state."""
        if self._saved is not None:
            self._take(pickle.loads(self._saved))

    def commit(self) -> None:
        """Keep the state, on disk too; all ranks wait until it is written."""
        self.save()
        problem = None
        if self._path and rank() == 0:
            try:
                if self._path == os.environ.get(
                    "GRADTAPE_ELASTIC_FILE"
                ):  # the launcher's folder is on its machine only
                    os.makedirs(os.path.dirname(self._path) or ".", mode=0o700, exist_ok=True)
                _write(self._path, self._saved)
            except OSError as error:
                problem = str(error)
        problem = broadcast_object(problem, 0) if is_initialized() else problem
        if problem:
            raise errors.build(
                errors.ResourceExhaustedError,
                f"commit: the state cannot be written: {problem}",
                "free some space, or choose another path.",
            )

    def check_host_updates(self) -> None:
        """Nothing: hosts do not change while a job runs."""

    def on_hosts_updated(self, timestamp: Any, update_res: Any) -> None:
        """Nothing: hosts do not change while a job runs."""

    def reset(self) -> None:
        """Nothing; classes of programs may do something when a job has started again."""

    def on_reset(self) -> None:
        """Call `reset` and the callbacks, when a job has started again."""
        self.reset()
        for callback in self._callbacks:
            callback()

    def sync(self) -> None:
        """Broadcast the state of rank 0, which reads it from disk if it exists."""
        if self._path and rank() == 0 and os.path.exists(self._path):
            self._take(pickle.loads(_read(self._path)))
        self._broadcast()
        self.save()

    def _broadcast(self) -> None:
        self._take(broadcast_object(self._contents(), 0))


ObjectState = State


class TensorFlowState(State):
    """State with variables.

    Args:
      variables: the variables.
      path, **values: see State.
    """

    def __init__(self, variables: Any = (), path: str | None = None, **values: Any) -> None:
        self.variables = list(variables)
        super().__init__(path, **values)

    def _tracked(self) -> list[Any]:
        return list(self.variables)

    def _contents(self) -> dict[str, Any]:
        return {**super()._contents(), "variables of the state": [v.numpy() for v in self._tracked()]}

    def _take(self, contents: dict[str, Any]) -> None:
        contents = dict(contents)
        values = contents.pop("variables of the state", [])
        super()._take(contents)
        for variable, value in zip(self._tracked(), values, strict=True):
            variable.assign(value)

    def _broadcast(self) -> None:
        super()._take(broadcast_object(super()._contents(), 0))
        broadcast_variables(self._tracked(), 0)


class TensorFlowKerasState(TensorFlowState):
    """State with a Keras model and its optimizer.

    Args:
      model: the model, which must be built.
      optimizer: the optimizer; the model's own by default.
      path, **values: see State.
    """

    def __init__(self, model: Any, optimizer: Any = None, path: str | None = None, **values: Any) -> None:
        if not model.built:
            raise ValueError(
                errors.compose(
                    "TensorFlowKerasState: the model must be built, so that its variables can be restored.",
                    "model.build(input_shape), or start it with keras.Input.",
                )
            )
        self.model = model
        self.optimizer = optimizer or getattr(model, "optimizer", None)
        super().__init__((), path, **values)

    def _tracked(self) -> list[Any]:
        if self.optimizer is None:
            return list(self.model.variables)
        if not self.optimizer.built:
            self.optimizer.build(self.model.trainable_variables)
        return [*self.model.variables, *self.optimizer.variables]

    def _contents(self) -> dict[str, Any]:
        return {**State._contents(self), "variables of the state": [v.numpy() for v in self._tracked()]}


KerasState = TensorFlowKerasState


def run(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of functions of a state, which start from the last committed state."""

    @functools.wraps(func)
    def started(state: State, *args: Any, **kwargs: Any) -> Any:
        restarts = int(os.environ.get("GRADTAPE_LAUNCH_RESTART", "0"))
        state.sync()
        if restarts:
            state.on_reset()
        while True:
            try:
                return func(state, *args, **kwargs)
            except HostsUpdatedInterrupt as interrupt:  # a program may raise it on all ranks
                state.on_reset()
                if not interrupt.skip_sync:
                    state._broadcast()
                    state.save()

    return started


def _write(path: str, data: Any) -> None:
    """Write a file atomically; if that fails, the previous file remains. Only this user may write it, since it is unpickled."""
    with atomic_file.replacing(path, durable=True, is_private=True) as file:
        file.write(data)


def _read(path: str) -> bytes:
    try:
        return plain_file.read_own(path)
    except PermissionError as problem:
        raise errors.build(
            errors.PermissionDeniedError,
            f"sync: the state in {path!r} must not be writable by other users, since reading it can run code.",
            f"remove it if you do not know it; otherwise: chown $USER {path}; chmod 600 {path}",
        ) from problem
