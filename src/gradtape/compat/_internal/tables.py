"""The base of lookup tables."""

from gradtape.lookup._table import Table as LookupInterface

__all__ = ["LookupInterface"]
