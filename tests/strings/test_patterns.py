"""Regular expressions: RE2's dialect, in linear time."""

import subprocess
import sys
import time

import pytest

import gradtape as tf
from gradtape.strings import _re2
from refusing import refused
from strings import re2_programs

S = tf.strings


def test_random_patterns_answer_as_recorded():
    """A thousand patterns, each on six texts, some of which are not UTF-8."""
    recorded = re2_programs.ANSWERS.read_text().splitlines()
    found = [re2_programs.answer(tf, example) for example in re2_programs.examples()]
    assert [i for i, (a, b) in enumerate(zip(found, recorded, strict=True)) if a != b] == []


def test_patterns_that_backtracking_never_ends():
    start = time.perf_counter()
    assert not S.regex_full_match(["a" * 40 + "!"], "(a+)+$").numpy()[0]
    assert S.regex_replace("x" * 5000, "(x+x+)+y", "-").numpy() == b"x" * 5000
    assert S.regex_full_match("a" * 100, "(a?){100}a{100}").numpy()
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)", "(?<!a)", r"\Z", "a{1001}", b"\xff"])
def test_what_re2_cannot_read_is_refused(pattern):
    refused(lambda: S.regex_full_match("a", pattern), "Invalid pattern")
    refused(lambda: S.regex_replace("a", pattern, ""), "Invalid pattern")
    refused(lambda: tf.function(lambda: S.regex_replace("a", pattern, ""))(), "Invalid pattern")


def test_patterns_and_rewrites_are_scalars():
    refused(lambda: S.regex_full_match("a", ["a"]), "must be scalar")
    refused(lambda: S.regex_replace("a", ["a"], "b"), "must be scalar")
    refused(lambda: S.regex_replace("a", "a", tf.constant(["b"])), "must be scalar")


def test_patterns_that_are_tensors():
    replace = tf.function(lambda x, p, r: tf.strings.regex_replace(x, p, r))
    assert replace(tf.constant(["abc"]), tf.constant("[bc]"), tf.constant(r"<\0>")).numpy()[0] == b"a<b><c>"
    match = tf.function(lambda x, p: tf.strings.regex_full_match(x, p))
    assert match(tf.constant(["abc", "d"]), tf.constant("a.c")).numpy().tolist() == [True, False]
    refused(lambda: match(tf.constant("a"), tf.constant("(")), "Invalid pattern")


@pytest.mark.parametrize("new", ["", "-", "a-"])
@pytest.mark.parametrize("pattern", ["[a-c,.]", r"[!\]\-\\]", "[+-]", "[ -~]"])
def test_sets_of_characters_take_a_shortcut_with_the_same_result(pattern, new):
    text = ("".join(map(chr, range(256))) + "中abc\\]-").encode() + b"\xff\x80"
    everything = S.regex_replace(text, f"(?:{pattern})", new)
    assert S.regex_replace(text, pattern, new).numpy() == everything.numpy()


def test_composites_keep_their_rows():
    ragged = tf.ragged.constant([["a1"], [], ["b", "22"]])
    assert S.regex_replace(ragged, r"\d", "#").to_list() == [[b"a#"], [], [b"b", b"##"]]
    assert S.regex_full_match(ragged, ".").to_list() == [[False], [], [True, False]]


def test_the_cache_of_patterns_is_bounded():
    for i in range(3 * _re2._KEPT):
        S.regex_full_match("a", f"a{{{i}}}")
    assert _re2.pattern.cache_info().currsize == _re2._KEPT


def test_without_the_library_the_error_names_the_package():
    code = """
import sys
sys.modules["re2"] = None
import gradtape as tf
assert tf.strings.lower("A").numpy() == b"a"
try:
    tf.strings.regex_full_match("a", "a")
except ModuleNotFoundError as problem:
    assert "pip install google-re2" in str(problem), problem
else:
    raise AssertionError("nothing was raised")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_library_is_imported_with_the_first_pattern():
    code = """
import sys
import gradtape as tf
tf.strings.split("a b")
assert "re2" not in sys.modules
tf.strings.regex_full_match("a", "a")
assert "re2" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
