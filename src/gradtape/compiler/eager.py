"""Machine code for single ops, for eager execution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler import backend
from gradtape.compiler.fusion import Loop, Step, collapsed, varies
from gradtape.compiler.recipe import Recipe, RowLoop, row_loop
from gradtape.core.shape import Spec, spec_of


def generate(op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> Callable[..., Any] | None:
    """A kernel of an op for arrays like these, by its `row` or `scalar` rule; None if there cannot be one."""
    specs = [spec_of(a) for a in arrays]
    if not backend.has_llvm() or not all(backend.supports(s.dtype) for s in specs):
        return None
    promised = op.infer(*specs, **params)
    several = not isinstance(promised, Spec)
    outputs = list(promised) if several else [promised]
    if not all(backend.supports(s.dtype) and math.prod(s.shape) for s in outputs):
        return None
    loop: Loop | RowLoop | None
    loop = _rows(op, specs, params) if hasattr(op, "row") else _elements(op, specs, outputs[0], params)
    made = None if loop is None else backend.make(loop, outputs, op.name)
    if made is None:
        return None
    run: Callable[..., Any] = made.kernel
    return run if several else lambda *arrays: run(*arrays)[0]


def _rows(op: Any, specs: list[Spec], params: dict[str, Any]) -> RowLoop | None:
    found = op.rows(*specs, **params)
    if found is None or found[0][-1] == 1:
        return None
    shape, *beside = found
    recipe = Recipe(shape[-1])
    patterns = [varies(own, shape) for own in beside]
    handles = [recipe.input(s.dtype, p[-1]) for s, p in zip(specs, patterns, strict=True)]
    made = op.row(recipe, *handles, **params)
    return row_loop(shape, recipe, handles, patterns, made if isinstance(made, tuple) else (made,))


def _elements(op: Any, specs: list[Spec], output: Spec, params: dict[str, Any]) -> Loop | None:
    if not callable(getattr(op, "scalar", None)):
        return None
    shape, patterns = collapsed(output.shape, [varies(s.shape, output.shape) for s in specs])
    step = Step(op, tuple(range(len(specs))), tuple(sorted(params.items())))
    inputs = tuple([(s.dtype, p) for s, p in zip(specs, patterns, strict=True)])
    return Loop(shape, inputs, (None,) * len(specs), (step,), (len(specs),), ())
