"""A stage of a pipeline: what a dataset is made of.

A stage gives its elements anew for each iteration. Stages over rows of arrays (slices, and what only chooses among them
or changes their order) also say which rows come next, in large portions, so that a batch is one slice or one gather of
each array and no element is ever made alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gradtape.core import errors
from gradtape.data import structure

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

    def cardinality(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""
        return self.inputs[0].cardinality() if self.inputs else UNKNOWN

    def spec(self) -> Any:
        """The structure of specs of the elements."""
        return self.inputs[0].spec()

    def runs_functions(self) -> bool:
        """Whether code of the user runs in it."""
        return any(stage.runs_functions() for stage in self.inputs)


def _rows_of(table: Table, portions: Iterator[Rows]) -> Iterator[Any]:
    pack, columns, row = structure.packer(table.pattern), table.columns, structure.row
    for portion in portions:
        for i in portion:
            yield pack([row(column, i) for column in columns])


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
