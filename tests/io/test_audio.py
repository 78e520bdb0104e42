"""WAV files: bytes are TensorFlow's, and Python's `wave` reads them."""

from __future__ import annotations

import io
import wave
from typing import Any

import numpy as np
import pytest

import gradtape as tf

SOUND = np.float32([[0.0], [0.5], [-1.0], [1.0], [2.0], [0.3]])
# What TensorFlow's tf.audio.encode_wav gives for it at a rate of 8000.
DATA = (
    b"RIFF0\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x0c\x00"
    b"\x00\x00\x00\x00\x00@\x00\x80\xff\x7f\xff\x7ff&"
)


def test_bytes_are_tensorflow_s() -> None:
    assert tf.audio.encode_wav(SOUND, 8000).numpy() == DATA
    sound, rate = tf.audio.decode_wav(DATA)
    np.testing.assert_allclose(sound[:, 0], [0, 0.5, -1, 0.9999695, 0.9999695, 0.2999878], atol=1e-7)
    assert (int(rate), rate.dtype, sound.dtype) == (8000, tf.int32, tf.float32)


def test_wave_reads_it() -> None:
    stereo = np.stack([np.sin(np.arange(50) / 3), np.cos(np.arange(50) / 5)], 1).astype(np.float32)
    with wave.open(io.BytesIO(tf.audio.encode_wav(stereo, tf.constant(44100)).numpy())) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 44100, 2)
        samples = np.frombuffer(file.readframes(50), "<i2").reshape(50, 2)
    np.testing.assert_allclose(samples / 32768, stereo, atol=1 / 32768)


def test_wanted_sizes() -> None:
    np.testing.assert_array_equal(tf.audio.decode_wav(DATA, 2, 3).audio, [[0, 0], [0.5, 0.5], [-1, -1]])
    padded = tf.audio.decode_wav(DATA, desired_samples=8).audio
    np.testing.assert_array_equal(padded[6:], [[0], [0]])


def test_in_a_function() -> None:
    decode = tf.function(lambda data: tf.audio.decode_wav(data, desired_samples=4).audio * 2.0)
    assert decode.get_concrete_function(tf.TensorSpec([], tf.string)).structured_outputs.shape.as_list() == [4, None]
    np.testing.assert_array_equal(decode(tf.constant(DATA))[:3], [[0], [1], [-2]])


def test_other_chunks_are_passed_over() -> None:
    extra = DATA[:36] + b"LIST\x03\x00\x00\x00abc\x00" + DATA[36:]
    np.testing.assert_array_equal(tf.audio.decode_wav(extra).audio, tf.audio.decode_wav(DATA).audio)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.audio.decode_wav("abc"), "Header mismatch"),
        (lambda: tf.audio.decode_wav(DATA[:30]), "too short"),
        (lambda: tf.audio.decode_wav(DATA[:34] + b"\x08\x00" + DATA[36:]), "16-bit PCM WAV files, but this one has"),
        (lambda: tf.audio.encode_wav(SOUND[:, 0], 8000), "must be 2-dimensional"),
        (lambda: tf.audio.decode_wav([DATA]), "must be scalar"),
    ],
)
def test_refuses(call: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()
