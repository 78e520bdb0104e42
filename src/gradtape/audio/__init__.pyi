# Written by tools/stubs.py.
# ruff: noqa
from gradtape.audio._wav import decode_wav
from gradtape.audio._wav import encode_wav

__all__ = [
    "decode_wav",
    "encode_wav",
]
