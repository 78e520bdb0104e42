"""The batches of an epoch, several at a time if a function takes several."""

from __future__ import annotations

from typing import Any

from keras.src.trainers.epoch_iterator import EpochIterator


class Batches(EpochIterator):
    """Keras's iterator, which asks for no more batches than there are: the last group of an epoch may be smaller."""

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
