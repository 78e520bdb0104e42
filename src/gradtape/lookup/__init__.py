"""`tf.lookup`: tables from keys to values."""

from gradtape.core import lazy

_LATER = {
    "gradtape.lookup.experimental": "*",
    "gradtape.lookup._initializers": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    "gradtape.lookup._static_tables": "StaticHashTable StaticVocabularyTable",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
