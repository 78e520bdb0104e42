"""The base class that Keras's Layer inherits from the backend."""

from typing import Any

from gradtape.core import hints, provenance
from gradtape.core.variable import Variable


class BackendLayer:
    """The first base of `keras.Layer`."""

    def _setattr_hook(self, name: str, value: Any) -> tuple[str, Any]:
        """Called for each attribute that is set. Keras trains only its own variables."""
        if isinstance(value, Variable) and value.trainable:
            hints.say(
                provenance.user_place(2),
                f"{type(self).__name__}.{name} is a tf.Variable, which Keras does not train: it is not in trainable_variables.",
                f"self.{name} = self.add_weight(shape=(...), initializer=...), or keras.Variable(value).",
            )
        return name, value
