"""tf.train.CheckpointManager: checkpoints of a program in a folder; old ones go."""

from __future__ import annotations

import numbers
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradtape.core import errors, log
from gradtape.core.os_errors import with_errors
from gradtape.train import _state_file as directory
from gradtape.train._checkpoint import Checkpoint, CheckpointOptions


class CheckpointManager:
    """Keeps the latest checkpoints in a folder, and deletes older ones.

    Args:
      checkpoint: a tf.train.Checkpoint.
      directory: the folder; it is made if needed. A manager that finds checkpoints of an earlier run goes on with them.
      max_to_keep: how many to keep; None keeps all.
      keep_checkpoint_every_n_hours: besides, never delete one that is so much later than the last one kept for ever.
      checkpoint_name: the first part of the file names.
      step_counter: a variable that counts steps, for `checkpoint_interval`.
      checkpoint_interval: `save` does nothing if fewer steps have passed since the last time.
      init_fn: called by `restore_or_initialize` where there is no checkpoint.
      last_checkpoint_step: the step of the latest checkpoint of an earlier run.

    >>> import tempfile
    >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [path.rpartition("/")[2] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and not isinstance(max_to_keep, numbers.Real):
            what = f"CheckpointManager: max_to_keep must be a number or None, got {errors.brief(max_to_keep)}."
            raise errors.build(TypeError, what, "max_to_keep=3 keeps the last three, None keeps all.")
        if max_to_keep is not None and max_to_keep <= 0:
            raise errors.build(
                ValueError,
                f"Expected a positive integer or None for `max_to_keep`, got {max_to_keep}.",
                "max_to_keep=3 keeps the last three, None keeps all.",
            )
        if checkpoint_interval is not None and step_counter is None:
            raise errors.build(
                ValueError,
                "checkpoint_interval needs a step_counter.",
                "pass the variable that counts: step_counter=step.",
            )
        self._checkpoint, self._directory, self._name = checkpoint, os.fspath(directory), checkpoint_name
        self._max_to_keep, self._init = max_to_keep, init_fn
        self._hours, self._interval, self._step = keep_checkpoint_every_n_hours, checkpoint_interval, step_counter
        self._last_step = last_checkpoint_step
        self._latest: str | None = None
        self._kept: dict[str, float] = {}
        self._preserved = (
            time.time() - 1.0
        )  # a manager made again at once would find its first checkpoint as old as this
        self._resume()

    def _resume(self) -> None:
        """Continue with the checkpoints of an earlier run's manager; missing ones are forgotten."""
        state = directory.get_checkpoint_state(self._directory)
        if state is None:
            return
        now = time.time()
        self._preserved = state.last_preserved_timestamp
        if now < self._preserved:
            log.warning(
                "%s: the clock is %f seconds behind the time of the last checkpoint that was kept for ever.",
                self._directory, self._preserved - now,
            )  # fmt: skip
            self._preserved = now
        # Checkpoints without a time were saved without a manager: they are left alone.
        for path, stamp in zip(state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=False):
            if min(stamp, now) > self._preserved and directory.file_of(path).exists():
                self._kept[path] = min(stamp, now)
        if directory.file_of(state.model_checkpoint_path).exists():
            self._latest = state.model_checkpoint_path

    directory = property(lambda self: self._directory, doc="The folder.")
    checkpoint = property(lambda self: self._checkpoint, doc="The checkpoint.")
    checkpoint_interval = property(lambda self: self._interval, doc="How many steps lie between two at least.")
    latest_checkpoint = property(lambda self: self._latest, doc="The path of the latest one, or None.")
    checkpoints = property(lambda self: list(self._kept), doc="The paths of those that are kept, oldest first.")

    @with_errors
    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Write a checkpoint, and delete the oldest ones beyond the limit.

        Args:
          checkpoint_number: the number in its name; by default `checkpoint.save_counter`.
          check_interval: whether `checkpoint_interval` counts.
          options: see CheckpointOptions.

        Returns:
          The path; None if fewer than `checkpoint_interval` steps have passed.
        """
        if self._interval is not None:
            step = int(self._step)
            if check_interval and self._last_step is not None and step - self._last_step < self._interval:
                return None
            self._last_step = step
        if self._kept and self._sweep():  # what a run left that was stopped before it could delete it
            self._remember()
        counter = self._checkpoint.save_counter
        with self._checkpoint.counted():
            number = int(counter if checkpoint_number is None else checkpoint_number)
            path = self._checkpoint.write(os.path.join(self._directory, f"{self._name}-{number}"), options)
        self._latest = path
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._remember()
        if self._sweep():
            self._remember()
        return path

    def _remember(self) -> None:
        assert self._latest is not None
        directory.remember(
            Path(self._directory), self._latest, list(self._kept), list(self._kept.values()), self._preserved
        )

    def _sweep(self) -> bool:
        """Delete the oldest. They are in the file `checkpoint` until they are gone: a run that was stopped goes on here."""
        if self._max_to_keep is None:
            return False
        surplus = list(self._kept)[: max(0, len(self._kept) - self._max_to_keep)]
        for path in surplus:
            stamp = self._kept.pop(path)
            if self._hours is not None and stamp - self._preserved >= 3600 * self._hours:
                self._preserved = stamp
            else:
                directory.file_of(path).unlink(missing_ok=True)
        return bool(surplus)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint, or call `init_fn`. Returns the path, or None."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._step is not None:
                self._last_step = int(self._step)
            return self._latest
        if self._init is not None:
            self._init()
        return None

    def sync(self) -> None:
        """Nothing: a checkpoint is complete when `save` returns."""
