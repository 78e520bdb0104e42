"""Numbers in text, as TensorFlow reads them."""

from __future__ import annotations

from gradtape.core import dtypes


def parse(text: bytes, dtype: dtypes.DType) -> int | float:
    """The number that a text spells in decimal, or a float in hexadecimal; ValueError if there is none, or an integer does not fit a dtype.

    Python reads more: underscores between digits, and the digits of all scripts.
    """
    word = text.strip().decode("ascii")
    if "_" in word:
        raise ValueError(f"{word!r} has an underscore")
    if not dtype.is_integer:
        return float.fromhex(word) if "0x" in word.lower() else float(word)
    low, high = dtype.min, dtype.max
    number = int(word)
    if not low <= number <= high:
        raise ValueError(f"{word} does not fit {dtype.name}")
    return number
