"""Random regular expressions with texts and rewrites, and the answers that TensorFlow gave.

`python tests/strings/re2_programs.py` records the answers anew, where TensorFlow is installed.
"""

from __future__ import annotations

import random
import zlib
from pathlib import Path
from typing import Any, NamedTuple

ANSWERS = Path(__file__).parent / "data" / "re2_answers.txt"
COUNT = 1000

_LETTERS = ["a", "b", "c", "A", "B", "é", "ß", "Σ", "中", "1", "7", " ", "_", "-", "\n", "\t", ",", "!"]
_ATOMS = [
    "a", "b", "c", "ab", "é", "中", "1", ".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\pL", r"\PL", r"\pN", r"\p{Greek}",
    r"\p{Lu}", r"\p{^Lu}", "[[:alpha:]]", "[[:^digit:]]", "[[:punct:]]", "[^a]", "[a-c]", "[^a-c1]", "[é-ø]", r"[\w-]",
    "[a-]", "[]a]", r"\.", r"\x41", r"\x{4e2d}", r"\101", r"\Qa+b\E", r"\C", r"\t", "(?:ab|ba)", "[!,_]", r"[\d\s]",
]  # fmt: skip
_ANCHORS = ["^", "$", r"\b", r"\B", r"\A", r"\z", "(?m:^)", "(?m:$)"]
_REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}?", "{2,}", "{,2}", "{0}"]
_FLAGS = ["(?i)", "(?s)", "(?m)", "(?U)", "(?i-s)", "(?im)"]
# What RE2 refuses, or reads in its own way.
_REFUSED = [
    "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", r"(a)\1", "a**", "a{1001}", "(a", "a)", "[b-a]", "[a", r"\Z", r"\pX", "*a", "(?<n=a)",
    "(?P<n>a)", "(?P=n)", "(?>a)", "a++", r"\8", "[[:word:]]", "[[:nope:]]", r"\N", "(?x)a b", "(?#c)a", "a{2}{3}", "\\", r"\xZ",
]  # fmt: skip
_REWRITES = ["", "-", r"<\0>", r"\1", r"\2\1", r"[\0\0]", "é", r"\\", "x\\", r"\x", r"\3", r"\9"]


class Example(NamedTuple):
    """A pattern, a rewrite, and texts."""

    pattern: bytes
    rewrite: bytes
    texts: list[bytes]


def examples(seed: int = 7) -> list[Example]:
    """The random examples, always the same for a seed."""
    source = random.Random(seed)

    def below(limit: int) -> int:
        return int(source.random() * limit)  # `random` alone is the same in every version of Python

    def one(choices: list[str]) -> str:
        return choices[below(len(choices))]

    def expression(depth: int) -> str:
        kind = below(10 if depth else 5)
        if kind < 4:
            return one(_ATOMS)
        if kind == 4:
            return one(_ANCHORS)
        inner = expression(depth - 1)
        if kind < 7:
            return (inner if len(inner) == 1 else f"(?:{inner})") + one(_REPEATS)
        if kind == 7:
            return f"({inner})"
        if kind == 8:
            return f"{inner}|{expression(depth - 1)}"
        return inner + expression(depth - 1)

    def pattern() -> str:
        parts = [expression(3) for _ in range(1 + below(2))]
        if below(8) == 0:
            parts.insert(0, one(_FLAGS))
        if below(3) == 0:
            parts = [*parts, ".*"] if below(2) else [".*", *parts]
        if below(10) == 0:
            parts.insert(below(len(parts) + 1), one(_REFUSED))
        return "".join(parts)

    def text() -> bytes:
        letters, most = (_LETTERS, 9) if below(2) else (_LETTERS[:3], 5)
        whole = "".join(one(letters) for _ in range(below(most))).encode()
        if below(6) == 0:
            place = below(len(whole) + 1)
            whole = whole[:place] + bytes([0x80 + below(128)]) + whole[place:]
        return whole

    return [Example(pattern().encode(), one(_REWRITES).encode(), [text() for _ in range(6)]) for _ in range(COUNT)]


def answer(tf: Any, example: Example) -> str:
    """What a library answers, in short: which texts match, and a checksum of what replacing makes of them."""
    try:
        matches = tf.strings.regex_full_match(example.texts, example.pattern).numpy()
    except tf.errors.InvalidArgumentError:
        return "refused"
    new = [
        tf.strings.regex_replace(example.texts, example.pattern, example.rewrite, replace_global=everywhere).numpy()
        for everywhere in (True, False)
    ]
    bits = "".join("1" if m else "0" for m in matches.tolist())
    return f"{bits} {zlib.crc32(repr([n.tolist() for n in new]).encode()):08x}"


if __name__ == "__main__":
    import tensorflow

    ANSWERS.write_text("".join(answer(tensorflow, e) + "\n" for e in examples()))
