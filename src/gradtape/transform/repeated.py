"""Recurring backward passes, as in a training loop that is not a `tf.function`.

A pass is a function of the cotangents of the targets and of what the ops saved. Which function it is follows from the
records alone: the ops, their parameters, who feeds whom, and the shapes. So a pass that was seen some hundred times,
or some ten if it takes milliseconds, is traced once, with symbols in place of the saved arrays, and compiled; from then on
a tape whose records are the same runs that program in place of the rules, one by one. The records are compared every time,
so nothing is taken for granted.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import Any

import numpy as np

from gradtape.core import hot_kernels
from gradtape.core.op import REGISTRY
from gradtape.transform.record import Recording

SHORTEST = 4  # records of a pass for which a program is quicker than the rules
_LONGEST = 512  # records of a pass that is compiled within seconds
_OFTEN = 256  # passes that are seen at a place before one is compiled
_SOON = 8  # the same, where passes take milliseconds
_MUCH = 1 << 20  # elements that were saved for such a pass
_LEARN = (1, 32, 64, 128)  # how many passes without a program it takes at a place until the next one is compiled
_MOST_PLACES = 256

_ndarray, _generic = np.ndarray, np.generic
_KINDS = "iub"  # of saved arrays, besides float32 and float64
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))

# The cotangents of the sources, from those of the targets and the saved arrays.
Program = Callable[[list[Any]], Sequence[Any]]
# How many values each place has in what a record saved; None for a value that is no tuple of arrays.
Layout = tuple[int | None, ...]

_compiler: list[Any] = []


def install(module: str) -> None:
    """Name the module whose `program(pattern, recording, cotangents, sources)` compiles a pass; it is loaded when needed."""
    _compiler[:] = [module]


class Unfit(Exception):
    """A pass that cannot be compiled."""


class Place:
    """The facts about backward passes with equally many records over the tapes of one `with` statement.

    Attributes:
      code: the function around the statement, kept so that no other gets its number.
      often: how many are seen before one is compiled.
      seen: how many there were.
      missed: how many of them had no program, after the first had one.
      patterns: those that have a program.
      hopeless: True once it is clear that programs are of no use here.
      is_learning: True while a thread compiles a pass.
    """

    __slots__ = ("code", "hopeless", "is_learning", "missed", "often", "patterns", "seen")

    def __init__(self, code: Any, often: int) -> None:
        self.code = code
        self.often = often
        self.seen = self.missed = 0
        self.patterns: list[PassPattern] = []
        self.hopeless = self.is_learning = False


_places: dict[Any, Place] = {}


def run(recording: Recording, cotangents: dict[int, Any], sources: set[int]) -> bool:
    """True if the pass has a program, which has then added the cotangents of the sources."""
    if not hot_kernels.is_enabled() or len(recording.records) > _LONGEST:
        return False
    code = recording.entry
    key = id(code), recording.entry_offset, len(recording.records)  # hashing a code object is slow
    place = _places.get(key)
    if place is None:
        if len(_places) >= _MOST_PLACES:
            _places.clear()
        place = _places[key] = Place(code, _SOON if _elements(recording) >= _MUCH else _OFTEN)
    place.seen += 1
    if place.seen <= place.often or place.hopeless:
        return False
    for pattern in place.patterns:
        found = pattern.found_in(recording, cotangents, sources)
        if found is not None:
            ids, arrays = found
            cotangents.update(zip(ids, pattern.program(arrays), strict=True))
            return True
    place.missed += 1
    if len(place.patterns) < len(_LEARN):
        if place.missed >= _LEARN[len(place.patterns)]:
            _learn(place, recording, cotangents, sources)
    elif 2 * place.missed > place.seen:
        place.hopeless = True
    return False


def _elements(recording: Recording) -> int:
    """How many elements the records have saved: what a pass works on."""
    return sum([value.size for saved in recording.saved for value in saved if isinstance(value, _ndarray)])


def _learn(place: Place, recording: Recording, cotangents: dict[int, Any], sources: set[int]) -> None:
    """Compile the pass that is about to run, for the next time."""
    if place.is_learning:
        return
    place.is_learning = True
    try:
        # Numbers in the user's code are constants, unless it turns out that they change.
        pattern = PassPattern(recording, cotangents, sources, constants=not place.patterns)
        if isinstance(_compiler[0], str):
            _compiler[0] = importlib.import_module(_compiler[0])
        pattern.program = _compiler[0].program(pattern, recording, cotangents, list(sources))
        place.patterns.append(pattern)
    except Unfit:
        place.hopeless = True
    finally:
        place.is_learning = False


class PassPattern:
    """What the passes of one program have in common, and where their arrays are found.

    Identities differ from tape to tape, so a pattern has names for them, which are numbers: by the order in which variables
    were used, then other tensors watched, then results computed. None stands for all that the tape does not know.

    Attributes:
      form: what tapes are compared by: the ops, their parameters, specs of several outputs, how many inputs each has, the
        names of these inputs, of the targets and of what is watched, and how many names there are.
      sources: names of the sources, in the order of the program's results.
      layouts: for each record that saved several arrays in one place (an op of any number of inputs), how many values each of its
        places has; None where it is the value itself. Below, such a record's values are numbered as one list.
      inputs: where the arrays of the program are, with shape and dtype: the number of the record and that of the array among
        what it saved; the cotangents of the targets are saved by record -1.
      same: further places of these arrays, with their number.
      fixed: places of what must be equal: shapes and dtypes, and numbers, of which the bytes are compared.
      numbers: places of these numbers, which are constants of the program.
      program: what runs.
    """

    program: Program

    def __init__(self, recording: Recording, cotangents: dict[int, Any], sources: set[int], constants: bool) -> None:
        if any(REGISTRY.get(record[0].name) is not record[0] for record in recording.records):
            raise Unfit("An op is a function of the user.")
        names = _names_in(recording)
        self.form = _form(recording, cotangents, names)
        self.sources = [names.get(i) for i in sources]
        self.layouts: dict[int, Layout] = {}
        self.inputs: list[tuple[int, int, Any, Any]] = []
        self.same: list[tuple[int, int, int]] = []
        self.fixed: list[tuple[int, int, Any]] = []
        self.numbers: list[tuple[int, int, Any]] = []
        seen: dict[int, int] = {}
        for j, dy in enumerate(cotangents.values()):
            self._place(-1, j, dy, constants, seen)
        for k, saved in enumerate(recording.saved):
            if any(_is_nested(value) for value in saved):
                self.layouts[k] = tuple([len(value) if _is_nested(value) else None for value in saved])
                for j, value in enumerate(flat(saved, self.layouts[k])):
                    self._place(k, j, value, False, seen)
            else:
                for j, value in enumerate(saved):
                    self._place(k, j, value, constants and _is_unknown_input(recording.records[k], j), seen)

    def _place(self, k: int, j: int, value: Any, constant: bool, seen: dict[int, int]) -> None:
        if not isinstance(value, (_ndarray, _generic)):
            if hasattr(value, "shape") or _is_nested(value):
                raise Unfit("An op has saved an array of another library, or arrays in tuples of tuples.")
            self.fixed.append((k, j, value))
        elif value.dtype not in _FLOATS and value.dtype.kind not in _KINDS:
            raise Unfit(f"{value.dtype} is not for machine code.")
        elif constant and not value.shape:
            self.fixed.append((k, j, value.tobytes()))
            self.numbers.append((k, j, value))
        elif id(value) in seen:
            self.same.append((k, j, seen[id(value)]))
        else:
            seen[id(value)] = len(self.inputs)
            self.inputs.append((k, j, value.shape, value.dtype))

    def found_in(
        self, recording: Recording, cotangents: dict[int, Any], sources: set[int]
    ) -> tuple[list[int], list[Any]] | None:
        """If a recording is of this pattern, the identities of its sources and the arrays for the program."""
        names = _names_in(recording)
        if _form(recording, cotangents, names) != self.form:
            return None
        identities = {names.get(i): i for i in sources}
        if len(identities) != len(self.sources) or not all(map(identities.get, self.sources)):
            return None
        arrays = self._arrays([*recording.saved, tuple(cotangents.values())])
        return None if arrays is None else ([identities[name] for name in self.sources], arrays)

    def _arrays(self, saved: list[tuple[Any, ...]]) -> list[Any] | None:
        """The arrays for the program among what was saved, unless something is not as it should be."""
        for k, layout in self.layouts.items():
            if not _fits(saved[k], layout):
                return None
            saved[k] = flat(saved[k], layout)
        arrays = []
        for k, j, shape, dtype in self.inputs:
            value = saved[k][j]
            if getattr(value, "shape", None) != shape or value.dtype is not dtype:
                return None
            arrays.append(value)
        for k, j, number in self.same:
            if saved[k][j] is not arrays[number]:
                return None
        for k, j, known in self.fixed:
            value = saved[k][j]
            if value is not known and (_bytes(value) if type(known) is bytes else value) != known:
                return None
        return arrays


def _is_nested(value: Any) -> bool:
    """True for a tuple with arrays in it."""
    return type(value) is tuple and any(hasattr(v, "shape") for v in value)


def _fits(saved: tuple[Any, ...], layout: Layout) -> bool:
    """True if what a record saved has as many values in each place as a layout says."""
    return all((len(v) if type(v) is tuple else -1) == n for v, n in zip(saved, layout, strict=True) if n is not None)


def flat(saved: Sequence[Any], layout: Layout) -> tuple[Any, ...]:
    """What a record saved, with the values of tuples in their place."""
    return tuple([v for value, n in zip(saved, layout, strict=True) for v in ((value,) if n is None else value)])


def nested(values: Sequence[Any], layout: Layout) -> tuple[Any, ...]:
    """The inverse of `flat`."""
    rest = iter(values)
    return tuple([next(rest) if n is None else tuple([next(rest) for _ in range(n)]) for n in layout])


def _names_in(recording: Recording) -> dict[int, int]:
    """Names of the variables that were used, of the tensors that are watched, and of what was computed."""
    identities = list(recording.variables)
    identities += sorted(recording.roots.difference(identities))
    for record in recording.records:
        out = record[2]
        if type(out) is int:
            identities.append(out)
        else:
            identities += out
    return dict(zip(identities, count()))


def _form(recording: Recording, cotangents: dict[int, Any], names: dict[int, int]) -> tuple[Any, ...]:
    """What tapes of one pattern have in common. Whole columns of the records, since this runs for every tape."""
    ops, ids, _, params, _, _, specs = zip(*recording.records, strict=True)
    get = names.get
    inputs = tuple(map(get, chain.from_iterable(ids)))
    roots = set(map(get, recording.roots))
    return ops, params, specs, tuple(map(len, ids)), inputs, tuple(map(get, cotangents)), roots, len(names)


def _is_unknown_input(record: tuple[Any, ...], j: int) -> bool:
    """True if what an op saved in a place is an input that the tape does not know: mostly a number in the user's code."""
    op, ids = record[0], record[1]
    base, suffix = op.residuals[j]
    return not suffix and base in op.inputs and not op.variadic and ids[op.inputs.index(base)] == 0


def _bytes(value: Any) -> bytes | None:
    """The bytes of a number, which tell 0.0 from -0.0 and float32 from float64."""
    return value.tobytes() if isinstance(value, (_ndarray, _generic)) and not value.shape else None
