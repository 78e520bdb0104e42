"""Bytes as numbers, base64, compressed data and comma separated values."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint16", "complex64", "bool"]
)
@pytest.mark.parametrize("little", [True, False])
def test_decode_raw(dtype: str, little: bool) -> None:
    values = np.array([[1, 0, 3], [4, 5, 6]]).astype(dtype)
    stored = values if little else values.byteswap()
    data = [row.tobytes() for row in stored]
    result = tf.io.decode_raw(data, dtype, little_endian=little)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, values)


def test_decode_raw_of_bfloat16() -> None:
    values = tf.constant([1.0, -2.5], tf.bfloat16)
    result = tf.io.decode_raw(values.numpy().tobytes(), tf.bfloat16)
    assert result.dtype == tf.bfloat16
    np.testing.assert_array_equal(tf.cast(result, tf.float32), [1.0, -2.5])


def test_decode_raw_of_a_fixed_length() -> None:
    result = tf.io.decode_raw(["abc", "abcdefg"], tf.uint8, fixed_length=4)
    np.testing.assert_array_equal(result, [[97, 98, 99, 0], [97, 98, 99, 100]])
    np.testing.assert_array_equal(tf.io.decode_raw(["abc"], tf.int16, fixed_length=4), [[25185, 99]])


def test_decode_raw_in_a_function() -> None:
    decode = tf.function(lambda x: tf.io.decode_raw(x, tf.uint8))
    assert decode.get_concrete_function(tf.TensorSpec([2], tf.string)).structured_outputs.shape.as_list() == [2, None]
    np.testing.assert_array_equal(decode(tf.constant(["ab", "cd"])), [[97, 98], [99, 100]])
    np.testing.assert_array_equal(decode(tf.constant("abc")), [97, 98, 99])


def test_decode_raw_for_each_example() -> None:
    result = tf.vectorized_map(lambda x: tf.io.decode_raw(x, tf.uint8), tf.constant(["ab", "cd"]))
    np.testing.assert_array_equal(result, [[97, 98], [99, 100]])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((["abcd", "abc"], tf.uint8), r"all be the same size, but element 1 has size 4 != 3"),
        ((["abc"], tf.int16), r"length 3 that is not a multiple of 2, the size of int16"),
        ((["abc"], tf.int16, True, 5), r"fixed_length \(5\) must be a multiple"),
        ((["abc"], tf.string), r"out_type must be one of .*, got string"),
        (([1], tf.uint8), r"must be of dtype string"),
    ],
)
def test_decode_raw_refuses(arguments: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.io.decode_raw(*arguments)


def test_base64() -> None:
    data = [bytes(range(n)) for n in range(5)] + [b"hello??>"]
    for pad in (True, False):
        encoded = tf.io.encode_base64(data, pad=pad)
        assert tf.io.decode_base64(encoded).numpy().tolist() == data
    assert tf.io.encode_base64("hello??>").numpy() == b"aGVsbG8_Pz4"
    assert tf.io.encode_base64("a", pad=True).numpy() == b"YQ=="
    assert tf.function(tf.io.decode_base64)(tf.constant("YQ")).numpy() == b"a"


@pytest.mark.parametrize("text", ["Y+Q=", "YQ=", "Y", "a b"])
def test_what_is_no_base64(text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid character found in base64"):
        tf.io.decode_base64(text)


def test_decode_compressed() -> None:
    texts = [b"", b"hello" * 100]
    assert tf.io.decode_compressed([zlib.compress(t) for t in texts], "ZLIB").numpy().tolist() == texts
    assert tf.io.decode_compressed([gzip.compress(t) for t in texts], "GZIP").numpy().tolist() == texts
    assert tf.io.decode_compressed(texts).numpy().tolist() == texts
    with pytest.raises(tf.errors.DataLossError, match="decode_compressed"):
        tf.io.decode_compressed("no", "ZLIB")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Only ZLIB, GZIP or NONE"):
        tf.io.decode_compressed("no", "LZMA")


def test_csv_columns() -> None:
    numbers, floats, texts = tf.io.decode_csv(["1,2.5,a", '-3,,"b,""c"""'], [[0], [1.5], ["z"]])
    np.testing.assert_array_equal(numbers, [1, -3])
    np.testing.assert_array_equal(floats, np.float32([2.5, 1.5]))
    assert texts.numpy().tolist() == [b"a", b'b,"c"']
    assert [x.dtype for x in (numbers, floats, texts)] == [tf.int32, tf.float32, tf.string]


def test_csv_dtypes_and_shapes() -> None:
    a, b = tf.io.decode_csv([["9999999999;0.1"], ["2;nan"]], [np.int64(0), np.float64(0)], field_delim=";")
    assert (a.dtype, b.dtype) == (tf.int64, tf.float64)
    np.testing.assert_array_equal(a, [[9999999999], [2]])
    np.testing.assert_array_equal(b, [[0.1], [np.nan]])
    scalar = tf.io.decode_csv("1 ,2", [[1], [1.0]])
    assert [int(scalar[0]), float(scalar[1])] == [1, 2.0]


def test_csv_choices() -> None:
    first, third = tf.io.decode_csv(["1,2,3"], [[1], [2.0]], select_cols=[0, 2])
    assert (int(first[0]), float(third[0])) == (1, 3.0)
    assert int(tf.io.decode_csv(["NA,2"], [[7], [2.0]], na_value="NA")[0][0]) == 7
    assert tf.io.decode_csv(['a"b,2'], [[""], [2.0]], use_quote_delim=False)[0].numpy()[0] == b'a"b'
    assert tf.io.decode_csv(['"a\nb",'], [[""], ["x"]])[0].numpy()[0] == b"a\nb"


def test_csv_in_a_function() -> None:
    parse = tf.function(lambda x: tf.io.decode_csv(x, [[0], [0.0]]))
    number, real = parse(tf.constant("4,0.5"))
    assert (int(number), float(real)) == (4, 0.5)
    rows = tf.data.Dataset.from_tensor_slices(["1,2", "3,4"]).map(lambda line: tf.io.decode_csv(line, [[0], [0]])[1])
    assert [int(x) for x in rows] == [2, 4]


@pytest.mark.parametrize(
    ("records", "defaults", "text"),
    [
        (["1,"], [[0], np.zeros(0, np.float32)], r"Field 1 is required but missing in record 0"),
        (["1,2,3"], [[1], [2]], r"Expect 2 fields but have 3 in record 0"),
        (["1,2", "1,x"], [[1], [2]], r"Field 1 in record 1 is not a valid int32: x"),
        (["1,x"], [[1], [2.0]], r"Field 1 in record 0 is not a valid float: x"),
        (["99999999999"], [[1]], r"not a valid int32: 99999999999"),
        (['a"b,2'], [[""], [2.0]], r"Unquoted fields cannot have quotes"),
        (['"ab,2'], [[""], [2.0]], r"Quoted field has to end with quote"),
        (['"ab"c,2'], [[""], [2.0]], r"Quoted field has to end with quote"),
        (
            ["1"],
            [[True]],
            r"record_defaults\[0\] must be one number or string, or empty, got dtype bool and shape \(1,\)",
        ),
        (
            ["1"],
            [[1, 2]],
            r"record_defaults\[0\] must be one number or string, or empty, got dtype int32 and shape \(2,\)",
        ),
    ],
)
def test_csv_refuses(records: Any, defaults: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.io.decode_csv(records, defaults)


def test_csv_refuses_choices() -> None:
    with pytest.raises(ValueError, match=r"select_cols is not strictly increasing, got \[1, 0\]"):
        tf.io.decode_csv(["1,2"], [[1], [2]], select_cols=[1, 0])
    with pytest.raises(ValueError, match="do not match"):
        tf.io.decode_csv(["1,2"], [[1], [2]], select_cols=[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="field_delim"):
        tf.io.decode_csv(["1,2"], [[1], [2]], field_delim=",,")
