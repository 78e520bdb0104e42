"""`tf.audio`: WAV files."""

from gradtape.core import lazy

_LATER = {"gradtape.audio._wav": "decode_wav encode_wav"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
