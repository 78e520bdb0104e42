"""`tf.linalg.experimental`: iterative solvers."""

from gradtape.core import lazy

_LATER = {"gradtape.linalg._conjugate_gradient": "conjugate_gradient"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
