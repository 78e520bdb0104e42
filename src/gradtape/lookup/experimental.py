"""`tf.lookup.experimental`: tables that can change."""

from gradtape.core import lazy

_LATER = {
    "gradtape.lookup._dense_table": "DenseHashTable",
    "gradtape.lookup._mutable_tables": "MutableHashTable",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
