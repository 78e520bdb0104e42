"""`tf.compat.v1.strings`: functions of strings."""

from typing import Any

import gradtape as tf
from gradtape.compat.v1 import _rooms
from gradtape.core import errors

__getattr__, __dir__ = _rooms.from_room("strings")


def length(input: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """How long strings are."""
    return tf.strings.length(input, unit)


def split(
    input: Any = None, sep: Any = None, maxsplit: int = -1, result_type: str = "SparseTensor", source: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The parts of strings between separators: a sparse or a ragged tensor."""
    given = source if input is None else input
    found = tf.convert_to_tensor(given, tf.string) if isinstance(given, (str, bytes)) else given
    if not isinstance(found, tf.RaggedTensor):
        found = tf.convert_to_tensor(found)
        found = found[None] if found.shape.rank == 0 else found
    return _as_result(tf.strings.split(found, sep, maxsplit), result_type)


def string_split(
    source: Any, sep: Any = None, skip_empty: bool = True, delimiter: Any = None, result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:  # fmt: skip
    """The parts of a vector of strings between any of the characters of a separator."""
    between = " " if sep is None and delimiter is None else delimiter if sep is None else sep
    if not isinstance(between, str):
        raise TypeError(errors.compose(f"string_split: sep must be a string, got {between!r}.", 'use " ".'))
    rows = [_between(text.decode(errors="surrogateescape"), between) for text in tf.convert_to_tensor(source).numpy()]
    if skip_empty:
        rows = [[part for part in row if part] for row in rows]
    parts = [[part.encode(errors="surrogateescape") for part in row] for row in rows]
    return _as_result(tf.ragged.constant(parts, tf.string, ragged_rank=1), result_type)


def _between(text: str, separators: str) -> list[str]:
    """The parts between separators; without separators, the characters."""
    if not separators:
        return list(text)
    for other in separators[1:]:
        text = text.replace(other, separators[0])
    return text.split(separators[0])


def _as_result(rows: Any, result_type: str) -> Any:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError(
            errors.compose("result_type must be 'RaggedTensor' or 'SparseTensor'.", 'use result_type="RaggedTensor".')
        )
    return rows if result_type == "RaggedTensor" else rows.to_sparse()
