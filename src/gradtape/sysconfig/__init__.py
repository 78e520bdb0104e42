"""`tf.sysconfig`: how this library was built."""

from gradtape.core import lazy

_LATER = {"gradtape.sysconfig._build_info": "get_build_info"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
