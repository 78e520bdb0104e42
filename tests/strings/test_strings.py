"""`tf.strings`: expected values are TensorFlow's documented ones, or Python's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

S = tf.strings


def listed(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(listed(part) for part in x)
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    found = x.numpy()
    return found.tolist() if hasattr(found, "tolist") else found


def ragged(rows: Any) -> Any:
    return tf.ragged.constant(rows)


CALLS: dict[str, tuple[Any, Any, Any]] = {
    "join": (lambda x: S.join(["a", x], "-"), ["b", "c"], [b"a-b", b"a-c"]),
    "join ragged": (lambda x: S.join([x, "!"]), ragged([["a"], ["bb", "c"]]), [[b"a!"], [b"bb!", b"c!"]]),
    "length": (S.length, ["é", "ab"], [2, 2]),
    "length chars": (lambda x: S.length(x, "UTF8_CHAR"), ["é", "ab"], [1, 2]),
    "length scalar": (S.length, "abc", 3),
    "length ragged": (S.length, ragged([["a"], ["bb", "c"]]), [[1], [2, 1]]),
    "lower": (S.lower, "ÉA", "É".encode() + b"a"),
    "lower unicode": (lambda x: S.lower(x, "utf-8"), "ÉA", "éa".encode()),
    "upper": (lambda x: S.upper(x, "utf-8"), ["straße", ""], [b"STRASSE", b""]),
    "strip": (S.strip, [" a \n", "\t b"], [b"a", b"b"]),
    "split": (S.split, "a b  c ", [b"a", b"b", b"c"]),
    "split rows": (lambda x: S.split(x, ","), ["a,b,,c", ""], [[b"a", b"b", b"", b"c"], [b""]]),
    "split table": (S.split, [["a b"], ["c"]], [[[b"a", b"b"]], [[b"c"]]]),
    "split ragged": (S.split, ragged([["a b"], ["c d e", "f"]]), [[[b"a", b"b"]], [[b"c", b"d", b"e"], [b"f"]]]),
    "split once": (lambda x: S.split(x, maxsplit=1), "a  b c", [b"a", b"b c"]),
    "split blank": (lambda x: S.split(x, " "), " a b ", [b"", b"a", b"b", b""]),
    "substr": (lambda x: S.substr(x, [1, 0], [2, 9]), ["hello", "abc"], [b"el", b"abc"]),
    "substr back": (lambda x: S.substr(x, -3, 2), "hello", b"ll"),
    "substr chars": (lambda x: S.substr(x, 1, 1, unit="UTF8_CHAR"), "hé!", "é".encode()),
    "to_number": (S.to_number, [" 1.5 ", "2e3", "inf", "0x10"], [1.5, 2000.0, np.inf, 16.0]),
    "to_number ints": (lambda x: S.to_number(x, tf.int64), ["7", "-12345678901"], [7, -12345678901]),
    "as_string": (S.as_string, [1, 22], [b"1", b"22"]),
    "regex_replace": (lambda x: S.regex_replace(x, "[0-9]+", r"<\0>"), "abc123", b"abc<123>"),
    "regex groups": (lambda x: S.regex_replace(x, "(a)(b)", r"\2\1"), ["ab", "abab"], [b"ba", b"baba"]),
    "regex first": (lambda x: S.regex_replace(x, "X", "-", replace_global=False), "aXbX", b"a-bX"),
    "regex unicode": (lambda x: S.regex_replace(x, "é", r"(\0)"), "hé", "h(é)".encode()),
    "regex_full_match": (lambda x: S.regex_full_match(x, "a.c"), ["abc", "abcd", "a\nc"], [True, False, False]),
    "reduce_join": (S.reduce_join, [["a", "b"], ["c", "d"]], b"abcd"),
    "reduce_join axis": (lambda x: S.reduce_join(x, 0, separator="-"), [["a", "b"], ["c", "d"]], [b"a-c", b"b-d"]),
    "reduce_join order": (lambda x: S.reduce_join(x, [0, 1]), [["a", "b"], ["c", "d"]], b"acbd"),
    "reduce_join keepdims": (lambda x: S.reduce_join(x, 1, keepdims=True), [["a", "b"]], [[b"ab"]]),
    "reduce_join ragged": (lambda x: S.reduce_join(x, -1), ragged([["a", "b"], ["c"]]), [b"ab", b"c"]),
    "bytes_split": (S.bytes_split, ["ab", "é"], [[b"a", b"b"], [b"\xc3", b"\xa9"]]),
    "bytes_split scalar": (S.bytes_split, "ab", [b"a", b"b"]),
    "unicode_split": (lambda x: S.unicode_split(x, "UTF-8"), ["aé", ""], [[b"a", "é".encode()], []]),
    "unicode_decode": (lambda x: S.unicode_decode(x, "UTF-8"), ["aé", ""], [[97, 233], []]),
    "unicode_decode bad": (lambda x: S.unicode_decode(x, "UTF-8"), b"a\xff", [97, 65533]),
    "unicode_decode ignore": (lambda x: S.unicode_decode(x, "UTF-8", errors="ignore"), b"a\xff\xfeb", [97, 98]),
    "offsets": (lambda x: S.unicode_decode_with_offsets(x, "UTF-8"), ["aéb"], ([[97, 233, 98]], [[0, 1, 3]])),
    "unicode_encode": (
        lambda x: S.unicode_encode(x, "UTF-16-BE"),
        ragged([[97], [233, 8364]]),
        [b"\0a", b"\0\xe9 \xac"],
    ),
    "unicode_encode table": (
        lambda x: S.unicode_encode(x, "UTF-8"),
        [[97, 98], [99, 0x110000]],
        [b"ab", "c\ufffd".encode()],
    ),
    "unicode_transcode": (lambda x: S.unicode_transcode(x, "UTF-8", "UTF-16-BE"), ["é"], [b"\0\xe9"]),
    "segments": (lambda x: S.unsorted_segment_join(x, [1, 0, 1], 3, "-"), ["a", "b", "c"], [b"b", b"a-c", b""]),
    "segments of rows": (
        lambda x: S.unsorted_segment_join(x, [0, 0], 1, ":"),
        [["a", "b"], ["c", "d"]],
        [[b"a:c", b"b:d"]],
    ),
    "ngrams": (lambda x: S.ngrams(x, 2), ["a", "b", "c"], [b"a b", b"b c"]),
    "ngrams widths": (
        lambda x: S.ngrams(x, [1, 2]),
        [["a", "b"], ["d", "e"]],
        [[b"a", b"b", b"a b"], [b"d", b"e", b"d e"]],
    ),
    "ngrams ragged": (lambda x: S.ngrams(x, 2), ragged([["a", "b", "c"], ["d"]]), [[b"a b", b"b c"], []]),
    "ngrams padded": (
        lambda x: S.ngrams(x, 3, pad_values=("<", ">")),
        ["a", "b"],
        [b"< < a", b"< a b", b"a b >", b"b > >"],
    ),
    "ngrams less": (lambda x: S.ngrams(x, 3, pad_values="#", padding_width=1), ["a", "b"], [b"# a b", b"a b #"]),
    "ngrams short": (lambda x: S.ngrams(x, 3, preserve_short_sequences=True), ["a", "b"], [b"a b"]),
    "format": (lambda x: S.format("x {} y", x), list(range(8)), b"x [0 1 2 ... 5 6 7] y"),
}


@pytest.mark.parametrize("name", CALLS)
def test_strings(name: str) -> None:
    function, value, expected = CALLS[name]
    given = value if isinstance(value, tf.RaggedTensor) else tf.constant(value)
    assert listed(function(given)) == expected
    assert listed(tf.function(function)(given)) == expected


def test_functions_of_unknown_size() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(x: Any) -> Any:
        words = S.split(S.lower(x))
        return words.to_tensor(""), tf.reduce_sum(S.length(words), 1), S.reduce_join(x, separator="|")

    table, lengths, joined = f(tf.constant(["A b", "Ccc"]))
    assert listed(table) == [[b"a", b"b"], [b"ccc", b""]]
    assert listed(lengths) == [2, 3]
    assert listed(joined) == b"A b|Ccc"
    assert listed(f(tf.constant(["x y z"]))[0]) == [[b"x", b"y", b"z"]]


def test_hashes_are_those_of_tensorflow() -> None:
    words = ["", "a", "hello", "Hello, world", "gradtape and more", "é" * 20, "x" * 100]
    fast = [377723, 291400, 497363, 756296, 415253, 120459, 107918]
    plain = [598820, 789371, 546981, 284219, 352824, 843832, 228183]
    strong = [804547, 12304, 395997, 572055, 124445, 717904, 800070]
    assert listed(S.to_hash_bucket_fast(words, 1000003)) == fast
    assert listed(S.to_hash_bucket(words, 1000003)) == plain
    assert listed(S.to_hash_bucket_strong(words, 1000003, [123, 456])) == strong
    assert listed(tf.function(lambda x: S.to_hash_bucket_fast(x, 1000003))(tf.constant(words))) == fast


def test_empty_tensors() -> None:
    assert S.lower(tf.constant([], tf.string)).shape == [0]
    assert listed(S.split([])) == []
    assert listed(S.reduce_join(tf.constant([], tf.string))) == b""


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (lambda: S.lower([1.0]), TypeError, "takes strings"),
        (lambda: S.join([["a"], ["b", "c"]]), ValueError, "Input shapes do not match"),
        (lambda: S.substr("hello", 7, 2), tf.errors.InvalidArgumentError, "pos 7 out of range"),
        (lambda: S.to_number("abc"), tf.errors.InvalidArgumentError, "could not correctly convert string: abc"),
        (lambda: S.to_number("7.5", tf.int32), tf.errors.InvalidArgumentError, "could not correctly convert"),
        (lambda: S.to_number("99999999999", tf.int32), tf.errors.InvalidArgumentError, "could not correctly convert"),
        (lambda: S.to_number("1", tf.bool), TypeError, "out_type"),
        (lambda: S.regex_replace("abc", "(", "-"), tf.errors.InvalidArgumentError, "Invalid pattern"),
        (lambda: S.format("a {} {}", [1]), ValueError, "expects 2 tensors"),
        (lambda: S.length("a", "WORD"), tf.errors.InvalidArgumentError, "unit is 'WORD'"),
        (
            lambda: S.unicode_decode(b"a\xff", "UTF-8", errors="strict"),
            tf.errors.InvalidArgumentError,
            "Invalid formatting",
        ),
        (lambda: S.unicode_decode("a", "UTF-99"), tf.errors.InvalidArgumentError, "encoding"),
        (lambda: S.to_hash_bucket_fast("a", 0), tf.errors.InvalidArgumentError, "num_buckets"),
        (lambda: S.to_hash_bucket_strong("a", 5, [1]), tf.errors.InvalidArgumentError, "two integers"),
        (lambda: S.ngrams("a", 2), ValueError, "rank"),
        (lambda: S.ngrams(["a"], 0), ValueError, "greater than 0"),
        (lambda: S.unsorted_segment_join(["a"], [2], 1), tf.errors.InvalidArgumentError, "segment 2 of 1"),
    ],
)
def test_bad_arguments(wrong: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        wrong()


def test_sums_of_strings():
    words = tf.constant([["a"], ["b"]])
    assert (words + ["c", "d"]).numpy().tolist() == [[b"ac", b"ad"], [b"bc", b"bd"]]
    assert ("x" + tf.constant("y")).numpy() == tf.add("x", "y").numpy() == b"xy"

    @tf.function
    def counted(n):
        text = tf.constant("")
        for i in tf.range(n):
            text += tf.strings.as_string(i) if i % 2 == 0 else "-"
        return text

    assert counted(tf.constant(5)).numpy() == b"0-2-4"
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
        _ = tf.constant(["a", "b"]) + tf.constant(["a", "b", "c"])
    with pytest.raises(TypeError, match="cannot be converted to string"):
        _ = words + 1


def test_scripts_of_characters():
    found = S.unicode_script(tf.ragged.constant([[97, 0x3B1], [], [0x4E2D, 0x20, 0xD800, -1]]))
    assert found.to_list() == [[25, 14], [], [17, 0, 103, -1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be int32"):
        S.unicode_script(["a"])


def test_strings_of_ragged_rows_are_joined_along_every_axis():
    x = tf.ragged.constant([[["a", "b"], ["c"]], [["d"]]])
    assert S.reduce_join(x, 0, separator="-").to_list() == [[b"a-d", b"b"], [b"c"]]
    assert S.reduce_join(x, 1).to_list() == [[b"ac", b"b"], [b"d"]]
    assert S.reduce_join(x, [1, 2]).numpy().tolist() == [b"abc", b"d"]
    assert S.reduce_join(x, [1, 2], keepdims=True).shape == [2, 1, 1]
    join = tf.function(lambda x: tf.strings.reduce_join(x, 0))
    assert join(tf.ragged.constant([["a", "b"], ["c"]])).numpy().tolist() == [b"ac", b"b"]
