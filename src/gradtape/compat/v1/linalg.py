"""`tf.compat.v1.linalg`: linear algebra."""

from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("linalg")
