"""The batches of an epoch, several at a time if a function takes several."""

from __future__ import annotations

from typing import Any

from keras.src.trainers.epoch_iterator import EpochIterator

from gradtape.keras_backend.datasets import DatasetAdapter, adapted


class Batches(EpochIterator):
    """Keras's iterator, which asks for no more batches than there are: the last group of an epoch may be smaller."""

    def __init__(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, **options: Any
    ) -> None:
        data = adapted(x, y, sample_weight, class_weight)
        super().__init__(data, y, sample_weight, class_weight=class_weight, **options)

    def _interrupted_warning(self) -> None:
        # A dataset of unknown length ends an epoch when it ends: nothing is interrupted.
        if self.steps_per_epoch or not isinstance(self.data_adapter, DatasetAdapter):
            super()._interrupted_warning()

    def __next__(self) -> Any:
        begin, end, iterator = next(self._epoch_iterator)
        count = self.steps_per_execution
        if self._num_batches and not self.steps_per_epoch:
            count = min(count, self._num_batches - begin)
        found = []
        with self.catch_stop_iteration():
            for _ in range(count):
                found.append(next(iterator))
        if not found:
            raise StopIteration
        return begin, end, found
