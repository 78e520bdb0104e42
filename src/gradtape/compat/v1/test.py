"""`tf.compat.v1.test`: version 2's, with Python's mock."""

from unittest import mock

from gradtape.compat.v1 import _rooms

__all__ = ["mock"]
__getattr__, __dir__ = _rooms.from_room("test")
