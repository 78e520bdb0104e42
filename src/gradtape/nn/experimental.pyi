# Written by tools/stubs.py.
# ruff: noqa
from gradtape.nn._dropout import general_dropout
from gradtape.nn._dropout import stateless_dropout

__all__ = [
    "general_dropout",
    "stateless_dropout",
]
