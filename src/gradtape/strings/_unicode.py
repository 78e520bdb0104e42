"""Strings as characters: decoded, encoded, and in other encodings."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.array_op import flat, objects, on_arrays
from gradtape.arrays import movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.ragged import _construct as construct
from gradtape.ragged._tensor import RaggedTensor
from gradtape.strings._arguments import choice, each, over, same_shape, strings
from gradtape.strings._split import in_rows, rows_of

_POLICIES = ("replace", "ignore", "strict")
_CODECS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
# Encodings of either byte order, with the marks at the beginning that tell which; without a mark, the higher byte is first.
_MARKS = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}


class _Options(dict[str, Any]):
    """How characters are read from bytes, as parameters of an op."""

    def __init__(self, who: str, encoding: str, policy: str, replacement: Any, control: bool = False) -> None:
        codec = _CODECS.get(encoding.upper(), encoding)
        try:
            codecs.lookup(codec)
        except LookupError:
            raise errors.build(
                errors.InvalidArgumentError,
                f"{who}: the encoding must be one that Python knows, got {encoding!r}.",
                'use "UTF-8", "UTF-16-BE" or another.',
            ) from None
        number = int(replacement)
        if not 0 <= number < 0x110000:
            raise errors.build(
                errors.InvalidArgumentError,
                f"{who}: replacement_char out of unicode codepoint range, got {number}.",
                "give the number of a character, below 0x110000.",
            )
        super().__init__(
            codec=codec,
            policy=choice(policy, _POLICIES, who, "errors"),
            replacement=chr(number),
            control=bool(control),
        )


def _target(who: str, encoding: str) -> str:
    """The codec in which results are written."""
    return _CODECS[choice(encoding, tuple(_CODECS), who, "output_encoding")]


def _characters(s: bytes, codec: str, policy: str, replacement: str, control: bool) -> list[tuple[str, int]]:
    """The characters of a string, each with the position of its first byte."""
    marks = _MARKS.get(codecs.lookup(codec).name)
    if marks is not None and not s.startswith(marks):
        codec = f"{codecs.lookup(codec).name}-be"
    found: list[tuple[str, int]] = []
    start = 0
    while start < len(s):
        try:
            found += _placed(s[start:].decode(codec), start, codec)
            break
        except UnicodeDecodeError as problem:
            found += _placed(s[start : start + problem.start].decode(codec), start, codec)
            if policy == "strict":
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"Invalid formatting on input string: byte {start + problem.start} of {s!r}.",
                    'use errors="replace" or "ignore".',
                ) from None
            if policy == "replace":
                found.append((replacement, start + problem.start))
            start += problem.end
    if control:
        found = [(replacement if c < " " else c, p) for c, p in found if c >= " " or policy != "ignore"]
    return found


def _placed(part: str, start: int, codec: str) -> list[tuple[str, int]]:
    found = []
    for c in part:
        found.append((c, start))
        start += len(c.encode(codec))
    return found


def _specs(dtype: dtypes.DType) -> Callable[..., tuple[Spec, Spec, Spec]]:
    """Of characters in a dtype, their places, and the row splits of both."""
    unknown: Any = (None,)
    values, places = Spec(unknown, dtype), Spec(unknown, dtypes.int64)
    return lambda x, **params: (values, places, Spec((x.shape[0] + 1,), dtypes.int64))


@on_arrays(_specs(dtypes.int32))
def _decode(x: Any, **options: Any) -> Any:
    rows = [_characters(s, **options) for s in flat(x)]
    return rows_of([[ord(c) for c, _ in row] for row in rows], np.int32)[0], *_places(rows)


@on_arrays(_specs(dtypes.string))
def _split(x: Any, **options: Any) -> Any:
    rows = [_characters(s, **options) for s in flat(x)]
    return rows_of([[c.encode(options["codec"]) for c, _ in row] for row in rows])[0], *_places(rows)


def _places(rows: list[list[tuple[str, int]]]) -> tuple[Any, Any]:
    """The places of characters, and their row splits."""
    return rows_of([[place for _, place in row] for row in rows], np.int64)


def _of_characters(op: Any, input: Any, who: str, options: _Options) -> tuple[Any, Any]:
    characters: tuple[Any, Any] = in_rows(strings(input, who), lambda x: op(x, **options))
    return characters


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> RaggedTensor | Any:
    """The numbers of the characters of strings.

    Args:
      input: strings.
      input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or another that Python knows.
      errors: what to do with bytes that are no characters: "replace", "ignore" or "strict".
      replacement_char: the number of the character to put in their place.
      replace_control_characters: also in place of control characters.

    Returns:
      A vector for a single string; otherwise a ragged tensor with one more axis.

    >>> tf.strings.unicode_decode(["aé", "b"], "UTF-8")
    <tf.RaggedTensor [[97, 233], [98]]>
    """
    options = _Options("strings.unicode_decode", input_encoding, errors, replacement_char, replace_control_characters)
    return _of_characters(_decode, input, "strings.unicode_decode", options)[0]


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[RaggedTensor | Any, RaggedTensor | Any]:
    """As `unicode_decode`, and the position of the first byte of each character.

    >>> tf.strings.unicode_decode_with_offsets(["aéb"], "UTF-8")[1]
    <tf.RaggedTensor [[0, 1, 3]]>
    """
    who = "strings.unicode_decode_with_offsets"
    options = _Options(who, input_encoding, errors, replacement_char, replace_control_characters)
    return _of_characters(_decode, input, who, options)


def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: Any = 65533, name: str | None = None
) -> RaggedTensor | Any:
    """The characters of strings, each as a string; the arguments are those of `unicode_decode`.

    >>> tf.strings.unicode_split(["ab", "c"], "UTF-8")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    options = _Options("strings.unicode_split", input_encoding, errors, replacement_char)
    return _of_characters(_split, input, "strings.unicode_split", options)[0]


def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: Any = 65533, name: str | None = None
) -> tuple[RaggedTensor | Any, RaggedTensor | Any]:
    """As `unicode_split`, and the position of the first byte of each character.

    >>> tf.strings.unicode_split_with_offsets(["éa"], "UTF-8")[1]
    <tf.RaggedTensor [[0, 2]]>
    """
    options = _Options("strings.unicode_split_with_offsets", input_encoding, errors, replacement_char)
    return _of_characters(_split, input, "strings.unicode_split_with_offsets", options)


@on_arrays(lambda codes, splits, **params: Spec((splits.shape[0] - 1,), dtypes.string))
def _encode(codes: Any, splits: Any, *, codec: str, policy: str, replacement: str, control: bool) -> Any:
    ends, texts = splits.tolist(), []
    for a, b in itertools.pairwise(ends):
        texts.append("".join(_character(n, policy, replacement) for n in codes[a:b].tolist()).encode(codec))
    return objects(texts, len(texts))


def _character(number: int, policy: str, replacement: str) -> str:
    if 0 <= number < 0x110000 and not 0xD800 <= number < 0xE000:
        return chr(number)
    if policy == "strict":
        raise errors.build(
            errors.InvalidArgumentError, f"Code point is out of range for Unicode, or a noncharacter: {number}.", ""
        )
    return replacement if policy == "replace" else ""


def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: Any = 65533, name: str | None = None
) -> Tensor | Any:
    """Strings from the numbers of their characters, which lie along the last axis.

    Args:
      input: int32, ragged or not, of rank 1 or more.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what to do with numbers of no character: "replace", "ignore" or "strict".
      replacement_char: the number of the character to put in their place.

    >>> tf.strings.unicode_encode(tf.ragged.constant([[97, 233], [98]]), "UTF-8").numpy()
    array([b'a\\xc3\\xa9', b'b'], dtype=object)
    """
    who = "strings.unicode_encode"
    _target(who, output_encoding)
    x = construct.tensor(input)
    if x.dtype is dtypes.string:
        raise _no_numbers(who)
    return _encoded(x, _Options(who, output_encoding, errors, replacement_char))


def _no_numbers(who: str) -> Exception:
    return errors.build(
        errors.DTypeError, f"{who}: input must be int32, got strings.", "use tf.strings.unicode_transcode."
    )


def _encoded(x: Any, options: _Options) -> Any:
    if isinstance(x, RaggedTensor):
        if isinstance(x.values, RaggedTensor):
            return x.with_values(_encoded(x.values, options))
        return _encode(x.values, x.row_splits, **options)
    dims = tuple(x.shape)
    if not dims:
        raise errors.build(
            errors.ShapeError,
            "strings.unicode_encode: input is a scalar, and must have rank 1 or more.",
            "give at least one axis.",
        )
    splits = convert.convert_to_tensor(np.arange(int(np.prod(dims[:-1])) + 1) * dims[-1])
    return movement.reshape(_encode(movement.reshape(x, [-1]), splits, **options), dims[:-1])


@on_arrays(same_shape)
def _transcode(x: Any, *, target: str, **options: Any) -> Any:
    if options["control"] and options["policy"] == "strict":
        return each(lambda s: _without_control(_text(s, **{**options, "control": False})).encode(target), x)
    return each(lambda s: _text(s, **options).encode(target), x)


def _text(s: bytes, **options: Any) -> str:
    return "".join(c for c, _ in _characters(s, **options))


def _without_control(text: str) -> str:
    if any(c < " " for c in text):
        raise errors.build(
            errors.InvalidArgumentError,
            f"Invalid formatting on input string: control characters in {text!r}.",
            'use errors="replace" or "ignore", or replace_control_characters=False.',
        )
    return text


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Strings in another encoding; the arguments are those of `unicode_decode`.

    >>> tf.strings.unicode_transcode(["é"], "UTF-8", "UTF-16-BE").numpy()
    array([b'\\x00\\xe9'], dtype=object)
    """
    who = "strings.unicode_transcode"
    options = _Options(who, input_encoding, errors, replacement_char, replace_control_characters)
    target = _target(who, output_encoding)
    return over(strings(input, who), lambda x: _transcode(x, **options, target=target))
