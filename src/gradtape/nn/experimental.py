"""`tf.nn.experimental`: dropout with a custom sampler or seed."""

from gradtape.core import lazy

_LATER = {"gradtape.nn._dropout": "general_dropout stateless_dropout"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
