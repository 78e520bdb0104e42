# Written by tools/stubs.py.
# ruff: noqa
from gradtape.ragged._elementwise import map_flat_values
from gradtape.ragged._functions import boolean_mask
from gradtape.ragged._functions import constant
from gradtape.ragged._functions import range
from gradtape.ragged._functions import row_splits_to_segment_ids
from gradtape.ragged._functions import segment_ids_to_row_splits
from gradtape.ragged._functions import stack_dynamic_partitions
from gradtape.ragged._rearrange import stack
from gradtape.sparse._crosses import ragged_cross as cross
from gradtape.sparse._crosses import ragged_cross_hashed as cross_hashed

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]
