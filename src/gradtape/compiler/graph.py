"""The graph of a traced function: values, the nodes that produce them, and their origin in the user's code.

A graph is a list of nodes in the order in which the program ran them; that order is kept for nodes with effects
(assignments, Python functions, prints) and free for all others. A value is made once. Values that no node makes are
parameters of the function, or captures: variables, tensors and values of an outer graph that the function closes over.

    double = graph()                          # printed by str(graph)
      %0: f32[3] = parameter x
      %1: f32[] = capture Variable scale:0
      %2: f32[3] = multiply(%0, %1)           # step.py:4
      return %2
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gradtape.core.provenance import Site
from gradtape.core.shape import Spec


class Value:
    """Something that a program computes: a spec, and where it comes from.

    Attributes:
      spec: shape and dtype; a dimension is None while it is unknown.
      node: the node that makes it; None for parameters and captures.
      name: for parameters, the argument's name.
    """

    __slots__ = ("name", "node", "spec")

    def __init__(self, spec: Spec, node: Node | None = None, name: str = "") -> None:
        self.spec, self.node, self.name = spec, node, name

    def __repr__(self) -> str:
        return f"<value {self.spec}{' ' + self.name if self.name else ''}>"


class Node:
    """One op with its operands.

    Attributes:
      op: the op; its `kernel` runs, its `infer` was asked for the specs.
      inputs: values.
      params: the op's keyword parameters.
      outputs: the values that it makes.
      several: True if the kernel returns a tuple.
      place: (code, offset) in the user's program, for messages.
    """

    __slots__ = ("inputs", "op", "outputs", "params", "place", "several")

    def __init__(self, op: Any, inputs: Iterable[Value], params: dict[str, Any], specs: Any, place: Any = None) -> None:
        self.op, self.inputs, self.params, self.place = op, tuple(inputs), params, place
        self.several = not isinstance(specs, Spec)
        self.outputs = tuple([Value(spec, self) for spec in (specs if self.several else (specs,))])

    def on(self, inputs: Iterable[Value]) -> Node:
        """The same op on other values."""
        specs = tuple([v.spec for v in self.outputs])
        return Node(self.op, inputs, self.params, specs if self.several else specs[0], self.place)

    @property
    def effect(self) -> bool:
        """True if the node does more than compute its outputs, so that it may not be dropped, repeated or moved."""
        return bool(getattr(self.op, "effect", False))

    def __repr__(self) -> str:
        return f"<node {self.op.name}>"


class Graph:
    """A traced function.

    Attributes:
      name: the function's name.
      parameters: values that a call passes.
      captures: (source, value): what the function closes over, fetched at each call.
      constants: by value, arrays that were known when the function was traced.
      nodes: in program order.
      outputs: values that a call returns.
      plain: the same program with NumPy's kernels alone, for arrays that machine code cannot take; None if it is one itself.
    """

    __slots__ = ("captures", "constants", "name", "nodes", "outputs", "parameters", "plain")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parameters: list[Value] = []
        self.captures: list[tuple[Any, Value]] = []
        self.constants: dict[Value, Any] = {}
        self.nodes: list[Node] = []
        self.outputs: list[Value] = []
        self.plain: Graph | None = None

    def sources(self) -> Iterator[Value]:
        """The values that no node makes."""
        yield from self.parameters
        yield from (value for _, value in self.captures)
        yield from self.constants

    def readers(self) -> dict[Value, list[Node | None]]:
        """The nodes that read each value, once for each operand; None stands for the outputs."""
        found: dict[Value, list[Node | None]] = {}
        for node in self.nodes:
            for value in node.inputs:
                found.setdefault(value, []).append(node)
        for value in self.outputs:
            found.setdefault(value, []).append(None)
        return found

    def verify(self) -> None:
        """AssertionError unless every value is made once, before it is used. Of a captured value the constant may be known."""
        captured = {value for _, value in self.captures}
        known = [*self.parameters, *[v for _, v in self.captures], *[v for v in self.constants if v not in captured]]
        assert len(set(known)) == len(known), (
            f"{self.name}: a value is listed twice as a parameter, capture or constant."
        )
        seen = set(known)
        for node in self.nodes:
            for value in node.inputs:
                assert value in seen, f"{self.name}: {node} uses a value before it is made."
            for value in node.outputs:
                assert value not in seen, f"{self.name}: {node} makes a value twice."
                assert value.node is node, f"{self.name}: an output of {node} names another node."
                seen.add(value)
        for value in self.outputs:
            assert value in seen, f"{self.name}: an output is not made by any node."

    def __str__(self) -> str:
        numbers: dict[Value, int] = {}

        def show(value: Value) -> str:
            return f"%{numbers.setdefault(value, len(numbers))}"

        lines = [f"{self.name} = graph()"]
        lines += [f"  {show(v)}: {v.spec} = parameter {v.name}".rstrip() for v in self.parameters]
        lines += [f"  {show(v)}: {v.spec} = capture {describe(source)}" for source, v in self.captures]
        lines += [f"  {show(v)}: {v.spec} = constant {_brief(array)}" for v, array in self.constants.items()]
        for node in self.nodes:
            made = ", ".join(f"{show(v)}: {v.spec}" for v in node.outputs)
            params = "".join(f", {name}={_brief(value)}" for name, value in node.params.items())
            text = f"  {made}{' = ' if made else ''}{node.op.name}({', '.join(map(show, node.inputs))}{params})"
            site = Site.of(node.place)
            lines.append(f"{text:<60} # {site}" if site else text)
            for part in blocks(node):
                lines += ["    " + line for line in str(part).splitlines()]
        lines.append(f"  return {', '.join(map(show, self.outputs))}".rstrip())
        return "\n".join(lines)


class Copy:
    """A graph under construction, and where the values of the old one went."""

    def __init__(self, old: Graph) -> None:
        self.old, self.new = old, Graph(old.name)
        self.moved: dict[Value, Value] = {}
        self.new.parameters = list(old.parameters)
        self.new.captures = list(old.captures)
        self.new.constants = dict(old.constants)

    def now(self, value: Value) -> Value:
        """The new value of an old one."""
        return self.moved.get(value, value)

    def keep(self, node: Node) -> Node:
        """A node in the new graph; a new one if its inputs moved."""
        inputs = tuple([self.now(v) for v in node.inputs])
        if inputs == node.inputs:
            self.new.nodes.append(node)
            return node
        copied = node.on(inputs)
        self.moved.update(zip(node.outputs, copied.outputs, strict=True))
        self.new.nodes.append(copied)
        return copied

    def done(self) -> Graph:
        """The new graph."""
        self.new.outputs = [self.now(v) for v in self.old.outputs]
        return self.new


def replace(graph: Graph, made: Mapping[Node, Sequence[Node]], same: Mapping[Value, Value]) -> Graph:
    """The graph with other nodes in the place of some.

    Args:
      graph: the old graph.
      made: for each of those, the nodes in its place, perhaps none. They read values of the graph and of each other.
      same: for values of the graph, the equal ones of new nodes.
    """
    if not made:
        return graph
    copy = Copy(graph)
    before: dict[Value, list[Value]] = {}
    for old, new in same.items():
        before.setdefault(new, []).append(old)
    for node in graph.nodes:
        for own in made.get(node, (node,)):
            kept = copy.keep(own)
            for value, now in zip(own.outputs, kept.outputs, strict=True):
                copy.moved.update(dict.fromkeys(before.get(value, ()), now))
    return copy.done()


def blocks(node: Node) -> list[Graph]:
    """The graphs that a node runs: branches, the condition and the body of a loop."""
    found = [v for value in node.params.values() for v in (value if isinstance(value, tuple) else (value,))]
    return [v for v in found if isinstance(v, Graph)]


def describe(source: Any) -> str:
    """What a capture is, in words."""
    name = getattr(source, "name", "")
    return f"{type(source).__name__} {name if isinstance(name, str) else ''}".strip()


def _brief(value: Any) -> str:
    """A parameter or constant on one line."""
    if isinstance(value, Graph):
        return f"<{value.name}>"
    if isinstance(value, tuple) and any(isinstance(v, Graph) for v in value):
        return f"({', '.join(map(_brief, value))})"
    if hasattr(value, "shape") and getattr(value, "size", 1) > 4:
        return f"{value.dtype}{list(value.shape)}"
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
