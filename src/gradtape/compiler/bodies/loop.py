"""Loop: elementwise steps over one shape, described without names, so that equal loops are compiled once.

Inputs are read by strides, in elements: 0 along an axis that they are repeated along, and anything else where an input
is a part of another array or turned (`compiler/fusion/load_through.py`). Results fill the shape and are contiguous, unless they are written to
parts of larger arrays (`compiler/fusion/store_through.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from gradtape.core.dtypes import DType
from gradtape.core.patterns.movement import View, packed
from gradtape.core.shape import Spec

Strides = tuple[int, ...]


class Step(NamedTuple):
    """One op of a loop on earlier values: inputs are numbered first, then steps."""

    op: Any
    operands: tuple[int, ...]
    params: tuple[tuple[str, Any], ...]


class Loop(NamedTuple):
    """A fused loop.

    Attributes:
      shape: what it runs over, neighbouring axes joined where all inputs allow it.
      inputs: dtype of each input, and its strides along the axes of `shape`.
      constants: for each input, its value if it is a single known number, else None.
      steps: what is computed for each element.
      outputs: which values are stored, whole.
      sums: which values are summed over all elements.
      targets: the strides by which each output is written; empty if all are contiguous.
    """

    shape: tuple[int, ...]
    inputs: tuple[tuple[DType, Strides], ...]
    constants: tuple[Any, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    sums: tuple[int, ...]
    targets: tuple[Strides, ...] = ()

    def types(self) -> list[DType]:
        """The dtype of every value, by the ops' `infer` rules."""
        return list(_types(tuple([dtype for dtype, _ in self.inputs]), self.steps))

    def is_whole(self, i: int) -> bool:
        """True if an input has one element for each of the shape's, in the same order."""
        return self.inputs[i][1] == packed(self.shape)

    def reading(self, dtype: DType) -> Loop:
        """The loop with one more input, the last one, which has one element for each of the shape's."""
        count = len(self.inputs)

        def moved(numbers: tuple[int, ...]) -> tuple[int, ...]:
            return tuple([n + (n >= count) for n in numbers])

        return self._replace(
            inputs=(*self.inputs, (dtype, packed(self.shape))),
            constants=(*self.constants, None),
            steps=tuple([step._replace(operands=moved(step.operands)) for step in self.steps]),
            outputs=moved(self.outputs),
            sums=moved(self.sums),
        )

    def see_through(self, i: int, view: View) -> Loop | None:
        """The loop that reads input i through a view.

        Args:
          i: an input that is a contiguous array of the view's shape.
          view: where its elements are in another array; the loop is to read that from the view's offset on.

        Returns:
          The loop; None if its axes and those of the view do not fit into each other.
        """
        return self._turn(i, view)

    def write_to(self, k: int, view: View) -> Loop | None:
        """The loop that writes output k, a contiguous array of the view's shape, to the places of a view; None as above."""
        return self._turn(len(self.inputs) + k, view)

    def _turn(self, i: int, view: View) -> Loop | None:
        """The loop with array i, inputs first, as a view."""
        count = len(self.inputs)
        before = [own for _, own in self.inputs] + list(self.targets or [packed(self.shape)] * len(self.outputs))
        shape: list[int] = []
        strides: list[list[int]] = [[] for _ in before]
        for axis, n in enumerate(self.shape):
            stride = before[i][axis]
            parts = [(n, 0)] if not stride else _parts(n, stride, view)
            if parts is None:
                return None
            inner = n
            for size, turned in parts:
                inner //= size
                shape.append(size)
                for k, own in enumerate(before):
                    strides[k].append(turned if k == i else own[axis] * inner)
        joined, kept = collapse_axes(tuple(shape), [tuple(s) for s in strides])
        inputs = tuple([(dtype, own) for (dtype, _), own in zip(self.inputs, kept[:count], strict=True)])
        targets = () if all(own == packed(joined) for own in kept[count:]) else tuple(kept[count:])
        return self._replace(shape=joined, inputs=inputs, targets=targets)


@functools.lru_cache(maxsize=1024)
def _types(inputs: tuple[DType, ...], steps: tuple[Step, ...]) -> tuple[DType, ...]:
    found = list(inputs)
    for step in steps:
        found.append(step.op.infer(*[Spec((), found[i]) for i in step.operands], **dict(step.params)).dtype)
    return tuple(found)


def _parts(n: int, stride: int, view: View) -> list[tuple[int, int]] | None:
    """An axis of n elements of a contiguous array as axes of a view, outermost first: sizes and strides.

    None if they are not whole axes of the view.
    """
    axes = [(d, own, at) for d, own, at in zip(view.shape, view.strides, packed(view.shape), strict=True) if d != 1]
    found: list[tuple[int, int]] = []
    for d, own, at in reversed(axes):
        if n == 1:
            break
        if at == stride and n % d == 0:
            found.insert(0, (d, own))
            n, stride = n // d, stride * d
    return found if n == 1 else None


def strides_in(own: Sequence[int], shape: Sequence[int]) -> Strides:
    """The strides by which a contiguous array of one shape is broadcast to another."""
    extra = len(shape) - len(own)
    return (0,) * extra + tuple([0 if d == 1 else s for d, s in zip(own, packed(own), strict=True)])


def collapse_axes(shape: tuple[int, ...], strides: Sequence[Strides]) -> tuple[tuple[int, ...], list[Strides]]:
    """A shape with neighbouring axes joined where every input goes on from one to the next; unit axes go."""
    joined: list[int] = []
    kept: list[tuple[int, ...]] = []
    for axis, d in enumerate(shape):
        own = tuple([s[axis] for s in strides])
        if d == 1:
            continue
        if kept and all(before == after * d for before, after in zip(kept[-1], own, strict=True)):
            joined[-1] *= d
            kept[-1] = own
        else:
            joined.append(d)
            kept.append(own)
    return tuple(joined), [tuple([own[k] for own in kept]) for k in range(len(strides))]
