"""`tf.compat.v1.image`: functions of images."""

from gradtape.compat.v1 import _rooms

__getattr__ = _rooms.from_room("image")
