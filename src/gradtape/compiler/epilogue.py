"""Epilogues: a loop over the result of a matrix product or a convolution becomes a part of it.

The loop's steps run on each tile while it is in registers: bias and activation, the derivative of one, a residual, the optimizer's
update of weights. So the product itself is neither written nor read again, unless others want it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gradtape.compiler import kernels, operands
from gradtape.compiler.convolution import lowering
from gradtape.compiler.ending import Ending, ending_of
from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.compiler.kernels import Lowered, Operand
from gradtape.compiler.loops import Fused, Home
from gradtape.compiler.simd.machine import host
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.patterns.product import Product
from gradtape.core.shape import Spec

# Operands as large as the result, and elements of each, from which on an update of weights is better not a part of the product.
_MANY_FAR, _FAR, _WIDE = 3, 1 << 19, 64
# Ops that may take the loop which follows them.
_CONTRACTIONS = ("matmul", "convolution", "convolution_input_gradient")


class ProductWithEnding:
    """A matrix product and a loop on its result as one op.

    Attributes:
      product: sizes and layouts.
      ending: what is done with it.
      specs: of the results.
      parts: names of the ops in it, for people.
      places: for each operand that the ending loads, the op's input and the bytes from its beginning.
      starts: where a and b begin in their arrays, in elements.
      homes: where the results go.
      onto: the op's input over which its only result is written; what it does not write stays. None for memory of its own.
    """

    elementwise = False
    effect = False

    def __init__(
        self,
        product: Product,
        ending: Ending,
        specs: Sequence[Spec],
        parts: str,
        places: Sequence[tuple[int, int]],
        starts: tuple[int, int] = (0, 0),
        homes: Sequence[Home] | None = None,
        onto: int | None = None,
    ) -> None:
        self.onto = onto
        self.product, self.ending, self.specs, self.parts = product, ending, tuple(specs), parts
        self.places, self.starts = tuple(places), starts
        self.homes = tuple(homes or [Home(k) for k in range(len(specs))])
        self.name = f"fused[{parts}]"

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The results, in new arrays."""
        return kernels.execute(self.lowered(), arrays, self.specs)

    def lowered(self) -> Lowered:
        """The launches of the product with its ending."""
        from gradtape.compiler.emitters import product

        first, *others = [
            Operand("output", number, offset * self.specs[number].dtype.size) for number, offset, _ in self.homes
        ]
        loaded = [Operand("input", number, offset) for number, offset in self.places]
        factors = [Operand("input", i, start * self.product.dtype.size) for i, start in enumerate(self.starts)]
        table = [*factors, first, *loaded, *others]
        launch = product.launched(product.problem_of(self.product), table, self.ending)
        if self.onto is not None:
            return Lowered((launch,), views=((0, self.onto),))
        whole = [home.number for home in self.homes if not home.is_part]
        return Lowered((launch,), shares=_shares(self, matrix_of(self.product), whole))


def _shares(
    op: ProductWithEnding | ConvolutionWithEnding, sizes: tuple[int, int, int], results: Iterable[int]
) -> tuple[tuple[int, int], ...]:
    """Results that may be written over operands which are read whole, element by element, and in no other way."""
    count, m, n = sizes
    whole = (m * n if count > 1 else 0, n if m > 1 else 0, 1 if n > 1 else 0)
    bound = {0, 1}
    alike: list[tuple[int, int]] = []
    for i, (number, offset) in zip(op.ending.loaded, op.places, strict=True):
        dtype, distances, _ = op.ending.operands[i]
        if distances == whole and not offset:
            alike.append((number, dtype.size))
        else:
            bound.add(number)
    return tuple(
        (result, number)
        for result in results
        for number, size in alike
        if number not in bound and size == op.specs[result].dtype.size
    )


class ConvolutionWithEnding:
    """A convolution, or its transpose in the input, and a loop on its result as one op.

    Attributes:
      pattern: sizes.
      ending: what is done with the result, a matrix of places by channels.
      specs: of the results.
      parts: names of the ops in it, for people.
      places: for each operand that the ending loads, the op's input and the bytes from its beginning.
    """

    elementwise = False
    effect = False

    def __init__(
        self, pattern: Convolve, ending: Ending, specs: Sequence[Spec], parts: str, places: Sequence[tuple[int, int]]
    ) -> None:
        self.pattern, self.ending, self.specs, self.parts = pattern, ending, tuple(specs), parts
        self.places = tuple(places)
        self.name = f"fused[{parts}]"

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The results, in new arrays."""
        return kernels.execute(self.lowered(), arrays, self.specs)

    def lowered(self) -> Lowered:
        """The launches of the convolution with its ending."""
        first, *others = kernels.outputs(*range(len(self.specs)))
        loaded = [Operand("input", number, offset) for number, offset in self.places]
        found = lowering.launched(self.pattern, [*kernels.inputs(0, 1), first, *loaded, *others], self.ending)
        assert found is not None, "takes_ending says what can be launched"
        return Lowered(tuple(found[0]), found[1], _shares(self, matrix_of(self.pattern), range(len(self.specs))))


def matrix_of(pattern: Product | Convolve) -> tuple[int, int, int]:
    """How many matrices a result consists of, and their rows and columns; that of a convolution is places by channels."""
    if isinstance(pattern, Product):
        return math.prod([axis.size for axis in pattern.axes]), pattern.m, pattern.n
    if pattern.kind == "forward":
        return 1, pattern.examples * math.prod(pattern.out), pattern.filters
    return 1, pattern.examples * math.prod(pattern.size), pattern.channels


class _Union(NamedTuple):
    """A product and the loop that becomes its ending.

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


def absorb(graph: Graph) -> Graph:
    """The graph with loops on the results of products as parts of these, and with products that read through views."""
    graph = operands.absorb(graph)
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
        if type(node.op) is Fused and not node.op.loop.sums:
            candidates = [c for c in _candidates(node) if c[1] not in taken]
            for number, product, views in sorted(candidates, key=lambda c: -position[c[1]]):
                union = _union(node, number, product, views, position, readers)
                if union is not None:
                    found.append(union)
                    taken.add(product)
                    break
    return found


def _candidates(loop: Node) -> list[tuple[int, Node, tuple[Node, ...]]]:
    """Products and convolutions that a loop reads whole: the loop's input, the node, and reshapes between."""
    found = []
    for number, place in enumerate(loop.op.places):
        views: list[Node] = []
        source = loop.inputs[place.number].node
        while source is not None and source.op.name == "reshape":
            views.insert(0, source)
            source = source.inputs[0].node
        alone = [p.number for p in loop.op.places].count(place.number) == 1
        known = loop.op.loop.constants[number] is not None
        if source is None or source.op.name not in _CONTRACTIONS or known or place.is_view or not alone:
            continue
        if loop.op.loop.is_whole(number) and not place.offset:
            found.append((number, source, tuple(views)))
    return found


def _union(
    loop: Node,
    number: int,
    product: Node,
    views: tuple[Node, ...],
    position: dict[Node, int],
    readers: dict[Value, list[Node | None]],
) -> _Union | None:
    """A product and a loop as one node; None if they cannot be that."""
    if any(None in v.spec.shape for v in (*product.inputs, *loop.inputs, *loop.outputs)):
        return None
    pattern = product.op.lower(*[v.spec for v in product.inputs], **product.params)
    if not _takes_ending(pattern):
        return None
    fused = loop.op
    ending = ending_of(fused.loop, number, matrix_of(pattern))
    if ending is None or _is_better_apart(ending, matrix_of(pattern)):
        return None
    own = {product, loop, *views}
    others = [r for node in (product, *views) for v in node.outputs for r in readers.get(v, ()) if r not in own]
    keeps = bool(others)
    # It runs where the loop was, unless somebody wants the product before; then what the loop reads must be there.
    early = any(r is not None and position[r] < position[loop] for r in others)
    rest = [loop.inputs[fused.places[i].number] for i in ending.loaded]
    if early and any(v.node is not None and position[v.node] > position[product] for v in rest):
        return None
    if any(v.node in own for v in rest):  # the loop reads the product in two ways, of which one is left
        return None
    inputs = list(dict.fromkeys([*product.inputs, *rest]))
    if product.inputs[0] is product.inputs[1]:
        inputs.insert(0, inputs[0])
    specs = [v.spec for v in loop.outputs]
    if keeps:
        ending = ending._replace(results=(*ending.results, number))
        specs.append(product.outputs[0].spec)
    places = [_place(fused, i, loop, inputs) for i in ending.loaded]
    parts = f"{product.op.name} {fused.parts}"
    op: ProductWithEnding | ConvolutionWithEnding
    if isinstance(pattern, Product):
        op = ProductWithEnding(pattern, ending, specs, parts, places, getattr(product.op, "starts", (0, 0)))
    else:
        op = ConvolutionWithEnding(pattern, ending, specs, parts, places)
    return _Union(product, views, loop, keeps, early, Node(op, inputs, {}, tuple(specs), product.place))


def _takes_ending(pattern: Any) -> bool:
    """Whether an epilogue can be a part of what a pattern computes, by the same algorithm as without one."""
    if isinstance(pattern, Product):
        return len(pattern.axes) <= 2
    return isinstance(pattern, Convolve) and lowering.takes_ending(pattern)


def _is_better_apart(ending: Ending, sizes: tuple[int, int, int]) -> bool:
    """Whether a loop reads so much from far away that it runs faster by itself, from the beginning of its arrays to their end. That was
    measured where registers have 64 bytes: products take half the time of others there, and memory does not."""
    count, m, n = sizes
    whole = (m * n if count > 1 else 0, n, 1)
    far = sum([ending.operands[i].distances == whole for i in ending.loaded])
    return far >= _MANY_FAR and count * m * n >= _FAR and host().register_bytes >= _WIDE


def _place(fused: Any, i: int, loop: Node, inputs: list[Value]) -> tuple[int, int]:
    """Where an operand of the loop is: the input of the new node, and bytes from its beginning."""
    place = fused.places[i]
    return inputs.index(loop.inputs[place.number]), place.offset * fused.loop.inputs[i][0].size
