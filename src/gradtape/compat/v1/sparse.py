"""`tf.compat.v1.sparse`: sparse tensors."""

from gradtape.compat.v1 import _rooms

__getattr__, __dir__ = _rooms.from_room("sparse")
