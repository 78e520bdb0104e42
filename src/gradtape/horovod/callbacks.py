"""Keras callbacks for training on several ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape_keras_hook
from gradtape.horovod._functions import grouped_allreduce
from gradtape.horovod._objects import broadcast_variables
from gradtape.horovod._process import rank, size
from gradtape.horovod._process_set import ProcessSet, global_process_set

_callbacks = gradtape_keras_hook.keras().callbacks
Callback: Any = _callbacks.Callback
ModelCheckpoint: Any = _callbacks.ModelCheckpoint


class BroadcastGlobalVariablesCallback(Callback):
    """Broadcast the variables of one rank after the first batch, when all variables exist.

    Args:
      root_rank: the rank whose values are taken.
      device: ignored.
      local_variables: variables that stay as they are.
    """

    def __init__(self, root_rank: int, device: str = "", local_variables: Any = None) -> None:
        super().__init__()
        self.root_rank = root_rank
        chosen = local_variables or []
        self._local = {id(v) for v in (chosen if isinstance(chosen, (list, tuple, set)) else [chosen])}
        self.broadcast_done = False

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Broadcast, once."""
        if self.broadcast_done:
            return
        variables = [v for v in self.model.variables if id(v) not in self._local]
        broadcast_variables(variables, self.root_rank)
        if getattr(self.model, "optimizer", None) is not None:
            broadcast_variables(self.model.optimizer.variables, self.root_rank)
        self.broadcast_done = True


class MetricAverageCallback(Callback):
    """Average the metrics of all ranks at the end of an epoch. Put it before callbacks that use them."""

    def __init__(self, device: str = "", process_set: ProcessSet = global_process_set) -> None:
        super().__init__()
        self._process_set = process_set

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Replace the numbers in the logs."""
        names = sorted(k for k, v in (logs or {}).items() if isinstance(v, (int, float, np.generic)))
        values = grouped_allreduce(
            [np.float64(logs[k]) for k in names], name=" ".join(names), process_set=self._process_set
        )
        for name, value in zip(names, values, strict=True):
            logs[name] = float(value)


class LearningRateScheduleCallback(Callback):
    """Multiply the learning rate during some epochs.

    Args:
      initial_lr: the rate that is multiplied.
      multiplier: a number, or a function of the epoch.
      start_epoch, end_epoch: from when, and until when (None for ever).
      staircase: change the rate at epochs only, not at batches.
      momentum_correction: scale the momentum of SGD and RMSprop with the rate, since it is a sum of earlier steps.
      steps_per_epoch: batches of an epoch, where Keras does not know them.
    """

    def __init__(
        self,
        initial_lr: float,
        multiplier: float | Callable[[float], float],
        start_epoch: int = 0,
        end_epoch: int | None = None,
        staircase: bool = True,
        momentum_correction: bool = True,
        steps_per_epoch: int | None = None,
    ) -> None:
        super().__init__()
        self.initial_lr, self.start_epoch, self.end_epoch = initial_lr, start_epoch, end_epoch
        self.staircase, self.steps_per_epoch, self.current_epoch = staircase, steps_per_epoch, 0
        self.multiplier = multiplier if callable(multiplier) else lambda epoch: multiplier
        self.momentum_correction = momentum_correction

    def _adjust(self, epoch: float) -> None:
        if epoch < self.start_epoch or (self.end_epoch is not None and epoch >= self.end_epoch):
            return
        optimizer = self.model.optimizer
        before, after = float(optimizer.learning_rate), self.initial_lr * self.multiplier(epoch)
        if before == after:
            return
        optimizer.learning_rate = after
        inner = getattr(optimizer, "inner_optimizer", optimizer)
        if self.momentum_correction and before and getattr(inner, "momentum", 0.0):
            for sums in getattr(inner, "momentums", None) or getattr(inner, "_momentums", []):
                sums.assign(sums.value * (after / before))

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the rate, if it changes with epochs."""
        self.current_epoch = epoch
        if self.staircase:
            self._adjust(epoch)

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Set the rate, if it changes with batches."""
        if not self.staircase:
            steps = self.steps_per_epoch or self.params.get("steps")
            if not steps:
                raise ValueError(
                    "LearningRateScheduleCallback: the number of steps must be known; give steps_per_epoch=..."
                )
            self._adjust(self.current_epoch + batch / steps)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Add the learning rate to the logs."""
        if logs is not None:
            logs["lr"] = float(self.model.optimizer.learning_rate)


class LearningRateWarmupCallback(LearningRateScheduleCallback):
    """Raise the learning rate from `initial_lr / size` to `initial_lr` during the first epochs.

    Args:
      initial_lr: the rate after the warm-up.
      warmup_epochs: how long it takes.
      momentum_correction, steps_per_epoch: see LearningRateScheduleCallback.
      verbose: 1 to print the rate after the warm-up.
    """

    def __init__(
        self,
        initial_lr: float,
        warmup_epochs: int = 5,
        momentum_correction: bool = True,
        steps_per_epoch: int | None = None,
        verbose: int = 0,
    ) -> None:
        def multiplier(epoch: float) -> float:
            # A batch before the end of the warm-up has the full rate, so that the first epoch after it starts with it.
            steps = self.steps_per_epoch or self.params.get("steps") or 1
            return 1.0 / size() * ((epoch + 1.0 / steps) * (size() - 1) / warmup_epochs + 1)

        super().__init__(initial_lr, multiplier, 0, warmup_epochs, False, momentum_correction, steps_per_epoch)
        self._verbose, self._epochs = verbose, warmup_epochs

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Add the learning rate to the logs."""
        super().on_epoch_end(epoch, logs)
        if epoch == self._epochs - 1 and self._verbose and rank() == 0:
            rate = float(self.model.optimizer.learning_rate)
            print(f"\nEpoch {epoch + 1}: finished gradual learning rate warmup to {rate:g}.")


class BestModelCheckpoint(ModelCheckpoint):
    """A ModelCheckpoint that keeps the best model.

    Args:
      filepath: where the model is written.
      monitor, verbose, save_weights_only, mode, save_freq: see `keras.callbacks.ModelCheckpoint`.
    """

    def __init__(
        self,
        filepath: Any = "best.keras",
        monitor: str = "val_loss",
        verbose: int = 0,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
    ) -> None:
        super().__init__(filepath, monitor, verbose, True, save_weights_only, mode, save_freq)


class CommitStateCallback(Callback):
    """Commit a state every few batches, and at the end of an epoch.

    Args:
      state: a state of `hvd.elastic`.
      batches_per_commit: how many batches lie between two commits.
    """

    def __init__(self, state: Any, batches_per_commit: int = 1) -> None:
        super().__init__()
        self.state, self.batches_per_commit, self.batches_remaining = state, batches_per_commit, batches_per_commit

    def on_train_begin(self, logs: Any = None) -> None:
        """Count from the beginning, as the other ranks do."""
        self.batches_remaining = self.batches_per_commit

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Commit every few batches."""
        self.batches_remaining -= 1
        if self.batches_remaining == 0:
            self.state.commit()
            self.batches_remaining = self.batches_per_commit

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Commit."""
        self.state.commit()


class UpdateBatchStateCallback(Callback):
    """Keep the number of the batch in `state.batch`."""

    def __init__(self, state: Any) -> None:
        super().__init__()
        self.state = state

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Store the number of the batch."""
        self.state.batch = batch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Reset the number of the batch."""
        self.state.batch = 0


class UpdateEpochStateCallback(Callback):
    """Keep the number of epochs that are done, those before a restart included, in `state.epoch`."""

    def __init__(self, state: Any) -> None:
        super().__init__()
        self.state, self.initial_epoch = state, state.epoch

    def on_train_begin(self, logs: Any = None) -> None:
        """Keras counts from 0; the state continues from its last value."""
        self.initial_epoch = self.state.epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Count the finished epoch."""
        self.state.epoch = self.initial_epoch + epoch + 1
