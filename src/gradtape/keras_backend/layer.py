"""What Keras's Layer inherits from the backend: nothing more is needed."""


class BackendLayer:
    """The first base of `keras.Layer`."""
