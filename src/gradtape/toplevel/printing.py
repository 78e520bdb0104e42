"""`tf.print`: values when they are known, in the order of the program."""

from __future__ import annotations

import builtins
import enum
import logging
import pprint
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from gradtape.api.effects import perform
from gradtape.core import convert, errors, nest, os_errors
from gradtape.core.composite import Composite
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor, host
from gradtape.core.variable import Variable


def print(*inputs: Any, **kwargs: Any) -> None:
    """Print values. In a `tf.function`, they are printed on every call, in program order.

    Args:
      *inputs: tensors, variables, other values, and structures of them.
      output_stream: `sys.stderr` (the default), `sys.stdout`, a function of `logging` such as `logging.info`, another
        object with `write`, or `"file://path"`, to which is appended.
      summarize: how many elements at each end of an axis are shown; 3 by default, -1 for all.
      sep: what stands between the inputs; a blank by default.
      end: what stands after the last; a new line by default.
      name: ignored.

    >>> import sys
    >>> tf.print("x is", tf.range(9), output_stream=sys.stdout)
    x is [0 1 2 ... 6 7 8]
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize, sep, end = kwargs.pop("summarize", 3), kwargs.pop("sep", " "), kwargs.pop("end", None)
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = _target(sys.stderr if stream is None else stream)
    summarize = 3 if summarize is None else summarize
    found = [
        x if type(x) is Tensor else nest.map_structure(lambda leaf: _text_if_ragged(leaf, summarize), x) for x in inputs
    ]
    if (
        len(found) == 1
        and isinstance(found[0], (Tensor, Variable))
        and found[0].dtype.name == "string"
        and found[0].get_shape().rank == 0
    ):
        found = [_Text(convert.convert_to_tensor(found[0]))]  # a single string is printed as it is
    tensors = [part for x in found for leaf in nest.flatten(x) for part in _parts(leaf)]
    act = partial(
        _append if isinstance(target, _Path) else _print,
        [emptied(x) for x in found],
        target,
        sep,
        "\n" if end is None else end,
        summarize,
    )
    perform("print", act, tensors)


class Gap(enum.Enum):
    """Stands where a tensor was taken out."""

    TENSOR = 0
    TEXT = 1  # of which the text is written as it is
    SPARSE = 2  # of the three tensors of a sparse one


class _Text:
    """A text that is written as it is, as a tensor."""

    def __init__(self, text: Tensor) -> None:
        self.text = text


def _text_if_ragged(leaf: Any, summarize: int) -> Any:
    return _Text(leaf._as_text(summarize)) if isinstance(leaf, Composite) and hasattr(leaf, "_as_text") else leaf


def _parts(leaf: Any) -> list[Any]:
    """The tensors that a leaf is printed from."""
    if isinstance(leaf, (Tensor, Variable)):
        return [leaf]
    if isinstance(leaf, _Text):
        return [leaf.text]
    return [leaf.indices, leaf.values, leaf.dense_shape] if isinstance(leaf, SparseTensor) else []


def _gap(leaf: Any) -> Any:
    if isinstance(leaf, (Tensor, Variable)):
        return Gap.TENSOR
    if isinstance(leaf, _Text):
        return Gap.TEXT
    return Gap.SPARSE if isinstance(leaf, SparseTensor) else leaf


def emptied(x: Any) -> Any:
    """A value with gaps in place of its tensors."""
    leaves = [_gap(leaf) for leaf in nest.flatten(x)]
    return nest.pack_sequence_as(x, leaves) if nest.is_nested(x) else leaves[0]


def _print(inputs: list[Any], target: Any, sep: str, end: str, summarize: int, *values: Any) -> None:
    remaining = iter(values)
    _write(sep.join([_shown(x, remaining, summarize) for x in inputs]), target, end)


class _Path(str):
    """The path of a file that is printed to."""

    __slots__ = ()


def _append(inputs: list[Any], path: str, sep: str, end: str, summarize: int, *values: Any) -> None:
    """Print to a file. A separate function, which saved models cannot name."""
    remaining = iter(values)
    text = sep.join([_shown(x, remaining, summarize) for x in inputs])
    with os_errors.translating(), open(path, "a", encoding="utf-8") as file:
        file.write(text + end)


def _shown(x: Any, values: Iterator[Any], summarize: int) -> str:
    """The text of an input, with the values of its tensors."""
    if isinstance(x, Gap):
        return _filled(x, values, summarize)
    if not nest.is_nested(x):
        return x if isinstance(x, str) else repr(x)
    leaves = [_Bare(_filled(leaf, values, summarize)) if isinstance(leaf, Gap) else leaf for leaf in nest.flatten(x)]
    return pprint.pformat(nest.pack_sequence_as(x, leaves))


def _filled(gap: Gap, values: Iterator[Any], summarize: int) -> str:
    """The text of what was taken out."""
    if gap is Gap.TENSOR:
        return text_of(next(values), summarize)
    if gap is Gap.TEXT:
        text: str = next(values).numpy().decode(errors="replace")
        return text
    indices, elements, shape = [text_of(next(values), summarize) for _ in range(3)]
    return f"'SparseTensor(indices={indices}, values={elements}, shape={shape})'"


class _Bare:
    """A text that stands in a structure without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def text_of(value: Any, summarize: int) -> str:
    """The elements of a tensor as text: the first and last of each axis."""
    tensor = value._read() if isinstance(value, Variable) else value
    array = np.asarray(host(tensor._array))
    return _axes(array, summarize, 1)


def _axes(array: Any, summarize: int, depth: int) -> str:
    if not array.ndim:
        return _element(array[()])
    count = array.shape[0]
    parts = [
        _axes(array[i, ...], summarize, depth + 1)
        for i in range(count)
        if summarize < 0 or count <= 2 * summarize or not summarize <= i < count - summarize
    ]
    if 0 <= 2 * summarize < count:
        parts.insert(summarize, "...")
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth
    return f"[{gap.join(parts)}]"


def _element(x: Any) -> str:
    if isinstance(x, bytes):
        return f'"{_escaped(x)}"'
    kind = getattr(x, "dtype", np.dtype(object)).kind
    if kind == "b":
        return str(int(x))
    if kind == "c":
        return f"({_float(x.real)},{_float(x.imag)})"
    if kind in "iu":
        return str(int(x))
    return _float(x) if kind in "fV" else str(x)


# As C writes a text: a name for some characters, the octal number for others that cannot be seen.
_ESCAPES = {c: f"\\{c:03o}" for c in [*range(32), 127]}
_ESCAPES |= {ord(c): f"\\{name}" for c, name in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)}


def _escaped(x: bytes) -> str:
    return x.decode(errors="replace").translate(_ESCAPES)


def _float(x: Any) -> str:
    """A float with as few digits as it needs, of those that TensorFlow prints."""
    short, long = (15, 17) if x.dtype == np.float64 else (6, 9)
    text = f"{float(x):.{short}g}"
    is_exact = x != x or (float(text) == float(x) if short == 15 else np.float32(text) == np.float32(x))
    return text if is_exact else f"{float(x):.{long}g}"


_LEVELS = ("debug", "info", "warning", "error", "critical")


def _target(stream: Any) -> Any:
    """Where to write: a stream of `sys` or a function of `logging` by name, a file by its path, or the stream itself."""
    if isinstance(stream, str):
        if not stream.startswith("file://"):
            raise errors.build(
                ValueError,
                f'tf.print: output_stream must begin with "file://", got {stream!r}.',
                'write "file://path".',
            )
        return _Path(stream.removeprefix("file://"))
    level = next((name for name in _LEVELS if stream == getattr(logging, name)), None)
    if level is not None:
        return ("logging", level)
    if stream is sys.stderr or stream is sys.stdout:
        # Notebooks and tests put other streams in their places later.
        return ("sys", "stderr" if stream is sys.stderr else "stdout")
    if hasattr(stream, "write"):
        return stream
    raise errors.build(
        ValueError,
        f"tf.print: output_stream must be a stream or a file, got {stream!r}.",
        'use sys.stderr, sys.stdout, logging.info, or "file://path".',
    )


def _write(text: str, target: Any, end: str) -> None:
    kind, name = target if isinstance(target, tuple) else ("", "")
    if kind == "logging" and name in _LEVELS:
        getattr(logging, name)(text)
    elif kind == "sys" and name in ("stderr", "stdout"):
        builtins.print(text, end=end, file=getattr(sys, name), flush=True)
    else:
        builtins.print(text, end=end, file=target)
