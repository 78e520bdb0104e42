"""`tf.io.gfile`: files and directories of this computer."""

from gradtape.core import lazy

_LATER = {
    "gradtape.io._gfile": (
        "copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename rmtree stat walk"
    ),
    "gradtape.io._gfile_object": "GFile",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
