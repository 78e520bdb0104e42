"""The role of a node in a fused loop: elementwise, a reduction along some axes, a rule for rows, or a reshape that moves nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradtape.compiler.bodies.rows import Handle, Recipe
from gradtape.compiler.graph import Node, Value
from gradtape.core import dtypes
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec, broadcast

ELEMENTWISE, ALONG_ROW, ALONG_COLUMN, ALL, RULE, ALIAS = "elementwise", "row", "column", "all", "rule", "alias"

# How the reductions join two elements.
JOINS = {
    "reduce_sum": "sum", "reduce_prod": "prod", "reduce_max": "maximum", "reduce_min": "minimum", "reduce_any": "any",
    "reduce_all": "all",
}  # fmt: skip


class Role(NamedTuple):
    """What a node can be in a loop.

    Attributes:
      kind: one of the constants of this module.
      shape: what a loop with the node runs over.
      inner: of a reduction or rule, how many of the last axes are a row.
      outer: of a reduction along columns, how many of the first axes it keeps.
      places: of a rule, where each result has one number.
    """

    kind: str
    shape: tuple[int, ...]
    inner: int = 0
    outer: int = 0
    places: tuple[str, ...] = ()


class Classifier:
    """Tells what nodes can be in loops.

    Args:
      supports: whether loops over a dtype can be emitted.
    """

    def __init__(self, supports: Callable[[DType], bool]) -> None:
        self._supports = supports
        self._dtypes: dict[DType, bool] = {}
        self._seen: dict[Any, Role | None] = {}
        self._ops: dict[Any, bool] = {}

    def __call__(self, node: Node) -> Role | None:
        """What a node can be in a loop; None if it runs by itself."""
        op = node.op
        may_be = self._ops.get(op)
        if may_be is None:
            may_be = self._ops[op] = _may_be_in_a_loop(op)
        if not may_be:
            return None
        key = (op, *[v.spec for v in node.inputs], *[v.spec for v in node.outputs])
        if node.params:
            key = (*key, *node.params.items())
        try:
            return self._seen[key]
        except KeyError:
            found = self._seen[key] = self._role(node)
            return found
        except TypeError:
            return None  # a parameter that has no hash

    def _role(self, node: Node) -> Role | None:
        values = (*node.inputs, *node.outputs)
        if not all(self._fits(v) for v in values):
            return None
        op, inputs = node.op, [v.spec for v in node.inputs]
        if op.name in JOINS:
            return reduction(inputs[0].shape, node.params["axis"])
        if hasattr(op, "row"):
            return _rule(node)
        shape = node.outputs[0].spec.shape
        if op.name == "reshape":
            return Role(ALIAS, shape) if _bare(inputs[0].shape) == _bare(shape) else None
        if op.name == "broadcast_to":
            return Role(ELEMENTWISE, shape)
        if node.several or checks_values(op, [s.dtype for s in inputs]) or _space(inputs) != shape:
            return None
        return Role(ELEMENTWISE, shape)

    def _fits(self, value: Value) -> bool:
        shape, dtype = value.spec
        if None in shape or not math.prod(shape):
            return False
        found = self._dtypes.get(dtype)
        if found is None:
            found = self._dtypes[dtype] = self._supports(dtype)
        return found


def _may_be_in_a_loop(op: Any) -> bool:
    if getattr(op, "effect", False):
        return False
    return hasattr(op, "row") or op.name in _STRUCTURE or callable(getattr(op, "scalar", None))


_STRUCTURE = frozenset([*JOINS, "reshape", "broadcast_to"])


def checks_values(op: Any, inputs: list[DType]) -> bool:
    """True if the op's kernel looks at its values, which a loop does not: integers divided by zero are an error."""
    return any(d.kind in op.checked_kinds for d in inputs)


def reduction(shape: tuple[int, ...], axis: Sequence[int]) -> Role | None:
    """How the axes of a reduction lie: along rows, along columns, or all; None if they are not next to each other."""
    reduced = [a for a in axis if shape[a] != 1]
    kept = [a for a in range(len(shape)) if shape[a] != 1 and a not in axis]
    if not reduced:
        return None
    first, last = min(reduced), max(reduced)
    if any(first < a < last for a in kept):
        return None
    if not kept:
        return Role(ALL, shape, inner=len(shape))
    if last > max(kept):
        return Role(ALONG_ROW, shape, inner=len(shape) - first)
    inner = len(shape) - min(a for a in kept if a > last)
    return Role(ALONG_COLUMN, shape, inner=inner, outer=first)


def _rule(node: Node) -> Role | None:
    found = node.op.rows(*[v.spec for v in node.inputs], **node.params)
    if found is None or found[0][-1] == 1:
        return None
    shape = tuple(found[0])
    recipe = Recipe(shape[-1])
    handles = [
        recipe.input(v.spec.dtype, own[-1:] == shape[-1:]) for v, own in zip(node.inputs, found[1:], strict=True)
    ]
    made = apply_rule(recipe, node, handles)
    return Role(RULE, shape, inner=1, places=tuple([recipe.place(h) for h in made]))


def apply_rule(recipe: Recipe, node: Node, handles: Sequence[Handle]) -> tuple[Handle, ...]:
    """The results of an op's rule for rows. Narrow floats are computed as float32 and rounded once, as kernels do."""
    wide = [recipe.cast(h, dtypes.float32) if h.dtype.name in ("float16", "bfloat16") else h for h in handles]
    made = node.op.row(recipe, *wide, **node.params)
    several = made if isinstance(made, tuple) else (made,)
    specs = [v.spec for v in node.outputs]
    return tuple([_round(recipe, h, s.dtype) for h, s in zip(several, specs, strict=True)])


def _round(recipe: Recipe, x: Handle, dtype: DType) -> Handle:
    if x.dtype is dtype:
        return x
    call = recipe.calls[x.number]
    if call.direction == "column":  # it stays the last step
        return recipe.reduced(call.method, Handle(call.operands[0], x.dtype), dtype)
    return recipe.cast(x, dtype)


def _bare(shape: tuple[int, ...]) -> list[int]:
    return [d for d in shape if d != 1]


def _space(inputs: list[Spec]) -> Any:
    shape: Any = ()
    for spec in inputs:
        shape = None if shape is None else broadcast(shape, spec.shape)
    return shape
