"""A stage of a pipeline: what a dataset is made of.

A stage gives its elements anew for each iteration. Stages over rows of arrays (slices, and what only chooses among them
or changes their order) also say which rows come next, in large portions, so that a batch is one slice or one gather of
each array and no element is ever made alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import errors, memory as large, nest
from gradtape.core.tensor import wrap
from gradtape.data import _structure as structure

INFINITE = -1
UNKNOWN = -2
# Rows that are chosen at a time where there is no end, or no other measure.
PORTION = 4096

# Numbers of rows: a range, or an integer array.
Rows = Any


class Table(NamedTuple):
    """Arrays with equally many rows.

    Attributes:
      pattern: the structure of an element, with any leaves.
      columns: one array for each leaf.
    """

    pattern: Any
    columns: list[Any]


class Stage:
    """Something that gives elements.

    Attributes:
      inputs: the stages that this one reads.
    """

    inputs: tuple[Stage, ...] = ()

    def elements(self) -> Iterator[Any]:
        """The elements, from the first one."""
        table = self.table()
        if table is None:
            raise NotImplementedError(type(self).__name__)
        return _rows_of(table, self.rows())

    def table(self) -> Table | None:
        """The arrays whose rows are the elements, if that is what they are."""
        return None

    def rows(self) -> Iterator[Rows]:
        """Which rows of the table are the elements, in portions. Only where there is a table."""
        raise NotImplementedError(type(self).__name__)

    def groups(self, size: int, drop: bool) -> Iterator[Any]:
        """The elements stacked, so many at a time; `drop` leaves out a smaller group at the end. Rows of tables are sliced
        or gathered, all of a group at once."""
        table = self.table()
        if table is None:
            specs = nest.flatten(structure.with_rows(self.spec(), None)) if self.keeps_rows() else None
            for group in lists(self.elements(), size, drop):
                yield structure.stack("batch", group) if specs is None else structure.stack_rows("batch", group, specs)
            return
        pack = structure.packer(table.pattern)
        for rows in _divided(self.rows(), size):
            if len(rows) == size or not drop:
                yield pack([wrap(gathered(column, rows)) for column in table.columns])

    def cardinality(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""
        return self.inputs[0].cardinality() if self.inputs else UNKNOWN

    def spec(self) -> Any:
        """The structure of specs of the elements."""
        return self.inputs[0].spec()

    def keeps_rows(self) -> bool:
        """Whether there may be rows of ragged tensors among the elements, which are ragged again in batches."""
        return any(stage.keeps_rows() for stage in self.inputs)

    def runs_functions(self) -> bool:
        """Whether code of the user runs in it."""
        return any(stage.runs_functions() for stage in self.inputs)


def _rows_of(table: Table, portions: Iterator[Rows]) -> Iterator[Any]:
    pack, columns, row = structure.packer(table.pattern), table.columns, structure.row
    for portion in portions:
        for i in portion:
            yield pack([row(column, i) for column in columns])


def lists(elements: Iterator[Any], size: int, drop: bool) -> Iterator[list[Any]]:
    """Lists of elements."""
    while group := list(islice(elements, size)):
        if len(group) == size or not drop:
            yield group


def _divided(portions: Iterator[Rows], size: int) -> Iterator[Rows]:
    """Portions of one size, and perhaps a smaller one at the end."""
    rest: Rows | None = None
    for portion in portions:
        if rest is not None:
            missing = size - len(rest)
            rest, portion = np.concatenate([rest, portion[:missing]]), portion[missing:]
            if len(rest) < size:
                continue
            yield rest.astype(np.int64)
            rest = None
        whole = len(portion) // size * size
        for start in range(0, whole, size):
            yield portion[start : start + size]
        if whole < len(portion):
            rest = portion[whole:]
    if rest is not None:
        yield rest


def gathered(column: Any, rows: Rows) -> Any:
    """Rows of an array: a view where they lie together, else a copy."""
    if isinstance(rows, range):
        if rows.step == 1:
            return column[rows.start : rows.stop]
        rows = np.arange(rows.start, rows.stop, rows.step)
    shape = (len(rows), *column.shape[1:])
    if column.dtype.kind not in "fiucb" or column[:1].size * len(rows) < large.THRESHOLD:
        return column[rows]
    # Rows are in range, so nothing is clipped; the mode lets NumPy write to the result directly.
    return np.take(column, rows, axis=0, out=large.empty(shape, column.dtype), mode="clip")


class Chosen(Stage):
    """A stage that gives some elements of its input in some order, and changes none.

    It has the input's table, so it only says what becomes of the rows.
    """

    def __init__(self, source: Stage) -> None:
        self.inputs = (source,)

    def table(self) -> Table | None:
        return self.inputs[0].table()


def positive(who: str, name: str, value: Any, least: int = 1) -> int:
    """An integer argument, checked."""
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise TypeError(
            errors.compose(f"{who}: {name} must be an integer, got {value!r}.", "pass an int or an int tensor.")
        ) from None
    if number < least:
        raise errors.build(
            errors.InvalidArgumentError, f"{who}: {name} is {number}.", f"give a number of at least {least}."
        )
    return number
