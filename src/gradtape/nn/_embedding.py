"""`tf.nn`: sums and means of embeddings, for sparse matrices of ids."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.sparse_tensor import SparseTensor, dense_dims
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.nn._softmax import embedding_lookup
from gradtape.ops.arithmetic import Square
from gradtape.ops.cast import Cast
from gradtape.ops.division import DivideNoNan
from gradtape.ops.exponential import Sqrt
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather, ScatterRows
from gradtape.ops.joining import Concat
from gradtape.ops.movement import Reshape
from gradtape.ops.selection import Keep, Where

_COMBINERS = ("mean", "sqrtn", "sum")


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of a sparse matrix of ids, the embeddings of its ids, combined to one.

    The gradient of the table is `tf.IndexedSlices`: only the rows that were used.

    Args:
      params: the table `[n, ...]`, a variable or tensor, or a list of tables, one behind the other.
      sp_ids: a `tf.SparseTensor` or `tf.RaggedTensor` of integers, `[rows, columns]`.
      sp_weights: a weight for each id, of the same kind, or None.
      combiner: "sum" of the weighted embeddings; "mean" (the default), over the sum of the weights; "sqrtn", over the root
        of the sum of their squares.
      max_norm: scale down each embedding whose Euclidean norm is larger.
      allow_fast_lookup: ignored.

    Returns:
      `[rows, ...]`; zeros for rows without ids.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.Variable([[1.0, 2.0], [3.0, 4.0]]), ids, None, combiner="sum").numpy()
    array([[4., 6.],
           [0., 0.]], dtype=float32)
    """
    if sp_weights is not None and _is_ragged(sp_ids) != _is_ragged(sp_weights):
        raise TypeError(
            errors.compose(
                "embedding_lookup_sparse: sp_ids must be of the same type as sp_weights, got "
                f"{type(sp_ids).__name__} and {type(sp_weights).__name__}.",
                "give two SparseTensors or two RaggedTensors.",
            )
        )
    sp_ids, sp_weights = (given.to_sparse() if _is_ragged(given) else given for given in (sp_ids, sp_weights))
    how = _check("embedding_lookup_sparse", sp_ids, sp_weights, combiner)
    segments = sp_ids.indices[:, 0]
    rows = embedding_lookup(params, sp_ids.values, max_norm=max_norm)
    weights = None if sp_weights is None else sp_weights.values
    return _combined(rows, segments, weights, dense_dims(sp_ids)[0], how)


def _is_ragged(given: Any) -> bool:
    return hasattr(given, "nested_row_splits")


def _combined(rows: Any, segments: Any, weights: Any, count: int, how: str) -> Tensor:
    """Rows of embeddings added up by segment, and divided as the combiner says."""
    beside = (1,) * (rows.ndim - 1)
    if weights is None:
        weights = wrap(np.ones(dims(rows)[0], rows.dtype.numpy))
    else:
        weights = weights if weights.dtype is rows.dtype else Cast(weights, dtype=rows.dtype)
        rows = rows * Reshape(weights, shape=(*dims(weights), *beside))
    total = ScatterRows(segments, rows, rows=count, axis=0, batch_dims=0)
    if how == "sum":
        return total
    size = ScatterRows(segments, weights if how == "mean" else Square(weights), rows=count, axis=0, batch_dims=0)
    return DivideNoNan(total, Reshape(size if how == "mean" else _root(size), shape=(count, *beside)))


def _root(x: Any) -> Any:
    """The square root, without its infinite slope at 0: rows without ids are 0 whatever they are divided by."""
    one, is_empty = np.ones((), x.dtype.numpy)[()], x == 0.0
    return Keep(Sqrt(Where(is_empty, one, x)), ~is_empty)


def _check(who: str, sp_ids: Any, sp_weights: Any, combiner: str | None) -> str:
    """The combiner; raises unless the arguments fit."""
    how = "mean" if combiner is None else combiner
    if how not in _COMBINERS:
        raise ValueError(
            errors.compose(f"{who}: combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}", "choose one.")
        )
    for label, given in (("sp_ids", sp_ids), ("sp_weights", sp_weights)):
        if not isinstance(given, SparseTensor) and (given is not None or label == "sp_ids"):
            raise TypeError(
                errors.compose(f"{who}: {label} must be SparseTensor, got {type(given)}", "make a tf.SparseTensor.")
            )
    if not sp_ids.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            f"{who}: ids must be integers, got {sp_ids.dtype.name}.",
            "use tf.cast(ids, tf.int64).",
        )
    if sp_weights is not None and dims(sp_weights.values) != dims(sp_ids.values):
        raise errors.build(
            errors.ShapeError,
            f"{who}: the numbers of ids and weights differ: {dims(sp_ids.values)[0]} vs {dims(sp_weights.values)[0]}.",
            "give one weight for each id, at the same place.",
        )
    return how


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`tf.nn.embedding_lookup_sparse` for ids as they come: negative ones are left out, rows without ids get a default.

    Args:
      embedding_weights: the table `[n, ...]`, a variable or tensor, or a list of tables, one behind the other.
      sparse_ids: a `tf.SparseTensor` or `tf.RaggedTensor` of integers, of rank 2 or more; ids along the last axis are combined.
      sparse_weights: a weight for each id, of the same kind, or None. Weights that are not positive are left out,
        unless the combiner is "sum".
      combiner: "sum", "mean" or "sqrtn".
      default_id: the id for rows without ids; None gives them zeros.
      max_norm: scale down each embedding whose Euclidean norm is larger.
      allow_fast_lookup: ignored.

    Returns:
      The embeddings, of shape `sparse_ids.shape[:-1] + embedding_weights.shape[1:]`.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [-1, 1], [2, 2])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.Variable([[1.0, 2.0], [3.0, 4.0]]), ids, default_id=0).numpy()
    array([[3., 4.],
           [1., 2.]], dtype=float32)
    """
    who = "safe_embedding_lookup_sparse"
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not embedding_weights):
        raise ValueError(errors.compose(f"{who}: Missing embedding_weights {embedding_weights}.", "give a table."))
    sparse_ids, sparse_weights = (
        given.to_sparse() if _is_ragged(given) else given for given in (sparse_ids, sparse_weights)
    )
    how = _check(who, sparse_ids, sparse_weights, combiner)
    lead = dense_dims(sparse_ids)[:-1]
    count, ids = math.prod(lead), np.asarray(host(sparse_ids.values._array))
    if not lead:
        raise errors.build(
            errors.ShapeError,
            f"{who}: sparse_ids must have rank 2 or more, got shape {sparse_ids.shape}.",
            "add an axis for the batch.",
        )
    places = np.asarray(host(sparse_ids.indices._array))
    segments = np.ravel_multi_index(tuple(places[:, :-1].T), lead)
    is_kept = ids >= 0
    if sparse_weights is not None and how != "sum":
        is_kept &= np.asarray(host(sparse_weights.values._array)) > 0
    kept = np.flatnonzero(is_kept)
    is_empty = np.ones(count, bool)
    is_empty[segments[kept]] = False
    # Rows without ids get one, and come last.
    empty = np.flatnonzero(is_empty)
    fill = np.full(len(empty), 0 if default_id is None else default_id, ids.dtype)
    weights = None if sparse_weights is None else _filled(sparse_weights.values, kept, len(empty))
    rows = embedding_lookup(embedding_weights, np.concatenate([ids[kept], fill]), max_norm=max_norm)
    y = _combined(rows, wrap(np.concatenate([segments[kept], empty])), weights, count, how)
    if default_id is None:
        y = Keep(y, wrap(~is_empty.reshape(count, *[1] * (y.ndim - 1))))
    return Reshape(y, shape=(*lead, *dims(y)[1:]))


def _filled(weights: Any, kept: Any, more: int) -> Any:
    """The weights that are kept, and ones."""
    chosen = Reshape(
        Gather(Reshape(weights, shape=(1, *dims(weights))), wrap(kept), axis=1, batch_dims=0), shape=(len(kept),)
    )
    return Concat(chosen, wrap(np.ones(more, weights.dtype.numpy)), axis=0)
