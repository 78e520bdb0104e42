"""Fusion: groups of nodes become loops.

`fusion/grouping.py` says which nodes run together. What a group reads from outside, and which of its values others read, becomes a
**Loop** over elements or a **RowLoop**: descriptions that have no names, so that equal ones are compiled once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.bodies.loop import Loop, Step, collapse_axes, strides_in
from gradtape.compiler.bodies.rows import COLUMN, ROW, Handle, Recipe, RowLoop, row_loop
from gradtape.compiler.fusion.classify import ALIAS, ALL, ALONG_COLUMN, ALONG_ROW, JOINS, RULE, apply_rule
from gradtape.compiler.fusion.classify import checks_values as checks_values
from gradtape.compiler.fusion.group import Group
from gradtape.compiler.fusion.grouping import group_nodes
from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec


def fuse(graph: Graph, supports: Callable[[DType], bool]) -> Graph:
    """The graph with groups of nodes replaced by single nodes.

    Args:
      graph: what to fuse.
      supports: whether loops over a dtype can be emitted.
    """
    copy = Copy(graph)
    for group in group_nodes(graph, supports):
        nodes = [node for _, node in sorted(group.nodes.items())]
        if group.shape is not None:
            add = _add_rows if group.has_rows else _add_loop
            add(group, nodes, copy)
        else:
            for node in nodes:
                copy.keep(node)
    return copy.done()


def _add_loop(group: Group, nodes: list[Node], copy: Copy) -> None:
    """Add a loop over elements to the fused graph."""
    loop, inputs, outputs = _loop(nodes, group, copy.old)
    specs = [v.spec for v in outputs]
    made = copy.keep(Node(KernelOp(loop, specs, _names(nodes)), inputs, {}, tuple(specs), nodes[0].place))
    copy.moved.update(zip(outputs, made.outputs, strict=True))


def _names(nodes: list[Node]) -> str:
    return " ".join([node.op.name for node in nodes])


def _loop(nodes: list[Node], group: Group, graph: Graph) -> tuple[Loop, list[Value], list[Value]]:
    """Nodes as a loop, with the values that it reads and makes."""
    shape, members = group.shape or (), set(nodes)
    inputs = list(dict.fromkeys([v for node in nodes for v in node.inputs if v.node not in members]))
    numbers = {v: i for i, v in enumerate(inputs)}
    steps: list[Step] = []
    whole: list[Value] = []
    sums: list[Value] = []
    for node in nodes:
        result = node.outputs[0]
        if group.places[result] == ALL:
            sums.append(result)
            continue
        if result in group.leaving:
            whole.append(result)
        operands = tuple([numbers[v] for v in node.inputs])
        if node.op.name == "broadcast_to":
            numbers[result] = operands[0]
            continue
        numbers[result] = len(inputs) + len(steps)
        steps.append(Step(node.op, operands, tuple(sorted(node.params.items())) if node.params else ()))
    joined, strides = _lay_out(shape, tuple([v.spec.shape for v in inputs]))
    loop = Loop(
        joined,
        tuple([(v.spec.dtype, s) for v, s in zip(inputs, strides, strict=True)]),
        tuple([_known(graph.constants.get(v)) for v in inputs]),
        tuple(steps),
        tuple([numbers[v] for v in whole]),
        tuple([numbers[_maker(v).inputs[0]] for v in sums]),
    )
    return loop, inputs, [*whole, *sums]


@functools.lru_cache(maxsize=1024)
def _lay_out(shape: tuple[int, ...], own: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """A shape with as few axes as possible, and the strides in it of inputs that are broadcast to it."""
    return collapse_axes(shape, [strides_in(s, shape) for s in own])


def _maker(value: Value) -> Node:
    assert value.node is not None
    return value.node


def _known(array: Any) -> Any:
    """A single number as a Python value; None if it is more, or not known."""
    return array.reshape(-1)[0].item() if array is not None and array.size == 1 else None


def varies(own: tuple[int, ...], shape: tuple[int, ...]) -> tuple[bool, ...]:
    """Along which axes of a shape something of another shape varies."""
    return tuple([d != 1 for d in (1,) * (len(shape) - len(own)) + tuple(own)])


def _add_rows(group: Group, nodes: list[Node], copy: Copy) -> None:
    """Add a loop over rows to the fused graph, and a loop that adds up its rows' sums for each sum over everything."""
    script = _Script(group, nodes, copy.old)
    leaving = [v for node in nodes for v in node.outputs if v in group.leaving]
    rows = group.rows()
    specs = [Spec(rows, v.spec.dtype) if group.places[v] == ALL else v.spec for v in leaving]
    op = KernelOp(script.loop(leaving), specs, _names(nodes))
    made = copy.keep(Node(op, script.sources(), {}, tuple(specs), nodes[0].place))
    for value, result in zip(leaving, made.outputs, strict=True):
        copy.moved[value] = result
        if group.places[value] == ALL:
            addition = Loop((math.prod(rows),), ((value.spec.dtype, (1,)),), (None,), (), (), (0,))
            total = Node(KernelOp(addition, [value.spec], "reduce_sum"), [result], {}, (value.spec,), nodes[0].place)
            copy.moved[value] = copy.keep(total).outputs[0]


class _Script:
    """Nodes of a group written down as a recipe."""

    def __init__(self, group: Group, nodes: list[Node], graph: Graph) -> None:
        shape = group.shape or ()
        self._group, self._constants = group, graph.constants
        self._leading = shape[: len(shape) - group.inner]
        self._recipe = Recipe(math.prod(shape[len(shape) - group.inner :]))
        self._values: dict[Value, Handle] = {}
        self._inputs: dict[tuple[Value, tuple[bool, ...]], Handle] = {}
        for node in nodes:
            results = self._results(node, [self._operand(node, i) for i in range(len(node.inputs))])
            for value, handle in zip(node.outputs, results, strict=True):
                if handle.dtype is not value.spec.dtype:
                    raise TypeError(
                        f"the rule of {node.op.name} gives {handle.dtype.name}, not {value.spec.dtype.name}"
                    )
                self._values[value] = handle

    def sources(self) -> list[Value]:
        """The values that are read, in their order."""
        return [value for value, _ in self._inputs]

    def loop(self, leaving: list[Value]) -> RowLoop:
        """The loop that stores some values."""
        shape = (*self._leading, self._recipe_width())
        places = [ROW if self._group.places[v] == ALL else self._group.places[v] for v in leaving]
        return row_loop(
            shape,
            self._recipe,
            list(self._inputs.values()),
            [pattern for _, pattern in self._inputs],
            [self._values[v] for v in leaving],
            places,
            max(self._group.outer, 0),
        )

    def _recipe_width(self) -> int:
        shape = self._group.shape or ()
        return math.prod(shape[len(self._leading) :])

    def _operand(self, node: Node, i: int) -> Handle:
        value = node.inputs[i]
        if value in self._values:
            return self._values[value]
        known = _known(self._constants.get(value))
        if known is not None:
            return self._recipe.splat(known, value.spec.dtype)
        own = self._group.aligned(node, i)
        lead = len(self._leading)
        pattern = (*[d != 1 for d in own[:lead]], any(d != 1 for d in own[lead:]))
        if (value, pattern) not in self._inputs:
            self._inputs[value, pattern] = self._recipe.input(value.spec.dtype, pattern[-1])
        return self._inputs[value, pattern]

    def _results(self, node: Node, operands: list[Handle]) -> tuple[Handle, ...]:
        """What a node makes of its operands."""
        kind = self._group.roles[node].kind
        if kind in (ALONG_ROW, ALL):
            return (self._recipe.reduced(f"{ROW}_{JOINS[node.op.name]}", operands[0]),)
        if kind == ALONG_COLUMN:
            return (self._recipe.reduced(f"{COLUMN}_{JOINS[node.op.name]}", operands[0]),)
        if kind == RULE:
            return apply_rule(self._recipe, node, operands)
        if kind == ALIAS or node.op.name == "broadcast_to":
            return (operands[0],)
        return (node.op.scalar(self._recipe, *operands, **node.params),)
