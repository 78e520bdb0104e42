"""A group: nodes that run as one loop, and the role of each value in it."""

from __future__ import annotations

from collections.abc import Iterable

from gradtape.compiler.bodies.rows import COLUMN, ROW
from gradtape.compiler.fusion.classify import ALIAS, ALL, ALONG_COLUMN, ALONG_ROW, ELEMENTWISE, RULE, Role
from gradtape.compiler.graph import Node, Value


class Group:
    """Nodes that run as one loop, or one node that runs by itself.

    Attributes:
      number: its place in the order of groups.
      shape: what it runs over; None for a node that runs by itself.
      nodes: by their numbers.
      places: for each value that it makes, ELEMENT, ROW, COLUMN or ALL.
      inputs: values that it reads.
      leaving: those that it makes and others read.
      roles: what each node is in it.
      inner: how many of the last axes are a row; 0 while nothing asks.
      outer: how many of the first axes its reductions along columns keep; -1 if there are none.
      reduces: True if it has reductions along rows.
      update: True if all it makes are new values of variables.
      finishes: True if it may become the end of a product's loop.
    """

    __slots__ = (
        "finishes",
        "inner",
        "inputs",
        "leaving",
        "merged",
        "nodes",
        "number",
        "outer",
        "places",
        "reduces",
        "roles",
        "shape",
        "update",
    )  # fmt: skip

    def __init__(self, number: float, shape: tuple[int, ...] | None) -> None:
        self.number, self.shape = number, shape
        self.nodes: dict[int, Node] = {}
        self.roles: dict[Node, Role] = {}
        self.places: dict[Value, str] = {}
        self.inputs: dict[Value, None] = {}
        self.leaving: set[Value] = set()
        self.inner, self.outer = 0, -1
        self.reduces = self.update = self.finishes = False
        self.merged: Group | None = None

    def now(self) -> Group:
        """The group itself, or the one that it became a part of."""
        group = self
        while group.merged is not None:
            group = group.merged
        return group

    @property
    def has_rows(self) -> bool:
        """True if it is a loop over rows, rather than over elements."""
        return self.reduces or self.outer >= 0

    def put(self, number: int, node: Node, role: Role, places: Iterable[str]) -> None:
        """Add a node."""
        self.nodes[number] = node
        self.roles[node] = role
        for value, place in zip(node.outputs, places, strict=True):
            self.places[value] = place
            self.inputs.pop(value, None)
        for value in node.inputs:
            self.inputs[value] = None
        if role.kind is not ELEMENTWISE:
            self.reduces |= role.kind in (ALONG_ROW, RULE)
            if COLUMN in places:
                self.outer = role.outer

    def absorb(self, other: Group) -> None:
        """Take over all nodes of another group."""
        self.nodes.update(other.nodes)
        self.roles.update(other.roles)
        self.places.update(other.places)
        self.inputs.update(other.inputs)
        for value in self.places:
            self.inputs.pop(value, None)
        self.inner, self.outer = max(self.inner, other.inner), max(self.outer, other.outer)
        self.reduces |= other.reduces
        self.finishes |= other.finishes
        other.merged = self
        other.nodes = {}

    def aligned(self, node: Node, i: int) -> tuple[int, ...]:
        """The shape of an operand of one of the nodes, beside the shape of the group, with all axes."""
        shape, role = self.shape or (), self.roles[node]
        own: tuple[int, ...] = node.inputs[i].spec.shape
        if role.kind in (ALONG_ROW, ALONG_COLUMN, ALL):
            return shape
        if role.kind == RULE:
            own = tuple(node.op.rows(*[v.spec for v in node.inputs], **node.params)[1 + i])
        elif self.places[node.outputs[0]] == ROW:
            if role.kind == ALIAS:
                return self.rows()
            made = node.outputs[0].spec.shape
            if len(made) < len(shape):
                own = (1,) * (len(made) - len(own)) + own + (1,) * self.inner
        return (1,) * (len(shape) - len(own)) + own

    def reads_whole_rows(self, inner: int) -> bool:
        """Whether everything that it reads varies along all of so many last axes, or along none of them."""
        shape = self.shape or ()
        return all(
            is_whole(self.aligned(node, i), shape, inner) for node in self.roles for i in range(len(node.inputs))
        )

    def rows(self) -> tuple[int, ...]:
        """The shape with unit axes in place of those along a row."""
        shape = self.shape or ()
        return shape[: len(shape) - self.inner] + (1,) * self.inner


def row_axes(shape: tuple[int, ...], inner: int) -> int:
    """How many of the last axes are a row, without unit axes at its beginning."""
    while inner > 1 and shape[len(shape) - inner] == 1:
        inner -= 1
    return inner


def is_whole(own: tuple[int, ...], shape: tuple[int, ...], inner: int) -> bool:
    """Whether something varies along all of the last axes of a shape, or along none of them."""
    last = ((1,) * (len(shape) - len(own)) + own)[len(shape) - inner :]
    return last == shape[len(shape) - inner :] or all(d == 1 for d in last)
