"""`tf.profiler`: where the time goes."""

from gradtape.profiler import experimental

__all__ = ["experimental"]
