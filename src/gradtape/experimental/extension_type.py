"""`tf.experimental.extension_type`."""

from gradtape.core import lazy

_LATER = {"gradtape.toplevel.extension_types": "as_dict"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
