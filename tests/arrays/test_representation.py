"""Values in other forms. Texts and fingerprints are those of TensorFlow."""

import numpy as np
import pytest

import gradtape as tf
from refusing import refused


def test_bitcast():
    assert tf.bitcast([1.0, 2.0], tf.int32).numpy().tolist() == [1065353216, 1073741824]
    assert tf.bitcast(1.0, tf.uint16).numpy().tolist() == [0, 16256]
    assert tf.bitcast([1.0], "uint8").numpy().tolist() == [[0, 0, 128, 63]]
    np.testing.assert_allclose(tf.bitcast([[1.0, 2.0]], tf.float64).numpy(), [2.00000047])
    assert tf.bitcast(tf.constant([1 + 2j], tf.complex64), tf.float32).numpy().tolist() == [[1.0, 2.0]]
    assert tf.bitcast(tf.constant([1.0], tf.bfloat16), tf.uint16).numpy().tolist() == [16256]
    assert tf.bitcast(tf.zeros([0, 2]), tf.uint8).shape == [0, 2, 4]


def test_bitcast_is_checked_and_has_no_gradient():
    refused(lambda: tf.bitcast([[1.0, 2.0, 3.0]], tf.float64), "length 2")
    refused(lambda: tf.bitcast([True], tf.uint8), "x is bool")
    refused(lambda: tf.bitcast(["a"], tf.uint8), "x is str")
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = tf.bitcast(tf.bitcast(x, tf.int32), tf.float32)
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    ("value", "options", "wanted"),
    [
        ([1, -2], {}, ["1", "-2"]),
        ([1.5, -2.25, 3.14159265], {}, ["1.500000", "-2.250000", "3.141593"]),
        ([1.5, 1e20], {"precision": 2}, ["1.50", "100000002004087734272.00"]),
        ([1.5, 1e20], {"scientific": True}, ["1.500000e+00", "1.000000e+20"]),
        ([1.5, 1e20, 0.1], {"shortest": True}, ["1.5", "1e+20", "0.1"]),
        ([1.5], {"scientific": True, "precision": 2}, ["1.50e+00"]),
        ([15, -3], {"width": 5, "fill": "0"}, ["00015", "-0003"]),
        ([15], {"width": 5}, ["   15"]),
        ([15], {"width": 5, "fill": "-"}, ["15   "]),
        ([15], {"width": 5, "fill": "+"}, ["  +15"]),
        ([-1.5, 1.5], {"width": 10, "fill": "+", "precision": 1}, ["      -1.5", "      +1.5"]),
        ([True, False], {"width": 7}, ["true", "false"]),
        (tf.constant([1 + 2j]), {"precision": 2, "width": 8}, ["(    1.00,    2.00)"]),
        (tf.constant([1 + 2j]), {"shortest": True}, ["(1,2)"]),
        ([np.inf, -np.inf, np.nan], {}, ["inf", "-inf", "nan"]),
        (tf.constant([1.5], tf.bfloat16), {}, ["1.500000"]),
        (tf.constant([2**63], tf.uint64), {}, ["9223372036854775808"]),
        (["ab"], {"width": 4, "fill": "0"}, ["  ab"]),
    ],
)
def test_as_string(value, options, wanted):
    found = tf.as_string(value, **options)
    assert found.dtype is tf.string
    assert [text.decode() for text in found.numpy()] == wanted


def test_as_string_is_checked():
    refused(lambda: tf.as_string([1], precision=2), "no meaning for int32")
    refused(lambda: tf.as_string([True], shortest=True), "no meaning for bool")
    refused(lambda: tf.as_string([1.0], scientific=True, shortest=True), "both true")
    refused(lambda: tf.as_string([1], fill="x"), "fill must be one of .*, got 'x'")
    assert tf.as_string(1.5).shape == []
    assert tf.as_string([[1, 2]]).shape == [1, 2]


# One length for each branch of the algorithm, and both sides of the borders.
FINGERPRINTS = {
    1: [84, 75, 233, 245, 237, 86, 96, 190],
    3: [166, 215, 3, 59, 234, 208, 88, 41],
    4: [46, 245, 114, 252, 72, 90, 248, 13],
    7: [233, 127, 245, 164, 193, 42, 85, 139],
    8: [135, 72, 67, 169, 147, 203, 46, 133],
    16: [10, 58, 154, 11, 94, 98, 170, 251],
    17: [228, 219, 121, 176, 127, 209, 176, 211],
    32: [134, 52, 80, 180, 244, 150, 21, 126],
    33: [26, 145, 51, 75, 171, 9, 206, 128],
    64: [126, 153, 131, 135, 8, 76, 156, 40],
    65: [255, 187, 34, 161, 16, 124, 117, 46],
    128: [172, 72, 232, 88, 239, 125, 234, 101],
    129: [160, 250, 47, 65, 179, 129, 135, 239],
    1000: [75, 48, 148, 54, 218, 54, 120, 46],
}


@pytest.mark.parametrize("length", FINGERPRINTS)
def test_fingerprint_of_bytes(length):
    row = (np.arange(length) * 37 % 256).astype(np.uint8)
    found = tf.fingerprint(np.stack([row, row + 1, row]))
    assert found.dtype is tf.uint8
    assert found[0].numpy().tolist() == found[2].numpy().tolist() == FINGERPRINTS[length]
    assert found[1].numpy().tolist() != FINGERPRINTS[length]


def test_fingerprint_of_other_values():
    hello, world = [232, 12, 56, 49, 169, 229, 139, 180], [110, 180, 184, 94, 67, 84, 26, 228]
    assert tf.fingerprint(["hello", "world"]).numpy().tolist() == [hello, world]
    assert tf.fingerprint([["hello", "world"]]).numpy().tolist() == [[203, 47, 4, 105, 115, 208, 56, 231]]
    assert tf.fingerprint([[1.0, 2.0]]).numpy().tolist() == [[223, 178, 164, 36, 10, 49, 237, 154]]
    assert tf.fingerprint(tf.ones([2, 2, 2]))[1].numpy().tolist() == [15, 136, 244, 193, 164, 233, 81, 93]
    assert tf.fingerprint(tf.zeros([1, 0])).numpy().tolist() == [[79, 64, 144, 47, 59, 106, 225, 154]]
    assert tf.fingerprint(tf.zeros([0, 2])).shape == [0, 8]
    refused(lambda: tf.fingerprint([[1.0]], method="md5"), "the method must be .*, got 'md5'")
    refused(lambda: tf.fingerprint(1.0), "a scalar")


def test_unravel_index():
    assert tf.unravel_index([2, 5, 7], [3, 3]).numpy().tolist() == [[0, 1, 2], [2, 2, 1]]
    assert tf.unravel_index(5, tf.constant([3, 3])).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="integer overflow"):
        tf.unravel_index([5], [2**28, 2**28])
    assert tf.unravel_index(tf.constant([[7]], tf.int64), [2, 2, 2]).dtype is tf.int64
    refused(lambda: tf.unravel_index([9], [3, 3]), r"not in \[0, 9\)")
    refused(lambda: tf.unravel_index([-1], [3, 3]), r"not in \[0, 9\)")
    refused(lambda: tf.unravel_index([0], [0, 3]), "positive lengths")
    refused(lambda: tf.unravel_index([0.5], [3]), "signed integers")
