"""Sparse tensors from dense ones and back, and functions of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.arrays import creation, indexing, movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.doors import adapt
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.sparse_tensor import SparseTensor, dense_dims
from gradtape.core.tensor import Tensor
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.sparse import _indices as places


def sparse(value: Any, who: str, name: str = "sp_input") -> SparseTensor:
    """The value; TypeError if it is not a sparse tensor."""
    if isinstance(value, SparseTensor):
        return value
    if all(hasattr(value, part) for part in ("indices", "values", "dense_shape")) and not isinstance(
        value, IndexedSlices
    ):
        return SparseTensor.from_value(value)
    raise TypeError(
        errors.compose(
            f"{who}: Input must be a SparseTensor: {name} is a {type(value).__name__}.", "use tf.sparse.from_dense(x)."
        )
    )


def is_known(*given: SparseTensor) -> bool:
    """True if the shapes can be compared; in a trace they may be examples."""
    return all(type(sp.dense_shape) is Tensor for sp in given)


def picked(sp: SparseTensor, positions: Any) -> tuple[Any, Any]:
    """The indices and values at some positions."""
    return indexing.gather(sp.indices, positions), indexing.gather(sp.values, positions)


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor of the elements that are not zero, or not empty.

    Args:
      tensor: a dense tensor.

    >>> tf.sparse.from_dense([[0, 3], [4, 0]]).values.numpy()
    array([3, 4], dtype=int32)
    """
    x = convert.convert_to_tensor(tensor)
    if x.get_shape().rank == 0:
        raise errors.build(
            errors.ShapeError, "sparse.from_dense: tensor must have rank 1 or more, got a scalar.", "give a vector."
        )
    zero: Any = "" if x.dtype is dtypes.string else False if x.dtype.is_bool else 0
    found = elementwise.where(elementwise.not_equal(x, zero))
    return SparseTensor(found, indexing.gather_nd(x, found), movement.shape(x, dtypes.int64))


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The dense tensor.

    Args:
      sp_input: a sparse tensor.
      default_value: for the other elements; zero, or the empty string, by default.
      validate_indices: raise if indices are repeated or not in row-major order.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])).numpy()
    array([[0., 3.],
           [4., 0.]], dtype=float32)
    """
    sp = sparse(sp_input, "sparse.to_dense")
    return shaped(adapt(dense)(sp, default_value, validate_indices), sp.shape)


def shaped(found: Tensor, shape: Any) -> Tensor:
    """A result of a function that is being traced, of which the shape is known as far as a spec tells."""
    if type(found) is not Tensor:
        found.set_shape(shape)
    return found


def dense(sp: SparseTensor, default_value: Any, validate_indices: bool) -> Any:
    """The dense tensor of a sparse one, for `to_dense`."""
    found = sp.indices
    check = places.checked if validate_indices else places.within
    found = check(found, sp.dense_shape, who="sparse.to_dense")
    if default_value is None:
        default_value = "" if sp.dtype is dtypes.string else False if sp.dtype.is_bool else 0
    around = creation.fill(dense_dims(sp), convert.like(default_value, sp.dtype))
    return indexing.tensor_scatter_nd_update(around, found, sp.values)


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its indices in row-major order.

    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [5, 6], [2])).values.numpy()
    array([6, 5], dtype=int32)
    """
    sp = sparse(sp_input, "sparse.reorder")
    return SparseTensor(*picked(sp, places.row_major(sp.indices)), sp.dense_shape)._shaped_like(sp)


def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """True at the values: the last axis, of numbers, becomes an axis of `vocab_size` bools.

    Args:
      sp_input: a sparse tensor of integers below `vocab_size`.
      vocab_size: the length of the new last axis.

    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 2]], [2, 0], [2, 3]), 3).numpy()
    array([[False, False,  True],
           [ True, False, False]])
    """
    sp = sparse(sp_input, "sparse.to_indicator")
    size = integer(vocab_size, "sparse.to_indicator", "vocab_size")
    last = movement.expand_dims(cast(sp.values, dtypes.int64), 1)
    found = movement.concat([sp.indices[:, :-1], last], 1)
    around = creation.zeros([*dense_dims(sp)[:-1], size], dtypes.int32)
    ones = creation.ones_like(sp.values, dtypes.int32)
    result: Tensor = elementwise.greater(indexing.tensor_scatter_nd_update(around, found, ones), 0)
    return result


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """The results of a function on the values of sparse tensors, at the same places.

    Args:
      op: a function that gives as many values as it gets.
      *args: its arguments; sparse tensors among them must have the same indices.
      **kwargs: further arguments.

    >>> tf.sparse.map_values(tf.add, tf.SparseTensor([[1]], [5], [2]), 1).values.numpy()
    array([6], dtype=int32)
    """
    given = [x for x in (*args, *kwargs.values()) if isinstance(x, SparseTensor)]
    if not given:
        raise ValueError(errors.compose("sparse.map_values: no SparseTensor is among the arguments.", "give one."))
    found, whole = given[0].indices, given[0].dense_shape
    for other in given[1:]:
        whole = places.equal_places(whole, other.dense_shape, who="sparse.map_values", what="dense shape")
        found = places.equal_places(found, other.indices, who="sparse.map_values")
    plain = [x.values if isinstance(x, SparseTensor) else x for x in args]
    named = {k: x.values if isinstance(x, SparseTensor) else x for k, x in kwargs.items()}
    return SparseTensor(found, op(*plain, **named), whole)._shaped_like(given[0])


def weights_of(values: SparseTensor, weights: Any, who: str) -> Any:
    """The values of sparse weights, after a check that they stand where the values do."""
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            errors.compose(
                f"{who}: the weights of a SparseTensor must be a SparseTensor, got a {type(weights).__name__}.",
                "use values.with_values(weights), with a weight for each value.",
            )
        )
    if weights.dense_shape is not values.dense_shape:
        places.equal_places(values.dense_shape, weights.dense_shape, who=f"{who}: weights", what="dense shape")
    if weights.indices is not values.indices:
        places.equal_places(values.indices, weights.indices, who=f"{who}: weights")
    return weights.values


def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without some rows.

    Args:
      a: IndexedSlices.
      mask_indices: the indices of the rows to leave out.

    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([4, 7]))
    >>> tf.sparse.mask(rows, [4]).values.numpy()
    array([[2.]], dtype=float32)
    """
    indices = tensor(a.indices)
    kept = places.not_among(indices, tensor(mask_indices))
    return IndexedSlices(indexing.gather(a.values, kept), indexing.gather(indices, kept), a.dense_shape)


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The sparse tensor with some of its values.

    Args:
      sp_input: a sparse tensor.
      to_retain: a bool for each value.

    >>> tf.sparse.retain(tf.SparseTensor([[0], [1]], [5, 6], [2]), [False, True]).values.numpy()
    array([6], dtype=int32)
    """
    sp = sparse(sp_input, "sparse.retain")
    kept = tensor(to_retain)
    if not kept.get_shape().is_compatible_with(sp.values.get_shape()):
        raise errors.build(
            errors.ShapeError,
            f"sparse.retain: to_retain must have a bool for each value, got {kept.get_shape()} for "
            f"{sp.values.get_shape()}.",
            "give as many as there are values.",
        )
    chosen = movement.reshape(elementwise.where(kept), [-1])
    return SparseTensor(*picked(sp, chosen), sp.dense_shape)._shaped_like(sp)


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> SparseTensor:
    """Ones on the main diagonal.

    Args:
      num_rows: how many rows.
      num_columns: how many columns; as many by default.
      dtype: of the ones.

    >>> tf.sparse.eye(2, 3).indices.numpy()
    array([[0, 0],
           [1, 1]])
    """
    rows = integer(num_rows, "sparse.eye", "num_rows")
    columns = rows if num_columns is None else integer(num_columns, "sparse.eye", "num_columns")
    count = np.arange(min(rows, columns))
    return SparseTensor(np.stack([count, count], 1), creation.ones([len(count)], dtype), [rows, columns])
