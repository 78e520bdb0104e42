"""Optimizers that use the sparse gradient of an embedding: some rows of a table instead of an array as large as the table.

It is right where a row without a gradient, and what the optimizer keeps of it, stay as they are whatever came before: plain
descent and Adagrad. Momentum and moving averages change all rows in every step; these optimizers get the whole gradient.
"""

from __future__ import annotations

from typing import Any

from keras.src.optimizers.adagrad import Adagrad
from keras.src.optimizers.loss_scale_optimizer import LossScaleOptimizer
from keras.src.optimizers.sgd import SGD

import gradtape as tf
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.keras_backend.convert import cast_tensor, convert_to_tensor


class Rows(IndexedSlices):
    """Gradients of rows. Of the places that name the same row one has the sum, the others have zeros.

    So the values are those of the whole gradient, less some zeros: their norm is its norm, and a function that leaves zeros
    as they are does to them what it does to the whole.
    """

    __slots__ = ()

    def holding(self, values: Any) -> Rows:
        """The same rows with other values."""
        return Rows(values, self.indices, self.dense_shape)

    def __truediv__(self, divisor: Any) -> Rows:
        return self.holding(self.values / convert_to_tensor(divisor, self.values.dtype))


def gradients_for(optimizer: Any, gradients: Any) -> list[Any]:
    """Gradients as an optimizer takes them: those of embeddings as rows, or whole."""
    prepare = _summed if takes_rows(optimizer) else convert_to_tensor
    return [prepare(g) if isinstance(g, IndexedSlices) else g for g in gradients]


def takes_rows(optimizer: Any) -> bool:
    """Whether an update of the rows that have gradients is the update of the whole table."""
    if isinstance(optimizer, LossScaleOptimizer):
        return takes_rows(optimizer.inner_optimizer)
    if type(optimizer).update_step not in _UPDATES or optimizer.gradient_accumulation_steps:
        return False
    return not getattr(optimizer, "momentum", 0)


def update(optimizer: Any, rows: Rows, variable: Any, learning_rate: Any) -> None:
    """Update a variable by rows of its gradient."""
    rate = convert_to_tensor(learning_rate, variable.dtype)
    rows = rows.holding(cast_tensor(rows.values, variable.dtype))
    _UPDATES[type(optimizer).update_step](optimizer, rows, variable, rate)


def _summed(slices: IndexedSlices) -> Rows:
    """The sums of rows, each at the last of the places that name it."""
    if isinstance(slices, Rows):
        return slices
    count = tf.size(slices.indices)
    # Each row stores the last position that names it; entries of other rows are not read.
    last = tf.tensor_scatter_nd_update(
        tf.zeros(slices.shape[:1], "int32"), tf.expand_dims(slices.indices, -1), tf.range(count)
    )
    sums = tf.math.unsorted_segment_sum(slices.values, tf.gather(last, slices.indices), count)
    return Rows(sums, slices.indices, slices.dense_shape)


def _descend(optimizer: Any, rows: Rows, variable: Any, rate: Any) -> None:
    _add(optimizer, variable, rows, -(rows.values * rate))


def _descend_by_history(optimizer: Any, rows: Rows, variable: Any, rate: Any) -> None:
    squares = optimizer._accumulators[optimizer._get_variable_index(variable)]
    _add(optimizer, squares, rows, tf.square(rows.values))
    history = tf.gather(convert_to_tensor(squares), rows.indices)
    _add(optimizer, variable, rows, -(rate * rows.values) / tf.sqrt(history + optimizer.epsilon))


def _add(optimizer: Any, variable: Any, rows: Rows, values: Any) -> None:
    """Add values to the rows of a variable."""
    places = tf.expand_dims(rows.indices, -1)
    optimizer.assign(variable, tf.tensor_scatter_nd_add(convert_to_tensor(variable), places, values))


_UPDATES = {SGD.update_step: _descend, Adagrad.update_step: _descend_by_history}
