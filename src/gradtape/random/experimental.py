"""`tf.random.experimental`: older names of the same, and shuffled indices."""

from gradtape.core import later
from gradtape.names.random import (
    Algorithm,
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
    stateless_shuffle,
)
from gradtape.names.random import fold_in as stateless_fold_in
from gradtape.names.random import split as stateless_split
from gradtape.names.random_integers import random_index_shuffle as index_shuffle

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

later.shows(__name__)  # however it was imported, its functions are adapted
