"""`tf.bitwise`: operations on the bits of integers."""

from gradtape.core import lazy

_LATER = {
    "gradtape.math._elementwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
