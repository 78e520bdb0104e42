"""Constant folding: captured tensors, and values computed from constants alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.core.tensor import Tensor

FOLDED = 1 << 14  # results up to this many elements are computed when the function is compiled


def bake(graph: Graph) -> Graph:
    """Tensors that the function closes over never change: they become constants."""
    copy = Copy(graph)
    copy.new.captures = []
    for source, value in graph.captures:
        if type(source) is Tensor:
            copy.new.constants[value] = source._array
        else:
            copy.new.captures.append((source, value))
    for node in graph.nodes:
        copy.keep(node)
    return copy.done()


def fold(graph: Graph) -> Graph:
    """With the results of ops on constants computed once."""
    copy = Copy(graph)
    constants = copy.new.constants
    for node in graph.nodes:
        inputs = [copy.now(v) for v in node.inputs]
        known = inputs and all(v in constants for v in inputs)
        results = evaluate(node, [constants[v] for v in inputs]) if known else None
        if results is None:
            copy.keep(node)
            continue
        for old, array in zip(node.outputs, results, strict=True):
            new = copy.moved[old] = Value(old.spec)
            constants[new] = array
    return copy.done()


def evaluate(node: Node, arrays: Sequence[Any]) -> tuple[Any, ...] | None:
    """The results of a node on arrays; None if they are too large to be kept, or must not be computed yet."""
    # A loop is no constant: it may be long, and may never be reached.
    if node.effect or not getattr(node.op, "constant", True) or not _is_small(node):
        return None
    try:
        with np.errstate(all="ignore"):
            result = node.op.kernel(*arrays, **node.params)
    except Exception:
        return None  # it fails when the function runs, and names the line
    return result if node.several else (result,)


def _is_small(node: Node) -> bool:
    return all(v.spec.is_known and math.prod(v.spec.shape) <= FOLDED for v in node.outputs)
