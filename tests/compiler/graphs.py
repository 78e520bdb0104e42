"""Graphs that are run node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compiler.nest_interpreter import interpret
from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.graph import Graph, Node
from gradtape.compiler.lowering import nodes as lowering
from gradtape.compiler.nest import check
from gradtape.compiler.nest.description import Nest
from gradtape.compiler.nest.translation import nest_of
from gradtape.compiler.runtime import kernels
from gradtape.testing.numpy_emitter import NumpyEmitter


class Emitter(NumpyEmitter):
    """An emitter on arrays that also makes constants."""

    def splat(self, value: Any, dtype: Any) -> Any:
        return self.constant(value, dtype.numpy.type())


def results(graph: Graph, arrays: Sequence[Any], use_kernels: bool) -> list[Any]:
    """The outputs of a graph for the arrays of its parameters, each node by its launches, or by its own kernel; the nests of
    fused nodes are then interpreted."""
    known = dict(zip(graph.parameters, arrays, strict=True)) | graph.constants
    for node in graph.nodes:
        given = [known[v] for v in node.inputs]
        if not use_kernels:
            made = launched(node, given)
        elif type(node.op) is KernelOp:
            made = interpreted(node, verified(node), given)
        else:
            made = ran(node, given)
        known.update(zip(node.outputs, made, strict=True))
    return [known[v] for v in graph.outputs]


def launched(node: Node, given: Sequence[Any]) -> Sequence[Any]:
    """The results of a node's launches, or of its own kernel if it has none."""
    lowered = lowering.lower(node)
    return ran(node, given) if lowered is None else kernels.execute(lowered, given, [v.spec for v in node.outputs])


def ran(node: Node, given: Sequence[Any]) -> Sequence[Any]:
    """The results of an op's own kernel."""
    made = node.op.kernel(*given, **node.params)
    return made if node.several else (made,)


def verified(node: Node) -> Nest:
    """The nest of a node."""
    nest = nest_of(node)
    assert nest is not None, f"{node} has no nest."
    check.verify(nest, [v.spec for v in node.inputs], [v.spec for v in node.outputs])
    return nest


def interpreted(node: Node, nest: Nest, given: Sequence[Any], before: Any = None) -> Sequence[Any]:
    """The results of a node by its nest; `before` is what an output holds of which it writes only a part."""
    onto = getattr(node.op, "onto", None)
    if onto is not None:
        before = given[onto]
    return interpret(nest, given, [v.spec for v in node.outputs], Emitter(), before)
