"""Elements of several sizes, padded and stacked: padded_batch."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.data import _composites as composites
from gradtape.data._batch import batches
from gradtape.data._specs import DatasetSpec
from gradtape.data._stage import Stage, grouped, known_spec, positive


class PaddedBatch(Stage):
    """Elements stacked after padding at the end of each axis."""

    def __init__(self, source: Stage, size: Any, shapes: Any, values: Any, drop_remainder: Any) -> None:
        self.inputs = (source,)
        self._size = positive("padded_batch", "batch_size", size)
        self._shapes, self._values, self._drop = shapes, values, bool(drop_remainder)
        self._check(known_spec(source))

    def _check(self, spec: Any) -> None:
        """Refuse shapes and values that do not fit the specs of the elements, where these are known."""
        if spec is None:
            return
        flat = nest.flatten(spec)
        for s in flat:
            if not isinstance(s, TensorSpec) or isinstance(s, composites.RowSpec):
                is_dataset = isinstance(s, DatasetSpec)
                why = (
                    "`padded_batch` is not supported for datasets of datasets."
                    if is_dataset
                    else "`padded_batch` is only supported for datasets that produce tensor elements but type spec of elements in the input "
                    f"dataset is not a subclass of TensorSpec: `{s!r}`."
                )
                raise TypeError(
                    errors.compose(
                        why,
                        "convert them to dense tensors with map first.",
                    )
                )
        for s, wanted in zip(flat, _spread(self._shapes, spec, len(flat), is_shape=True), strict=True):
            _check_shape(s.shape, wanted)
        for s, value in zip(flat, _spread(self._values, spec, len(flat), is_shape=False), strict=True):
            if value is not None:
                _padding(value, s.dtype)

    def elements(self) -> Iterator[Any]:
        source = self.inputs[0].elements()
        return grouped(source, self._size, self._drop, lambda group: padded(group, self._shapes, self._values))

    def cardinality(self) -> int:
        return batches(self.inputs[0].cardinality(), self._size, self._drop)

    def spec(self) -> Any:
        own = self.inputs[0].spec()
        flat = nest.flatten(own)
        wanted = _spread(self._shapes, own, len(flat), is_shape=True)
        count = self._size if self._drop else None
        specs = [
            TensorSpec(TensorShape([count]).concatenate(s.shape if w is None else w), s.dtype)
            for s, w in zip(flat, wanted, strict=True)
        ]
        return nest.pack_sequence_as(own, specs)


def _check_shape(own: TensorShape, wanted: Any) -> None:
    """Refuse a padded shape that elements of a shape cannot have."""
    if wanted is None:
        if own.rank is None:
            raise errors.build(
                errors.ShapeError,
                "padded_batch: You must provide `padded_shapes` for a component that has unknown rank.",
                "give a shape, with None for the largest size in a batch.",
            )
        return
    dims = _dims(wanted)
    if own.rank is not None and len(dims) != own.rank:
        raise errors.build(
            errors.ShapeError,
            f"padded_batch: The padded shape {TensorShape(dims)} is not compatible with the shape {own} of the corresponding "
            "input component: the ranks differ.",
            "give one size for each axis.",
        )
    for size, there in zip(dims, own.as_list() if own.rank is not None else (), strict=False):
        if size is not None and there is not None and size < there:
            raise errors.build(
                errors.ShapeError,
                f"padded_batch: The padded shape {TensorShape(dims)} is not compatible with the shape {own} of the corresponding "
                "input component, which is larger.",
                "give a larger one, or None for as much as is needed.",
            )


def _dims(wanted: Any) -> list[int | None]:
    """A padded shape as a list; None for the largest size in a batch."""
    if isinstance(wanted, (Tensor, np.ndarray)) or np.ndim(np.asarray(wanted, object)) > 1:
        _check_vector(wanted)
    try:
        if isinstance(wanted, TensorShape):
            given: Any = wanted.as_list()
        else:
            given = [wanted] if isinstance(wanted, int) else list(host(getattr(wanted, "_array", wanted)))
        dims = [-1 if d is None else operator.index(d) for d in given]
    except (TypeError, ValueError):
        raise errors.build(
            errors.DTypeError, f"padded_batch: a padded shape must be a list of integers or None, got {wanted!r}."
        ) from None
    if any(d < -1 for d in dims):
        raise errors.build(
            errors.ShapeError,
            f"padded_batch: Dimension {min(dims)} of the padded shape must be >= 0.",
            "use None or -1 for the largest size in a batch.",
        )
    return [None if d < 0 else d for d in dims]


def _check_vector(given: Any) -> None:
    """Refuse an array as a padded shape if it is not a vector of integers."""
    wanted = given if isinstance(given, Tensor) else convert.convert_to_tensor(given)
    must = f"padded_batch: Padded shape {given!r} must be a `tf.int64` vector tensor, "
    if wanted.dtype.kind not in "iu":
        raise TypeError(
            errors.compose(f"{must}but its element type was {wanted.dtype.name}.", "use tf.cast(x, tf.int64).")
        )
    if wanted.shape.rank != 1:
        raise errors.build(
            errors.ShapeError, f"{must}but its shape was {wanted.shape}.", "give one size for each axis."
        )


def _padding(value: Any, dtype: Any) -> Any:
    """A padding value as a NumPy scalar."""
    if isinstance(value, Tensor) and value.dtype is not dtype:
        raise TypeError(
            errors.compose(
                f"padded_batch: padding_values has type {value.dtype.name}, which does not match type {dtype.name} of the "
                "corresponding input component.",
                f"use tf.cast(x, tf.{dtype.name}).",
            )
        )
    if isinstance(value, bool) and dtype is not dtypes.bool_:
        raise TypeError(
            errors.compose(f"padded_batch: a padding value must be {dtype.name}, got {value!r}.", "give a number.")
        )
    found = host(convert.convert_to_tensor(value, dtype)._array)
    if np.ndim(found):
        raise errors.build(errors.ShapeError, f"padded_batch: a padding value must be a scalar, got {value!r}.")
    return found[()]


def padded(group: list[Any], shapes: Any, values: Any) -> Any:
    """A batch of elements of several sizes."""
    columns = list(zip(*[nest.flatten(e) for e in group], strict=True))
    wanted = _spread(shapes, group[0], len(columns), is_shape=True)
    fills = _spread(values, group[0], len(columns), is_shape=False)
    made = [_padded_column(c, w, f) for c, w, f in zip(columns, wanted, fills, strict=True)]
    return nest.pack_sequence_as(group[0], made)


def _spread(given: Any, pattern: Any, count: int, is_shape: bool) -> list[Any]:
    """A value for each leaf of a structure; one value alone stands for all."""
    if given is None or not nest.is_nested(pattern):
        return [given] * count
    if not is_shape and not nest.is_nested(given):
        return [given] * count
    return _along(given, pattern)


def _along(given: Any, pattern: Any) -> list[Any]:
    if not nest.is_nested(pattern):
        return [given]
    if given is None:  # the default for all below
        return [None] * len(nest.flatten(pattern))
    if isinstance(pattern, dict):
        if not isinstance(given, dict) or set(given) != set(pattern):
            raise errors.build(
                errors.ShapeError,
                f"padded_batch: {given!r} does not have the structure of the elements, whose keys are {sorted(pattern)}.",
                "give one shape or value for each key.",
            )
        return [leaf for key in sorted(pattern) for leaf in _along(given[key], pattern[key])]
    if not isinstance(given, (list, tuple)) or len(given) != len(pattern):
        raise errors.build(
            errors.ShapeError,
            f"padded_batch: {given!r} does not have the structure of the elements, which have {len(pattern)} parts.",
            "give one shape or value for each part.",
        )
    return [leaf for g, p in zip(given, pattern, strict=True) for leaf in _along(g, p)]


def _padded_column(column: tuple[Any, ...], wanted: Any, fill: Any) -> Any:
    arrays = [host(t._array) for t in column]
    largest = [max(a.shape[axis] for a in arrays) for axis in range(arrays[0].ndim)]
    shape = [n if w is None else w for w, n in zip(_known(wanted, largest), largest, strict=True)]
    if any(n > s for n, s in zip(largest, shape, strict=True)):
        raise errors.build(
            errors.DataLossError,
            f"padded_batch: an element of shape {TensorShape(largest)} does not fit in the padded shape {TensorShape(shape)}.",
            "give a larger padded_shapes, or None for as much as is needed.",
        )
    dtype = arrays[0].dtype
    default: Any = b"" if dtype.kind == "O" else 0
    value = default if fill is None else _padding(fill, dtypes.from_numpy(dtype))
    result = np.full((len(arrays), *shape), value, dtype)
    for i, array in enumerate(arrays):
        corner: Any = (i, *map(slice, array.shape))
        result[corner] = array if array.ndim else array[()]
    return wrap(result)


def _known(wanted: Any, largest: list[int]) -> list[Any]:
    if wanted is None:
        return [None] * len(largest)
    dims = _dims(wanted)
    if len(dims) != len(largest):
        raise errors.build(
            errors.ShapeError,
            f"padded_batch: ranks differ: the padded shape {dims} has rank {len(dims)}, the elements have rank {len(largest)}.",
            "give one size for each axis.",
        )
    return dims
