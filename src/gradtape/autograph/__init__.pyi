# Written by tools/stubs.py.
# ruff: noqa
from gradtape.autograph import experimental
from gradtape.autograph._public import set_verbosity
from gradtape.autograph._public import to_code
from gradtape.autograph._public import to_graph
from gradtape.autograph._public import trace

__all__ = [
    "experimental",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
]
