# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.nest import assert_same_structure
from gradtape.core.nest import flatten
from gradtape.core.nest import is_nested
from gradtape.core.nest import map_structure
from gradtape.core.nest import pack_sequence_as

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]
