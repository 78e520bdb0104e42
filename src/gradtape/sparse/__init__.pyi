# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.sparse._arithmetic import add
from gradtape.sparse._arithmetic import bincount
from gradtape.sparse._arithmetic import maximum
from gradtape.sparse._arithmetic import minimum
from gradtape.sparse._arithmetic import reduce_max
from gradtape.sparse._arithmetic import reduce_sum
from gradtape.sparse._arithmetic import sampled_addmm
from gradtape.sparse._arithmetic import softmax
from gradtape.sparse._arithmetic import sparse_dense_matmul
from gradtape.sparse._conversion import eye
from gradtape.sparse._conversion import from_dense
from gradtape.sparse._conversion import map_values
from gradtape.sparse._conversion import mask
from gradtape.sparse._conversion import reorder
from gradtape.sparse._conversion import retain
from gradtape.sparse._conversion import to_dense
from gradtape.sparse._conversion import to_indicator
from gradtape.sparse._crosses import sparse_cross as cross
from gradtape.sparse._crosses import sparse_cross_hashed as cross_hashed
from gradtape.sparse._rearrange import concat
from gradtape.sparse._rearrange import expand_dims
from gradtape.sparse._rearrange import fill_empty_rows
from gradtape.sparse._rearrange import reset_shape
from gradtape.sparse._rearrange import reshape
from gradtape.sparse._rearrange import slice
from gradtape.sparse._rearrange import split
from gradtape.sparse._rearrange import transpose
from typing import Any

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]

def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The means of the rows of each segment.

    Args:
      data: where the rows come from.
      indices: which rows.
      segment_ids: for each of them, to which segment it belongs; in rising order.
      num_segments: how many segments; by default up to the last one.
      name: ignored.
      sparse_gradient: ignored: the gradient is always that of gathered rows.

    >>> tf.sparse.segment_mean([[1.0], [3.0], [5.0]], [0, 2], [0, 0]).numpy()
    array([[3.]], dtype=float32)
    """

def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sums of the rows of each segment, divided by the square root of their number.

    Args:
      data: where the rows come from.
      indices: which rows.
      segment_ids: for each of them, to which segment it belongs; in rising order.
      num_segments: how many segments; by default up to the last one.
      name: ignored.
      sparse_gradient: ignored: the gradient is always that of gathered rows.

    >>> tf.sparse.segment_sqrt_n([[1.0]] * 4, [0, 1, 2, 3], [0, 0, 0, 0]).numpy()
    array([[2.]], dtype=float32)
    """

def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The sums of the rows of each segment.

    Args:
      data: where the rows come from.
      indices: which rows.
      segment_ids: for each of them, to which segment it belongs; in rising order.
      num_segments: how many segments; by default up to the last one.
      name: ignored.
      sparse_gradient: ignored: the gradient is always that of gathered rows.

    >>> tf.sparse.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2], [0, 0]).numpy()
    array([[6, 8]], dtype=int32)
    """
