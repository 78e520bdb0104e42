"""`tf.nest`: nested structures."""

from gradtape.core import lazy

_LATER = {"gradtape.core.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
