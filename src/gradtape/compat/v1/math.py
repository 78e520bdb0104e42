"""`tf.compat.v1.math`: mathematical functions."""

from gradtape.compat.v1 import _rooms

__getattr__ = _rooms.from_room("math")
