"""`tf.data.Dataset` as the data of `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.trainers.data_adapters import data_adapter_utils, is_tf_dataset
from keras.src.trainers.data_adapters.data_adapter import DataAdapter

from gradtape.data import Dataset
from gradtape.distribute._worker_dataset import WorkerDataset


def adapted(x: Any, y: Any, sample_weight: Any, class_weight: Any) -> Any:
    """The adapter of a dataset, TensorFlow's own included; other data as it is."""
    if not isinstance(x, (Dataset, WorkerDataset)) and not is_tf_dataset(x):
        return x
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            raise ValueError(
                f"When providing `x` as a tf.data.Dataset, `{name}` should not be passed. Instead, the dataset should give it "
                "as a part of its elements: (x, y) or (x, y, sample_weight)."
            )
    return DatasetAdapter(x, class_weight)


class DatasetAdapter(DataAdapter):
    """A dataset of batches."""

    def __init__(self, dataset: Any, class_weight: Any = None) -> None:
        self._dataset, self._class_weight = dataset, class_weight

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches, with tensors as their leaves."""
        if self._class_weight is None:
            return iter(self._dataset)
        return (self._weighted(batch) for batch in self._dataset)

    def _weighted(self, batch: Any) -> Any:
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(batch)
        if sample_weight is not None:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        if tree.is_nested(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        return x, y, data_adapter_utils.class_weight_to_sample_weights(np.asarray(y), self._class_weight)

    @property
    def num_batches(self) -> int | None:
        """The number of batches; None if it is unknown or infinite."""
        count = int(self._dataset.cardinality())
        return count if count >= 0 else None

    @property
    def batch_size(self) -> int | None:
        """The first dimension of the batches, if all have the same."""
        shapes = [spec.shape for spec in tree.flatten(self._dataset.element_spec)]
        return shapes[0][0] if shapes and shapes[0].rank else None

    @property
    def has_partial_batch(self) -> None:
        """Whether the last batch is smaller: unknown."""
        return None

    @property
    def partial_batch_size(self) -> None:
        """How small it is: unknown."""
        return None
