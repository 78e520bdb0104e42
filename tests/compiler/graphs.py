"""Graphs that are run node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.compiler import kernels, lowering
from gradtape.compiler.graph import Graph
from gradtape.compiler.kernel_op import KernelOp


def results(graph: Graph, arrays: Sequence[Any], use_kernels: bool) -> list[Any]:
    """The outputs of a graph for the arrays of its parameters, each node by its launches, or by its own kernel, which
    fused nodes have not."""
    known = dict(zip(graph.parameters, arrays, strict=True)) | graph.constants
    for node in graph.nodes:
        given = [known[v] for v in node.inputs]
        lowered = None if use_kernels and type(node.op) is not KernelOp else lowering.lower(node)
        if lowered is None:
            made = node.op.kernel(*given, **node.params)
            made = made if node.several else (made,)
        else:
            made = kernels.execute(lowered, given, [v.spec for v in node.outputs])
        known.update(zip(node.outputs, made, strict=True))
    return [known[v] for v in graph.outputs]
