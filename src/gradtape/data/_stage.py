"""A stage of a pipeline, the building block of datasets.

A stage gives its elements anew for each iteration. Stages over rows of arrays (slices, and what only chooses among them
or changes their order) also say which rows come next, in large portions, so that a batch is one slice or one gather of
each array and no element is ever made alone.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np

from gradtape.core import errors, memory, nest
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import wrap
from gradtape.data import _structure as structure
from gradtape.data._failure import Failure, attempt, first_in, raised

INFINITE = -1
UNKNOWN = -2
# The number of rows chosen at a time, if nothing else determines it.
PORTION = 4096

# Numbers of rows: a range, or an integer array.
Rows = Any


class Table(NamedTuple):
    """Arrays with the same number of rows.

    Attributes:
      pattern: the structure of an element, with any leaves.
      columns: one array for each leaf.
    """

    pattern: Any
    columns: list[Any]


class Stage:
    """A producer of elements.

    Attributes:
      inputs: the stages that this one reads.
      options: those that were given to this stage, or None.
      deterministic: whether elements keep their order; None lets the options of the dataset decide.
    """

    inputs: tuple[Stage, ...] = ()
    options: Any = None
    deterministic: bool | None = True
    _unordered: Stage | None = None

    def elements(self) -> Iterator[Any]:
        """The elements, from the first one; a `Failure` in place of one that could not be computed."""
        table = self.table()
        if table is None:
            raise NotImplementedError(type(self).__name__)
        return _rows_of(table, self.rows())

    def begin(self) -> Iterator[Any]:
        """The elements of an iteration, for which the random numbers in functions restart."""
        self._renew()
        if self._keeps_order():
            return self.elements()
        if self._unordered is None:
            self._unordered = self._without_order()
        return self._unordered.elements()

    def _keeps_order(self) -> bool:
        """True if elements must be in order, according to the last stage with such options; True by default."""
        chosen = getattr(self.options, "deterministic", None)
        return all(stage._keeps_order() for stage in self.inputs) if chosen is None else chosen

    def _without_order(self) -> Self:
        """This stage and its inputs; those whose order follows the options produce elements as they are ready."""
        made = copy.copy(self)
        made.inputs = tuple([stage._without_order() for stage in self.inputs])
        made.deterministic = False if self.deterministic is None else self.deterministic
        return made

    def _renew(self) -> None:
        for part in vars(self).values():
            draws = getattr(part, "draws", None)
            if draws is not None:
                draws.renew()
        for stage in self.inputs:
            stage._renew()

    def values(self) -> Iterator[Any]:
        """The elements of an iteration; raises the exception of the first that could not be computed."""
        return map(raised, self.begin())

    def table(self) -> Table | None:
        """The arrays whose rows are the elements; None for other stages."""
        return None

    def rows(self) -> Iterator[Rows]:
        """The row numbers of the elements in the table, in portions; for stages with a table."""
        raise NotImplementedError(type(self).__name__)

    def groups(self, size: int, drop: bool) -> Iterator[Any]:
        """The elements, stacked in groups of a size; `drop` omits a smaller group at the end. Rows of tables are
        sliced or gathered, a whole group at once."""
        table = self.table()
        if table is None:
            yield from grouped(self.elements(), size, drop, stacker("batch", self))
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

    def trace_functions(self) -> None:
        """Ask the functions of the user for the specs of their results."""
        self.spec()

    def keeps_rows(self) -> bool:
        """True if elements may hold rows of ragged tensors, which become ragged again in batches."""
        return any(stage.keeps_rows() for stage in self.inputs)

    def runs_functions(self) -> bool:
        """True if user code runs in it."""
        return any(stage.runs_functions() for stage in self.inputs)


def _rows_of(table: Table, portions: Iterator[Rows]) -> Iterator[Any]:
    pack, columns, row = structure.packer(table.pattern), table.columns, structure.row
    for portion in portions:
        for i in portion:
            yield pack([row(column, i) for column in columns])


def lists(elements: Iterator[Any], size: int, drop: bool) -> Iterator[Any]:
    """Lists of elements. A failure comes alone, and the elements of its list are lost."""
    group: list[Any] = []
    while group := [*group, *islice(elements, size - len(group))]:
        if Failure in map(type, group):
            place = [type(e) for e in group].index(Failure)
            yield group[place]
            group = group[place + 1 :]
            continue
        if len(group) == size or not drop:
            yield group
        group = []


def grouped(elements: Iterator[Any], size: int, drop: bool, make: Callable[[list[Any]], Any]) -> Iterator[Any]:
    """The results of a function on lists of elements."""
    for group in lists(elements, size, drop):
        yield group if type(group) is Failure else attempt(make, group)


def stacker(who: str, stage: Stage) -> Callable[[list[Any]], Any]:
    """A function that stacks elements of a stage, rows of ragged tensors among them."""
    if not stage.keeps_rows():
        return lambda group: structure.stack(who, group)
    specs = nest.flatten(structure.with_rows(stage.spec(), None))
    return lambda group: structure.stack_rows(who, group, specs)


def aligned(results: Iterator[Any], size: int, drop: bool, make: Callable[[list[Any]], Any]) -> Iterator[Any]:
    """What a function makes of lists of results of a map. As in TensorFlow, which runs a map and the batch after it as one
    stage, a failure takes the place of the whole list that it belongs to."""
    while made := list(islice(results, size)):
        failure = first_in(made)
        if failure is not None:
            yield failure
        elif len(made) == size or not drop:
            yield attempt(make, made)


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
    if column.dtype.kind not in "fiucb" or column[:1].size * len(rows) < memory.THRESHOLD:
        return column[rows]
    # Rows are in range, so nothing is clipped; the mode lets NumPy write to the result directly.
    return np.take(column, rows, axis=0, out=memory.empty(shape, column.dtype), mode="clip")


class Chosen(Stage):
    """A stage that selects and orders elements of its input, without changing them.

    It has the input's table, so it only says what becomes of the rows.
    """

    def __init__(self, source: Stage) -> None:
        self.inputs = (source,)

    def table(self) -> Table | None:
        return self.inputs[0].table()


def stage_of(who: str, dataset: Any) -> Stage:
    """The stage of a dataset."""
    if not hasattr(dataset, "_stage"):
        raise TypeError(
            errors.compose(
                f"Invalid input to `{who}`: {dataset!r} is not a dataset. Inputs are expected to be (nested) structures of "
                "`tf.data.Dataset` objects.",
                "give tf.data.Dataset objects.",
            )
        )
    found: Stage = dataset._stage
    return found


def common_spec(who: str, stages: Sequence[Stage]) -> Any:
    """The narrowest specs that hold the elements of several stages. Refuses other structures and dtypes."""
    found = stages[0].spec()
    for other in stages[1:]:
        found = merged(who, found, other.spec())
    return found


def check_alike(who: str, stages: Sequence[Stage]) -> None:
    """Refuse stages whose elements are known to differ in structure or dtypes."""
    specs = [spec for spec in map(known_spec, stages) if spec is not None]
    for other in specs[1:]:
        merged(who, specs[0], other)


def merged(who: str, a: Any, b: Any) -> Any:
    """The narrowest specs that hold both. Refuses other structures and dtypes."""
    try:
        nest.assert_same_structure(a, b)
        is_alike = all(_is_alike(s, t) for s, t in zip(nest.flatten(a), nest.flatten(b), strict=True))
    except (TypeError, ValueError):
        is_alike = False
    if not is_alike:
        raise TypeError(
            errors.compose(
                f"{who}: Incompatible dataset elements: the datasets must have compatible element specs, got {a!r} and {b!r}.",
                "use map to give both the same structure and dtypes, for instance .map(lambda x: tf.cast(x, tf.float32)).",
            )
        )
    return structure.merged(a, b)


def _is_alike(a: Any, b: Any) -> bool:
    is_dense = isinstance(a, TensorSpec) and isinstance(b, TensorSpec)
    return (is_dense or type(a) is type(b)) and getattr(a, "dtype", None) == getattr(b, "dtype", None)


class NoSpecError(Exception):
    """The specs of elements cannot be known before there is one."""


class _Asking(threading.local):
    """True if a stage may compute an element, or trace a function, to find its specs."""

    may_run = True
    may_trace = True


asking = _Asking()


def known_spec(stage: Stage, may_trace: bool = True) -> Any:
    """The structure of specs of a stage; None if they depend on its elements, or on functions that may not be traced."""
    before = asking.may_run, asking.may_trace
    asking.may_run, asking.may_trace = False, may_trace
    try:
        return stage.spec()
    except NoSpecError:
        return None
    finally:
        asking.may_run, asking.may_trace = before


def integer(who: str, name: str, value: Any) -> int:
    """An integer argument, as a number or a tensor of rank 0."""
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        fix = (
            "tf.data.AUTOTUNE lets gradtape choose."
            if value in ("auto", "autotune", "AUTO")
            else "pass an int or an int tensor."
        )
        what = f"{who}: {name} must be an integer, got {value!r}."
    if value is None:
        raise ValueError(errors.compose(what, fix))
    if np.ndim(value) and np.asarray(value).dtype.kind in "iu":
        raise errors.build(errors.ShapeError, what, fix)
    raise TypeError(errors.compose(what, fix))


def positive(who: str, name: str, value: Any, least: int = 1) -> int:
    """An integer argument of at least a minimum."""
    number = integer(who, name, value)
    if number < least:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: {name} must be at least {least}, got {number}.",
            f"give a number of at least {least}.",
        )
    return number
