"""`tf.random.experimental`: older names of the same, and shuffled indices."""

from gradtape.core import lazy

_LATER = {
    "gradtape.random._functions": "stateless_fold_in=fold_in stateless_shuffle stateless_split=split",
    "gradtape.random._generator": "Algorithm Generator create_rng_state get_global_generator set_global_generator",
    "gradtape.random._index_shuffle": "index_shuffle",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
