"""`tf.linalg.experimental`: iterative solvers."""

from gradtape.names.iterative import conjugate_gradient

__all__ = ["conjugate_gradient"]
