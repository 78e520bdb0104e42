"""From the nodes of a graph to kernels: by the body of a fused one, else by the pattern that the op's `lower` rule gives."""

from __future__ import annotations

from gradtape.compiler.availability import warn
from gradtape.compiler.backends import emitter_of
from gradtape.compiler.backends.pointwise import lower as pointwise
from gradtape.compiler.backends.rows import lower as rows
from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.bodies.rows import RowLoop
from gradtape.compiler.graph import Node
from gradtape.compiler.runtime.kernels import Lowered
from gradtape.core.op import Unsupported


def lower(node: Node) -> Lowered | None:
    """The kernels of a node; None if its op has none for these shapes and dtypes, so that its kernel in Python runs."""
    values = (*node.inputs, *node.outputs)
    if node.effect or any(None in v.spec.shape for v in values):
        return None
    if type(node.op) is KernelOp:
        return lower_kernel(node.op)
    rule = getattr(node.op, "lower", None)
    if rule is None or isinstance(rule, Unsupported):
        return None
    pattern = rule(*[v.spec for v in node.inputs], **node.params)
    if pattern is None:
        return None
    emit = emitter_of(type(pattern))
    try:
        return emit(pattern, [v.spec for v in node.inputs], [v.spec for v in node.outputs])
    except Exception as problem:
        warn(problem, node.op.name)
        return None


def lower_kernel(op: KernelOp) -> Lowered:
    """The launches of a fused kernel."""
    body = op.body
    if isinstance(body, Loop):
        return pointwise.lower(body, op.loads, op.stores, op.specs)
    if isinstance(body, RowLoop):
        return rows.lower(body)
    from gradtape.compiler.backends import fused_pattern  # loaded with the first product

    return fused_pattern.lower(op, body)
