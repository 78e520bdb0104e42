"""`tf.audio`: WAV files.

_wav.py  WAV files of 16 bits
"""

from gradtape.core import lazy

_LATER = {"gradtape.audio._wav": "decode_wav encode_wav"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
