"""`tf.compat.v1.random`: random numbers."""

from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("random")
