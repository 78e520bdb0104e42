"""`tf.linalg.experimental`: iterative solvers."""

from gradtape.core import later
from gradtape.names.iterative import conjugate_gradient

__all__ = ["conjugate_gradient"]

later.shows(__name__)  # however it was imported, its functions are adapted
