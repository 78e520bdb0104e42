"""Sizes that are not known yet: what can be said of results, found out by examples.

Each value of a trace whose size is not known has a shape in each of three **worlds**: in two of them unknown dimensions
are numbers that many others divide, in the last they are 1. An op's `infer` rule is asked once in each world. A dimension
of the result that is the same everywhere is known, one that differs is not. So rules are written for known sizes alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.shape import ANY, Spec

Shape = tuple[int, ...]
Examples = tuple["Shape | None", ...]  # one for each world; None where the value cannot exist

_UNITS = (24, 60)
WORLDS = 3
_OTHER_SIZES = (5040, 65536)  # tried where the worlds do not fit: more numbers divide them
_RANKS = (2, 4, 3, 1, 0, 5)
_MOST = 2**20  # elements of a tensor that is imagined


def size(world: int, number: int = 0) -> int:
    """An unknown size in a world; of another number another one, except in the last world, where all are 1."""
    return _UNITS[world] * (world + 1 + number % 8) if world < len(_UNITS) else 1


def of(spec: Spec, number: int = 0) -> Examples:
    """The examples of a value of which only the spec is known."""
    if spec.shape is ANY:
        return ((size(0, number),), (size(1, number), size(0, number)), ())
    return tuple([filled(spec.shape, size(w, number)) for w in range(WORLDS)])


def filled(shape: Any, length: int) -> Any:
    """A shape with its unknown dimensions of one length; a vector if nothing is known."""
    return tuple([length if d is None else d for d in shape])


def merged(shapes: Sequence[Shape], certain: Iterable[int], ranks: int = 2) -> Any:
    """The shape of a value with such examples: None where they differ. What only one example says is not believed,
    unless it is one of the numbers that are known.

    Args:
      certain: those numbers.
      ranks: for how many ranks of inputs there are examples; one alone tells nothing if the rank is not known.
    """
    if not shapes or len({len(s) for s in shapes}) > 1 or ranks < 2:
        return ANY
    if len(shapes) == 1:
        return tuple([d if d in certain else None for d in shapes[0]])
    return tuple([ds[0] if len(set(ds)) == 1 else None for ds in zip(*shapes, strict=True)])


def narrowed(shape: Any, by: Any) -> Any:
    """A shape with what another says of it."""
    if shape is ANY or by is ANY or len(shape) != len(by):
        return shape if by is ANY else by
    return tuple([n if m is None else m for m, n in zip(shape, by, strict=True)])


class Fit(NamedTuple):
    """Shapes of the inputs and outputs of something that can run, in a world, with a value in place of unknown ones."""

    inputs: list[Any]
    outputs: list[Any]
    world: int = WORLDS - 1
    guess: int | None = None


class Inferred:
    """What an op gives for inputs of which some have unknown sizes.

    Attributes:
      several: True if the op has several outputs, in a tuple.
      specs: of the outputs.
      examples: of the outputs.
      fit: shapes of the inputs, and of the outputs, where the op can run.
    """

    __slots__ = ("examples", "fit", "several", "specs")

    def __init__(
        self, worlds: list[Any], others: list[Any], shapes: list[Shape], certain: set[int], ranks: int, number: int
    ) -> None:
        alive = [r for r in (*worlds, *others) if r is not None]
        self.several = not isinstance(alive[0], Spec)
        self.specs: list[Spec] = []
        self.examples: list[Examples] = []
        for k, spec in enumerate(_row(alive[0])):
            found = merged([_row(r)[k].shape for r in alive], certain, ranks)
            self.specs.append(Spec(found, spec.dtype))
            own = [None if r is None else _row(r)[k].shape for r in worlds]
            if not any(r is not None for r in worlds):
                own = [_row(r)[k].shape for r in others[:WORLDS]]
            own += [None] * (WORLDS - len(own))
            completed = tuple([_completed(s, w, number + k) for w, s in enumerate(own)])
            self.examples.append(apart(found, completed, number + k))
        made = [_completed(spec.shape, 0, number + k) for k, spec in enumerate(_row(alive[0]))]
        self.fit = Fit(shapes, made)


def apart(shape: Any, examples: Examples, number: int) -> Examples:
    """Examples that differ from world to world wherever a shape is not known: what is the same everywhere would be believed."""
    alive = [e for e in examples if e is not None]
    if shape is ANY or len(alive) < 2:
        return examples
    same = {i for i, d in enumerate(shape) if d is None and len({e[i] for e in alive}) == 1}
    return tuple(
        [
            e
            if e is None or w >= len(_UNITS)
            else tuple([size(w, number) if i in same else d for i, d in enumerate(e)])
            for w, e in enumerate(examples)
        ]
    )


def _row(result: Any) -> Any:
    return (result,) if isinstance(result, Spec) else result


def _completed(shape: Any, world: int, number: int) -> Any:
    """A shape with examples of what the op itself could not tell, since it depends on values."""
    if shape is None or shape is ANY:
        return shape if shape is None else of(_ANYTHING, number)[world]
    return filled(shape, size(world, number))


_ANYTHING = Spec(ANY, dtypes.float32)


def infer(
    op: Any, specs: Sequence[Spec], examples: Sequence[Examples], params: dict[str, Any], number: int
) -> Inferred:
    """What the op's `infer` rule says in the worlds; its own error if the op can run in none."""
    problems: list[Exception] = []
    worlds: list[Any] = []
    others: list[Any] = []
    inputs: list[list[Shape]] = []
    for world in range(WORLDS):
        shapes: list[Any] = [e[world] for e in examples]
        result = None if None in shapes else _asked(op, specs, shapes, params, problems)
        worlds.append(result)
        inputs += [shapes] if result is not None else []
    if worlds[0] is None or worlds[1] is None:
        found = _elsewhere(op, specs, params)
        others = [result for _, result in found]
        inputs += [shapes for shapes, _ in found]
    if not inputs:
        raise problems[0] if problems else _does_not_fit(op, specs)
    return Inferred(worlds, others, inputs[0], certain(specs, params), ranks(specs, inputs), number)


def _elsewhere(op: Any, specs: Sequence[Spec], params: dict[str, Any]) -> list[tuple[list[Shape], Any]]:
    """Shapes for which the op can run where the worlds do not fit; also such as only its parameters tell."""
    count = len(specs)
    hints = [Spec((n,), dtypes.int32) for value in params.values() for n in totals(value, specs)]
    for more in ([], hints) if hints else ([],):
        found = explored([*specs, *more], lambda shapes: _asked(op, specs, shapes[:count], params, []), 400)
        if found:
            return [(shapes[:count], result) for shapes, result in found]
    return []


def totals(sizes: Any, specs: Sequence[Spec]) -> list[int]:
    """Sizes that a list of sizes tells of: its sum and its product, since what is split into them, or gets them as its shape, has
    so many elements; and how often what is known of a spec goes into the product."""
    sizes = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
    if not isinstance(sizes, (tuple, list)) or not all(isinstance(n, int) and n >= 0 for n in sizes):
        return []
    whole = math.prod(sizes)
    known = [math.prod([d for d in s.shape if d]) for s in specs if s.shape is not ANY and not s.is_known]
    parts = [whole // n for n in known if whole % n == 0]
    return [n for n in dict.fromkeys((sum(sizes), whole, *parts)) if 1 < n < _MOST]


def ranks(specs: Sequence[Spec], tried: Sequence[Sequence[Shape]]) -> int:
    """For how many ranks of those inputs whose rank is not known there are examples."""
    return min([len({len(shapes[k]) for shapes in tried}) for k, s in enumerate(specs) if s.shape is ANY], default=2)


def certain(specs: Sequence[Spec], params: Any) -> set[int]:
    """The sizes that are known for sure: those of inputs, and numbers among the parameters."""
    found = {1, *[d for s in specs if s.shape is not ANY for d in s.shape if d is not None]}
    todo = list(params.values()) if isinstance(params, dict) else list(params)
    while todo:
        value = todo.pop()
        if isinstance(value, (tuple, list)):
            todo += value
        elif isinstance(value, int):
            found.add(value)
    return found


def _asked(op: Any, specs: Any, shapes: Sequence[Any], params: dict[str, Any], problems: list[Exception]) -> Any:
    try:
        return op.infer(*[Spec(s, spec.dtype) for s, spec in zip(shapes, specs, strict=True)], **params)
    except (errors.OpError, ValueError, IndexError) as problem:
        problems.append(problem)
        return None


def explored(
    specs: Sequence[Spec], attempt: Callable[[list[Shape]], Any], trials: int
) -> list[tuple[list[Shape], Any]]:
    """Shapes for which an attempt succeeds where the worlds do not fit, with the results: one that is found by trying, and
    others that differ from it in one size each. `[?, 3] + [5, 3]` can only mean 5, or 1."""
    for shapes in itertools.islice(_assignments(specs), trials):
        result = attempt(shapes)
        if result is not None:
            found = [(shapes, result)]
            for other in _varied(specs, shapes):
                result = attempt(other)
                if result is not None:
                    found.append((other, result))
            return found
    return []


def _assignments(specs: Sequence[Spec]) -> Iterator[list[Shape]]:
    """Ways to give unknown sizes a value, the likely ones first: sizes of other inputs at the same place, then one size for
    all, then everything."""
    known = [s.shape for s in specs if s.is_known and s.shape]
    numbers = sorted({d for s in specs if s.shape is not ANY for d in s.shape if d is not None})
    sizes = tuple(dict.fromkeys((size(0), 1, *numbers, *_OTHER_SIZES)))
    for other, is_left, rest in itertools.product(known, (True, False), (size(0), *numbers)):
        yield [_aligned(s, other, is_left, rest) for s in specs]
    open_ = any(s.shape is ANY for s in specs)
    for length, rank in itertools.product(sizes, _RANKS if open_ else (0,)):
        yield [(length,) * rank if s.shape is ANY else filled(s.shape, length) for s in specs]
    for first, last in itertools.product(sizes, numbers if open_ else ()):
        yield [(first, last) if s.shape is ANY else filled(s.shape, first) for s in specs]
    yield from map(list, itertools.product(*[list(_all(s, sizes)) for s in specs]))


def _aligned(spec: Spec, other: Shape, is_left: bool, rest: int) -> Shape:
    if spec.shape is ANY:
        return other
    rank, offset = len(spec.shape), 0 if is_left else len(other) - len(spec.shape)
    near = [other[i + offset] if 0 <= i + offset < len(other) else rest for i in range(rank)]
    return tuple([n if d is None else d for d, n in zip(spec.shape, near, strict=True)])


def _all(spec: Spec, sizes: Sequence[int]) -> Iterator[Shape]:
    if spec.shape is ANY:
        yield from dict.fromkeys((d,) * rank for rank in _RANKS for d in sizes)
    else:
        yield from itertools.product(*[sizes if d is None else (d,) for d in spec.shape])


def _varied(specs: Sequence[Spec], shapes: list[Shape]) -> Iterator[list[Shape]]:
    """Shapes with one unknown size changed, or all that are equal."""
    open_ = [(k, i) for k, s in enumerate(specs) for i in range(len(shapes[k])) if s.shape is ANY or s.shape[i] is None]
    groups = [[place] for place in open_]
    for length in {shapes[k][i] for k, i in open_}:
        groups.append([(k, i) for k, i in open_ if shapes[k][i] == length])
    for group, length in itertools.product(groups, (size(0), size(1), 1)):
        changed = [list(s) for s in shapes]
        for k, i in group:
            changed[k][i] = length
        yield [tuple(s) for s in changed]
    for k, spec in enumerate(specs):
        if spec.shape is ANY:
            for other in ((1, *shapes[k]), (*shapes[k], 1), shapes[k][1:], shapes[k][:-1]):
                yield [other if j == k else s for j, s in enumerate(shapes)]


def _does_not_fit(op: Any, specs: Sequence[Spec]) -> Exception:
    return errors.build(
        errors.ShapeError,
        f"{op.name}: no sizes are known for which it could run on {', '.join(map(str, specs))}.",
        "give a shape with tf.ensure_shape(x, shape).",
    )
