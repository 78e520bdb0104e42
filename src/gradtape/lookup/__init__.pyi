# Written by tools/stubs.py.
# ruff: noqa
from gradtape.lookup import experimental
from gradtape.lookup._initializers import KeyValueTensorInitializer
from gradtape.lookup._initializers import TextFileIndex
from gradtape.lookup._initializers import TextFileInitializer
from gradtape.lookup._static_tables import StaticHashTable
from gradtape.lookup._static_tables import StaticVocabularyTable

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "experimental",
]
