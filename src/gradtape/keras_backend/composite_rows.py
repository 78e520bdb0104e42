"""Rows of sparse and ragged tensors, as the data of `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.trainers.data_adapters import array_slicing

import gradtape as tf
from gradtape.keras_backend.convert import convert_keeping_form


def install() -> None:
    """Let Keras slice sparse and ragged tensors with these classes."""
    array_slicing.TensorflowSparseSliceable = SparseRows
    array_slicing.TensorflowRaggedSliceable = RaggedRows


class RaggedRows(array_slicing.Sliceable):
    """The rows of a ragged tensor; batches are ragged."""

    def __getitem__(self, indices: Any) -> Any:
        return self.array[indices] if isinstance(indices, slice) else tf.gather(self.array, indices)

    @classmethod
    def cast(cls, x: Any, dtype: Any) -> Any:
        """The tensor in another dtype."""
        return convert_keeping_form(x, dtype)


class SparseRows(RaggedRows):
    """The rows of a sparse tensor, found by where each begins in its list of elements; batches are sparse."""

    def __init__(self, array: Any) -> None:
        super().__init__(tf.sparse.reorder(array))
        self._places = self.array.indices.numpy()
        self._starts = np.searchsorted(self._places[:, 0], np.arange(int(self.array.shape[0]) + 1))

    def __getitem__(self, indices: Any) -> Any:
        rows = np.arange(len(self._starts) - 1)[indices if isinstance(indices, slice) else np.asarray(indices)]
        counts = self._starts[rows + 1] - self._starts[rows]
        first = np.cumsum(counts) - counts
        elements = np.arange(counts.sum()) + np.repeat(self._starts[rows] - first, counts)
        places = self._places[elements]
        places[:, 0] = np.repeat(np.arange(len(rows)), counts)
        return tf.SparseTensor(
            places, tf.gather(self.array.values, elements), [len(rows), *self.array.shape.as_list()[1:]]
        )

    @property
    def shape(self) -> Any:
        """The shape of the whole tensor."""
        return self.array.shape
