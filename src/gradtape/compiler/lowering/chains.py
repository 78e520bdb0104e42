"""Chains: small products and loops that follow each other run as one launch, group by group of rows.

The rows of a batch have nothing to do with each other: what a layer makes of some rows, the next layer reads for the same rows. So
the rows are cut into groups, and a thread takes a group through all the steps of a chain; no step waits until all groups have
done the one before. The time steps of a recurrent network and the layers of a small one are such chains.

A part of a program belongs to a chain if a group of its rows touches one **slab** of each array that the chain writes: the
bytes of these rows. Arrays that the chain only reads, such as weights, may be touched anywhere. Parts that do not belong to it but come in
between run before the chain if they need nothing of it, otherwise after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gradtape.compiler.bodies.epilogue import Distances, Epilogue
from gradtape.compiler.bodies.kernel_op import Binding, KernelOp, PatternBody, body_of, pattern_of
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.graph import Node, Value
from gradtape.compiler.lowering.nodes import lower_kernel
from gradtape.compiler.memory.arena import Part, roots, size_of
from gradtape.compiler.runtime.kernels import Grouped, Launch, Lowered, Operand
from gradtape.core.patterns.movement import packed
from gradtape.core.patterns.product import Product
from gradtape.ops.matmul import MatMul

# Groups of rows, and the least rows of one: a product of fewer makes little use of what it loads.
_GROUPS, _LEAST_ROWS = (8, 4, 2), 16
# The largest products of a chain, in multiplications, and bytes of their weights, which each group loads anew; elements of its loops.
_MOST_WORK, _MOST_WEIGHTS, _MOST_ELEMENTS = 1 << 22, 1 << 17, 1 << 18
_WORTHWHILE = (
    1_000_000  # multiplications of a chain from which on it is for several threads; some 20 microseconds of one
)
_STEP = 4  # multiplications that a step of a loop stands for
_FAR = 64  # parts without one for the chain after which it ends


class Touch(NamedTuple):
    """What a group of rows touches of an operand.

    Attributes:
      operand: where the first group begins.
      step: bytes from one group to the next.
      reach: bytes that a group touches, from its beginning on.
    """

    operand: Operand
    step: int
    reach: int


class ChainPiece(NamedTuple):
    """A part of a program for one group of rows.

    Attributes:
      op: the kernel for them.
      touches: its operands, in the order of its table.
      work: about how many multiplications it takes.
    """

    op: KernelOp
    touches: tuple[Touch, ...]
    work: int

    def launch(self) -> Launch:
        """The launch for the first group."""
        (launch,) = lower_kernel(self.op).launches
        return launch


def chain(parts: Sequence[Part], kept: set[Value], updated: dict[Value, Value]) -> list[Part]:
    """Parts of a program with chains as single parts, perhaps in another order.

    Args:
      parts: what runs.
      kept: values that are read afterwards.
      updated: values that may be written over an input.
    """
    same = roots(parts)
    readers: dict[Value, set[Node]] = {}
    for node, _ in parts:
        for value in node.inputs:
            readers.setdefault(same.get(value, value), set()).add(node)
    kept = {same.get(v, v) for v in kept}
    done: list[Part] = []
    waiting = list(parts)
    pieces = _Pieces()
    while waiting:
        groups = next(filter(None, map(pieces.groups, waiting[:_FAR])), 0)
        first = next((i for i, part in enumerate(waiting[:_FAR]) if groups and pieces.of(part, groups)), None)
        if first is None:
            done += waiting[:_FAR]
            waiting = waiting[_FAR:]
            continue
        done += waiting[:first]
        chain = _Chain(groups, pieces, same, updated)
        rest = chain.collect(waiting[first:])
        if chain.is_worthwhile():
            done += [*chain.before, chain.part(readers, kept)]
            waiting = rest
        else:
            done.append(waiting[first])
            waiting = waiting[first + 1 :]
    return done


class _Pieces:
    """Parts for one group of rows. They are asked for again and again, as chains begin."""

    def __init__(self) -> None:
        self._found: dict[tuple[Node, int], ChainPiece | None] = {}
        self._groups: dict[Node, int] = {}

    def groups(self, part: Part) -> int:
        """Into how many groups the rows of a product are cut; 0 for what is none, or none for a chain."""
        if part.node not in self._groups:
            self._groups[part.node] = _groups(part.node)
        return self._groups[part.node]

    def of(self, part: Part, groups: int) -> ChainPiece | None:
        """A part for one group of its rows; None if it cannot be cut, or is too large for a chain."""
        key = part.node, groups
        if key not in self._found:
            self._found[key] = _piece(part, groups)
        return self._found[key]


class _Chain:
    """A chain that grows.

    Attributes:
      before: parts that run before it.
      members: its own parts, and their pieces.
    """

    def __init__(self, groups: int, pieces: _Pieces, same: dict[Value, Value], updated: dict[Value, Value]) -> None:
        self.before: list[Part] = []
        self.members: list[tuple[Part, ChainPiece]] = []
        self._groups, self._pieces, self._same, self._updated = groups, pieces, same, updated
        self._written: set[Value] = set()
        self._read: set[Value] = set()

    def collect(self, parts: Sequence[Part]) -> list[Part]:
        """Take what belongs to the chain, and what runs before it; the others, which run after it."""
        rest: list[Part] = []
        late: set[Value] = set()
        last = 0
        for position, part in enumerate(parts):
            if position - last > _FAR:
                return [*rest, *parts[position:]]
            node = part.node
            inputs, outputs = ({self._same.get(v, v) for v in values} for values in (node.inputs, node.outputs))
            is_free = not inputs & late and not any(v in self._updated for v in node.outputs)
            if is_free and not part.lowered.launches:
                self.before.append(part)  # a reshape, for which nothing runs
            elif is_free and self._takes(part):
                last = position
            elif is_free and not (inputs | outputs) & self._written and not outputs & self._read:
                self.before.append(part)
            else:
                rest.append(part)
                late |= outputs
        return rest

    def _takes(self, part: Part) -> bool:
        """Whether a part belongs to the chain; then it is added."""
        piece = self._pieces.of(part, self._groups)
        if piece is None:
            return False
        for touch in piece.touches:
            value = self._value(part.node, touch.operand)
            is_shared = value is not None and touch.operand.kind == "input" and value not in self._written
            if value is not None and not is_shared and not self._is_slab(value, touch):
                return False
        self.members.append((part, piece))
        self._read |= {self._same.get(v, v) for v in part.node.inputs}
        self._written.update(part.node.outputs)
        return True

    def _value(self, node: Node, operand: Operand) -> Value | None:
        if operand.kind not in ("input", "output"):
            return None
        value = (node.inputs if operand.kind == "input" else node.outputs)[operand.number]
        return self._same.get(value, value)

    def _is_slab(self, value: Value, touch: Touch) -> bool:
        """Whether groups touch nothing but their rows of a value."""
        return touch.step * self._groups == size_of(value) and touch.operand.offset + touch.reach <= touch.step

    def is_worthwhile(self) -> bool:
        """Whether several launches become one that several threads share, as they shared one of these, or that is long enough for them."""
        chunks = [launch.kernel.chunks for part, _ in self.members for launch in part.lowered.launches]
        work = self._groups * sum([piece.work for _, piece in self.members])
        return len(self.members) > 1 and (max(chunks) > 1 or work >= _WORTHWHILE)

    def part(self, readers: dict[Value, set[Node]], kept: set[Value]) -> Part:
        """The chain as one part. Values that nobody else reads lie in temporaries; those of one size use a place again."""
        nodes = {part.node for part, _ in self.members}
        made = [v for part, _ in self.members for v in part.node.outputs]
        outputs = [v for v in made if v in kept or not readers.get(v, set()) <= nodes]
        read = [v for part, _ in self.members for v in part.node.inputs if self._same.get(v, v) not in self._written]
        given = list(dict.fromkeys(read))
        scratch, sizes = self._temporaries([v for v in made if v not in set(outputs)])
        places = {v: ("output", i) for i, v in enumerate(outputs)} | {v: ("scratch", i) for v, i in scratch.items()}
        launches: list[Launch] = []
        steps: list[tuple[int, ...]] = []
        for part, piece in self.members:
            kernel, operands = piece.launch()
            table = []
            for operand in operands:
                value = self._value(part.node, operand)
                if value is not None:
                    own = part.node.inputs[operand.number] if operand.kind == "input" else value
                    kind, number = places.get(value) or ("input", given.index(own))
                    operand = Operand(kind, number, operand.offset)
                table.append(operand)
            launches.append(Launch(kernel, tuple(table)))
            steps.append(tuple([touch.step for touch in piece.touches]))
        node = Node(_CHAIN, given, {}, ())
        node.outputs = tuple(outputs)
        return Part(node, Lowered((), tuple(sizes), grouped=Grouped(self._groups, tuple(launches), tuple(steps))))

    def _temporaries(self, values: Sequence[Value]) -> tuple[dict[Value, int], list[int]]:
        """For each of some values a temporary, and their sizes."""
        last: dict[Value, int] = {}
        for position, (part, _) in enumerate(self.members):
            for value in (*part.node.inputs, *part.node.outputs):
                last[self._same.get(value, value)] = position
        free: dict[int, list[int]] = {}
        epilogue: dict[int, list[tuple[int, int]]] = {}
        found: dict[Value, int] = {}
        sizes: list[int] = []
        wanted = set(values)
        for position, (part, _) in enumerate(self.members):
            for value in part.node.outputs:
                if value not in wanted:
                    continue
                size = size_of(value)
                if free.get(size):
                    found[value] = free[size].pop()
                else:
                    found[value] = len(sizes)
                    sizes.append(size)
                epilogue.setdefault(last[value], []).append((size, found[value]))
            for size, number in epilogue.get(position, ()):
                free.setdefault(size, []).append(number)
        return found, sizes


class _ChainOp:
    """The op of a chain, which has no kernel in Python: it is made after all passes."""

    name = "chain"
    effect = False


_CHAIN = _ChainOp()


def _groups(node: Node) -> int:
    product = _product(node)
    if product is None or not _is_small(product):
        return 0
    return next((g for g in _GROUPS if product.m % g == 0 and product.m // g >= _LEAST_ROWS), 0)


def _piece(part: Part, groups: int) -> ChainPiece | None:
    node, lowered = part
    if lowered.views or len(lowered.launches) != 1:
        return None
    body = body_of(node)
    if isinstance(body, Loop):
        return _loop_piece(node.op, body, groups)
    product = _product(node)
    if product is None or not _is_small(product) or product.m % groups or product.m // groups < _LEAST_ROWS:
        return None
    cut = product._replace(m=product.m // groups)
    if isinstance(body, PatternBody) and body.epilogue is not None:
        return _epilogue_piece(node.op, body.epilogue, cut)
    found = pattern_of(node)
    assert found is not None
    op = KernelOp(PatternBody(cut), [node.outputs[0].spec], MatMul.name, found[1])
    touches = (*_factors(cut, op.loads), _rows(Operand("output", 0), (0, cut.n, 1), cut, cut.dtype.size))
    return ChainPiece(op, touches, cut.m * cut.n * cut.k)


def _product(node: Node) -> Product | None:
    """The product that a node computes, if it is a single one whose rows are those of its first factor."""
    body = body_of(node)
    if isinstance(body, PatternBody):
        found = body.pattern if node.op.onto is None else None
    else:
        plain = pattern_of(node) if node.op is MatMul else None
        found = None if plain is None else plain[0].pattern
    return None if not isinstance(found, Product) or found.axes or found.transpose_a or found.stored else found


def _is_small(product: Product) -> bool:
    weights = product.k * product.n
    return weights * product.dtype.size <= _MOST_WEIGHTS and 0 < weights * product.m <= _MOST_WORK


def _factors(cut: Product, loads: Sequence[Binding]) -> Iterator[Touch]:
    """What a group touches of the factors of a product."""
    size, line = cut.dtype.size, cut.lda or cut.k
    first, second = (Operand("input", load.slot, load.offset * size) for load in loads[:2])
    yield Touch(first, cut.m * line * size, ((cut.m - 1) * line + cut.k) * size)
    yield Touch(second, 0, 0)  # all of it; no chain writes it, since no group has all of a slab


def _rows(operand: Operand, distances: Distances, cut: Product, size: int) -> Touch:
    """What a group touches of an operand whose elements lie at distances."""
    _, row, column = distances
    assert isinstance(row, int), "rows of a product are not in groups"
    return Touch(operand, cut.m * row * size, ((cut.m - 1) * row + (cut.n - 1) * column + 1) * size)


def _epilogue_piece(op: KernelOp, epilogue: Epilogue, cut: Product) -> ChainPiece:
    piece = KernelOp(PatternBody(cut, epilogue), op.specs, op.parts, op.loads, op.stores)
    targets = epilogue.targets or (None,) * len(op.stores)
    results = []
    for store, target in zip(op.stores, targets, strict=True):
        size = op.specs[store.slot].dtype.size
        operand = Operand("output", store.slot, store.offset * size)
        results.append(_rows(operand, target or (0, cut.n, 1), cut, size))
    loaded = []
    for i, load in zip(epilogue.loaded, op.loads[2:], strict=True):
        dtype, distances, _ = epilogue.operands[i]
        assert distances is not None
        loaded.append(_rows(Operand("input", load.slot, load.offset * dtype.size), distances, cut, dtype.size))
    touches = (*_factors(cut, op.loads), results[0], *loaded, *results[1:])
    return ChainPiece(piece, touches, cut.m * cut.n * (cut.k + _STEP * len(epilogue.steps)))


def _loop_piece(op: KernelOp, loop: Loop, groups: int) -> ChainPiece | None:
    if loop.sums or not loop.shape or loop.shape[0] % groups or math.prod(loop.shape) > _MOST_ELEMENTS:
        return None
    shape = (loop.shape[0] // groups, *loop.shape[1:])
    piece = KernelOp(loop._replace(shape=shape), op.specs, op.parts, op.loads, op.stores)
    types, targets = loop.types(), loop.targets or (packed(loop.shape),) * len(loop.outputs)
    touches: list[Touch] = []
    for load, (dtype, strides), known in zip(op.loads, loop.inputs, loop.constants, strict=True):
        if known is None:
            touches.append(_touch(Operand("input", load.slot, load.offset * dtype.size), shape, strides, dtype.size))
    for store, number, strides in zip(op.stores, loop.outputs, targets, strict=True):
        size = types[number].size
        touches.append(_touch(Operand("output", store.slot, store.offset * size), shape, strides, size))
    if not math.prod(shape) or any(touch.reach <= 0 for touch in touches):
        return None
    touches.append(Touch(Operand("number", 0), 0, 0))
    return ChainPiece(piece, tuple(touches), _STEP * math.prod(shape) * len(loop.steps))


def _touch(operand: Operand, shape: Sequence[int], strides: Sequence[int], size: int) -> Touch:
    """What a group touches of an array that its loop goes over by strides; a reach of 0 if that is not from its beginning on."""
    reach = 1 + sum([(d - 1) * s for d, s in zip(shape, strides, strict=True)]) if min(strides) >= 0 else 0
    return Touch(operand, shape[0] * strides[0] * size, reach * size)
