"""`tf.compat.v1.io`: files and records."""

from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("io")
