"""`tf.saved_model`: objects with their traced functions in a folder."""

from gradtape.core import lazy

_LATER = {
    "gradtape.saved_model._assets": "Asset",
    "gradtape.saved_model._save": "save",
    "gradtape.saved_model._load": "contains_saved_model load",
    "gradtape.saved_model._options": "LoadOptions SaveOptions",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
