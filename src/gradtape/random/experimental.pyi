# Written by tools/stubs.py.
# ruff: noqa
from gradtape.random._functions import fold_in as stateless_fold_in
from gradtape.random._functions import split as stateless_split
from gradtape.random._functions import stateless_shuffle
from gradtape.random._generator import Algorithm
from gradtape.random._generator import Generator
from gradtape.random._generator import create_rng_state
from gradtape.random._generator import get_global_generator
from gradtape.random._generator import set_global_generator
from gradtape.random._index_shuffle import index_shuffle

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
