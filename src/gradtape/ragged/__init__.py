"""`tf.ragged`: tensors whose rows have different lengths."""

from gradtape.core import lazy

_LATER = {
    "gradtape.sparse._crosses": "cross=ragged_cross cross_hashed=ragged_cross_hashed",
    "gradtape.ragged._rearrange": "stack",
    "gradtape.ragged._elementwise": "map_flat_values",
    "gradtape.ragged._functions": (
        "boolean_mask constant range row_splits_to_segment_ids segment_ids_to_row_splits stack_dynamic_partitions"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
