# Written by tools/stubs.py.
# ruff: noqa
from gradtape.lookup._dense_table import DenseHashTable
from gradtape.lookup._mutable_tables import MutableHashTable

__all__ = [
    "DenseHashTable",
    "MutableHashTable",
]
