"""`tf.audio`: WAV files of 16 bits."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.host_op import check_strings, hosted, known, scalar_text
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.math._conversion import cast
from gradtape.ops.family import boxed

_SCALE = 32768
_PCM, _EXTENSIBLE = 1, 0xFFFE  # kinds of sound data that are plain numbers


class DecodeWav(NamedTuple):
    """The result of `decode_wav`."""

    audio: Any
    sample_rate: Any


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """The sound in a WAV file of 16 bits.

    Args:
      contents: the bytes of the file, a scalar string.
      desired_channels: how many channels are wanted: others are left out, and the last one stands for those that are missing;
        -1 for what the file has.
      desired_samples: how many samples are wanted: others are left out, missing ones are zero; -1 for what the file has.

    Returns:
      A named tuple: `audio`, float32 `[samples, channels]` from -1 to 1, and `sample_rate`, an int32 scalar.

    >>> data = tf.audio.encode_wav([[0.0], [0.5], [-1.0]], sample_rate=8000)
    >>> sound, rate = tf.audio.decode_wav(data)
    >>> sound.numpy().ravel(), int(rate)
    (array([ 0. ,  0.5, -1. ], dtype=float32), 8000)
    """
    x = check_strings("decode_wav", "contents", contents)
    return DecodeWav(*_decode_wav(x, channels=int(desired_channels), samples=int(desired_samples)))


def _specs(x: Spec, *, channels: int, samples: int) -> tuple[Spec, ...]:
    shape: Any = (None if samples < 0 else samples, None if channels < 0 else channels)
    return (Spec(shape, dtypes.float32), Spec((), dtypes.int32))


@hosted(_specs)
def _decode_wav(contents: Any, *, channels: int, samples: int) -> tuple[Any, ...]:
    sound, rate = decode(scalar_text("decode_wav", "contents", contents))
    if channels >= 0:
        sound = sound[:, np.minimum(np.arange(channels), sound.shape[1] - 1)]
    if samples >= 0:
        sound = np.pad(sound[:samples], [(0, max(samples - len(sound), 0)), (0, 0)])
    return sound, np.int32(rate)


def decode(data: bytes) -> tuple[Any, int]:
    """The sound in a WAV file, float32 `[samples, channels]`, and its rate."""
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise _invalid("Header mismatch: expected RIFF and WAVE", "the data is not a WAV file, or is too short.")
    chunks: dict[bytes, bytes] = {}
    place = 12
    while place + 8 <= len(data):
        kind, size = struct.unpack("<4sI", data[place : place + 8])
        chunks.setdefault(kind, data[place + 8 : place + 8 + size])
        place += 8 + size + size % 2
    form = chunks.get(b"fmt ", b"")
    if len(form) < 16 or b"data" not in chunks:
        raise _invalid("Data too short: there is no format, or no sound", "the file is incomplete.")
    kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", form[:16])
    if rate >= 1 << 31:
        raise _invalid(f"the rate is {rate} samples per second", "the file is damaged.")
    if kind not in (_PCM, _EXTENSIBLE) or bits != 16 or not channels:
        raise _invalid(
            f"Can only read 16-bit PCM WAV files, but this one has format {kind}, {bits} bits and {channels} channels",
            "convert it to PCM of 16 bits.",
        )
    samples = np.frombuffer(chunks[b"data"][: len(chunks[b"data"]) // (2 * channels) * 2 * channels], "<i2")
    return samples.reshape(-1, channels).astype(np.float32) / np.float32(_SCALE), rate


def _invalid(what: str, fix: str) -> Exception:
    return errors.build(errors.InvalidArgumentError, f"decode_wav: {what}.", fix)


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """The WAV file of a sound, of 16 bits, as a scalar string tensor.

    Args:
      audio: float32 `[samples, channels]`, from -1 to 1; what is beyond is cut off.
      sample_rate: samples per second, an int32 scalar.

    >>> tf.audio.encode_wav([[0.0], [0.5]], sample_rate=8000).numpy()[:4]
    b'RIFF'
    """
    return _encode_wav(cast(tensor(audio), dtypes.float32), cast(tensor(sample_rate), dtypes.int32))[0]


@hosted(known(((), dtypes.string)))
def _encode_wav(audio: Any, rate: Any) -> tuple[Any, ...]:
    if audio.ndim != 2 or not audio.shape[1]:
        raise errors.build(
            errors.ShapeError,
            f"encode_wav: audio must be 2-dimensional, it has shape {list(audio.shape)}",
            "it is [samples, channels]: use tf.expand_dims(audio, -1) for one channel.",
        )
    if rate <= 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"encode_wav: sample_rate must be positive, got {int(rate)}.",
            "give samples per second, such as 44100.",
        )
    return (boxed(encode(audio, int(rate))),)


def encode(sound: Any, rate: int) -> bytes:
    """The WAV file of a sound `[samples, channels]`."""
    scaled = np.float64(sound) * _SCALE
    rounded = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)  # halves away from zero
    data = np.clip(np.nan_to_num(rounded), -_SCALE, _SCALE - 1).astype("<i2").tobytes()
    channels = sound.shape[1]
    form = struct.pack("<HHIIHH", _PCM, channels, rate, rate * channels * 2, channels * 2, 16)
    body = b"".join([b"WAVE", b"fmt ", struct.pack("<I", len(form)), form, b"data", struct.pack("<I", len(data)), data])
    return b"RIFF" + struct.pack("<I", len(body)) + body
