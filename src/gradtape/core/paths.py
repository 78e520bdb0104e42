"""Questions about unknown sizes: every answer is tried.

Where a rule asks something that symbols do not decide (`if m == n`), it is run once for each answer. A `Path` is one sequence of answers,
with what follows from them: on the path of `m == n`, `m` is `n`. Paths that end in an error are not taken; what the others agree on is
known. The limits below are counts, not times, so that a program is traced the same way everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from gradtape.core.dims import (
    Atom,
    Bounds,
    Dim,
    Undecided,
    alone,
    atoms,
    bounds,
    divide,
    is_same,
    new_size,
    solve,
    substitute,
)
from gradtape.core.state import current as _current

RANKS = 7  # a tensor of unknown rank is asked about with 0 to 6 dimensions
_COMMON_FIRST = (2, 1, 3, 4, 0, 5, 6)
QUESTIONS = 24  # on one path
PATHS = 160  # of one exploration
_FEW = 8  # numbers in a range, each of which has its path

T = TypeVar("T")


class Path:
    """One sequence of answers.

    Attributes:
      taken: each answer with the number of answers that there were.
      equal: what symbols are on this path.
      limits: the ranges of symbols on this path.
      ranks: those that were chosen.
    """

    def __init__(self, given: Sequence[int] = ()) -> None:
        self._given = given
        self.taken: list[tuple[int, int]] = []
        self.equal: dict[Atom, Any] = {}
        self.limits: dict[Atom, Bounds] = {}
        self.ranks: list[int] = []
        self._zero: list[Dim] = []
        self._not_zero: list[Dim] = []
        self._natural: list[Any] = []

    @property
    def assumptions(self) -> int:
        """How many equations hold on this path alone."""
        return len(self.equal) + len(self._zero)

    def choose(self, count: int) -> int:
        """One of `count` answers; each of the others has another path."""
        place = len(self.taken)
        if place >= QUESTIONS:
            raise Undecided("too many questions about sizes that are not known.")
        answer = self._given[place] if place < len(self._given) else 0
        self.taken.append((answer, count))
        return answer

    def choose_rank(self) -> int:
        """A rank; those of other tensors first, since operands mostly have the same."""
        found = list(dict.fromkeys((*self.ranks, *_COMMON_FIRST)))[self.choose(RANKS)]
        self.ranks.append(found)
        return found

    def resolve(self, x: Any) -> Any:
        """An int or Dim, simplified with the facts of this path."""
        while self.equal and type(x) is Dim and any(self._is_resolved(a) for a in atoms(x)):
            x = substitute(x, self._value)
        return x

    def _is_resolved(self, atom: Atom) -> bool:
        if atom in self.equal:
            return True
        return atom.quotient is not None and any(self._is_resolved(a) for part in atom.quotient for a in atoms(part))

    def _value(self, atom: Atom) -> Any:
        if atom in self.equal:
            return self.equal[atom]
        if atom.quotient is not None and self._is_resolved(atom):
            return divide(*[self.resolve(part) for part in atom.quotient])
        return Dim({(atom,): 1})

    def is_zero(self, x: Any) -> bool:
        """True if x is 0 on this path."""
        x = self.resolve(x)
        if type(x) is not Dim:
            return bool(x == 0)
        low, high = bounds(x, self.limits)
        if low > 0 or high < 0 or self._is_listed(x, self._not_zero):
            return False
        if self._is_listed(x, self._zero):
            return True
        solution = solve(x)
        if solution is False:
            return False
        if self.choose(2):
            self._not_zero.append(x)
            self._narrow(x, differs=True)
            return False
        if isinstance(solution, tuple):
            self._identify(*solution)
        else:
            self._zero.append(x)
        return True

    def _is_listed(self, x: Any, known: list[Dim]) -> bool:
        return any(is_same(x, y) or is_same(-x, y) for y in map(self.resolve, known))

    def _identify(self, atom: Atom, value: Any) -> None:
        """From now on a symbol is a value, which has its range."""
        low, high = self.limits.get(atom, (atom.low, atom.high))
        least, most = bounds(value, self.limits)
        if most < low or least > high:
            raise Contradiction
        self.equal[atom] = value
        other = alone(value)
        if other is not None:
            self._limit(other, max(low, least), min(high, most))

    def _limit(self, atom: Atom, low: float, high: float) -> None:
        if low > high:
            raise Contradiction
        self.limits[atom] = low, high
        if low == high:
            self.equal[atom] = int(low)

    def is_natural(self, x: Any) -> bool:
        """True if x is 0 or more on this path."""
        x = self.resolve(x)
        low, high = bounds(x, self.limits)
        if low >= 0 or high < 0:
            return low >= 0
        for y in map(self.resolve, self._natural):
            if bounds(x - y, self.limits)[0] >= 0:
                return True
            if bounds(-x - y, self.limits)[0] > 0:
                return False
        is_below = self.choose(2)
        known = -x - 1 if is_below else x
        self._natural.append(known)
        self._narrow(known)
        return not is_below

    def _narrow(self, x: Any, differs: bool = False) -> None:
        """Note what `x >= 0`, or `x != 0`, says of a symbol that is alone in x."""
        constant = x.terms.get((), 0)
        others = [(m, n) for m, n in x.terms.items() if m]
        if len(others) != 1 or len(others[0][0]) != 1 or abs(others[0][1]) != 1:
            return
        (atom,), sign = others[0]
        low, high = self.limits.get(atom, (atom.low, atom.high))
        if differs:
            low, high = low + (low == -constant * sign), high - (high == -constant * sign)
        elif sign == 1:
            low = max(low, -constant)
        else:
            high = min(high, constant)
        self._limit(atom, low, high)

    def number(self, x: Any) -> int:
        """The number of a Dim: that of this path, or one of those few that are left."""
        x = self.resolve(x)
        if type(x) is not Dim:
            return int(x)
        low, high = bounds(x, self.limits)
        if not high - low <= _FEW:
            raise Undecided("the number of a size that is not known was asked for.")
        found = int(low) + self.choose(int(high - low) + 1)
        self._equate(x, found)
        return found

    def _equate(self, x: Dim, number: int) -> None:
        rest = x - number
        solution = solve(rest)
        if solution is False:
            raise Contradiction
        if isinstance(solution, tuple):
            self._identify(*solution)
        else:
            self._zero.append(rest)

    def small_number(self, x: Any, count: int) -> int:
        """A number from 0 to count - 1 that x is on this path."""
        x = self.resolve(x)
        if type(x) is not Dim:
            return int(x)
        found = self.choose(count)
        self._equate(x, found)
        return found


class Contradiction(Exception):
    """The answers of a path contradict each other: no sizes satisfy them."""


class Explored(NamedTuple, Generic[T]):
    """What came of all paths.

    Attributes:
      results: of the paths that ended well, with these.
      problems: the errors of the others, without contradictions.
      is_complete: False if there were too many paths.
    """

    results: list[tuple[T, Path]]
    problems: list[Exception]
    is_complete: bool


def explore(
    run: Callable[[Path], T],
    errors: tuple[type[Exception], ...],
    most: int = PATHS,
    enough: Callable[[T], bool] | None = None,
    kind: type[Path] = Path,
) -> Explored[T]:
    """Run a function on each path.

    Args:
      run: the function, of the path.
      errors: what ends a path. Other errors are raised.
      most: how many paths to take.
      enough: tells of a result whether no further path is needed.
      kind: the class of the paths.
    """
    given: list[int] = []
    found: list[tuple[T, Path]] = []
    problems: list[Exception] = []
    around = _current.path
    for _ in range(most):
        path = _current.path = kind(given)
        try:
            found.append((run(path), path))
            if enough is not None and enough(found[-1][0]):
                return Explored(found, problems, False)
        except Contradiction:
            pass
        except errors as problem:
            problems.append(problem)
        finally:
            _current.path = around
        taken = list(path.taken)
        while taken and taken[-1][0] + 1 >= taken[-1][1]:
            taken.pop()
        if not taken:
            return Explored(found, problems, True)
        given = [*[answer for answer, _ in taken[:-1]], taken[-1][0] + 1]
    return Explored(found, problems, False)


def join(shapes: Sequence[tuple[Sequence[Any], Path]]) -> tuple[Any, ...] | None:
    """The shape common to all paths; sizes that differ become new symbols. None if the ranks differ."""
    resolved = [([path.resolve(d) for d in shape], path) for shape, path in shapes]
    if len({len(shape) for shape, _ in resolved}) != 1:
        return None
    # Paths that assume least have the most general ideas.
    resolved.sort(key=lambda row: row[1].assumptions)
    return tuple([_agree([(shape[i], path) for shape, path in resolved]) for i in range(len(resolved[0][0]))])


def _agree(sizes: list[tuple[Any, Path]]) -> Any:
    for idea, _ in sizes:
        if all(_is_right(idea, size, path) for size, path in sizes):
            return idea
    ranges = [bounds(size, path.limits) for size, path in sizes]
    return new_size(max(0, min(low for low, _ in ranges)), max(high for _, high in ranges))


def _is_right(idea: Any, size: Any, path: Path) -> bool:
    try:
        return is_same(path.resolve(idea), size)
    except (ZeroDivisionError, Undecided):
        return False
