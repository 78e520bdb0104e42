"""`tf.sets`: sets along the last dimension of tensors."""

from gradtape.core import lazy

_LATER = {"gradtape.sets._operations": "difference intersection size union"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
