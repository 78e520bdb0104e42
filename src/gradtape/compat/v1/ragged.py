"""`tf.compat.v1.ragged`: ragged tensors of version 2."""

from gradtape.compat.v1 import _rooms
from gradtape.core.array_values import RaggedTensorValue as RaggedTensorValue

__getattr__, __dir__ = _rooms.from_room("ragged")
