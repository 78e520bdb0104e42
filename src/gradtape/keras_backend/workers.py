"""Training on several workers: `fit` under a MultiWorkerMirroredStrategy, or with `keras.distribution.DataParallel`.

Each worker trains on its rows of every batch. Its loss counts by its part of the rows, so that the sum of all workers' gradients is the
gradient of the whole batch, also where rows cannot be divided evenly. Metrics are those of all workers together.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
from keras.src import ops, tree

import gradtape as tf
from gradtape.distribute._context import get_replica_context, left
from gradtape.distribute._worker_dataset import WorkerDataset, part_of, reads_alone, sharded


def install() -> None:
    """Scale losses by this worker's part of a batch, and let batch normalisation be synchronised and processes be listed."""
    from keras.src import backend
    from keras.src.distribution import distribution_lib as distributions
    from keras.src.layers.normalization.batch_normalization import BatchNormalization
    from keras.src.losses import loss

    from gradtape.keras_backend import distribution_lib

    backend.distribution_lib = distributions.distribution_lib = distribution_lib  # None in the slot of the backend
    loss.scale_loss_for_distribution, loss.unscale_loss_for_distribution = scale, unscale
    reduce_values = loss.reduce_values

    @functools.wraps(reduce_values)
    def reduce(values: Any, sample_weight: Any = None, reduction: Any = "sum_over_batch_size") -> Any:
        # Keras leaves the losses of a batch without rows as they are: a worker may have such batches, and its loss is 0.
        is_empty = tuple(values.shape) == (0,) and reduction not in (None, "none")
        if is_empty and tf.distribute.get_strategy()._workers is not None:
            return ops.sum(values)
        return reduce_values(values, sample_weight, reduction)

    loss.reduce_values = reduce
    make = BatchNormalization.__init__

    @functools.wraps(make)
    def initialize(self: Any, *args: Any, synchronized: bool = False, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        self.synchronized = synchronized

    initialize.__signature__ = inspect.signature(make)  # type: ignore[attr-defined]  # Keras reads the parameters
    BatchNormalization.__init__ = initialize


def scale(value: Any) -> Any:
    """A mean over this replica's rows, as its part of the mean over all rows."""
    part = _part()
    return value if part is None else value * tf.cast(part, value.dtype)


def unscale(value: Any) -> Any:
    """The mean over this replica's rows again; 0 if it has none."""
    part = _part()
    return value if part is None else tf.math.divide_no_nan(value, tf.cast(part, value.dtype))


def _part() -> Any:
    replica = get_replica_context()
    if replica is None or replica.num_replicas_in_sync == 1:
        return None
    workers = replica.strategy._workers
    return tf.constant(1.0 / replica.num_replicas_in_sync) if workers is None else workers.share


def strategy_of(model: Any) -> Any:
    """The strategy over several workers that trains a model; None with one process."""
    from gradtape.keras_backend import distribution_lib

    chosen = getattr(model, "_distribute_strategy", None)
    if chosen is not None and chosen._workers is not None:
        return chosen
    return distribution_lib.strategy()


def in_scope(method: Any) -> Any:
    """A method of a model that runs in the scope of its strategy over several workers."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        strategy = strategy_of(self)
        if strategy is None or tf.distribute.has_strategy():
            return method(self, *args, **kwargs)
        with strategy.scope():
            return method(self, *args, **kwargs)

    return run


class Parts:
    """A worker's part of the global batches: its rows, and their share of all rows.

    Args:
      model: the model that is trained or evaluated.
      data: what the user gave; datasets that are distributed already are taken as they are.

    Attributes:
      data: the same, or the dataset of this worker where its options say that each worker reads alone.
    """

    def __init__(self, model: Any, data: Any) -> None:
        from gradtape.keras_backend import distribution_lib

        strategy = strategy_of(model)
        self.workers = None if strategy is None else strategy._workers
        if self.workers is not None and isinstance(data, tf.data.Dataset) and distribution_lib.divides():
            data = sharded(data, self.workers) if reads_alone(data) else data
        self.data = data
        self._is_divided = isinstance(data, WorkerDataset) or not distribution_lib.divides()

    def take(self, batch: Any) -> tuple[Any, float | None]:
        """This worker's rows of a batch, and their part of all rows; None if that is no number of workers' business."""
        if self.workers is None:
            return batch, None
        rows = next((len(x) for x in tree.flatten(batch) if x is not None), 0)
        if self._is_divided:
            total = int(self.workers.reduce(tf.distribute.ReduceOp.SUM, [tf.constant(rows)])[0])
            return batch, rows / max(total, 1)
        start, stop = part_of(rows, self.workers.count, self.workers.index)
        own = tree.map_structure(lambda x: None if x is None else x[start:stop], batch, none_is_leaf=True)
        return own, (stop - start) / max(rows, 1)

    def share_shuffling(self) -> None:
        """Shuffle as the chief does: NumPy's random state, from which Keras shuffles arrays, becomes the chief's."""
        if self.workers is not None:
            np.random.set_state(self.workers.group.exchange(np.random.get_state(), "shuffle")[0])


class Group(list[Any]):
    """Batches that a function takes together, with the worker's parts of them."""

    parts: tuple[float | None, ...] = ()


def runner(model: Any) -> Any:
    """A function that runs a step on a batch, as a replica of the model's strategy if it has one of several workers."""
    strategy = strategy_of(model)
    if strategy is None:
        return lambda step, batch, part: step(batch)

    def run(step: Any, batch: Any, part: float | None) -> Any:
        strategy._workers.set_share(part)
        try:
            return strategy.run(step, args=(batch,))
        finally:
            strategy._workers.set_share(None)

    return run


def only_chief_writes(model: Any, callbacks: Any) -> None:
    """Let callbacks write checkpoints on the chief alone; the others restore them."""
    from keras.src.callbacks import BackupAndRestore, ModelCheckpoint

    strategy = strategy_of(model)
    if strategy is None:
        return
    for callback in callbacks.callbacks:
        if isinstance(callback, (BackupAndRestore, ModelCheckpoint)):
            callback._save_model = _written_by_chief(strategy._workers, callback._save_model)
        if isinstance(callback, BackupAndRestore):
            callback.on_train_end = _written_by_chief(strategy._workers, callback.on_train_end)


def _written_by_chief(workers: Any, write: Any) -> Any:
    """A function that the chief runs while the others wait; an error on the chief is one on all."""

    @functools.wraps(write)
    def run(*args: Any, **kwargs: Any) -> Any:
        problem, found = None, None
        if workers.index == 0:
            try:
                with left():  # objects made while a model is written belong to the chief alone
                    found = write(*args, **kwargs)
            except Exception as error:
                problem = error
        told = workers.group.exchange(None if problem is None else f"{type(problem).__name__}: {problem}", "save")[0]
        if problem is not None:
            raise problem
        if told is not None:
            raise tf.errors.AbortedError(None, None, f"The chief could not write a checkpoint: {told}")
        return found

    return run
