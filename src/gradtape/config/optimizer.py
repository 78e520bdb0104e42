"""`tf.config.optimizer`: switches of TensorFlow's graph optimizer, accepted and without effect."""

from gradtape.core import lazy

_LATER = {"gradtape.config._switches": "get_experimental_options get_jit set_experimental_options set_jit"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
