"""Loop fission: work that all steps of a loop can share is done once, before or after the loop.

    before  matrix products of a step that do not need what the step before has computed, such as those of the inputs of a
            recurrent layer: one product for all rows
    after   sums over the steps of matrix products, and of sums, such as the gradients of weights: one product with a longer
            inner axis of rows that the loop keeps

Nothing may be left of the loop then: the steps of `map_fn` need nothing of each other, and run as one.

Only the order in which numbers are summed changes. It is done where the number of steps is known, and where what is kept for all
steps is not large.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.graph import Node, Value, blocks
from gradtape.core.op import REGISTRY, Unsupported
from gradtape.tracing.control.block import Block
from gradtape.tracing.control.branch import batched_block

_MOST = 64 << 20  # bytes of all that is computed for all steps at once
_PRODUCTS = ("matmul", "convolution")

Divided = tuple[list[Node], list[Value], dict[Value, Any]]  # nodes, what stands for the outputs, and new constants


class _Sum(NamedTuple):
    """A carried value to which each step adds something.

    Attributes:
      number: of the carried value.
      added: what a step adds.
      rows: the values of a step that its sum over all steps is computed from.
    """

    number: int
    added: Value
    rows: tuple[Value, ...]


def divided(node: Node) -> Divided | None:
    """The nodes that do what a loop does; None if it stays as it is."""
    params = node.params
    if params["cond"] is not None or node.effect or params["states"] or not _is_known(node):
        return None
    return _Division(node).done()


def _is_known(node: Node) -> bool:
    """True if the number of steps, and the shapes of all values, are known."""
    length, body = node.params["length"], node.params["body"]
    values = [*body.parameters, *[v for n in body.nodes for v in n.outputs], *node.inputs]
    return (
        length is not None
        and length >= 2
        and all(n == length for n in node.params["lengths"])
        and all(v.spec.is_known and v.spec.dtype.kind != "O" for v in values)
    )


class _Division:
    """A loop on its way to become several nodes."""

    def __init__(self, node: Node) -> None:
        self.node, self.body, self.steps = node, node.params["body"], node.params["length"]
        self.carried, self.sliced = node.params["carried"], node.params["sliced"]
        self.made: list[Node] = []
        self.constants: dict[Value, Any] = {}
        body: Block = self.body
        self.own = body.parameters[: self.carried]
        self.rows = body.parameters[self.carried : self.carried + self.sliced]
        self.nodes = _needed(body.nodes, body.outputs)
        self.readers = Counter([v for n in self.nodes for v in n.inputs] + list(body.outputs))

    def done(self) -> Divided | None:
        """The nodes, what stands for the loop's outputs, and constants."""
        sums = self._sums()
        rest = set(range(self.carried)) - {s.number for s in sums}
        wanted = self._wanted(rest, sums)
        nodes = _needed(self.body.nodes, wanted)
        states = [self.own[i] for i in rest]
        ahead = _independent(nodes, states)
        if not (vanishes := len(ahead) == len(nodes) and not any(v in states for v in wanted)):
            sums = [s for s in sums if s.rows != (s.added,)]
            rest = set(range(self.carried)) - {s.number for s in sums}
            wanted = self._wanted(rest, sums)
            nodes = _needed(self.body.nodes, wanted)
            products = _with_products(_independent(nodes, [self.own[i] for i in rest]))
            ahead = _needed(nodes, [v for n in products for v in n.outputs])
        if not (ahead or sums) or not all(map(_has_formula, ahead)) or self._bytes(ahead, sums) > _MOST:
            return None
        seen = {v for n in nodes if n not in ahead for v in n.inputs}
        made = {v for n in ahead for v in n.outputs}
        front = [v for v in dict.fromkeys([*wanted, *seen]) if v in made]
        rows = dict(zip(self.rows, self.node.inputs[1 + self.carried :], strict=False))
        rows |= zip(front, self._at_once(front), strict=True)
        if vanishes:
            return self._without_loop(sums, rows)
        return self._with_loop(sums, sorted(rest), [n for n in nodes if n not in ahead], front, rows)

    def _wanted(self, rest: set[int], sums: Sequence[_Sum]) -> list[Value]:
        """The values of a step that are needed beyond it."""
        outputs = self.body.outputs
        kept = [v for i, v in enumerate(outputs) if i in rest or i >= self.carried]
        return list(dict.fromkeys([*kept, *[v for s in sums for v in s.rows]]))

    def _sums(self) -> list[_Sum]:
        """The carried values that are sums over the steps, and are not read in between."""
        found = []
        for i, own in enumerate(self.own):
            output = self.body.outputs[i]
            node = output.node
            if node is None or node.op.name != "add" or self.readers[own] != 1 or self.readers[output] != 1:
                continue
            if own not in node.inputs or not own.spec.dtype.is_floating:
                continue
            added = node.inputs[1 - node.inputs.index(own)]
            if added.spec == own.spec and added is not own:
                found.append(_Sum(i, added, self._rows_of(added)))
        return found

    def _rows_of(self, added: Value) -> tuple[Value, ...]:
        """What a sum over the steps is computed from: the factors of a product, the summands of a sum; else what is added."""
        maker = added.node
        if maker is None or self.readers[added] != 1:
            return (added,)
        if maker.op.name == "matmul" and all(len(v.spec.shape) == 2 for v in maker.inputs) and self._vary(maker.inputs):
            return maker.inputs
        if maker.op.name == "reduce_sum" and not maker.params["keepdims"] and self._vary(maker.inputs):
            return maker.inputs
        return (added,)

    def _vary(self, values: Sequence[Value]) -> bool:
        """True if none of the values is the same in all steps."""
        fixed = {*self.body.parameters[self.carried + self.sliced :], *self.body.constants}
        return not any(v in fixed for v in values)

    def _bytes(self, ahead: Sequence[Node], sums: Sequence[_Sum]) -> int:
        values = {*[v for n in ahead for v in n.outputs], *[v for s in sums for v in s.rows]}
        return int(self.steps) * sum(math.prod(v.spec.shape) * v.spec.dtype.size for v in values)

    def _make(self, name: str, *inputs: Value, **params: Any) -> Value:
        op = REGISTRY[name]
        node = Node(op, inputs, params, op.infer(*[v.spec for v in inputs], **params), self.node.place)
        self.made.append(node)
        return node.outputs[0]

    def _at_once(self, front: Sequence[Value]) -> list[Value]:
        """The values of all steps, along a leading axis."""
        if not front:
            return []
        ahead = Block(self.body.trace, self.body.parameters, [(v, 0) for v in front])
        flags = [p in self.rows for p in self.body.parameters]
        block = batched_block(ahead, tuple(flags), (True,) * len(front), self.steps)
        moved = dict(zip(block.parameters, self.node.inputs[1:], strict=True))
        for value, array in block.constants.items():
            moved[value] = Value(value.spec)
            self.constants[moved[value]] = array
        self.made += _on(_needed(block.nodes, block.outputs), moved)
        return [moved[v] for v in block.outputs]

    def _without_loop(self, sums: Sequence[_Sum], rows: dict[Value, Value]) -> Divided:
        """Each result from the rows of all steps."""
        count = Value(self.node.outputs[0].spec)
        self.constants[count] = np.int32(self.steps)
        totals = {s.number: self._total(s, rows) for s in sums}
        results = [count]
        for i, value in enumerate(self.body.outputs):
            if i in totals:
                results.append(totals[i])
            elif i < self.carried:
                results.append(self._last(value, rows))
            else:
                results.append(self._stacked(value, rows))
        return self.made, results, self.constants

    def _stacked(self, value: Value, rows: dict[Value, Value]) -> Value:
        """A value of a step, for all steps."""
        return rows[value] if value in rows else self._spread(value)

    def _spread(self, value: Value) -> Value:
        """A value that is the same in all steps, once for each."""
        return self._make("broadcast_to", self._outer(value), shape=(self.steps, *value.spec.shape))

    def _last(self, value: Value, rows: dict[Value, Value]) -> Value:
        """A carried value that the last step gives."""
        if value not in rows:
            return self._outer(value)
        last = 0 if self.node.params["reverse"] else self.steps - 1
        return self._make("strided_slice", rows[value], index=(last,))

    def _outer(self, value: Value) -> Value:
        """A parameter or constant of the body, outside of it."""
        if value in self.body.parameters:
            result: Value = self.node.inputs[1 + self.body.parameters.index(value)]
            return result
        outer = Value(value.spec)
        self.constants[outer] = self.body.constants[value]
        return outer

    def _with_loop(
        self,
        sums: Sequence[_Sum],
        rest: Sequence[int],
        nodes: list[Node],
        front: Sequence[Value],
        rows: dict[Value, Value],
    ) -> Divided:
        """A loop for what is left, between what was done before it and what is done after it."""
        node, body = self.node, self.body
        inputs, fixed = node.inputs[1:], self.carried + self.sliced
        stacked = list(dict.fromkeys([v for v in body.outputs[self.carried :] if v not in rows]))
        outputs = [body.outputs[i] for i in rest] + stacked
        kept = [v for v in dict.fromkeys([v for s in sums for v in s.rows]) if v not in rows and v not in stacked]
        used = {v for n in nodes for v in n.inputs} | {*outputs, *kept}
        fed = [v for v in front if v in used]
        moved = {v: Value(v.spec) for v in fed}  # what was computed is a parameter now
        parameters = [*[self.own[i] for i in rest], *self.rows, *moved.values(), *body.parameters[fixed:]]
        copied = _on(nodes, moved)
        block = Block(body.trace, parameters, [(moved.get(v, v), 0) for v in (*outputs, *kept)])
        block.nodes = copied
        operands = [*[inputs[i] for i in rest], *inputs[self.carried : fixed], *[rows[v] for v in fed], *inputs[fixed:]]
        params = {
            **node.params,
            "body": block,
            "carried": len(rest),
            "sliced": self.sliced + len(fed),
            "lengths": (self.steps,) * (len(stacked) + len(kept)),
        }
        specs = node.op.infer(*[v.spec for v in (node.inputs[0], *operands)], **params)
        loop = Node(node.op, (node.inputs[0], *operands), params, specs, node.place)
        self.made.append(loop)
        count, *results = loop.outputs
        rows = rows | dict(zip((*stacked, *kept), results[len(rest) :], strict=True))
        totals = {s.number: self._total(s, rows) for s in sums}
        last = dict(zip(rest, results, strict=False))
        carried = [totals[i] if i in totals else last[i] for i in range(self.carried)]
        return self.made, [count, *carried, *[rows[v] for v in body.outputs[self.carried :]]], self.constants

    def _total(self, found: _Sum, rows: dict[Value, Value]) -> Value:
        """A sum over all steps, added to what the loop began with."""
        start, maker = self.node.inputs[1 + found.number], found.added.node
        stacks = [self._stacked(v, rows) for v in found.rows]
        if found.rows == (found.added,) or maker is None:
            total = self._make("reduce_sum", stacks[0], axis=(0,), keepdims=False)
        elif maker.op.name == "reduce_sum":
            axes = (0, *[a + 1 for a in maker.params["axis"]])
            total = self._make("reduce_sum", stacks[0], axis=axes, keepdims=False)
        else:
            flags = maker.params.get("transpose_a", False), not maker.params.get("transpose_b", False)
            a, b = (self._inner_first(x, is_inner) for x, is_inner in zip(stacks, flags, strict=True))
            total = self._make("matmul", a, b, transpose_a=True, transpose_b=False)
        return self._make("add", start, total)

    def _inner_first(self, stack: Value, is_inner: bool) -> Value:
        """Matrices of all steps, one below the other, so that the inner axis of their products comes first."""
        n, first, second = stack.spec.shape
        if not is_inner:
            stack = self._make("transpose", stack, perm=(0, 2, 1))
            first, second = second, first
        return self._make("reshape", stack, shape=(n * first, second))


def _on(nodes: Sequence[Node], moved: dict[Value, Value]) -> list[Node]:
    """Copies of nodes on other values; `moved` learns where theirs went."""
    copies = []
    for node in nodes:
        copies.append(node.on([moved.get(v, v) for v in node.inputs]))
        moved.update(zip(node.outputs, copies[-1].outputs, strict=True))
    return copies


def _needed(nodes: Sequence[Node], wanted: Sequence[Value]) -> list[Node]:
    """The nodes that make some values, and what they need, in order."""
    missing, kept = set(wanted), []
    for node in reversed(nodes):
        if any(v in missing for v in node.outputs):
            missing.update(node.inputs)
            kept.append(node)
    return kept[::-1]


def _independent(nodes: Sequence[Node], states: Sequence[Value]) -> list[Node]:
    """The nodes that need nothing of the values that steps hand on."""
    reached, found = set(states), []
    for node in nodes:
        if any(v in reached for v in node.inputs):
            reached.update(node.outputs)
        else:
            found.append(node)
    return found


def _with_products(nodes: Sequence[Node]) -> list[Node]:
    """The products among nodes, and what is done to their elements right after them."""
    made: set[Value] = set()
    found = []
    for node in nodes:
        is_next = getattr(node.op, "elementwise", False) and any(v in made for v in node.inputs)
        if node.op.name in _PRODUCTS or is_next:
            made.update(node.outputs)
            found.append(node)
    return found


def _has_formula(node: Node) -> bool:
    """True if an op takes all examples at once, in a few ops."""
    batch = getattr(node.op, "batch", None)  # a function of ours that waits for values has none
    if batch is None or node.effect or blocks(node) or isinstance(batch, Unsupported):
        return False
    return "by_loop" not in getattr(batch, "__func__", batch).__code__.co_names
