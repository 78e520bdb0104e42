"""`tf.compat.v1.saved_model`: saved models of version 2."""

from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("saved_model")
