"""Grouping: which nodes of a graph run as one loop.

Nodes are visited from the last to the first. A node joins the group of those that read its results, at the earliest of their
places: everything that it reads comes before it, and all its readers come at that place or later, so that no search for circles
is needed. A later group that reads a result of the same group is drawn into it if all that it reads is there by then.

A group runs over one shape. What its values are to it is their place: most have one number for each ELEMENT of the shape; some
have one for each ROW, which is the shape without its last axes, and come from reductions along rows; sums over rows
(COLUMN) and over everything (ALL) are known only when the loop has finished, and can be read by other groups alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradtape.compiler.bodies.rows import COLUMN, ELEMENT, ROW
from gradtape.compiler.effects import ASSIGN
from gradtape.compiler.fusion.classify import ALIAS, ALL, ALONG_COLUMN, ALONG_ROW, ELEMENTWISE, RULE, Classifier, Role
from gradtape.compiler.fusion.group import Group, is_whole, row_axes
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.core.dtypes import DType

STEPS, OPERANDS = 64, 16  # that a group has at most
_ONE_ROW = 1 << 15  # elements up to which a single row is a loop over rows: it has no chunks
_LARGE = 1 << 8  # elements from which it saves time to read an array once for two groups
_PRODUCTS = frozenset(
    [
        "matmul",
        "convolution",
        "convolution_input_gradient",
        "convolution_filter_gradient",
        "einsum",
        "depthwise_convolution",
    ]
)

Readers = dict[Value, list[Node]]
_ELEMENTS: tuple[str, ...] = (ELEMENT,)


def group_nodes(graph: Graph, supports: Callable[[DType], bool]) -> list[Group]:
    """All nodes in groups, each after those that it reads."""
    return Grouping(graph, supports).groups()


class Grouping:
    """The groups of a graph while they are made."""

    def __init__(self, graph: Graph, supports: Callable[[DType], bool]) -> None:
        self._classify = Classifier(supports)
        self._nodes = _late_assignments(graph.nodes)
        self._home: dict[Node, Group] = {}
        self._returned = set(graph.outputs)
        self._sources = list(graph.sources())
        self._constants = graph.constants
        self._readers: Readers = {}
        readers = self._readers
        for node in self._nodes:
            for value in node.inputs:
                if value in readers:
                    readers[value].append(node)
                else:
                    readers[value] = [node]
        self._roles = [self._classify(node) for node in self._nodes]
        self._finishing = self._find_finishing()
        self._numbers: dict[Node, int] = {}

    def groups(self) -> list[Group]:
        """All groups in the order in which they run."""
        made: list[Group] = []
        for number in range(len(self._nodes) - 1, -1, -1):
            node, role = self._nodes[number], self._roles[number]
            self._numbers[node] = number
            reading = self._reading(node.outputs)
            group = self._join(number, node, role, reading)
            if group is None:
                group = self._start(number, node, role)
                made.append(group)
            self._home[node] = group
            if (len(reading) > 1 or (reading and reading[0] is not group)) and not self._is_early(node):
                self._draw_in(node.outputs, group, reading)
        for value in self._sources:
            self._draw_in((value,), None, self._reading((value,)))
        found = [part for g in made if g.merged is None for part in self._without_idle_rows(g)]
        return sorted(found, key=lambda g: g.number)

    def _reading(self, values: Sequence[Value]) -> list[Group]:
        """The groups that read some values, in their order."""
        if len(values) == 1:
            readers = self._readers.get(values[0], ())
            if len(readers) < 2:
                return [self._home[r].now() for r in readers]
        found: set[Group] = set()
        for value in values:
            for reader in self._readers.get(value, ()):
                group = self._home[reader]
                found.add(group if group.merged is None else group.now())
        return sorted(found, key=_place) if len(found) > 1 else list(found)

    def _find_finishing(self) -> set[Node]:
        """Elementwise nodes that can be computed where a product's result is, before it goes to memory."""
        found: set[Node] = set()
        for node, role in zip(self._nodes, self._roles, strict=True):
            if role is None or role.kind != ELEMENTWISE:
                continue
            for value in node.inputs:
                maker = value.node
                if maker is not None and (maker.op.name in _PRODUCTS or maker in found):
                    alone = len(self._readers[value]) == 1 and value not in self._returned
                    if alone and value.spec.shape == role.shape:
                        found.add(node)
        return found

    def _start(self, number: int, node: Node, role: Role | None) -> Group:
        """A new group of a node."""
        if role is None or role.kind == ALIAS:
            group = Group(number, None)
            group.nodes[number] = node
            return group
        group = Group(number, role.shape)
        place = {ALONG_ROW: ROW, ALONG_COLUMN: COLUMN, ALL: ALL}.get(role.kind, ELEMENT)
        in_one_row = (
            not _sums_everything(node) if role.kind == ALL else role.kind == ALONG_ROW and not _has_many_rows(role)
        )
        if in_one_row:
            if math.prod(role.shape) > _ONE_ROW:  # it is cut into chunks by the pattern of reductions
                group.shape = None
            place, role = ROW, role._replace(kind=ALONG_ROW)
        group.inner = row_axes(role.shape, role.inner) if role.kind in (ALONG_ROW, ALONG_COLUMN, RULE) else 0
        group.put(number, node, role, role.places or (place,))
        group.leaving.update([v for v in node.outputs if v in self._readers or v in self._returned])
        group.finishes = node in self._finishing
        group.update = all(
            self._readers.get(v) and v not in self._returned and all(r.op is ASSIGN for r in self._readers[v])
            for v in node.outputs
        )
        return group

    def _join(self, number: int, node: Node, role: Role | None, reading: list[Group]) -> Group | None:
        """The group that a node becomes a part of; None if it needs a new one."""
        if role is None or not reading or reading[0].shape is None or role.kind == ALONG_COLUMN:
            return None
        group, places = reading[0], _ELEMENTS
        if role.kind == ALL:
            role = role._replace(kind=ALONG_ROW, inner=row_axes(role.shape, role.inner))
        if len(group.nodes) >= STEPS or not self._keeps_pace(number, node, group, reading):
            return None
        outputs = node.outputs
        leaving = [v for v in outputs if self._leaves(v, group)] if len(reading) > 1 or len(outputs) > 1 else []
        if not leaving and outputs[0] in self._returned:
            leaving = [outputs[0]]
        if not _has_room(group, node, len(leaving), self._constants):
            return None
        if role.kind != ELEMENTWISE or role.shape != group.shape or group.inner > 1:
            found = self._places_in(group, node, role)
            if found is None:
                return None
            places = found
        group.put(number, node, role, places)
        group.leaving.update(leaving)
        if node in self._finishing:
            group.finishes = True
        return group

    def _keeps_pace(self, number: int, node: Node, group: Group, reading: list[Group]) -> bool:
        """Whether a node may wait until a group runs."""
        if self._is_early(node):
            return False
        if group.update and (len(reading) > 1 or not self._returned.isdisjoint(node.outputs)):
            return all(g.update or _is_assignment(g) for g in reading)
        if node not in self._finishing:
            return True
        if group.has_rows:
            return False  # it costs nothing at the end of the product
        return not any(self._is_later_product(v.node, number) for v in group.inputs)

    def _is_early(self, node: Node) -> bool:
        """True for a slope that is better computed at the end of the product whose result it is the slope at: it is kept in place
        of that."""
        if not getattr(node.op, "is_early", False):
            return False
        (value,) = node.inputs
        maker = value.node
        at_end = maker is not None and (maker in self._finishing or maker.op.name in _PRODUCTS)
        return at_end and len(self._readers[value]) > 1 and value not in self._returned

    def _is_later_product(self, maker: Node | None, number: int) -> bool:
        return maker is not None and maker.op.name in _PRODUCTS and self._numbers.get(maker, -1) > number

    def _places_in(self, group: Group, node: Node, role: Role) -> tuple[str, ...] | None:
        """Where a node's results have one number if it becomes a part of a group, which then knows its rows; None if it
        cannot be one."""
        shape = group.shape or ()
        if role.kind == RULE or role.kind == ALONG_ROW:
            if role.shape != shape or (group.inner and group.inner != role.inner):
                return None
            places = role.places or (ROW,)
            if COLUMN in places and (group.outer > 0 or any(self._is_read(group, v) for v in _columns(node, places))):
                return None
        else:
            places = (ELEMENT if node.outputs[0].spec.shape == shape and role.kind == ELEMENTWISE else ROW,)
        inner = group.inner or role.inner or self._inner_for(group, node, role, places)
        if inner is None:
            return None
        for value, place in zip(node.outputs, places, strict=True):
            if not self._suits_readers(group, value, place, inner):
                return None
        if not self._fits_rows(group, node, role, places, inner):
            return None
        group.inner = inner
        return places

    def _is_read(self, group: Group, value: Value) -> bool:
        return any(self._home[r].now() is group for r in self._readers.get(value, ()))

    def _suits_readers(self, group: Group, value: Value, place: str, inner: int) -> bool:
        """Whether the readers of a value in a group take it for what it is there."""
        if place == ELEMENT:
            return value.spec.shape == group.shape
        shape = group.shape or ()
        kept = shape[: len(shape) - inner] + (1,) * inner
        own = value.spec.shape
        if own not in (kept, shape[: len(shape) - inner]):
            return False
        before, group.inner = group.inner, inner
        suits = all(
            group.aligned(reader, i) == kept
            for reader in self._readers.get(value, ())
            if self._home[reader].now() is group
            for i, operand in enumerate(reader.inputs)
            if operand is value
        )
        group.inner = before
        return suits

    def _inner_for(self, group: Group, node: Node, role: Role, places: tuple[str, ...]) -> int | None:
        """How many axes are a row once a node is in a group that does not know it yet; 0 if it does not matter, None if
        there is no way."""
        if group.inner or role.inner:
            return group.inner or role.inner
        if places == (ELEMENT,):
            return 0
        shape, own = group.shape or (), node.outputs[0].spec.shape
        inner = len(shape) - len(own)
        if not inner:
            inner = next((i for i, d in enumerate(reversed(own)) if d != 1), len(own))
        return row_axes(shape, inner) if inner > 0 else None

    def _fits_rows(self, group: Group, node: Node, role: Role, places: tuple[str, ...], inner: int) -> bool:
        """Whether rows of so many axes suit a group with a further node."""
        shape = group.shape or ()
        if not inner:
            return True
        width = math.prod(shape[len(shape) - inner :])
        if not group.inner and (width == 1 or (width == math.prod(shape) and width > _ONE_ROW)):
            return False
        if inner == 1:
            return True
        if not group.inner and not group.reads_whole_rows(inner):
            return False
        if role.kind == ELEMENTWISE and places == (ELEMENT,):
            return all(is_whole(v.spec.shape, shape, inner) for v in node.inputs)
        return True

    def _leaves(self, value: Value, *groups: Group) -> bool:
        if value in self._returned:
            return True
        return any(self._home[r].now() not in groups for r in self._readers.get(value, ()))

    def _draw_in(self, values: Iterable[Value], home: Group | None, reading: list[Group]) -> None:
        """Let the group that makes some values take over later ones that read them; where no loop makes them, the first of
        those that read much of them the others."""
        if len(reading) < 2 and (not reading or reading[0] is home or home is None or home.shape is None):
            return
        rest = [g for g in reading if g is not home and g.shape is not None]
        group = home if home is not None and home.shape is not None else None
        if group is None:
            sizes = [math.prod(v.spec.shape) for v in values if v.spec.is_known]
            if len(rest) < 2 or max(sizes, default=0) < _LARGE:
                return
            group = rest.pop(0)
        for other in rest:
            if self._may_absorb(group, other):
                group.leaving = {v for v in group.leaving | other.leaving if self._leaves(v, group, other)}
                group.absorb(other)

    def _may_absorb(self, group: Group, other: Group) -> bool:
        if group.shape != other.shape or group.update != other.update or len(group.nodes) + len(other.nodes) > STEPS:
            return False
        if (group.finishes and other.has_rows) or (other.finishes and group.has_rows):
            return False
        if (group.inner and other.inner and group.inner != other.inner) or (
            group.outer >= 0 and other.outer >= 0 and group.outer != other.outer
        ):
            return False
        if any(not self._is_known_at(v, group, other) for v in other.inputs):
            return False
        inputs = (group.inputs.keys() | other.inputs.keys()) - group.places.keys()
        leaving = [v for v in group.leaving | other.leaving if self._leaves(v, group, other)]
        if len(inputs) + len(leaving) > OPERANDS:
            return False
        return self._rows_agree(group, other)

    def _is_known_at(self, value: Value, group: Group, other: Group) -> bool:
        """Whether a value that another group reads is there when a group runs."""
        maker = value.node
        if maker is None or maker not in self._home:
            return True
        home = self._home[maker].now()
        if home is not group:
            return home.number < group.number
        place, inner = group.places[value], group.inner or other.inner
        if place == ELEMENT:
            return True
        return place == ROW and (other.inner or inner) == inner and self._suits_readers(other, value, ROW, inner)

    def _rows_agree(self, group: Group, other: Group) -> bool:
        inner = group.inner or other.inner
        return inner < 2 or all(part.inner or part.reads_whole_rows(inner) for part in (group, other))

    def _without_idle_rows(self, group: Group) -> list[Group]:
        """The group, and before it groups of its nodes that have one number for each row, if nothing in it reduces rows: they
        need not be in a loop over rows then."""
        if group.shape is None or group.reduces or ROW not in group.places.values():
            return [group]
        idle = {i: n for i, n in group.nodes.items() if group.places[n.outputs[0]] == ROW}
        found: list[Group] = []
        for number, node in sorted(idle.items()):
            shape = node.outputs[0].spec.shape
            is_alias = group.roles[node].kind == ALIAS
            if is_alias or not found or found[-1].shape != shape:
                found.append(Group(0.0, None if is_alias else shape))
            if is_alias:
                found[-1].nodes[number] = node
            else:
                found[-1].put(number, node, group.roles[node], _ELEMENTS)
            self._home[node] = found[-1]
            del group.nodes[number], group.roles[node], group.places[node.outputs[0]]
        for k, part in enumerate(found):
            part.number = group.number - 0.5 + 0.4 * (k + 1) / (len(found) + 1)
            part.leaving = {v for v in part.places if self._leaves(v, part)}
        group.leaving &= group.places.keys()
        group.inner = 0 if group.outer < 0 else group.inner
        return [*found, group]


def _has_room(group: Group, node: Node, leaving: int, constants: dict[Value, Any]) -> bool:
    """Whether a group has few enough operands with a further node, some results of which others read."""
    own = group.inputs
    count = len(own) + len(group.leaving) + leaving
    if count + len(node.inputs) <= OPERANDS:
        return True
    gone = sum(v in own for v in node.outputs)
    more = len({v for v in node.inputs if v not in own and v not in constants})
    return count - gone + more <= OPERANDS


def _place(group: Group) -> float:
    return group.number


def _columns(node: Node, places: tuple[str, ...]) -> list[Value]:
    return [v for v, place in zip(node.outputs, places, strict=True) if place == COLUMN]


def _is_assignment(group: Group) -> bool:
    return all(node.op is ASSIGN for node in group.nodes.values())


def _sums_everything(node: Node) -> bool:
    return node.op.name == "reduce_sum" and node.inputs[0].spec.dtype.is_floating


def _has_many_rows(role: Role) -> bool:
    return math.prod(role.shape[: len(role.shape) - role.inner]) > 1


def _late_assignments(nodes: list[Node]) -> list[Node]:
    """The nodes with assignments moved back, up to the next other effect: what they wait for need not hurry."""
    order: list[Node] = []
    waiting: list[Node] = []
    for node in nodes:
        if node.op is ASSIGN:
            waiting.append(node)
            continue
        if waiting and node.effect:
            order += waiting
            waiting = []
        order.append(node)
    return order + waiting
