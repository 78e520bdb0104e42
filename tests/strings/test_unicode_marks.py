"""Byte orders, n-grams of short rows and parts of empty strings, recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
@pytest.mark.parametrize("order", ["-be", ""])
def test_without_a_mark_the_higher_byte_is_first(codec, order):
    source = "ab€".encode(codec + order)
    assert tf.strings.unicode_transcode(source, codec.upper(), "UTF-8").numpy().decode() == "ab€"


def test_short_rows_keep_their_padding():
    row = tf.ragged.constant([["a"], ["b", "c"]])
    found = tf.strings.ngrams(row, 6, pad_values=("L", "R"), padding_width=1, preserve_short_sequences=True)
    assert found.to_list() == [[b"L a R"], [b"L b c R"]]


def test_parts_of_strings():
    assert tf.strings.substr(b"", 0, 1, unit="UTF8_CHAR").numpy() == b""
    with pytest.raises(tf.errors.UnimplementedError, match="3 dimensions"):
        tf.strings.substr("abc", np.zeros([1, 1, 2], np.int32), np.ones([1, 1, 2], np.int32))


def test_object_is_the_dtype_of_strings():
    assert tf.as_dtype(object) is tf.string
