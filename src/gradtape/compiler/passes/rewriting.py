"""A pass made of rules: each looks at one node and may name a value that is the same, but costs less."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.compiler.graph import Copy, Graph, Node, Value
from gradtape.compiler.passes.constants import evaluate
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec


class _NotKnownError(Exception):
    """A rule has met a value, behind those of its node, whose size depends on values."""


class Rewriter:
    """A graph under construction, node by node: what rules ask about values, and by what they make new ones.

    A rule takes the rewriter and a node on values of the new graph, and gives the value that stands for the node's output,
    or None. Nodes that a rule makes are looked at by all rules again, so rules must make things smaller.

    Args:
      graph: the old graph.
      rules: by the name of an op, its rules; those of "*" are for all elementwise ops.
    """

    def __init__(self, graph: Graph, rules: Mapping[str, Sequence[Rule]]) -> None:
        self._graph, self._rules = graph, rules
        self._copy = Copy(graph)
        self._constants = self._copy.new.constants
        self._place: Any = None
        self._scalars: dict[Any, Value] = {}
        self._uniform: dict[Value, Any] = {}
        self._narrow: dict[Value, Value] = {}
        self._readers: Counter[Value] = Counter()

    def run(self) -> Graph:
        """The new graph."""
        readers = Counter([v for node in self._graph.nodes for v in node.inputs] + self._graph.outputs)
        for old in self._graph.nodes:
            node = old
            inputs = tuple([self._copy.now(v) for v in old.inputs])
            if inputs != old.inputs:
                node = old.on(inputs)
            self._place = old.place
            for before, after in zip(old.outputs, self._apply_rules(node), strict=True):
                self._copy.moved[before] = after
                self._readers[after] += readers[before]
        return self._copy.done()

    def is_read_once(self, value: Value) -> bool:
        """True if only one node reads a value, so a rule that merges the two makes it unnecessary."""
        return self._readers[value] <= 1

    def make(self, name: str, *inputs: Value, **params: Any) -> Value:
        """The output of an op on values; if the size of one is not known yet, the rule that asks is given up."""
        op = REGISTRY[name]
        if not all(v.spec.is_known for v in inputs):
            raise _NotKnownError
        node = Node(op, inputs, params, op.infer(*[v.spec for v in inputs], **params), self._place)
        if all(v in self._constants for v in inputs):
            arrays = evaluate(node, [self._constants[v] for v in inputs])
            if arrays is not None and not self._is_full(node):
                return self._constant(node.outputs[0].spec, arrays[0])
        return self._apply_rules(node)[0]

    def full(self, spec: Spec, number: Any) -> Value:
        """A number everywhere in a shape, kept as a number."""
        scalar = self.scalar(number, spec)
        return self.make("broadcast_to", scalar, shape=spec.shape) if spec.shape else scalar

    def scalar(self, number: Any, like: Spec) -> Value:
        """A constant of rank 0 in the dtype of a spec."""
        array = like.dtype.numpy.type(number)
        key = array.dtype, array.tobytes()
        if key not in self._scalars:
            self._scalars[key] = self._constant(Spec((), like.dtype), array)
        return self._scalars[key]

    def number(self, value: Value) -> Any:
        """The NumPy scalar that a constant holds everywhere; None if it is no constant, or holds several."""
        if value not in self._uniform:
            self._uniform[value] = self._find_number(value)
        return self._uniform[value]

    def narrow(self, value: Value) -> Value:
        """A constant without its repetitions: of length 1 along axes along which all is the same. Other values as they are."""
        if value in self._constants and value not in self._narrow:
            array = without_repetitions(self._constants[value])
            is_whole = array.shape == value.spec.shape
            self._narrow[value] = value if is_whole else self._constant(Spec(array.shape, value.spec.dtype), array)
        return self._narrow.get(value, value)

    def fit(self, value: Value, spec: Spec) -> Value | None:
        """A value as wide as a spec of the same dtype; None if it does not fit."""
        if value.spec.dtype is not spec.dtype:
            return None
        return value if value.spec.shape == spec.shape else self.make("broadcast_to", value, shape=spec.shape)

    def _apply_rules(self, node: Node) -> Sequence[Value]:
        """The values that stand for a node's outputs."""
        if not node.effect and not node.several and all(v.spec.is_known for v in (*node.inputs, *node.outputs)):
            for rule in self._rules_of(node):
                try:
                    found = rule(self, node)
                except _NotKnownError:
                    continue
                if found is not None:
                    assert found.spec == node.outputs[0].spec, f"{rule.__name__} turns {node} into {found.spec}."
                    return (found,)
        self._copy.new.nodes.append(node)
        return node.outputs

    def _rules_of(self, node: Node) -> Sequence[Rule]:
        own = self._rules.get(node.op.name, ())
        return (*own, *self._rules["*"]) if getattr(node.op, "elementwise", False) else own

    def _constant(self, spec: Spec, array: Any) -> Value:
        value = Value(spec)
        self._constants[value] = array
        return value

    def _is_full(self, node: Node) -> bool:
        """True for a number spread over a shape, which stays a number."""
        return node.op.name == "broadcast_to" and node.inputs[0].spec.shape == ()

    def _find_number(self, value: Value) -> Any:
        if value in self._constants:
            return uniform(self._constants[value])
        if value.node is not None and value.node.op.name in ("broadcast_to", "fill"):
            return self.number(value.node.inputs[0])
        return None


Rule = Callable[[Rewriter, Node], Value | None]


def uniform(array: Any) -> Any:
    """The scalar that fills an array, bit by bit; None if there is no such, or it is not worth looking."""
    if array.dtype.kind not in "fViub" or not 1 <= array.size <= _LOOKED_AT:
        return None
    flat = np.ravel(array)
    if flat.size == 1:
        return flat[0]
    bits = flat.view(f"u{array.dtype.itemsize}")
    likely = bits[0] == bits[-1] == bits[len(bits) // 2]  # most arrays end here
    return flat[0] if likely and np.all(bits == bits[0]) else None


def without_repetitions(array: Any) -> Any:
    """The first of what is equal along an axis, bit by bit, for each axis; the array itself if nothing is, or it is not worth
    looking."""
    if array.dtype.kind not in "fViub" or not _REPEATING <= array.size <= _LOOKED_AT:
        return array
    bits = array.view(f"u{array.dtype.itemsize}")
    for axis, n in enumerate(array.shape):
        first = bits.take([0], axis)
        # Most arrays end at the second comparison, which looks at few elements.
        if n > 1 and np.array_equal(first, bits.take([n - 1], axis)) and np.all(bits == first):
            bits = first
    return array if bits.shape == array.shape else np.ascontiguousarray(bits).view(array.dtype)


_REPEATING = 64  # elements; repetitions in smaller arrays cost nothing
_LOOKED_AT = 1 << 22


def size(spec: Spec) -> int:
    """How many elements a value has."""
    return math.prod(spec.shape)
