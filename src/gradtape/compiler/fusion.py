"""Fusion: which elementwise nodes of a graph become one loop.

Nodes are put into groups in program order. An elementwise node joins the group of a node whose result it reads, if both
fill the same shape and no way leads from that group through other nodes back into it. A group may end in sums over all
elements. What a group reads from outside, and which of its values others read, becomes a **Loop**: a description that has no
names, so that equal loops are compiled once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec, broadcast


class Step(NamedTuple):
    """One op of a loop on earlier values: inputs are numbered first, then steps."""

    op: Any
    operands: tuple[int, ...]
    params: tuple[tuple[str, Any], ...]


class Loop(NamedTuple):
    """A fused loop, without names.

    Attributes:
      shape: what it runs over, neighbouring axes joined where all inputs allow it.
      inputs: dtype of each input, and along which axes of `shape` it varies.
      constants: for each input, its value if it is a single known number, else None.
      steps: what is computed for each element.
      outputs: which values are stored, whole.
      sums: which values are summed over all elements.
    """

    shape: tuple[int, ...]
    inputs: tuple[tuple[DType, tuple[bool, ...]], ...]
    constants: tuple[Any, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    sums: tuple[int, ...]


class Group:
    """Nodes that will run as one loop.

    Attributes:
      nodes: with their numbers in program order.
      shape: what all of them fill; None for a node that runs by itself.
      before: groups whose results it reads.
      waits: those of them whose sums it reads, which are known only when they have finished.
    """

    __slots__ = ("_merged", "before", "nodes", "shape", "waits")

    def __init__(self, shape: tuple[int, ...] | None) -> None:
        self.nodes: list[tuple[int, Node]] = []
        self.shape = shape
        self.before: set[Group] = set()
        self.waits: set[Group] = set()
        self._merged: Group | None = None

    def now(self) -> Group:
        """The group itself, or the one that it became a part of."""
        group = self
        while group._merged is not None:
            group = group._merged
        return group

    def add(self, number: int, node: Node, home: dict[Value, Group]) -> None:
        """Put a node into the group."""
        self.nodes.append((number, node))
        for value in node.inputs:
            source = home[value].now() if value in home else self
            if source is not self:
                self.before.add(source)
                if value.node is not None and is_sum(value.node):
                    self.waits.add(source)
        home.update(dict.fromkeys(node.outputs, self))

    def absorb(self, other: Group) -> None:
        """Take over all nodes of another group."""
        self.nodes = sorted([*self.nodes, *other.nodes], key=lambda pair: pair[0])
        self.before = {g.now() for g in (*self.before, *other.before)} - {self, other}
        self.waits = {g.now() for g in (*self.waits, *other.waits)} - {self, other}
        other._merged = self


def fuse(graph: Graph, supports: Callable[[DType], bool], make: Callable[[Loop, list[Spec], str], Any]) -> Graph:
    """The graph with groups of elementwise nodes replaced by single nodes.

    Args:
      graph: what to fuse.
      supports: whether loops over a dtype can be emitted.
      make: a function of a loop, the specs of its results and the names of its ops that gives the op; None leaves the
        nodes as they are.
    """
    fused = Graph(graph.name)
    fused.parameters, fused.captures = list(graph.parameters), list(graph.captures)
    fused.constants = dict(graph.constants)
    moved: dict[Value, Value] = {}
    readers = _readers(graph)
    for group in _grouped(graph, supports):
        nodes = [node for _, node in group.nodes]
        op: Any = None
        inputs: list[Value] = []
        outputs: list[Value] = []
        if group.shape is not None and _pays(group.shape, len(nodes)):
            loop, inputs, outputs = _loop(nodes, group.shape, readers, graph)
            op = make(loop, [v.spec for v in outputs], " ".join(node.op.name for node in nodes))
        if op is None:
            for node in nodes:
                _copy(node, fused, moved)
            continue
        made = Node(op, [moved.get(v, v) for v in inputs], {}, tuple([v.spec for v in outputs]), nodes[0].place)
        fused.nodes.append(made)
        moved.update(zip(outputs, made.outputs, strict=True))
    fused.outputs = [moved.get(v, v) for v in graph.outputs]
    return fused


def _copy(node: Node, graph: Graph, moved: dict[Value, Value]) -> None:
    copied = node.on([moved.get(v, v) for v in node.inputs])
    graph.nodes.append(copied)
    moved.update(zip(node.outputs, copied.outputs, strict=True))


_LEAST = 2048  # elements below which a call of the loop costs more than NumPy's own


def _pays(shape: tuple[int, ...], nodes: int) -> bool:
    """Whether a loop is worth its call: it replaces several passes, or is long."""
    size = math.prod(shape)
    return size >= _LEAST and (nodes > 1 or size >= 8 * _LEAST)


def is_sum(node: Node) -> bool:
    """True for a sum over all elements of its input."""
    return node.op.name == "reduce_sum" and len(node.params["axis"]) == len(node.inputs[0].spec.shape) > 0


def _is_elementwise(node: Node, supports: Callable[[DType], bool]) -> bool:
    op = node.op
    if node.effect or node.several or not callable(getattr(op, "scalar", None)):
        return op.name == "broadcast_to" and _is_known(node.outputs[0]) and supports(node.outputs[0].spec.dtype)
    values = (*node.inputs, *node.outputs)
    if checks_values(op, [v.spec.dtype for v in node.inputs]):
        return False
    return all(supports(v.spec.dtype) and _is_known(v) for v in values) and node.outputs[0].spec.shape == _space(node)


def checks_values(op: Any, inputs: list[DType]) -> bool:
    """True if the op's kernel looks at its values, which a loop does not: integers divided by zero are an error."""
    return op.ufunc is None and bool(op.numpy) and any(d.is_integer for d in inputs)


def _is_known(value: Value) -> bool:
    return None not in value.spec.shape


def _space(node: Node) -> Any:
    shape: Any = ()
    for value in node.inputs:
        shape = None if shape is None else broadcast(shape, value.spec.shape)
    return shape


def _grouped(graph: Graph, supports: Callable[[DType], bool]) -> list[Group]:
    """All nodes in groups, each after those that it reads."""
    groups: list[Group] = []
    home: dict[Value, Group] = {}
    effect: Group | None = None
    for number, node in enumerate(graph.nodes):
        shape = _loop_shape(node, supports)
        group = None if shape is None else _joined(node, shape, home)
        if group is None:
            group = Group(None if is_sum(node) else shape)
            groups.append(group)
        group.add(number, node, home)
        if node.effect:  # effects keep their order
            group.before |= {effect} if effect else set()
            effect = group
    return _ordered([g for g in groups if g.now() is g])


def _loop_shape(node: Node, supports: Callable[[DType], bool]) -> tuple[int, ...] | None:
    """What a loop with this node runs over; None if it cannot be in one."""
    if is_sum(node):
        spec = node.inputs[0].spec
        found = spec.shape if supports(spec.dtype) and spec.dtype.is_floating and _is_known(node.inputs[0]) else None
    else:
        found = node.outputs[0].spec.shape if _is_elementwise(node, supports) else None
    return found if found is not None and math.prod(found) > 1 else None


def _joined(node: Node, shape: tuple[int, ...], home: dict[Value, Group]) -> Group | None:
    """The group that a node becomes a part of, after those of its sources have been merged that can be."""
    sources = {home[v].now() for v in node.inputs if v in home}
    waits = {home[v].now() for v in node.inputs if v in home and v.node is not None and is_sum(v.node)}
    fitting = [g for g in sources if g.shape == shape and g not in waits]
    found: Group | None = None
    for group in sorted(fitting, key=lambda g: -g.nodes[-1][0]):
        if found is None:
            if not any(other is not group and _reaches(group, other) for other in sources):
                found = group
        elif _may_merge(found, group) and not any(
            other not in (found, group) and _reaches(group, other) for other in sources
        ):
            found.absorb(group)
    return found


def _may_merge(a: Group, b: Group) -> bool:
    """True if neither reads a sum of the other, and no way leads from one through further groups to the other."""
    before_a, before_b = ({g.now() for g in x.before} for x in (a, b))
    if a in {g.now() for g in b.waits} or b in {g.now() for g in a.waits}:
        return False
    return not any(_reaches(b, g) for g in before_a - {b}) and not any(_reaches(a, g) for g in before_b - {a})


def _reaches(early: Group, late: Group) -> bool:
    """True if `late` is `early`, or needs results of it, at once or through others."""
    seen, waiting = {late}, [late]
    while waiting:
        group = waiting.pop()
        if group is early:
            return True
        for before in group.before:
            before = before.now()
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return False


def _ordered(groups: list[Group]) -> list[Group]:
    """Groups so that each comes after those it reads."""
    done: set[Group] = set()
    order: list[Group] = []
    for group in groups:
        stack = [group]
        while stack:
            current = stack[-1]
            missing = {g.now() for g in current.before} - done - {current}
            if current in done or not missing:
                stack.pop()
                if current not in done:
                    done.add(current)
                    order.append(current)
            else:
                stack.append(min(missing, key=lambda g: g.nodes[0][0]))
    return order


def _readers(graph: Graph) -> dict[Value, list[Node | None]]:
    """Who reads each value; None stands for the caller."""
    readers: dict[Value, list[Node | None]] = {}
    for node in graph.nodes:
        for value in node.inputs:
            readers.setdefault(value, []).append(node)
    for value in graph.outputs:
        readers.setdefault(value, []).append(None)
    return readers


def _loop(
    nodes: list[Node], shape: tuple[int, ...], readers: dict[Value, list[Node | None]], graph: Graph
) -> tuple[Loop, list[Value], list[Value]]:
    """Nodes as a loop, with the values that it reads and makes."""
    members = set(nodes)
    inputs: list[Value] = []
    for node in nodes:
        for value in node.inputs:
            if value.node not in members and value not in inputs:
                inputs.append(value)
    numbers = {v: i for i, v in enumerate(inputs)}
    steps: list[Step] = []
    for node in nodes:
        operands = tuple([numbers[v] for v in node.inputs])
        if is_sum(node):
            continue
        if node.op.name == "broadcast_to":
            numbers[node.outputs[0]] = operands[0]
            continue
        numbers[node.outputs[0]] = len(inputs) + len(steps)
        steps.append(Step(node.op, operands, tuple(sorted(node.params.items()))))
    whole = [n.outputs[0] for n in nodes if not is_sum(n) and _leaves(n.outputs[0], readers, members)]
    sums = [n for n in nodes if is_sum(n)]
    axes = [varies(v.spec.shape, shape) for v in inputs]
    joined, varying = collapsed(shape, axes)
    loop = Loop(
        joined,
        tuple([(v.spec.dtype, a) for v, a in zip(inputs, varying, strict=True)]),
        tuple([_known(graph.constants.get(v)) for v in inputs]),
        tuple(steps),
        tuple([numbers[v] for v in whole]),
        tuple([numbers[n.inputs[0]] for n in sums]),
    )
    return loop, inputs, [*whole, *[n.outputs[0] for n in sums]]


def _leaves(value: Value, readers: dict[Value, list[Node | None]], members: set[Node]) -> bool:
    return any(reader is None or reader not in members for reader in readers.get(value, ()))


def _known(array: Any) -> Any:
    """A single number as a Python value; None if it is more, or not known."""
    return array.reshape(-1)[0].item() if array is not None and array.size == 1 else None


def varies(own: tuple[int, ...], shape: tuple[int, ...]) -> tuple[bool, ...]:
    """Along which axes of a shape something of another shape varies."""
    return tuple([d != 1 for d in (1,) * (len(shape) - len(own)) + tuple(own)])


def collapsed(shape: tuple[int, ...], axes: list[tuple[bool, ...]]) -> tuple[tuple[int, ...], list[tuple[bool, ...]]]:
    """A shape with neighbouring axes joined where every input varies along both or along neither; unit axes go."""
    kept = [i for i, d in enumerate(shape) if d != 1]
    joined: list[int] = []
    patterns: list[tuple[bool, ...]] = []
    for i in kept:
        pattern = tuple([a[i] for a in axes])
        if patterns and patterns[-1] == pattern:
            joined[-1] *= shape[i]
        else:
            joined.append(shape[i])
            patterns.append(pattern)
    varying = [tuple([p[k] for p in patterns]) for k in range(len(axes))]
    return tuple(joined), varying
