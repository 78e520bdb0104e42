"""Strings joined: of several tensors, along axes, by segments, into a template."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers
from gradtape.api.array_op import flat, objects, on_arrays
from gradtape.arrays import movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.ragged import _elementwise as elementwise
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _reductions as reductions
from gradtape.ragged._tensor import RaggedTensor
from gradtape.strings._arguments import scalar, strings

_REDUCE = "strings.reduce_join"


def _joined_spec(*specs: Spec, separator: bytes) -> Spec:
    shapes = {s.shape for s in specs if s.shape}
    if len(shapes) > 1:
        raise errors.build(
            errors.ShapeError,
            f"strings.join: Input shapes do not match: {', '.join(str(list(s)) for s in sorted(shapes))}.",
            "give strings of one shape; scalars go with any.",
        )
    return Spec(shapes.pop() if shapes else (), dtypes.string)


@on_arrays(_joined_spec)
def _joined(*arrays: Any, separator: bytes) -> Any:
    shape = _joined_spec(*[Spec(a.shape, dtypes.string) for a in arrays], separator=separator).shape
    columns = [flat(np.broadcast_to(a, shape)) for a in arrays]
    return objects([separator.join(row) for row in zip(*columns, strict=True)], shape)


def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor | Any:
    """Strings of several tensors, joined elementwise.

    Args:
      inputs: a list of tensors of one shape, or scalars.
      separator: what is between them.

    >>> tf.strings.join([["a", "b"], "c"], separator="-").numpy()
    array([b'a-c', b'b-c'], dtype=object)
    """
    if isinstance(inputs, (str, bytes)):
        raise TypeError(
            errors.compose(
                f"strings.join: inputs must be a list of strings, got {inputs!r}.",
                "tf.strings.join([a, b], separator).",
            )
        )
    given = [strings(x, "strings.join", "inputs") for x in inputs]
    between = scalar(separator, "strings.join", "separator")
    if not given:
        return convert.convert_to_tensor("")
    if any(isinstance(x, RaggedTensor) for x in given):
        return elementwise.over_values(
            "strings.join", lambda *flats: _joined(*flats, separator=between), tuple(given), {}
        )
    return _joined(*given, separator=between)


def _reduced_spec(x: Spec, *, axes: tuple[int, ...], keepdims: bool, separator: bytes) -> Spec:
    dims = [1 if k in axes else d for k, d in enumerate(x.shape) if keepdims or k not in axes]
    return Spec(tuple(dims), dtypes.string)


@on_arrays(_reduced_spec)
def _reduced(x: Any, *, axes: tuple[int, ...], keepdims: bool, separator: bytes) -> Any:
    spec = _reduced_spec(Spec(x.shape, dtypes.string), axes=axes, keepdims=keepdims, separator=separator)
    kept = [k for k in range(x.ndim) if k not in axes]
    # The axis that is named first is joined first, so its neighbours lie closest.
    count = int(np.prod([x.shape[k] for k in axes]))
    rows = (
        np.transpose(x, [*kept, *axes[::-1]]).reshape(-1, count)
        if x.size
        else np.empty((int(np.prod(spec.shape)), 0), object)
    )
    return objects([separator.join(row) for row in rows.tolist()], spec.shape)


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: Any = "", name: str | None = None
) -> Tensor | Any:
    """All strings along axes, concatenated.

    Args:
      inputs: strings.
      axis: an int or several, in the order in which they are joined; all by default.
      keepdims: keep the axes with length 1.
      separator: what is between the strings.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator=" ").numpy()
    array([b'a b', b'c d'], dtype=object)
    """
    x = strings(inputs, _REDUCE, "inputs")
    between = scalar(separator, _REDUCE, "separator")
    if isinstance(x, RaggedTensor):
        return _reduced_rows(x, axis, keepdims, between)
    if axis is None:
        axes = tuple(range(x.ndim))[::-1]
    else:
        listed = [axis] if isinstance(axis, int) else np.asarray(convert.convert_to_tensor(axis)).ravel().tolist()
        axes = _axes(listed, x.ndim)
    return _reduced(x, axes=axes, keepdims=bool(keepdims), separator=between)


def _axes(listed: list[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, in their order."""
    for axis in listed:
        if not -rank <= axis < rank:
            raise errors.build(
                errors.OutOfRangeError,
                f"{_REDUCE}: Invalid reduction dimension {axis} for inputs of rank {rank}.",
                f"use an axis from {-rank} to {rank - 1}." if rank else "a scalar has no axes.",
            )
    axes = tuple(axis + rank if axis < 0 else axis for axis in listed)
    if len(set(axes)) != len(axes):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{_REDUCE}: Duplicate reduction dimension not allowed, got {listed}.",
            "name each axis once.",
        )
    return axes


def _reduced_rows(x: RaggedTensor, axis: Any, keepdims: bool, separator: bytes) -> Any:
    rank = x.ndim
    if axis is None:
        joined = reduce_join(x.flat_values, separator=separator)
        return movement.reshape(joined, [1] * rank) if keepdims else joined
    listed = [axis] if isinstance(axis, int) else integers(axis, _REDUCE, "axis")
    axes = sorted(_axes(list(listed), rank))
    found = reductions.over_axes(
        lambda dense, k: reduce_join(dense, k, separator=separator),
        lambda data, ids, count: unsorted_segment_join(data, ids, count, separator),
        x,
        axes,
    )
    for k in axes if keepdims else ():
        found = rearrange.expand_dims(found, k)
    return found


def _segments_spec(x: Spec, ids: Spec, *, count: int, separator: bytes) -> Spec:
    if x.shape[: len(ids.shape)] != ids.shape:
        raise errors.build(
            errors.ShapeError,
            f"strings.unsorted_segment_join: segment_ids must have the first dimensions of inputs, got {ids} for {x}.",
            "give a number for each string, or for each slice.",
        )
    return Spec((count, *x.shape[len(ids.shape) :]), dtypes.string)


@on_arrays(_segments_spec)
def _segments_joined(x: Any, ids: Any, *, count: int, separator: bytes) -> Any:
    _segments_spec(Spec(x.shape, dtypes.string), Spec(ids.shape, dtypes.int64), count=count, separator=separator)
    inner = x.shape[ids.ndim :]
    rows = x.reshape(ids.size, -1) if ids.size else np.empty((0, int(np.prod(inner))), object)
    parts: list[list[list[bytes]]] = [[[] for _ in range(rows.shape[1])] for _ in range(count)]
    for number, row in zip(flat(ids), rows.tolist(), strict=True):
        if not 0 <= number < count:
            raise errors.build(
                errors.InvalidArgumentError,
                f"strings.unsorted_segment_join: segment_ids must be from 0 to num_segments, {count}, got {number}.",
                "leave out the strings that belong to no segment.",
            )
        for column, s in enumerate(row):
            parts[number][column].append(s)
    return objects([separator.join(cell) for row in parts for cell in row], (count, *inner))


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: Any = "", name: str | None = None
) -> Tensor:
    """Strings of each segment, joined.

    Args:
      inputs: strings.
      segment_ids: for each of them, or each slice, the number of its segment.
      num_segments: how many segments there are.
      separator: what is between the strings.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, ":").numpy()
    array([b'b', b'a:c'], dtype=object)
    """
    x, ids = strings(inputs, "strings.unsorted_segment_join", "inputs"), convert.convert_to_tensor(segment_ids)
    count = integer(num_segments, "strings.unsorted_segment_join", "num_segments")
    between = scalar(separator, "strings.unsorted_segment_join", "separator")
    if not 0 <= count < 1 << 31:
        raise errors.build(
            errors.InvalidArgumentError,
            f"strings.unsorted_segment_join: num_segments must not be negative or above 2^31, got {count}.",
            "count the segments: tf.reduce_max(segment_ids) + 1.",
        )
    return _segments_joined(x, ids, count=count, separator=between)


def _scalar(*specs: Spec, **params: Any) -> Spec:
    return Spec((), dtypes.string)


@on_arrays(_scalar)
def _formatted(*arrays: Any, pieces: tuple[str, ...], texts: tuple[bool, ...], summarize: int) -> Any:
    from gradtape.core.tensor import wrap
    from gradtape.toplevel.printing import text_of

    shown = [
        a[()].decode(errors="replace") if is_text else text_of(wrap(a), summarize)
        for a, is_text in zip(arrays, texts, strict=True)
    ]
    whole = pieces[0] + "".join(value + piece for value, piece in zip(shown, pieces[1:], strict=True))
    return objects([whole.encode()], ())


def format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """A text with tensors written into it.

    Args:
      template: the text.
      inputs: a tensor, or as many as there are places for.
      placeholder: what marks a place.
      summarize: how many elements at each end of an axis are written; -1 for all.

    >>> tf.strings.format("x = {}", tf.constant([1, 2])).numpy()
    b'x = [1 2]'
    """
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = tuple(template.split(placeholder))
    if len(pieces) - 1 != len(given):
        raise ValueError(
            errors.compose(
                f"The template expects {len(pieces) - 1} tensors, but the inputs only has {len(given)}.",
                "the number of placeholders in the template and of inputs must be equal.",
            )
        )
    if not given:
        return convert.convert_to_tensor(template)
    texts = tuple([isinstance(x, RaggedTensor) for x in given])
    shown = [
        x._as_text(summarize) if is_text else convert.convert_to_tensor(x)
        for x, is_text in zip(given, texts, strict=True)
    ]
    return _formatted(*shown, pieces=pieces, texts=texts, summarize=int(summarize))
