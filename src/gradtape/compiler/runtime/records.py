"""Records that programs are written in: one declaration for the Python code that encodes them and for the driver that reads them.

A record is some 64-bit words, one for each field, in this order. `LaunchStep(...)` of numbers is what stands in a program; the driver's
`Writer.read(LaunchStep, address)` is a `LaunchStep` of values in machine code, so both take the places of fields from here.

A program is a `ProgramHead`, for each array an `ArrayForm` and its dimensions, then `Patch`es, then `LaunchStep`s. A block of a loop or branch is
a `BlockHead`, `TableWord`s, then `LaunchStep`s. A branch is a `BranchHead` and the addresses of its blocks; a loop is a `LoopHead`, then its
`Carried`, `Move` and `Flip` records. All places are bytes in the arena of the run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

WORD = 8  # bytes


def size_of_record(kind: type[tuple[Any, ...]]) -> int:
    """How many words a kind of record has."""
    return len(kind._fields)  # type: ignore[attr-defined]


def flatten(*records: tuple[Any, ...]) -> list[Any]:
    """The words of records, one behind the other."""
    return [word for record in records for word in record]


class ProgramHead(NamedTuple):
    """The beginning of a program.

    Attributes:
      arrays: how many it is given, and `shape_words` the words that describe them.
      patches: how many there are, as there are `steps`.
      status: place of the status word.
      free: number of the steps at the beginning that a handler of signals may stop: later ones may have changed variables.
    """

    arrays: Any
    shape_words: Any
    patches: Any
    steps: Any
    status: Any
    free: Any


class ArrayForm(NamedTuple):
    """What an array must be: the address of its dtype object, and its rank. As many dimensions follow."""

    dtype: Any
    rank: Any


class Patch(NamedTuple):
    """A word of a table that a run fills in: its place, which array's address it gets, and an offset into the data (bytes)."""

    place: Any
    array: Any
    offset: Any


class LaunchStep(NamedTuple):
    """A launch.

    Attributes:
      kernel: its address.
      chunks: of its work; negative for a chain (`ChainStep`).
      table: place of its table.
      last: 1 if it may set the status; of a launch in a chain, the bytes from the table of a group to that of the next.
    """

    kernel: Any
    chunks: Any
    table: Any
    last: Any


class ChainStep(NamedTuple):
    """A chain, in the place of a step.

    Attributes:
      first: how many steps behind the first of all its own begin.
      groups: how many there are, with a minus sign.
      launches: how many steps it has.
      last: 0.
    """

    first: Any
    groups: Any
    launches: Any
    last: Any = 0


class ChainJob(NamedTuple):
    """What the threads that run a chain are handed: the address of its first step, how many there are, and that of the tables."""

    first: Any
    launches: Any
    tables: Any


class TableWord(NamedTuple):
    """A word of a block's tables: LITERAL for the value itself, ARENA for an address there, from EXTERNAL on for one behind a pointer."""

    kind: Any
    value: Any


LITERAL, ARENA, EXTERNAL = range(3)


class BlockHead(NamedTuple):
    """The beginning of a block: the numbers of words in its tables and of its steps."""

    words: Any
    steps: Any


class BranchTable(NamedTuple):
    """The table of a branch: addresses of its description, of its memory, of the status word and of the index. External ones follow."""

    description: Any
    arena: Any
    status: Any
    index: Any


class BranchHead(NamedTuple):
    """The beginning of a branch: the number of its blocks, and the bytes of the index. The addresses of the blocks follow."""

    blocks: Any
    index_bytes: Any


class LoopTable(NamedTuple):
    """The table of a loop: addresses of its description, of its memory, of the status word, of the limit, and of the number of steps
    that it took. External ones follow."""

    description: Any
    arena: Any
    status: Any
    limit: Any
    done: Any


class LoopHead(NamedTuple):
    """The beginning of a loop.

    Attributes:
      usual: number of steps if the limit is negative, -1 for no end.
      rows: number of rows that there are, -1 if there are none.
      body: address of the body's block, and `cond` of the condition's, or 0.
      cond_tables: place of the condition's tables, and `flag` of its result.
      reverse: 1 if rows are taken from the last on.
      carried: number of carried values, as there are `moves` and `flips`.
    """

    usual: Any
    rows: Any
    body: Any
    cond: Any
    cond_tables: Any
    flag: Any
    reverse: Any
    carried: Any
    moves: Any
    flips: Any


class Carried(NamedTuple):
    """A carried value: the externals with its first value and for its last, its bytes, and the places of its two rooms."""

    source: Any
    target: Any
    size: Any
    first_room: Any
    second_room: Any


class Move(NamedTuple):
    """A word of the body's tables that a step moves, by some bytes."""

    place: Any
    distance: Any


class Flip(NamedTuple):
    """A word that a step turns to the other room of a carried value; `second` is 1 if it begins in the second."""

    place: Any
    carried: Any
    second: Any
