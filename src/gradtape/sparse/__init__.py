"""`tf.sparse`: tensors of which only the values that are not zero are kept."""

from gradtape.core import lazy

_LATER = {
    "gradtape.sparse._crosses": "cross=sparse_cross cross_hashed=sparse_cross_hashed",
    "gradtape.sparse._sparse_init": "SparseTensor",
    "gradtape.sparse._rearrange": "concat expand_dims fill_empty_rows reset_shape reshape slice split transpose",
    "gradtape.sparse._arithmetic": (
        "add bincount maximum minimum reduce_max reduce_sum sampled_addmm softmax sparse_dense_matmul"
    ),
    "gradtape.sparse._conversion": "eye from_dense map_values mask reorder retain to_dense to_indicator",
    "gradtape.sparse._segments": "segment_mean segment_sqrt_n segment_sum",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
