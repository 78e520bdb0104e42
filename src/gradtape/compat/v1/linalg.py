"""`tf.compat.v1.linalg`: linear algebra."""

from gradtape.compat.v1 import _rooms

__getattr__ = _rooms.from_room("linalg")
