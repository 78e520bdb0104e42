"""TensorFlow's internal products of sparse matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradtape as tf


class _Parts(NamedTuple):
    """The indices and values of a sparse tensor."""

    output_indices: Any
    output_values: Any


def sparse_reorder(input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None) -> _Parts:
    """The parts of a sparse tensor in the order of its rows."""
    ordered = tf.sparse.reorder(tf.SparseTensor(input_indices, input_values, input_shape))
    return _Parts(ordered.indices, ordered.values)


def sparse_tensor_dense_mat_mul(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The product of a sparse matrix, by its parts, and a dense one."""
    return tf.sparse.sparse_dense_matmul(tf.SparseTensor(a_indices, a_values, a_shape), b, adjoint_a, adjoint_b)


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        if not isinstance(value, tf.SparseTensor):
            value = tf.sparse.from_dense(value)
        self._sparse = value

    shape = property(lambda self: self._sparse.shape, doc="The shape.")
    dtype = property(lambda self: self._sparse.dtype, doc="The type of the elements.")

    def to_sparse_tensor(self) -> Any:
        """The same as a sparse tensor."""
        return self._sparse

    def to_dense(self) -> Any:
        """The same as a dense tensor."""
        return tf.sparse.to_dense(self._sparse)


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The product of two matrices, either of which may be sparse; the product of two sparse matrices is sparse."""
    sparse_a, sparse_b = isinstance(a, CSRSparseMatrix), isinstance(b, CSRSparseMatrix)
    if sparse_a and not sparse_b and len(a.shape) == 2 and not transpose_b:
        left = tf.sparse.transpose(a._sparse) if transpose_a else a._sparse
        return tf.sparse.sparse_dense_matmul(left, b, adjoint_a, adjoint_b)
    left = a.to_dense() if sparse_a else tf.convert_to_tensor(a)
    right = b.to_dense() if sparse_b else tf.convert_to_tensor(b)
    found = tf.matmul(left, right, transpose_a, transpose_b, adjoint_a, adjoint_b)
    return CSRSparseMatrix(found) if sparse_a and sparse_b else found
