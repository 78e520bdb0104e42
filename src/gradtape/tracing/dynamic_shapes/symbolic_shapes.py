"""Symbolic shapes: what can be said of results whose sizes only a run will tell.

Each value of a trace whose size is not known has a shape of ints and symbols (`core/dims.py`), or `ANY` if not even the rank is known. An
op's `infer` rule, written for known sizes alone, is asked on these, on every path (`core/paths.py`). What all paths agree on is known.
Users see None in place of a symbol. It is an error only if every path ends in one, and then it is the error of the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gradtape.core import errors
from gradtape.core.deferral import Unknown
from gradtape.core.dims import Dim, Undecided, new_size
from gradtape.core.paths import RANKS, Path, explore, join
from gradtape.core.shape import ANY, Spec, Steps
from gradtape.core.state import current as _current

Shape = Any  # a tuple of int and Dim, or ANY
# Errors that say: for sizes of this path the rule cannot run.
REFUSALS = (errors.OpError, ValueError, IndexError, ZeroDivisionError, Undecided)

_MANY = 1000  # paths that are tried for one that ends well, which tells how many results there are


def with_symbols(shape: Any) -> Shape:
    """A shape with a new symbol for each size that is not known."""
    if shape is ANY or None not in shape:
        return shape
    return tuple([new_size() if d is None else d for d in shape])


def without_symbols(shape: Shape) -> Any:
    """A shape as everybody else sees it: None where a size is not known."""
    if shape is ANY or type(shape) is Steps:
        return shape
    return tuple([None if type(d) is Dim else d for d in shape])


def narrowed(shape: Any, by: Any) -> Any:
    """A shape with what another says of it."""
    if shape is ANY or by is ANY or len(shape) != len(by):
        return shape if by is ANY else by
    return tuple([n if m is None else m for m, n in zip(shape, by, strict=True)])


class RankedSpec(Spec):
    """A spec whose rank is not known: whoever asks for the shape is given one of each rank, on a path each."""

    _sizes: Sequence[Any]
    _chosen: tuple[Any, ...] | None

    def __new__(cls, dtype: Any, sizes: Sequence[Any]) -> RankedSpec:
        """A spec of one path.

        Args:
          dtype: of the elements.
          sizes: symbols for the dimensions, as many as there may be.
        """
        made = super().__new__(cls, ANY, dtype)
        made._sizes, made._chosen = sizes, None
        return made

    @property
    def shape(self) -> Any:
        """The shape; the first question chooses the rank."""
        if self._chosen is None:
            self._chosen = tuple(self._sizes[: _current.path.choose_rank()])
        return self._chosen

    @property
    def is_known(self) -> bool:
        """True: on a path the rank is known."""
        return True

    def __iter__(self) -> Any:
        return iter((self.shape, self.dtype))

    def __getitem__(self, key: Any) -> Any:
        return (self.shape, self.dtype)[key]


class Inferred(NamedTuple):
    """The output specs of an op for inputs with unknown sizes.

    Attributes:
      specs: of the outputs; those of an op with several outputs are a tuple.
      shapes: the symbolic shapes of the outputs.
    """

    specs: Any
    shapes: list[Shape]


def infer(op: Any, specs: Sequence[Spec], shapes: Sequence[Shape], params: dict[str, Any]) -> Inferred:
    """What the rule of an op says of inputs with symbolic shapes."""
    sizes = [[new_size() for _ in range(RANKS - 1)] if shape is ANY else [] for shape in shapes]
    undecided: list[Exception] = []

    def ask(path: Path) -> Any:
        given = [
            RankedSpec(spec.dtype, own) if shape is ANY else Spec(shape, spec.dtype)
            for shape, spec, own in zip(shapes, specs, sizes, strict=True)
        ]
        try:
            result = op.infer(*given, **params)
            return Spec(*result) if isinstance(result, Spec) else tuple([Spec(*y) for y in result])
        except Undecided as problem:
            undecided.append(problem)
            raise

    found, problems, is_complete = explore(ask, REFUSALS)
    if not found and not is_complete:
        found, _, is_complete = explore(ask, REFUSALS, _MANY, enough=lambda _: True)
    if not found and problems and is_complete and not undecided:
        raise problems[0]
    several = bool(found) and not isinstance(found[0][0], Spec)
    rows = [(result if several else (result,), path) for result, path in found]
    if len({tuple([y.dtype for y in row]) for row, _ in rows}) != 1:
        raise unknown_results(op.name, specs)
    is_complete = is_complete and not undecided
    joined = [merge([(row[k].shape, path) for row, path in rows], is_complete) for k in range(len(rows[0][0]))]
    made = [Spec(without_symbols(shape), y.dtype) for shape, y in zip(joined, rows[0][0], strict=True)]
    return Inferred(tuple(made) if several else made[0], joined)


def merge(shapes: Sequence[tuple[Any, Path]], is_complete: bool) -> Shape:
    """The shape on which paths agree; ANY if some were not taken, or differ in the rank."""
    if any(type(shape) is Steps for shape, _ in shapes):
        return shapes[0][0]
    if not is_complete or any(shape is ANY for shape, _ in shapes):
        return ANY
    found = join([(with_symbols(shape), path) for shape, path in shapes])
    return ANY if found is None else found


def unknown_results(name: str, specs: Sequence[Spec]) -> Unknown:
    """The error for an op whose number of results is unknown."""
    return Unknown(
        errors.compose(
            f"{name}: cannot determine the number of results for {', '.join(map(str, specs))}.",
            "give the sizes with tf.ensure_shape(x, shape), or the number of results if the function takes it.",
        )
    )
