"""`tf.lookup`: tables from keys to values."""

from gradtape.core import lazy

_LATER = {
    "gradtape.lookup.experimental": "*",
    "gradtape.names.lookup.initializers": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    "gradtape.names.lookup.static": "StaticHashTable StaticVocabularyTable",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
