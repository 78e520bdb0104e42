"""`tf.linalg.experimental`: iterative solvers."""

from gradtape.core import deferral
from gradtape.linalg._conjugate_gradient import conjugate_gradient

__all__ = ["conjugate_gradient"]

deferral.shows(__name__)  # however it was imported, its functions are adapted
