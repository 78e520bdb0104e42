"""`tf.compat.v1.ragged`: ragged tensors of version 2."""

from gradtape.compat.v1 import _rooms

__getattr__ = _rooms.from_room("ragged")


class RaggedTensorValue:
    """The arrays of a ragged tensor. Sessions give ragged tensors themselves, so nothing is an instance of it."""
