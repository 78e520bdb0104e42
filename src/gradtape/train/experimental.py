"""`tf.train.experimental`: a base class for objects that define their saved state."""

from __future__ import annotations


class PythonState:
    """Base of objects with a state beside variables, as a string. Checkpoints hold variables only, so nothing asks for it.

    >>> isinstance(tf.Variable(1.0), tf.train.experimental.PythonState)
    False
    """

    def serialize(self) -> str:
        """The state."""
        raise NotImplementedError

    def deserialize(self, string_value: str) -> None:
        """Take a state."""
        raise NotImplementedError


__all__ = ["PythonState"]
