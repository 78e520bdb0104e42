"""`tf.saved_model`: objects with their traced functions in a folder."""

from gradtape.core import lazy

_LATER = {
    "gradtape.names.saving.assets": "Asset",
    "gradtape.names.saving.exporting": "save",
    "gradtape.names.saving.importing": "contains_saved_model load",
    "gradtape.names.saving.options": "LoadOptions SaveOptions",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
