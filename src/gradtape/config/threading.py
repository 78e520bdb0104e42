"""`tf.config.threading`: how many threads compute."""

from gradtape.core import lazy

_LATER = {
    "gradtape.config._threads": (
        "get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads "
        "set_intra_op_parallelism_threads"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
