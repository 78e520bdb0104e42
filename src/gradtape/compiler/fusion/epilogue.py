"""Epilogues: a loop over the result of a matrix product, a convolution, pooling or a gather becomes a part of it.

The loop's steps run on each tile while it is in registers: bias and activation, the derivative of one, a residual, the optimizer's
update of weights. So the product itself is neither written nor read again, unless others want it too.
"""

from __future__ import annotations

from typing import NamedTuple

from gradtape.compiler.bodies.epilogue import Epilogue, epilogue_of
from gradtape.compiler.bodies.kernel_op import (
    EPILOGUE_OPS,
    Binding,
    KernelOp,
    Pattern,
    PatternBody,
    body_of,
    matrix_of,
    pattern_of,
)
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.codegen.simd.machine import host
from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.indexing import Take
from gradtape.core.patterns.pooling import Pool
from gradtape.core.patterns.product import Product

# Operands as large as the result, and elements of each, from which on an update of weights is better not a part of the product.
_MANY_FAR, _FAR, _WIDE = 3, 1 << 19, 64


class _Union(NamedTuple):
    """A product and the loop that becomes its epilogue.

    Attributes:
      product: the node.
      views: reshapes between the two.
      loop: the node.
      keeps: whether others read the product too.
      early: whether it runs where the product was, rather than where the loop was.
      made: the node in the place of both, on the inputs that they have.
    """

    product: Node
    views: tuple[Node, ...]
    loop: Node
    keeps: bool
    early: bool
    made: Node


def fuse_epilogues(graph: Graph) -> Graph:
    """The graph with loops on the results of products, convolutions, pooling and gathers as parts of these."""
    unions = _unions(graph)
    if not unions:
        return graph
    copy = Copy(graph)
    by_loop = {union.loop: union for union in unions}
    by_product = {union.product: union for union in unions}
    views = {view: union for union in unions for view in union.views}
    for node in graph.nodes:
        if node in by_product:
            if by_product[node].early:
                _add(copy, by_product[node])
        elif node in by_loop:
            if not by_loop[node].early:
                _add(copy, by_loop[node])
        elif node not in views or views[node].early:
            copy.keep(node)
    return copy.done()


def _add(copy: Copy, union: _Union) -> None:
    made = union.made.on([copy.now(v) for v in union.made.inputs])
    copy.new.nodes.append(made)
    results = [*union.loop.outputs, *(union.product.outputs if union.keeps else ())]
    copy.moved.update(zip(results, made.outputs, strict=True))
    if union.keeps and not union.early:
        for view in union.views:
            copy.keep(view)


def _unions(graph: Graph) -> list[_Union]:
    """Which products and loops become one; a product gets one loop at most."""
    position = {node: i for i, node in enumerate(graph.nodes)}
    readers: dict[Value, list[Node | None]] = {}
    for node in graph.nodes:
        for value in node.inputs:
            readers.setdefault(value, []).append(node)
    for value in graph.outputs:
        readers.setdefault(value, []).append(None)
    found: list[_Union] = []
    taken: set[Node] = set()
    for node in graph.nodes:
        body = body_of(node)
        if isinstance(body, Loop) and not body.sums:
            candidates = [c for c in _candidates(node, body) if c[1] not in taken]
            for number, product, views in sorted(candidates, key=lambda c: _preference(c[1], position)):
                union = _union(node, body, number, product, views, position, readers)
                if union is not None:
                    found.append(union)
                    taken.add(product)
                    break
    return found


def _preference(node: Node, position: dict[Node, int]) -> tuple[bool, int]:
    """Sorts what a loop may become a part of: products and convolutions before what only moves or compares, the last one first."""
    return EPILOGUE_OPS.index(node.op.name) > 2, -position[node]


def _candidates(node: Node, loop: Loop) -> list[tuple[int, Node, tuple[Node, ...]]]:
    """Nodes that take epilogues and that a loop reads whole: the loop's input, the node, and reshapes between."""
    found = []
    slots = [load.slot for load in node.op.loads]
    for number, load in enumerate(node.op.loads):
        views: list[Node] = []
        source = node.inputs[load.slot].node
        while source is not None and source.op.name == "reshape":
            views.insert(0, source)
            source = source.inputs[0].node
        known = loop.constants[number] is not None
        if source is None or known or load.is_part or load.offset or slots.count(load.slot) > 1:
            continue
        if loop.is_whole(number) and source.op.name in EPILOGUE_OPS:
            found.append((number, source, tuple(views)))
    return found


def _union(
    node: Node,
    loop: Loop,
    number: int,
    product: Node,
    views: tuple[Node, ...],
    position: dict[Node, int],
    readers: dict[Value, list[Node | None]],
) -> _Union | None:
    """A product and a loop as one node; None if they cannot be that."""
    if any(None in v.spec.shape for v in (*product.inputs, *node.inputs, *node.outputs)):
        return None
    found = pattern_of(product)
    if found is None:
        return None
    (pattern, *_), factors = found
    sizes = matrix_of(pattern)
    epilogue = epilogue_of(loop, number, sizes, groups_rows=isinstance(pattern, (Pool, Take)))
    if epilogue is None or not _takes_epilogue(pattern, epilogue) or _is_better_apart(epilogue, sizes):
        return None
    own = {product, node, *views}
    others = [r for n in (product, *views) for v in n.outputs for r in readers.get(v, ()) if r not in own]
    keeps = bool(others)
    # It runs where the loop was, unless somebody wants the product before; then what the loop reads must be there.
    early = any(r is not None and position[r] < position[node] for r in others)
    rest = [node.inputs[node.op.loads[i].slot] for i in epilogue.loaded]
    if early and any(v.node is not None and position[v.node] > position[product] for v in rest):
        return None
    if any(v.node in own for v in rest):  # the loop reads the product in two ways, of which one is left
        return None
    inputs = list(dict.fromkeys([*product.inputs, *rest]))
    if len(factors) > 1 and product.inputs[0] is product.inputs[1]:
        inputs.insert(0, inputs[0])
    specs = [v.spec for v in node.outputs]
    if keeps:
        epilogue = epilogue._replace(results=(*epilogue.results, number))
        specs.append(product.outputs[0].spec)
    loaded = [Binding(inputs.index(v), node.op.loads[i].offset) for i, v in zip(epilogue.loaded, rest, strict=True)]
    body, parts = PatternBody(pattern, epilogue), f"{product.op.name} {node.op.parts}"
    op = KernelOp(body, specs, parts, [*factors, *loaded])
    return _Union(product, views, node, keeps, early, Node(op, inputs, {}, tuple(specs), product.place))


def _takes_epilogue(pattern: Pattern, epilogue: Epilogue) -> bool:
    """Whether an epilogue can be a part of what a pattern computes, by the same algorithm as without one. Back ends are loaded when they are asked."""
    if isinstance(pattern, Product):
        return len(pattern.axes) <= 2
    if isinstance(pattern, Convolve):
        from gradtape.compiler.backends.convolution import lowering

        return lowering.takes_epilogue(pattern, epilogue)
    if isinstance(pattern, Pool):
        from gradtape.compiler.backends.window import pattern as window

        return window.takes_epilogue(pattern, epilogue)
    from gradtape.compiler.backends import indexing

    return indexing.takes_epilogue(pattern, epilogue)


def _is_better_apart(epilogue: Epilogue, sizes: tuple[int, int, int]) -> bool:
    """Whether a loop reads so much from far away that it runs faster by itself, from the beginning of its arrays to their end. That was
    measured where registers have 64 bytes: products take half the time of others there, and memory does not."""
    count, m, n = sizes
    whole = (m * n if count > 1 else 0, n, 1)
    far = sum([epilogue.operands[i].distances == whole for i in epilogue.loaded])
    return far >= _MANY_FAR and count * m * n >= _FAR and host().register_bytes >= _WIDE
