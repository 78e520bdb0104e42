"""Grouping elements: batch, padded_batch, window; and the inverse, unbatch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle, islice, repeat
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest
from gradtape.core.shape import TensorShape, spec_of
from gradtape.core.sparse_tensor import SparseTensorSpec
from gradtape.core.tensor import host
from gradtape.data import _composites as composites
from gradtape.data import _structure as structure
from gradtape.data._failure import Failure, attempt, first_in
from gradtape.data._stage import INFINITE, UNKNOWN, Stage, Table, aligned, grouped, known_spec, positive, stacker


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
        given = np.asarray(sizes)
        if given.ndim > 1 or not given.size:
            raise errors.build(
                errors.ShapeError,
                f"rebatch: Invalid `batch_size`. Expected a scalar or a vector with elements, got {sizes!r}.",
                "give a size, or a list of sizes.",
            )
        self._sizes = [positive("rebatch", "batch_size", size) for size in given.reshape(-1)]
        self._drop = bool(drop_remainder)
        self._stack = stacker("rebatch", source)

    def elements(self) -> Iterator[Any]:
        source = self.inputs[0].elements()
        for size in cycle(self._sizes):
            group: list[Any] = []
            for value in source:
                if type(value) is Failure:
                    group.clear()
                    yield value
                    continue
                group.append(value)
                if len(group) == size:
                    break
            if len(group) < size and (self._drop or not group):
                return
            yield attempt(self._stack, group)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return batches(count, self._sizes[0], self._drop) if len(self._sizes) == 1 and count >= 0 else UNKNOWN

    def spec(self) -> Any:
        size = self._sizes[0]
        is_known = len(set(self._sizes)) == 1 and (self._drop or self._divides(size))
        return structure.with_rows(self.inputs[0].spec(), size if is_known else None)

    def _divides(self, size: int) -> bool:
        """True if the earlier batches are known to fill batches of a size."""
        rows = rows_in(self.inputs[0].inputs[0].spec())
        return rows is not None and rows % size == 0


class RaggedBatch(Batch):
    """Elements of different sizes, together as ragged tensors."""

    def __init__(self, source: Stage, size: Any, drop_remainder: Any, row_splits: Any = None) -> None:
        super().__init__(source, size, drop_remainder)
        self._splits = dtypes.int64 if row_splits is None else dtypes.as_dtype(row_splits)

    def elements(self) -> Iterator[Any]:
        specs = nest.flatten(self.spec())

        def batch(group: list[Any]) -> Any:
            columns = zip(*[nest.flatten(e) for e in group], strict=True)
            parts = [composites.ragged(column, s) for column, s in zip(columns, specs, strict=True)]
            return nest.pack_sequence_as(group[0], parts)

        return aligned(self.inputs[0].elements(), self._size, self._drop, batch)

    def spec(self) -> Any:
        rows = self._size if self._drop else None
        return nest.map_structure(lambda s: composites.ragged_spec(s, rows, self._splits), self.inputs[0].spec())


class SparseBatch(Batch):
    """Elements together as sparse tensors."""

    def __init__(self, source: Stage, size: Any, row_shape: Any) -> None:
        super().__init__(source, size, False)
        self._shape = TensorShape(row_shape)
        spec = known_spec(source)
        if spec is not None and len(nest.flatten(spec)) > 1:
            raise TypeError(
                errors.compose(
                    f"sparse_batch: elements must have a single component, got {spec!r}.",
                    "use map to select one part: dataset.map(lambda x, y: x).",
                )
            )

    def elements(self) -> Iterator[Any]:
        return grouped(self.inputs[0].elements(), self._size, False, self._together)

    def _together(self, group: list[Any]) -> Any:
        columns = zip(*[nest.flatten(e) for e in group], strict=True)
        return nest.pack_sequence_as(group[0], [composites.sparse(column, self._shape) for column in columns])

    def spec(self) -> Any:
        shape = TensorShape([None]).concatenate(self._shape)
        return nest.map_structure(lambda s: SparseTensorSpec(shape, s.dtype), self.inputs[0].spec())


def batches(count: int, size: int, drop: bool) -> int:
    """The number of batches for a number of elements."""
    return count if count < 0 else count // size if drop else -(-count // size)


class Unbatch(Stage):
    """The rows of the elements."""

    def __init__(self, source: Stage) -> None:
        self.inputs = (source,)
        spec = known_spec(source)
        if spec is not None:
            rows_in(spec)

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            found: Any = value if type(value) is Failure else attempt(_rows, value)
            if type(found) is Failure:
                yield found
            else:
                yield from found

    def cardinality(self) -> int:
        count, spec = self.inputs[0].cardinality(), known_spec(self.inputs[0])
        rows = None if spec is None else rows_in(spec)
        if count == INFINITE:
            return INFINITE
        return UNKNOWN if count < 0 or rows is None else count * rows

    def spec(self) -> Any:
        return structure.without_rows(self.inputs[0].spec())


def rows_in(spec: Any) -> int | None:
    """The number of rows of elements of a spec, if known. Refuses scalars."""
    shapes = [s.shape for s in nest.flatten(spec) if isinstance(getattr(s, "shape", None), TensorShape)]
    sizes = {shape[0] for shape in shapes if shape.rank} - {None}
    if any(shape.rank == 0 for shape in shapes) or len(sizes) > 1:
        raise errors.build(
            errors.ShapeError,
            f"unbatch: the elements must have one first dimension in common, got {spec!r}.",
            "unbatch what was batched.",
        )
    return sizes.pop() if sizes else None


def _rows(value: Any) -> Iterator[Any]:
    """The rows of an element."""
    if composites.holds(value):
        return composites.slices(value)
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
    return (pack([structure.row(c, i) for c in columns]) for i in range(columns[0].shape[0]))


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
            yield first_in(chosen) or self._window(chosen, specs)
            beyond = self._shift - len(buffer)
            del buffer[: self._shift]
            if beyond > 0 and len(list(islice(source, beyond))) < beyond:
                return

    def _window(self, chosen: list[Any], specs: Any) -> Any:
        parts = zip(*[nest.flatten(e) for e in chosen], strict=True)
        held = [self._dataset(Held(list(part), s)) for part, s in zip(parts, specs, strict=False)]
        return nest.pack_sequence_as(chosen[0], held)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        reach = (self._size - 1) * self._stride + 1
        return max(0, (count - reach) // self._shift + 1) if self._drop else -(-count // self._shift)

    def spec(self) -> Any:
        return nest.map_structure(lambda s: self._dataset(Held([], s))._spec_as_element(), self.inputs[0].spec())


class Held(Stage):
    """Elements that are already available."""

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
