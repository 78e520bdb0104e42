"""Several elements as one: batch, padded_batch, window; and back: unbatch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle, islice, repeat
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.shape import TensorShape, TensorSpec, spec_of
from gradtape.core.sparse_tensor import SparseTensorSpec
from gradtape.core.tensor import host, wrap
from gradtape.data import _composites as composites, _structure as structure
from gradtape.data._stage import INFINITE, UNKNOWN, Stage, Table, lists, positive


class Batch(Stage):
    """Elements stacked."""

    def __init__(self, source: Stage, size: Any, drop_remainder: Any) -> None:
        self.inputs = (source,)
        self._size = positive("batch", "batch_size", size)
        self._drop = bool(drop_remainder)

    def elements(self) -> Iterator[Any]:
        return self.inputs[0].groups(self._size, self._drop)

    def cardinality(self) -> int:
        return batches(self.inputs[0].cardinality(), self._size, self._drop)

    def spec(self) -> Any:
        return structure.with_rows(self.inputs[0].spec(), self._size if self._drop else None)


class Rebatch(Stage):
    """Elements stacked, in batches of several sizes in turn."""

    def __init__(self, source: Stage, sizes: Any, drop_remainder: Any) -> None:
        self.inputs = (source,)
        flat = np.reshape(np.asarray(sizes), -1)
        self._sizes = [positive("rebatch", "batch_size", size) for size in flat]
        self._drop = bool(drop_remainder)

    def elements(self) -> Iterator[Any]:
        source = self.inputs[0].elements()
        for size in cycle(self._sizes):
            group = list(islice(source, size))
            if len(group) < size and (self._drop or not group):
                return
            yield structure.stack("rebatch", group)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return batches(count, self._sizes[0], self._drop) if len(self._sizes) == 1 or count < 0 else UNKNOWN

    def spec(self) -> Any:
        known = self._sizes[0] if self._drop and len(set(self._sizes)) == 1 else None
        return structure.with_rows(self.inputs[0].spec(), known)


class RaggedBatch(Batch):
    """Elements of different sizes, together as ragged tensors."""

    def elements(self) -> Iterator[Any]:
        specs = nest.flatten(self.spec())
        for group in lists(self.inputs[0].elements(), self._size, self._drop):
            columns = zip(*[nest.flatten(e) for e in group], strict=True)
            batch = [composites.ragged(column, s) for column, s in zip(columns, specs, strict=True)]
            yield nest.pack_sequence_as(group[0], batch)

    def spec(self) -> Any:
        rows = self._size if self._drop else None
        return nest.map_structure(lambda s: composites.ragged_spec(s, rows), self.inputs[0].spec())


class SparseBatch(Batch):
    """Elements together as sparse tensors."""

    def __init__(self, source: Stage, size: Any, row_shape: Any) -> None:
        super().__init__(source, size, False)
        self._shape = row_shape

    def elements(self) -> Iterator[Any]:
        for group in lists(self.inputs[0].elements(), self._size, False):
            columns = zip(*[nest.flatten(e) for e in group], strict=True)
            yield nest.pack_sequence_as(group[0], [composites.sparse(column, self._shape) for column in columns])

    def spec(self) -> Any:
        shape = TensorShape([None]).concatenate(self._shape)
        return nest.map_structure(lambda s: SparseTensorSpec(shape, s.dtype), self.inputs[0].spec())


def batches(count: int, size: int, drop: bool) -> int:
    """How many batches there are of so many elements."""
    return count if count < 0 else count // size if drop else -(-count // size)


class PaddedBatch(Stage):
    """Elements stacked after padding at the end of each axis."""

    def __init__(self, source: Stage, size: Any, shapes: Any, values: Any, drop_remainder: Any) -> None:
        self.inputs = (source,)
        self._size = positive("padded_batch", "batch_size", size)
        self._shapes, self._values, self._drop = shapes, values, bool(drop_remainder)

    def elements(self) -> Iterator[Any]:
        for group in lists(self.inputs[0].elements(), self._size, self._drop):
            yield padded(group, self._shapes, self._values)

    def cardinality(self) -> int:
        return batches(self.inputs[0].cardinality(), self._size, self._drop)

    def spec(self) -> Any:
        own = self.inputs[0].spec()
        flat = nest.flatten(own)
        wanted = _spread(self._shapes, own, len(flat), is_shape=True)
        count = self._size if self._drop else None
        specs = [
            TensorSpec(TensorShape([count]).concatenate([None] * (s.shape.rank or 0) if w is None else w), s.dtype)
            for s, w in zip(flat, wanted, strict=True)
        ]
        return nest.pack_sequence_as(own, specs)


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
    if isinstance(pattern, dict):
        return [leaf for key in sorted(pattern) for leaf in _along(given[key], pattern[key])]
    if not isinstance(given, (list, tuple)) or len(given) != len(pattern):
        raise TypeError(
            errors.compose(
                f"padded_batch: {given!r} has not the structure of the elements, which have {len(pattern)} parts.",
                "give one shape or value for each part.",
            )
        )
    return [leaf for g, p in zip(given, pattern, strict=True) for leaf in _along(g, p)]


def _padded_column(column: tuple[Any, ...], wanted: Any, fill: Any) -> Any:
    arrays = [host(t._array) for t in column]
    largest = [max(a.shape[axis] for a in arrays) for axis in range(arrays[0].ndim)]
    shape = [w if w is not None and w >= 0 else n for w, n in zip(_known(wanted, largest), largest, strict=True)]
    if any(n > s for n, s in zip(largest, shape, strict=True)):
        raise errors.build(
            errors.ShapeError,
            f"padded_batch: an element of shape {TensorShape(largest)} does not fit in the padded shape {TensorShape(shape)}.",
            "give a larger padded_shapes, or None for as much as is needed.",
        )
    dtype = arrays[0].dtype
    default: Any = b"" if dtype.kind == "O" else 0
    value = default if fill is None else host(convert.convert_to_tensor(fill, dtypes.from_numpy(dtype))._array)[()]
    result = np.full((len(arrays), *shape), value, dtype)
    for i, array in enumerate(arrays):
        corner: Any = (i, *map(slice, array.shape))
        result[corner] = array if array.ndim else array[()]
    return wrap(result)


def _known(wanted: Any, largest: list[int]) -> list[Any]:
    if wanted is None:
        return [None] * len(largest)
    dims = [None if d is None else int(d) for d in ([wanted] if isinstance(wanted, int) else wanted)]
    if len(dims) != len(largest):
        raise errors.build(
            errors.ShapeError,
            f"padded_batch: the padded shape {dims} has rank {len(dims)}, the elements have rank {len(largest)}.",
            "give one size for each axis.",
        )
    return dims


class Unbatch(Stage):
    """The rows of the elements."""

    def __init__(self, source: Stage) -> None:
        self.inputs = (source,)

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            if composites.holds(value):
                yield from composites.slices(value)
                continue
            columns = [host(t._array) for t in nest.flatten(value)]
            sizes = {c.shape[:1] for c in columns}
            if len(sizes) != 1 or sizes == {()}:
                shown = ", ".join(str(spec_of(c)) for c in columns)
                raise errors.build(
                    errors.ShapeError,
                    f"unbatch: the elements must have one first dimension in common, got {shown}.",
                    "unbatch what was batched.",
                )
            pack = structure.packer(value)
            for i in range(columns[0].shape[0]):
                yield pack([structure.row(c, i) for c in columns])

    def cardinality(self) -> int:
        return INFINITE if self.inputs[0].cardinality() == INFINITE else UNKNOWN

    def spec(self) -> Any:
        return structure.without_rows(self.inputs[0].spec())


class Window(Stage):
    """Datasets of neighbouring elements, in the structure of the elements."""

    def __init__(
        self, source: Stage, size: Any, shift: Any, stride: Any, drop: Any, dataset: Callable[[Stage], Any]
    ) -> None:
        self.inputs = (source,)
        self._size = positive("window", "size", size)
        self._shift = self._size if shift is None else positive("window", "shift", shift)
        self._stride = positive("window", "stride", stride)
        self._drop, self._dataset = bool(drop), dataset

    def elements(self) -> Iterator[Any]:
        reach = (self._size - 1) * self._stride + 1
        source = self.inputs[0].elements()
        buffer: list[Any] = []
        specs = nest.flatten(self.inputs[0].spec()) if self.inputs[0].keeps_rows() else repeat(None)
        while True:
            buffer.extend(islice(source, max(0, reach - len(buffer))))
            if not buffer or (self._drop and len(buffer) < reach):
                return
            chosen = buffer[: reach : self._stride]
            parts = zip(*[nest.flatten(e) for e in chosen], strict=True)
            held = [self._dataset(Held(list(part), s)) for part, s in zip(parts, specs, strict=False)]
            yield nest.pack_sequence_as(chosen[0], held)
            beyond = self._shift - len(buffer)
            del buffer[: self._shift]
            if beyond > 0 and len(list(islice(source, beyond))) < beyond:
                return

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        reach = (self._size - 1) * self._stride + 1
        return max(0, (count - reach) // self._shift + 1) if self._drop else -(-count // self._shift)

    def spec(self) -> Any:
        return nest.map_structure(lambda s: self._dataset(Held([], s))._spec_as_element(), self.inputs[0].spec())


class Held(Stage):
    """Elements that are there already."""

    def __init__(self, values: list[Any], spec: Any = None) -> None:
        self._values, self._spec = values, spec

    def elements(self) -> Iterator[Any]:
        return iter(self._values)

    def table(self) -> Table | None:
        return None

    def keeps_rows(self) -> bool:
        return isinstance(self._spec, composites.RowSpec)

    def cardinality(self) -> int:
        return len(self._values)

    def spec(self) -> Any:
        return structure.spec(self._values[0]) if self._spec is None else self._spec
