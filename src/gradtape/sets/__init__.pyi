# Written by tools/stubs.py.
# ruff: noqa
from gradtape.sets._operations import difference
from gradtape.sets._operations import intersection
from gradtape.sets._operations import size
from gradtape.sets._operations import union

__all__ = [
    "difference",
    "intersection",
    "size",
    "union",
]
