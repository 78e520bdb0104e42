"""`tf.types`: classes for annotations."""

from gradtape.types import experimental

__all__ = ["experimental"]
