"""`tf.random.experimental`: older names of the same, and shuffled indices."""

from gradtape.core import deferral
from gradtape.random._functions import (
    Algorithm,
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
    stateless_shuffle,
)
from gradtape.random._functions import fold_in as stateless_fold_in
from gradtape.random._functions import split as stateless_split
from gradtape.random._index_shuffle import random_index_shuffle as index_shuffle

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

deferral.shows(__name__)  # however it was imported, its functions are adapted
