"""`tf.experimental`."""

from gradtape.experimental import dlpack

__all__ = ["dlpack"]
