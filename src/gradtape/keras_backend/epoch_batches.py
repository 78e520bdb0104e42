"""The batches of an epoch as tensors, several at a time if a function takes several."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

from gradtape.core.tensor import Tensor, wrap
from gradtape.keras_backend.convert import convert_keeping_form as convert_to_tensor
from gradtape.keras_backend.dataset_adapter import DatasetAdapter, adapted
from gradtape.keras_backend.workers import Group, Parts

_PLAIN = tuple([np.dtype(name) for name in ("float32", "int32", "uint8", "bool")])


class Batches(EpochIterator):
    """Keras's iterator, which requests no more batches than exist: the last group of an epoch may be smaller."""

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        parts: Parts | None = None,
        **options: Any,
    ) -> None:
        self.parts = parts
        data = adapted(x if parts is None else parts.data, y, sample_weight, class_weight)
        super().__init__(data, y, sample_weight, class_weight=class_weight, **options)
        # Shuffled rows are gathered into arrays that nobody else has.
        is_gathered = type(self.data_adapter) is ArrayDataAdapter and bool(self.data_adapter._shuffle)
        self._tensor = _own if is_gathered else convert_to_tensor

    def _interrupted_warning(self) -> None:
        # A dataset of unknown length ends an epoch when it ends: nothing is interrupted.
        if self.steps_per_epoch or not isinstance(self.data_adapter, DatasetAdapter):
            super()._interrupted_warning()

    def __next__(self) -> Any:
        begin, end, iterator = next(self._epoch_iterator)
        count = self.steps_per_execution
        if self._num_batches and not self.steps_per_epoch:
            count = min(count, self._num_batches - begin)
        found = Group()
        with self.catch_stop_iteration():
            for _ in range(count):
                batch, part = self._take(next(iterator))
                found.append(tensors(batch, self._tensor))
                found.parts += (part,)
        if not found:
            raise StopIteration
        return begin, end, found

    def _take(self, batch: Any) -> tuple[Any, float | None]:
        return (batch, None) if self.parts is None else self.parts.take(batch)


def _own(x: Any) -> Any:
    """The tensor of an array with no other owner: it need not be copied."""
    return wrap(x) if type(x) is np.ndarray and x.dtype in _PLAIN else convert_to_tensor(x)


def tensors(data: Any, convert: Any = convert_to_tensor) -> Any:
    """A batch with its arrays as tensors."""
    if type(data) is tuple and all(type(x) in (Tensor, np.ndarray) for x in data):
        return tuple([x if type(x) is Tensor else convert(x) for x in data])
    return tree.map_structure(lambda x: None if x is None else convert(x), data)
