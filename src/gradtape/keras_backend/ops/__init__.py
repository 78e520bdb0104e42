"""The functions behind `keras.ops`, by Keras's modules."""

from gradtape.keras_backend.ops import core, image, linalg, math, nn, numpy

__all__ = ["core", "image", "linalg", "math", "nn", "numpy"]
