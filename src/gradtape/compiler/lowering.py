"""From the nodes of a graph to kernels: by the op's own description if it is a fused one, else by its `lower` rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.graph import Node
from gradtape.compiler.kernels import Lowered
from gradtape.core.op import Unsupported
from gradtape.core.shape import Spec

Emitter = Callable[[Any, Sequence[Spec], Sequence[Spec]], Lowered | None]
# By the class of the pattern: a function of the pattern and of the specs of inputs and outputs. Modules of the package `emitters` fill it.
EMITTERS: dict[type, Emitter] = {}


def emits(kind: type) -> Callable[[Emitter], Emitter]:
    """Declare a function as the emitter of a pattern."""

    def register(emitter: Emitter) -> Emitter:
        EMITTERS[kind] = emitter
        return emitter

    return register


def lower(node: Node) -> Lowered | None:
    """The kernels of a node; None if its op has none for these shapes and dtypes, so that its kernel in Python runs."""
    values = (*node.inputs, *node.outputs)
    if node.effect or any(None in v.spec.shape for v in values):
        return None
    own = getattr(node.op, "lowered", None)
    if own is not None:
        return own()  # type: ignore[no-any-return]
    rule = getattr(node.op, "lower", None)
    if rule is None or isinstance(rule, Unsupported):
        return None
    pattern = rule(*[v.spec for v in node.inputs], **node.params)
    if pattern is None:
        return None
    from gradtape.compiler.emitters import emitter_of

    emit = emitter_of(type(pattern))
    try:
        return emit(pattern, [v.spec for v in node.inputs], [v.spec for v in node.outputs])
    except Exception as problem:
        from gradtape.compiler.backend import warn

        warn(problem, node.op.name)
        return None
