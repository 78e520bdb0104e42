"""Loops over rows with elementwise steps at their end, on results that have one number for each row."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from gradtape.compiler.bodies.loop import Loop, Strides
from gradtape.compiler.bodies.rows import Handle, Recipe, RowLoop, row_loop
from gradtape.core.patterns.movement import packed


def append_steps(rows: RowLoop, output: int, loop: Loop, number: int, keeps: bool) -> RowLoop | None:
    """A loop over rows that also runs another loop's steps. It stores the results of these, the value itself if it is kept, and its other ones.

    Args:
      rows: the loop over rows.
      output: its result that the steps read, one number for each row.
      loop: the steps.
      number: of the input of the steps that is that result.
      keeps: whether the result itself is stored, too.

    Returns:
      The loop; None if another input of the steps is neither contiguous nor repeated along each axis.
    """
    axes = rows.shape[:-1]
    sizes = _common(axes, loop.shape)
    if sizes is None:
        return None
    recipe = Recipe.of(rows)
    handles = [Handle(n, rows.types[n]) for n, _ in rows.inputs]
    patterns = [(*_split(varies[:-1], axes, sizes), varies[-1]) for _, varies in rows.inputs]
    values: list[Handle] = []
    for i, ((dtype, strides), known) in enumerate(zip(loop.inputs, loop.constants, strict=True)):
        if i == number:
            values.append(Handle(rows.outputs[output][0], dtype))
        elif known is not None:
            values.append(recipe.splat(known, dtype))
        else:
            pattern = _pattern(strides, loop.shape, sizes)
            if pattern is None:
                return None
            values.append(recipe.input(dtype, False))
            handles.append(values[-1])
            patterns.append((*pattern, False))
    for step in loop.steps:
        values.append(step.op.scalar(recipe, *[values[k] for k in step.operands], **dict(step.params)))
    kept = [output] if keeps else []
    kept += [k for k in range(len(rows.outputs)) if k != output]
    outputs = [
        *[values[k] for k in loop.outputs],
        *[Handle(n, rows.types[n]) for n in [rows.outputs[k][0] for k in kept]],
    ]
    places = [*[rows.outputs[output][1]] * len(loop.outputs), *[rows.outputs[k][1] for k in kept]]
    outer = len(_split((True,) * rows.outer, axes[: rows.outer], sizes))
    return row_loop((*sizes, rows.shape[-1]), recipe, handles, patterns, outputs, places, outer)


def _common(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...] | None:
    """The axes of an array that has two shapes, cut where either of them has a cut; None if an axis would be cut within an element of another."""
    if math.prod(a) != math.prod(b):
        return None
    cuts = sorted({math.prod(shape[i:]) for shape in (a, b) for i in range(len(shape) + 1)}, reverse=True)
    if any(large % small for large, small in itertools.pairwise(cuts)):
        return None
    return tuple([large // small for large, small in itertools.pairwise(cuts)])


def _split(flags: Sequence[bool], axes: Sequence[int], sizes: Sequence[int]) -> tuple[bool, ...]:
    """Flags of axes for those that these are cut into, as many of `sizes` as there are from the first one on."""
    found: list[bool] = []
    rest = iter(sizes)
    for flag, axis in zip(flags, axes, strict=True):
        while axis > 1:
            axis //= next(rest)
            found.append(flag)
    return tuple(found)


def _pattern(strides: Strides, shape: Sequence[int], sizes: Sequence[int]) -> tuple[bool, ...] | None:
    """Along which axes an array varies that is read by strides; None if it is not contiguous along those."""
    own: list[int] = []
    rest = iter(sizes)
    for stride, axis in zip(strides, shape, strict=True):
        while axis > 1:
            axis //= next(rest)
            own.append(stride * axis)
    varying = [(size, stride) for size, stride in zip(sizes, own, strict=True) if stride]
    if packed([size for size, _ in varying]) != tuple([stride for _, stride in varying]):
        return None
    return tuple([stride != 0 for stride in own])
