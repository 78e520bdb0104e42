"""`tf.sparse`: tensors stored as their nonzero values.

Positions are computed on integers, values pass through ops that have gradients.

    _arithmetic.py     Arithmetic of sparse tensors: sums, products, reductions
    _conversion.py     Sparse tensors from dense ones and back, and functions of their values
    _crosses.py        Crosses of features: all combinations of the values that rows of several tensors hold
    _edit_distance.py  The distance of sequences: how many elements must be inserted, deleted or replaced
    _indices.py        Where the values of sparse tensors are: functions of indices and shapes, without a derivative
    _overrides.py      Functions of `tf` that take sparse tensors: those of elements that leave zeros as they are
    _rearrange.py      Sparse tensors in other shapes, joined and cut
    _segments.py       Rows that are gathered by index and combined with others of their segment
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.sparse._crosses": "cross=sparse_cross cross_hashed=sparse_cross_hashed",
    "gradtape.core.sparse_tensor": "SparseTensor",
    "gradtape.sparse._rearrange": "concat expand_dims fill_empty_rows reset_shape reshape slice split transpose",
    "gradtape.sparse._arithmetic": (
        "add bincount maximum minimum reduce_max reduce_sum sampled_addmm softmax sparse_dense_matmul"
    ),
    "gradtape.sparse._conversion": "eye from_dense map_values mask reorder retain to_dense to_indicator",
    "gradtape.sparse._segments": "segment_mean segment_sqrt_n segment_sum",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
