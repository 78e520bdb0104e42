"""`tf.nest`: nested structures."""

from gradtape.core import deferral
from gradtape.core.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

deferral.guard_module(__name__)
