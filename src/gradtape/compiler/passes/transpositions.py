"""Transpositions around products and convolutions, in fewer places: with the channels first, a layer is transposed on the way in and out.

Elementwise ops, pooling and reductions are the same on a transposed array. Those that read transposed results of products are computed on the
results themselves, where less has to be transposed then: between two layers the transpositions cancel, and elementwise ops become a part of kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.compiler.passes.rewriting import size
from gradtape.core.op import REGISTRY
from gradtape.ops.movement import inverse

_PRODUCTS = ("matmul", "convolution", "convolution_input_gradient")
_POOLING = ("max_pool", "avg_pool", "avg_pool_gradient", "pool_winner", "pool_pick", "pool_place")
_REDUCTIONS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")
_MOST = 64  # nodes of a region of which parts are tried


def move_transpositions(graph: Graph) -> Graph:
    """The graph with elementwise ops, pooling and reductions before the transpositions that they read, where that moves less."""
    perms = dict.fromkeys([n.params["perm"] for n in graph.nodes if _transposes_product(n)])
    for perm in perms:
        graph = _Layout(graph, perm).run()
    return graph


def _transposes_product(node: Node) -> bool:
    """True for a transposition of what a product or convolution gives, or of what elementwise ops make of it."""
    if node.op.name != "transpose" or not node.inputs[0].spec.is_known:
        return False
    value = node.inputs[0]
    while value.node is not None and value.node.op.name not in _PRODUCTS:
        same = [v for v in value.node.inputs if v.spec.shape == value.spec.shape]
        if not same or not getattr(value.node.op, "elementwise", False):
            return False
        value = same[0]
    return value.node is not None


class _Layout:
    """Two layouts of the arrays of a graph: as users see them, and **inner** ones, which products give and take."""

    def __init__(self, graph: Graph, perm: tuple[int, ...]) -> None:
        self._graph, self._perm, self._inverse = graph, perm, inverse(perm)
        self._readers = graph.readers()

    def run(self) -> Graph:
        """The graph with what is better computed in the inner layout."""
        chosen = {node for region in self._regions() for node in self._choose(region)}
        return _Rewritten(self._graph, self._perm, chosen).run() if chosen else self._graph

    def _regions(self) -> Iterator[list[Node]]:
        """Nodes that could be computed in the inner layout, in groups that share arrays."""
        region: dict[Node, list[Node]] = {}
        for node in self._graph.nodes:
            own = [v.node for v in node.inputs if v.node is not None]
            if not any(n in region or self._is_source(n) for n in own) or not self._could_turn(node):
                continue
            beside = [n if n in region else self._reader_in(region, n) for n in own]
            joined = {id(region[n]): region[n] for n in beside if n is not None}
            members = max(joined.values(), key=len, default=[])
            for other in joined.values():
                if other is not members:
                    members += other
                    region.update(dict.fromkeys(other, members))
            members.append(node)
            region[node] = members
        yield from {id(members): members for members in region.values()}.values()

    def _reader_in(self, region: dict[Node, list[Node]], source: Node) -> Node | None:
        """One of the nodes in regions that read a transposition: all of these are in one region."""
        readers = self._readers[source.outputs[0]] if self._is_source(source) else []
        return next((r for r in readers if r in region), None)

    def _is_source(self, node: Node) -> bool:
        return node.op.name == "transpose" and node.params["perm"] == self._perm and node.inputs[0].spec.is_known

    def _could_turn(self, node: Node) -> bool:
        """Whether a node is elementwise, or pooling, in which the axes that windows move over keep their order."""
        if node.several or not all(v.spec.is_known for v in (*node.inputs, *node.outputs)):
            return False
        if len(node.outputs[0].spec.shape) != len(self._perm):
            return False
        if node.op.name in _POOLING:
            return self._keeps_order([a for a, k in enumerate(node.params["window"]) if k != 1])
        return bool(getattr(node.op, "elementwise", False)) and not node.effect

    def _keeps_order(self, axes: list[int]) -> bool:
        """True if some axes have the same order in the inner layout."""
        order = [self._perm[a] for a in axes]
        return order == sorted(order)

    def _choose(self, region: list[Node]) -> set[Node]:
        """The nodes of a region that are better computed in the inner layout: all, or without those at one of its ends."""
        inner = set(region)
        least = self._cost(region, inner)
        ends = [(node, step) for order, step in ((region[::-1], 1), (region, -1)) for node in order]
        for node, step in ends if least and len(region) <= _MOST else ():
            fewer = inner - self._reach(node, inner, step) if node in inner else inner
            if fewer is not inner and (cost := self._cost(region, fewer)) < least:
                inner, least = fewer, cost
        return inner if least <= self._cost(region, set()) else set()

    def _reach(self, node: Node, inner: set[Node], step: int) -> set[Node]:
        """A node and those of some nodes that follow it, or lead to it."""
        found, waiting = {node}, [node]
        while waiting:
            here = waiting.pop()
            beside = self._readers.get(here.outputs[0], ()) if step > 0 else [v.node for v in here.inputs]
            more = [n for n in beside if n in inner and n not in found]
            found.update(more)
            waiting += more
        return found

    def _cost(self, region: list[Node], inner: set[Node]) -> int:
        """How many elements are transposed for a region, if some of its nodes are computed in the inner layout."""
        total = 0
        for value in dict.fromkeys([v for node in region for v in (*node.inputs, *node.outputs) if _is_moved(v)]):
            maker = value.node
            is_inner = maker is not None and (maker in inner or self._is_source(maker))
            readers = [r for r in self._readers.get(value, ()) if r is None or not self._takes_both(r)]
            if any((r is not None and (r in inner or self._takes_inner(r))) != is_inner for r in readers):
                total += size(value.spec)
        return total

    def _takes_inner(self, node: Node) -> bool:
        """True for a transposition to the inner layout."""
        return bool(node.op.name == "transpose" and node.params["perm"] == self._inverse)

    def _takes_both(self, node: Node) -> bool:
        """True for a reduction that gives the same from both layouts, since the axes that are left keep their order."""
        if node.op.name not in _REDUCTIONS:
            return False
        shape, axis = node.inputs[0].spec.shape, node.params["axis"]
        return self._keeps_order([a for a, n in enumerate(shape) if a not in axis and n != 1])


def _is_moved(value: Value) -> bool:
    """True for an array whose elements have other places in the other layout."""
    return sum(n != 1 for n in value.spec.shape) > 1


class _Rewritten:
    """A graph with some nodes in the inner layout. Values are transposed where somebody wants the other one."""

    def __init__(self, graph: Graph, perm: tuple[int, ...], chosen: set[Node]) -> None:
        self._copy, self._perm, self._inverse, self._chosen = Copy(graph), perm, inverse(perm), chosen
        self._inner: dict[Value, Value] = {}

    def run(self) -> Graph:
        """The new graph."""
        for node in self._copy.old.nodes:
            if node in self._chosen:
                params = node.params
                if node.op.name in _POOLING:
                    params = {name: tuple([own[a] for a in self._inverse]) for name, own in params.items()}
                inputs = [self._turn(v, node) for v in node.inputs]
                self._inner[node.outputs[0]] = self._add(node.op, inputs, params, node)
            elif node.op.name == "transpose" and node.params["perm"] == self._perm:
                self._inner[node.outputs[0]] = self._plain(node.inputs[0], node)
            elif node.op.name == "transpose" and node.params["perm"] == self._inverse and node.inputs[0] in self._inner:
                self._copy.moved[node.outputs[0]] = self._inner[node.inputs[0]]
            else:
                for value in node.inputs:
                    self._plain(value, node)
                self._copy.keep(node)
        for value in self._copy.old.outputs:
            self._plain(value, None)
        return self._copy.done()

    def _add(self, op: Any, inputs: list[Value], params: dict[str, Any], old: Node | None) -> Value:
        spec = op.infer(*[v.spec for v in inputs], **params)
        node = Node(op, inputs, params, spec, None if old is None else old.place)
        self._copy.new.nodes.append(node)
        return node.outputs[0]

    def _plain(self, value: Value, reader: Node | None) -> Value:
        """A value as users see it."""
        if value in self._inner and value not in self._copy.moved:
            self._copy.moved[value] = self._add(
                REGISTRY["transpose"], [self._inner[value]], {"perm": self._perm}, reader
            )
        return self._copy.now(value)

    def _turn(self, value: Value, reader: Node) -> Value:
        """A value in the inner layout."""
        if value in self._inner:
            return self._inner[value]
        here = self._copy.now(value)
        if not value.spec.shape:
            return here
        whole = (1,) * (len(self._perm) - len(value.spec.shape)) + value.spec.shape
        if not _is_moved(value):
            turned = tuple([whole[a] for a in self._inverse])
            return self._add(REGISTRY["reshape"], [here], {"shape": turned}, reader)
        if whole != value.spec.shape:
            here = self._add(REGISTRY["reshape"], [here], {"shape": whole}, reader)
        self._inner[value] = self._add(REGISTRY["transpose"], [here], {"perm": self._inverse}, reader)
        self._copy.moved.setdefault(value, value)
        return self._inner[value]
