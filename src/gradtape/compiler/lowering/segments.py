"""Segments: which nodes of a graph run together as a native program.

Nodes that have kernels are collected, in program order as far as their operands allow; a node without one runs between two segments
with its kernel in Python, as do effects. Values of variables that the program replaces are computed last, so that they can be written
over the old ones: by then nobody reads those. An effect that says it is early runs as soon as its operands are there, in the order of the
other early ones, before assignments that the program makes ahead of it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from gradtape.compiler.effects import ASSIGN, REREAD
from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.compiler.memory.arena import Layout, Part, PieceHome, roots
from gradtape.compiler.runtime.kernels import Lowered
from gradtape.core.variable import Variable

Run = list[Part] | Node


class Segment(NamedTuple):
    """Launches that run as one native program.

    Attributes:
      parts: nodes with their launches, in order.
      arrays: values whose memory a run is given, inputs and outputs, by their numbers.
      kept: values that are read afterwards.
      updated: outputs that may be written over an input, each with that input.
      constants: arrays that are known.
      pieces: values that are computed in the place of others, from `alias` on.
      layout: where values lie, from `lay_out` on.
    """

    parts: Sequence[Part]
    arrays: dict[Value, int]
    kept: set[Value]
    updated: dict[Value, Value]
    constants: Mapping[Value, Any]
    pieces: Mapping[Value, PieceHome] = MappingProxyType({})
    layout: Layout | None = None

    @property
    def planned(self) -> Layout:
        """The layout, once there is one."""
        assert self.layout is not None, "lay_out comes before this"
        return self.layout


def split_at_effects(graph: Graph, lower: Callable[[Node], Lowered | None], native: Callable[[Segment], Any]) -> Graph:
    """The graph with native programs in place of the nodes that have kernels.

    Args:
      graph: what runs.
      lower: the kernels of a node, or None.
      native: the op that runs a segment.
    """
    copy = Copy(graph)
    runs = _runs(graph, lower)
    wanted = _find_wanted(runs, graph)
    assigned = _find_assigned(graph)
    last_effect = _last_effect(runs)
    for position, run in enumerate(runs):
        if isinstance(run, Node):
            copy.keep(run)
        else:
            _add(copy, run, wanted[position], assigned if position > last_effect else {}, native)
    return copy.done()


def _runs(graph: Graph, lower: Callable[[Node], Lowered | None]) -> list[Run]:
    """All nodes, those with kernels in as few segments as their order allows."""
    parts: dict[Node, Part] = {}
    for node in graph.nodes:
        found = lower(node)
        if found is not None:
            parts[node] = Part(node, found)
    urgent = _urgent(graph)
    late = _updates(graph) - _leading(urgent)
    number = {node: i for i, node in enumerate(graph.nodes)}
    missing: dict[Node, int] = {}
    followers: dict[Node, list[Node]] = {}
    last: set[Node] = set()  # the effects that the next one follows
    others: set[Node] = set()  # those that an early one follows
    for node in graph.nodes:
        before = {v.node for v in node.inputs if v.node is not None}
        if node.effect:
            before |= others if _is_early(node) else last
            last = {*last, node} if _is_early(node) else {node}
            others = others if node.op is ASSIGN else {node}
        missing[node] = len(before)
        for earlier in before:
            followers.setdefault(earlier, []).append(node)
    native: list[tuple[int, int, Node]] = []
    python: list[tuple[int, int, Node]] = []

    def ready(node: Node) -> None:
        # What reads variables again goes first, so that it does not divide the updates that wait for it.
        is_last = node in late or (node.effect and node.op is not REREAD)
        turn = -1 if node in urgent else int(is_last)
        heapq.heappush(native if node in parts else python, (turn, number[node], node))

    for node in graph.nodes:
        if not missing[node]:
            ready(node)
    runs: list[Run] = []
    while native or python:
        # Updates are last, after what Python computes: they may be written over what that reads.
        use_native = bool(native) and (not python or native[0][0] <= python[0][0])
        _, _, node = heapq.heappop(native if use_native else python)
        if not use_native:
            runs.append(node)
        elif runs and isinstance(runs[-1], list):
            runs[-1].append(parts[node])
        else:
            runs.append([parts[node]])
        for following in followers.get(node, ()):
            missing[following] -= 1
            if not missing[following]:
                ready(following)
    return runs


def _is_early(node: Node) -> bool:
    return bool(getattr(node.op, "early", False))


def _urgent(graph: Graph) -> set[Node]:
    """Early effects, and the effects that they follow."""
    found: set[Node] = set()
    is_followed = is_plain_followed = False
    for node in reversed(graph.nodes):
        if _is_early(node):
            is_followed = True
        elif not node.effect or not (is_plain_followed if node.op is ASSIGN else is_followed):
            continue
        else:
            is_plain_followed = True  # it follows all effects before it, assignments too
        found.add(node)
    return found


def _leading(nodes: set[Node]) -> set[Node]:
    """The nodes that some nodes need."""
    found: set[Node] = set()
    rest = list(nodes)
    while rest:
        for value in rest.pop().inputs:
            if value.node is not None and value.node not in found:
                found.add(value.node)
                rest.append(value.node)
    return found


def _updates(graph: Graph) -> set[Node]:
    """Nodes whose results serve only new values of variables."""
    readers = graph.readers()
    late: set[Node] = set()
    for node in reversed(graph.nodes):
        reading = [r for v in node.outputs for r in readers.get(v, ())]
        inside = [r for r in reading if r is not None and (r.op is ASSIGN or r in late)]
        if not node.effect and len(inside) == len(reading) and any(r.op is ASSIGN for r in inside):
            late.add(node)
    return late


def _find_assigned(graph: Graph) -> dict[Value, Value]:
    """New values of variables, each with the old one."""
    old = {source._id: value for source, value in graph.captures if isinstance(source, Variable)}
    found: dict[Value, Value] = {}
    taken: set[Value] = set()
    for node in graph.nodes:
        if node.op is ASSIGN:
            before = old.get(node.params["variable"]._id)
            new = node.inputs[0]
            if before is not None and before.spec == new.spec and new not in found and before not in taken:
                found[new] = before
                taken.add(before)
    return found


def _last_effect(runs: list[Run]) -> int:
    """The position of the last node that might look at a variable: before it none may be overwritten."""
    found = [i for i, run in enumerate(runs) if isinstance(run, Node) and run.op is not ASSIGN]
    return max(found, default=-1)


def _find_wanted(runs: list[Run], graph: Graph) -> list[set[Value]]:
    """For each run, the values that are read after it."""
    wanted = set(graph.outputs)
    found: list[set[Value]] = []
    for run in reversed(runs):
        found.append(set(wanted))
        nodes = [run] if isinstance(run, Node) else [part.node for part in run]
        for node in nodes:
            wanted.update(node.inputs)
    return found[::-1]


def _add(
    copy: Copy,
    parts: list[Part],
    wanted: set[Value],
    assigned: dict[Value, Value],
    native: Callable[[Segment], Any],
) -> None:
    """A segment as a node; reshapes that others read follow it."""
    same = roots(parts)
    own = {v for part in parts for v in part.node.outputs}
    constants = copy.new.constants
    if any(part.lowered.launches for part in parts):
        inputs: dict[Value, None] = {}
        for part in parts:
            for value in part.node.inputs:
                value = same.get(value, value)
                if value not in own and value not in constants:
                    inputs[value] = None
        needed = {same.get(v, v) for v in wanted}
        outputs = [v for part in parts for v in part.node.outputs if v not in same and v in needed]
        updated = _in_place(parts, list(inputs), outputs, assigned, needed, same)
        arrays = {v: i for i, v in enumerate((*inputs, *outputs))}
        op = native(Segment(parts, arrays, set(outputs), updated, constants))
        node = Node(op, [copy.now(v) for v in inputs], {}, tuple([v.spec for v in outputs]), parts[0].node.place)
        copy.new.nodes.append(node)
        copy.moved.update(zip(outputs, node.outputs, strict=True))
    views = _leading_to([p.node for p in parts if any(v in same and v in wanted for v in p.node.outputs)], same)
    for part in parts:
        if part.node in views:
            copy.keep(part.node)


def _leading_to(views: list[Node], same: dict[Value, Value]) -> set[Node]:
    """Reshapes, and the reshapes that they read."""
    found: set[Node] = set()
    waiting = list(views)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [v.node for v in node.inputs if v in same and v.node is not None]
    return found


def _in_place(
    parts: list[Part],
    inputs: list[Value],
    outputs: list[Value],
    assigned: dict[Value, Value],
    later: set[Value],
    same: dict[Value, Value],
) -> dict[Value, Value]:
    """New values of variables that may overwrite the old ones: nothing reads the old values from then on."""
    readers: dict[Value, int] = {}
    checks = -1
    makers: dict[Value, int] = {}
    for position, part in enumerate(parts):
        for value in part.node.inputs:
            readers[same.get(value, value)] = position
        makers.update(dict.fromkeys(part.node.outputs, position))
        if any(o.kind == "status" for launch in part.lowered.launches for o in launch.operands):
            checks = position
    found: dict[Value, Value] = {}
    for new in outputs:
        old = assigned.get(new)
        if old is None or old not in inputs or old in later or new not in makers:
            continue
        position = makers[new]
        node, lowered = parts[position]
        number = node.outputs.index(new)
        reads = [i for i, v in enumerate(node.inputs) if same.get(v, v) is old]
        if position > checks and readers[old] <= position and all((number, i) in lowered.shares for i in reads):
            found[new] = old
    return found
