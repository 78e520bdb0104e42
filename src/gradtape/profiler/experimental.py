"""`tf.profiler.experimental`: profiles of Python calls and of named parts of a program."""

from gradtape.core import lazy

_LATER = {"gradtape.profiler._profile": "Profile ProfilerOptions Trace start stop"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
