"""Epilogues: a loop over the result of a matrix product, a convolution, pooling, a gather or a reduction becomes a part of it.

The loop's steps run on each tile while it is in registers: bias and activation, the derivative of one, a residual, the optimizer's
update of weights. So the product itself is neither written nor read again, unless others want it too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gradtape.compiler.backends import backend_of
from gradtape.compiler.bodies.costs import is_short
from gradtape.compiler.bodies.epilogue import Epilogue, epilogue_of
from gradtape.compiler.bodies.kernel_op import (
    EPILOGUE_OPS,
    Binding,
    KernelOp,
    PatternBody,
    body_of,
    pattern_of,
)
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.bodies.rows import ROW, ColumnResult, RowLoop
from gradtape.compiler.codegen.simd.machine import host
from gradtape.compiler.graph import Graph, Node, Value, replace

# Operands as large as the result, and elements of each, from which on an update of weights is better not a part of the product.
_MANY_FAR, _FAR, _WIDE = 3, 1 << 19, 64
# Elements of a loop over rows up to which a launch costs more than anything else; and of a row from which on short steps, and any steps, on
# one number cost little beside the row.
_FEW, _LONG, _LONGER = 1 << 12, 64, 1024


class _Candidate(NamedTuple):
    """A value that a loop reads whole, of a node that can take the loop's steps.

    Attributes:
      number: of the loop's input.
      node: where the value comes from.
      output: which of the node's it is.
      views: reshapes between the two.
    """

    number: int
    node: Node
    output: int
    views: tuple[Node, ...]


class _Appended(NamedTuple):
    """A body with the steps of a loop at its end.

    Attributes:
      body: the body.
      loads: the bindings of what it read before.
      loaded: which inputs of the loop it also reads.
    """

    body: RowLoop | PatternBody
    loads: tuple[Binding, ...]
    loaded: list[int]


class _Union(NamedTuple):
    """A kernel and the loop that becomes its epilogue.

    Attributes:
      source: the node whose result the loop reads.
      views: reshapes between the two.
      loop: the node.
      early: whether it runs where the source was, rather than where the loop was.
      made: the node in the place of both, on the inputs that they have.
      results: the values that it makes, as they were before.
    """

    source: Node
    views: tuple[Node, ...]
    loop: Node
    early: bool
    made: Node
    results: tuple[Value, ...]

    @property
    def keeps_views(self) -> bool:
        """True if the value that the loop reads is stored, too, so that others may read it through the views."""
        return any(v in self.results for view in self.views[:1] for v in view.inputs)


def fuse_epilogues(graph: Graph) -> Graph:
    """The graph with loops on the results of products, convolutions, pooling, gathers and reductions as parts of these."""
    made: dict[Node, Sequence[Node]] = {}
    same: dict[Value, Value] = {}
    for union in _Unions(graph).find():
        keeps = union.keeps_views
        made |= dict.fromkeys([] if union.early and keeps else union.views, ())
        made |= {union.source: (), union.loop: ()}
        if union.early:
            made[union.source] = (union.made,)
        else:
            made[union.loop] = (union.made, *(union.views if keeps else ()))
        same |= zip(union.results, union.made.outputs, strict=True)
    return replace(graph, made, same)


class _Unions:
    """Finds which kernels and loops become one; a kernel gets one loop at most."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._position = {node: i for i, node in enumerate(graph.nodes)}
        self._readers = graph.readers()

    def find(self) -> list[_Union]:
        """All of them."""
        found: list[_Union] = []
        taken: set[Node] = set()
        for node in self._graph.nodes:
            body = body_of(node)
            if not isinstance(body, Loop) or body.sums:
                continue
            if any(None in v.spec.shape for v in (*node.inputs, *node.outputs)):
                continue
            candidates = [c for c in _candidates(node, body) if c.node not in taken]
            for candidate in sorted(candidates, key=self._preference):
                union = self._union(node, body, candidate)
                if union is not None:
                    found.append(union)
                    taken |= {candidate.node, node}
                    break
        return found

    def _preference(self, candidate: _Candidate) -> tuple[bool, int]:
        """Sorts what a loop may become a part of: products and convolutions first, of these the last one."""
        return candidate.node.op.name not in EPILOGUE_OPS[:3], -self._position[candidate.node]

    def _union(self, node: Node, loop: Loop, candidate: _Candidate) -> _Union | None:
        """A kernel and a loop as one node; None if they cannot be that."""
        number, source, output, views = candidate
        own = {source, node, *views}
        through = (source.outputs[output], *[v for view in views for v in view.outputs])
        wanted = [r for v in through for r in self._readers.get(v, ()) if r not in own]
        sides = [v for v in source.outputs if v is not source.outputs[output]]
        others = [*wanted, *[r for v in sides for r in self._readers.get(v, ())]]
        # It runs where the loop was, unless somebody wants a result before; then what the loop reads must be there.
        early = any(r is not None and self._position[r] < self._position[node] for r in others)
        known = {number, *[i for i, constant in enumerate(loop.constants) if constant is not None]}
        rest = [node.inputs[load.slot] for i, load in enumerate(node.op.loads) if i not in known]
        if early and any(v.node is not None and self._position[v.node] > self._position[source] for v in rest):
            return None
        if any(v.node in own for v in rest):  # the loop reads the value in two ways, of which one is left
            return None
        found = _append(source, output, loop, number, bool(wanted))
        if found is None:
            return None
        inputs = list(source.inputs)
        loads = list(found.loads)
        has_rows = isinstance(body_of(source), RowLoop)  # its inputs are in the order of its operands
        for i in found.loaded:
            value, offset = node.inputs[node.op.loads[i].slot], node.op.loads[i].offset
            if has_rows or value not in inputs:
                inputs.append(value)
            loads.append(Binding(len(inputs) - 1 if has_rows else inputs.index(value), offset))
        results = (*node.outputs, *([source.outputs[output]] if wanted else []), *sides)
        specs = tuple([v.spec for v in results])
        op = KernelOp(found.body, specs, f"{getattr(source.op, 'parts', source.op.name)} {node.op.parts}", loads)
        made = Node(op, inputs, {}, specs, source.place)
        return _Union(source, views, node, early, made, results)


def _candidates(node: Node, loop: Loop) -> list[_Candidate]:
    """Values that a loop reads whole, of nodes that take epilogues."""
    found = []
    slots = [load.slot for load in node.op.loads]
    for number, load in enumerate(node.op.loads):
        views: list[Node] = []
        value = node.inputs[load.slot]
        while value.node is not None and value.node.op.name == "reshape":
            views.insert(0, value.node)
            value = value.node.inputs[0]
        source = value.node
        known = loop.constants[number] is not None
        if source is None or known or load.is_part or load.offset or slots.count(load.slot) > 1:
            continue
        if loop.is_whole(number) and (source.op.name in EPILOGUE_OPS or isinstance(body_of(source), RowLoop)):
            found.append(_Candidate(number, source, source.outputs.index(value), tuple(views)))
    return found


def _append(source: Node, output: int, loop: Loop, number: int, keeps: bool) -> _Appended | None:
    """What a node computes with the steps of a loop on one of its results; None if its back end does not take them.

    Args:
      source: the node.
      output: which of its results the loop reads.
      loop: the loop.
      number: of the loop's input.
      keeps: whether others read that result, too.
    """
    body = body_of(source)
    if isinstance(body, RowLoop) and body.outputs[output][1] == ROW:
        return _append_to_rows(source, body, output, loop, number, keeps)
    columns = (PatternBody(ColumnResult(body, output)), source.op.loads) if isinstance(body, RowLoop) else None
    found = columns or pattern_of(source)
    if found is None:
        return None
    before, factors = found
    pattern, backend = before.pattern, backend_of(before.pattern)
    epilogue = epilogue_of(loop, number, pattern.matrices, backend.GROUPS_ROWS)
    if (
        epilogue is None
        or not backend.takes_epilogue(pattern, epilogue)
        or _is_better_apart(epilogue, pattern.matrices)
    ):
        return None
    if keeps:
        epilogue = epilogue._replace(results=(*epilogue.results, number))
    return _Appended(before._replace(epilogue=epilogue), factors, epilogue.loaded)


def _append_to_rows(source: Node, rows: RowLoop, output: int, loop: Loop, number: int, keeps: bool) -> _Appended | None:
    """A loop over rows with steps on one number of each row."""
    if not _pays_in_rows(rows, loop):
        return None
    from gradtape.compiler.bodies.row_steps import append_steps  # loaded with the first one

    made = append_steps(rows, output, loop, number, keeps)
    loaded = [i for i, known in enumerate(loop.constants) if known is None and i != number]
    return None if made is None else _Appended(made, source.op.loads, loaded)


def _pays_in_rows(rows: RowLoop, loop: Loop) -> bool:
    """Whether steps on one number of each row cost less than a loop by itself, which computes a vector of rows at once."""
    return math.prod(rows.shape) <= _FEW or rows.shape[-1] >= (
        _LONG if is_short([dtype for dtype, _ in loop.inputs], loop.steps) else _LONGER
    )


def _is_better_apart(epilogue: Epilogue, sizes: tuple[int, int, int]) -> bool:
    """Whether a loop reads so much from far away that it runs faster by itself, from the beginning of its arrays to their end. That was
    measured where registers have 64 bytes: products take half the time of others there, and memory does not."""
    count, m, n = sizes
    whole = (m * n if count > 1 else 0, n, 1)
    far = sum([epilogue.operands[i].distances == whole for i in epilogue.loaded])
    return far >= _MANY_FAR and count * m * n >= _FAR and host().register_bytes >= _WIDE
