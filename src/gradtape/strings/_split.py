"""Strings split into parts: a ragged tensor, with a row for each string."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.array_op import flat, objects, on_arrays
from gradtape.arrays import movement
from gradtape.arrays.shapes import ensure_shape
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec
from gradtape.ragged import _construct as construct
from gradtape.ragged._row_partition import splits_of
from gradtape.ragged._tensor import RaggedTensor
from gradtape.strings._arguments import scalar, strings


def parts_and_splits(x: Spec, **params: Any) -> tuple[Spec, Spec]:
    """The specs of parts of the strings in a vector, and of the row splits of these."""
    unknown: Any = (None,)
    return Spec(unknown, dtypes.string), Spec((x.shape[0] + 1,), dtypes.int64)


def rows_of(found: Sequence[Sequence[Any]], dtype: Any = object) -> tuple[Any, Any]:
    """Parts as a flat array, and their row splits."""
    parts = [part for row in found for part in row]
    values = objects(parts, len(parts)) if dtype is object else np.array(parts, dtype)
    return values, splits_of([len(row) for row in found], np.int64)


def in_rows(x: Any, cut: Any) -> Any:
    """The parts of strings of any rank: `cut` gives, for a vector of strings, one or more flat tensors and row splits."""
    if isinstance(x, RaggedTensor):
        return _wrapped(in_rows(x.flat_values, cut), x.with_flat_values)
    if x.get_shape().rank is None:
        x = ensure_shape(x, [None])
    if x.get_shape().rank == 0:
        *parts, _ = cut(movement.reshape(x, [1]))
        return _single(parts)
    if x.get_shape().rank == 1:
        *parts, splits = cut(x)
        return _single([RaggedTensor(values, splits) for values in parts])
    dims = tuple(x.shape)
    found = in_rows(movement.reshape(x, [-1]), cut)
    for k in range(len(dims) - 1, 0, -1):
        found = _wrapped(
            found, lambda rows, k=k: construct.from_uniform_row_length(rows, dims[k], int(np.prod(dims[:k])))
        )
    return found


def _wrapped(found: Any, function: Any) -> Any:
    return tuple([function(part) for part in found]) if isinstance(found, tuple) else function(found)


def _single(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else tuple(parts)


@on_arrays(parts_and_splits)
def _split(x: Any, *, separator: bytes | None, limit: int) -> Any:
    if limit == 0:
        return rows_of([[s] for s in flat(x)])
    if separator is None and limit > 0:
        return rows_of([_words(s, limit) for s in flat(x)])
    return rows_of([s.split(separator, limit) for s in flat(x)])


def _words(s: bytes, limit: int) -> list[bytes]:
    """The first words of a string, and whatever comes after the blanks behind them, even nothing."""
    words = s.split(None, limit)
    if len(words) == limit and words:
        words.append(b"")
    return words


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> RaggedTensor | Any:
    """The parts of strings between separators.

    Args:
      input: strings, ragged or not.
      sep: the separator; by default any blanks.
      maxsplit: how often to split at most.

    Returns:
      A vector for a single string; otherwise a ragged tensor with one more axis.

    >>> tf.strings.split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    """
    between = None if sep is None else scalar(sep, "strings.split", "sep") or None
    return in_rows(strings(input, "strings.split"), lambda x: _split(x, separator=between, limit=int(maxsplit)))


@on_arrays(parts_and_splits)
def _bytes(x: Any) -> Any:
    return rows_of([[s[i : i + 1] for i in range(len(s))] for s in flat(x)])


def bytes_split(input: Any, name: str | None = None) -> RaggedTensor | Any:
    """The bytes of strings, each as a string.

    >>> tf.strings.bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    return in_rows(strings(input, "strings.bytes_split", kind=errors.ConversionError), _bytes)


def _ngram_specs(x: Spec, splits: Spec, **params: Any) -> tuple[Spec, Spec]:
    unknown: Any = (None,)
    return Spec(unknown, dtypes.string), splits


@on_arrays(_ngram_specs)
def _ngrams(
    x: Any, splits: Any, *, widths: tuple[int, ...], separator: bytes, pads: Any, padding: int, keeps_short: bool
) -> Any:
    values, ends, found = flat(x), splits.tolist(), []
    for a, b in itertools.pairwise(ends):
        found.append(_ngrams_of(values[a:b], widths, separator, pads, padding, keeps_short))
    parts, new = rows_of(found)
    return parts, new.astype(splits.dtype)


def _ngrams_of(
    row: list[bytes], widths: tuple[int, ...], separator: bytes, pads: Any, padding: int, keeps_short: bool
) -> list[bytes]:
    made: list[bytes] = []
    for width in widths:
        count = width - 1 if padding < 0 else min(padding, width - 1)
        filled = [pads[0]] * count + row + [pads[1]] * count if pads else row
        made += [separator.join(filled[i : i + width]) for i in range(len(filled) - width + 1)]
    if made or not keeps_short or not row:
        return made
    return [separator.join([pads[0]] * padding + row + [pads[1]] * padding if pads else row)]


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> RaggedTensor | Any:
    """Neighbouring strings along the last axis, joined.

    Args:
      data: strings, ragged or not, of rank 1 or more.
      ngram_width: how many strings are joined; a list for several widths one after the other.
      separator: what is between them.
      pad_values: a string, or a pair, to put in front of and behind each row.
      padding_width: how many of these; by default one less than the width.
      preserve_short_sequences: rows that are shorter than the width are joined as a whole.

    Returns:
      Strings: ragged if `data` is.

    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)
    """
    x = strings(data, "strings.ngrams", "data")
    if x.get_shape().rank == 0:
        raise errors.build(
            errors.ShapeError, "strings.ngrams: Data must have rank>0, but has shape ().", "give a vector."
        )
    widths = _widths(ngram_width)
    if padding_width is not None and (padding_width < 1 or pad_values is None):
        what = (
            "padding_width must be greater than 0."
            if padding_width < 1
            else "pad_values must be provided if padding_width is set."
        )
        raise ValueError(errors.compose(f"strings.ngrams: {what}", "give both, and a width of at least 1."))
    pads = None
    if pad_values is not None:
        is_pair = isinstance(pad_values, (tuple, list)) and all(isinstance(p, (str, bytes)) for p in pad_values)
        if not isinstance(pad_values, (str, bytes)) and not is_pair:
            raise TypeError(
                errors.compose(
                    f"strings.ngrams: pad_values must be a string, tuple of strings, or None. Got {pad_values!r}.",
                    'pad_values="_", or pad_values=("<", ">").',
                )
            )
        pair = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else tuple(pad_values)
        if len(pair) < 2:
            raise errors.build(
                errors.RangeError,
                f"strings.ngrams: pad_values must be a string or a pair of strings, got {pad_values!r}.",
                'pad_values="_", or pad_values=("<", ">").',
            )
        pads = tuple(scalar(p, "strings.ngrams", "pad_values") for p in pair)
    options = {
        "widths": widths, "separator": scalar(separator, "strings.ngrams", "separator"), "pads": pads,
        "padding": -1 if padding_width is None else padding_width, "keeps_short": bool(preserve_short_sequences),
    }  # fmt: skip
    return _in_last_axis(x, options)


def _widths(given: Any) -> tuple[int, ...]:
    if isinstance(given, (str, bytes)):
        raise TypeError(
            errors.compose(f"strings.ngrams: ngram_width must be integers, got {given!r}.", "give an int or a list.")
        )
    widths = tuple(int(w) for w in (given if isinstance(given, (list, tuple)) else [given]))
    if min(widths, default=1) < 1:
        raise ValueError(
            errors.compose(
                f"strings.ngrams: All ngram_widths must be greater than 0. Got {list(widths)}.",
                "join 1 or more strings.",
            )
        )
    return widths


def _in_last_axis(x: Any, options: dict[str, Any]) -> Any:
    if isinstance(x, RaggedTensor):
        if isinstance(x.values, RaggedTensor):
            return x.with_values(_in_last_axis(x.values, options))
        return RaggedTensor(*_ngrams(x.values, x.row_splits, **options))
    dims = tuple(x.shape)
    rows = int(np.prod(dims[:-1]))
    splits = convert.convert_to_tensor(np.arange(rows + 1) * dims[-1])
    parts, _ = _ngrams(movement.reshape(x, [-1]), splits, **options)
    return parts if len(dims) == 1 else movement.reshape(parts, [*dims[:-1], -1])
