"""Strings joined: of several tensors, along axes, by segments, into a template."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import Spec, normalize_axes
from gradtape.core.tensor import Tensor
from gradtape.api.arguments import integer
from gradtape.api.array_op import flat, objects, on_arrays
from gradtape.ragged import _elementwise as ragged_elementwise
from gradtape.ragged._tensor import RaggedTensor
from gradtape.strings._arguments import strings, text

__all__ = ["format", "join", "reduce_join", "unsorted_segment_join"]


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


def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Strings of several tensors, one after the other.

    Args:
      inputs: a list of tensors of one shape, or scalars.
      separator: what is between them.
      name: ignored.

    >>> tf.strings.join([["a", "b"], "c"], separator="-").numpy()
    array([b'a-c', b'b-c'], dtype=object)
    """
    given = [strings(x, "strings.join", "inputs") for x in inputs]
    if not given:
        raise ValueError(errors.compose("strings.join: inputs is empty.", "give at least one tensor."))
    between = text(separator).encode()
    if any(isinstance(x, RaggedTensor) for x in given):
        return ragged_elementwise.over_values(
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
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    """All strings along axes, joined.

    Args:
      inputs: strings.
      axis: an int or several, in the order in which they are joined; all by default.
      keepdims: keep the axes with length 1.
      separator: what is between the strings.
      name: ignored.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator=" ").numpy()
    array([b'a b', b'c d'], dtype=object)
    """
    x = strings(inputs, "strings.reduce_join", "inputs")
    between = text(separator).encode()
    if isinstance(x, RaggedTensor):
        return _reduced_rows(x, axis, keepdims, between)
    if axis is None:
        axes = tuple(range(x.ndim))[::-1]
    else:
        listed = [axis] if isinstance(axis, int) else np.asarray(convert.convert_to_tensor(axis)).ravel().tolist()
        axes = tuple(normalize_axes(a, x.ndim, "strings.reduce_join")[0] for a in listed)
    return _reduced(x, axes=axes, keepdims=bool(keepdims), separator=between)


@on_arrays(lambda x, splits, separator: Spec((splits.shape[0] - 1,), dtypes.string))
def _rows_joined(x: Any, splits: Any, *, separator: bytes) -> Any:
    values, ends = flat(x), splits.tolist()
    return objects([separator.join(values[a:b]) for a, b in itertools.pairwise(ends)], len(ends) - 1)


def _reduced_rows(x: RaggedTensor, axis: Any, keepdims: bool, separator: bytes) -> Any:
    if axis is None:
        return _reduced(x.flat_values, axes=(0,), keepdims=False, separator=separator)
    place = axis + x.ndim if axis < 0 else axis
    if isinstance(x.values, RaggedTensor) and place > 1:
        return x.with_values(_reduced_rows(x.values, place - 1, keepdims, separator))
    if place != 1 or isinstance(x.values, RaggedTensor):
        raise ValueError(
            errors.compose(f"strings.reduce_join: axis {axis} of a ragged tensor.", "join the innermost ragged axis.")
        )
    from gradtape.arrays.movement import expand_dims

    found = _rows_joined(x.values, x.row_splits, separator=separator)
    return expand_dims(found, 1) if keepdims else found


def _segments_spec(x: Spec, ids: Spec, *, count: int, separator: bytes) -> Spec:
    return Spec((count, *x.shape[len(ids.shape) :]), dtypes.string)


@on_arrays(_segments_spec)
def _segments_joined(x: Any, ids: Any, *, count: int, separator: bytes) -> Any:
    inner = x.shape[ids.ndim :]
    rows = x.reshape(ids.size, -1) if ids.size else np.empty((0, int(np.prod(inner))), object)
    parts: list[list[list[bytes]]] = [[[] for _ in range(rows.shape[1])] for _ in range(count)]
    for number, row in zip(flat(ids), rows.tolist(), strict=True):
        if not number < count:
            raise errors.build(
                errors.InvalidArgumentError,
                f"strings.unsorted_segment_join: segment {number} of {count}.",
                "segment_ids must be below num_segments.",
            )
        if number >= 0:
            for column, s in enumerate(row):
                parts[number][column].append(s)
    return objects([separator.join(cell) for row in parts for cell in row], (count, *inner))


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Strings that belong together, joined.

    Args:
      inputs: strings.
      segment_ids: for each of them, or each slice, the number of its segment; negative ones are left out.
      num_segments: how many segments there are.
      separator: what is between the strings.
      name: ignored.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, ":").numpy()
    array([b'b', b'a:c'], dtype=object)
    """
    x, ids = strings(inputs, "strings.unsorted_segment_join", "inputs"), convert.convert_to_tensor(segment_ids)
    count = integer(num_segments, "strings.unsorted_segment_join", "num_segments")
    return _segments_joined(x, ids, count=count, separator=text(separator).encode())  # type: ignore[no-any-return]


def _scalar(*specs: Spec, **params: Any) -> Spec:
    return Spec((), dtypes.string)


@on_arrays(_scalar)
def _formatted(*arrays: Any, pieces: tuple[str, ...], summarize: int) -> Any:
    from gradtape.core.tensor import wrap
    from gradtape.toplevel.printing import text_of

    shown = [text_of(wrap(a), summarize) for a in arrays]
    whole = pieces[0] + "".join(value + piece for value, piece in zip(shown, pieces[1:], strict=True))
    return objects([whole.encode()], ())


def format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """A text with tensors written into it.

    Args:
      template: the text.
      inputs: a tensor, or as many as there are places for.
      placeholder: what marks a place.
      summarize: how many elements at each end of an axis are written; -1 for all.
      name: ignored.

    >>> tf.strings.format("x = {}", tf.constant([1, 2])).numpy()
    b'x = [1 2]'
    """
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = tuple(template.split(placeholder))
    if len(pieces) - 1 != len(given):
        raise ValueError(
            errors.compose(
                f"The template expects {len(pieces) - 1} tensors, but the inputs only has {len(given)}.",
                "the number of placeholders must match.",
            )
        )
    if not given:
        return convert.convert_to_tensor(template)
    return _formatted(*[convert.convert_to_tensor(x) for x in given], pieces=pieces, summarize=int(summarize))  # type: ignore[no-any-return]
