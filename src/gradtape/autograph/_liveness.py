"""Liveness: the variables that a branch or loop changes and that are read afterwards, and those that may be undefined there.

Both are computed on the syntax tree, in functions without jumps (`_jumps.py`): liveness from the last statement to the first,
with as many rounds over a loop as it takes; then definite assignment, from the first statement to the last.
"""

from __future__ import annotations

import ast
from typing import Any

from gradtape.autograph._activity import (
    DEFINITIONS,
    TRIES,
    WITH_STATEMENTS,
    Place,
    captured,
    declared,
    named_lambdas,
    names_beside,
    parameters,
    parts,
    places,
    reads,
    statements,
    walrus_names,
    writes,
)

Owner = tuple[ast.AST, str]


class Block:
    """The facts about an `if`, `for` or `while` statement.

    Attributes:
      names: the variables, attributes and items that it changes and someone reads: first those read after it, in alphabetical
        order.
      outputs: how many of them are read after it.
      places: the attributes and items among them, by name.
      unset: the variables that may have no value before it.
    """

    __slots__ = ("names", "outputs", "places", "unset")

    def __init__(self, names: list[str], outputs: int, places: dict[str, Place]) -> None:
        self.names, self.outputs, self.places = names, outputs, places
        self.unset: list[str] = []

    @property
    def variables(self) -> list[str]:
        """The names that are neither attributes nor items."""
        return [n for n in self.names if n not in self.places]


class Variables:
    """The variables of a function definition without jumps.

    Attributes:
      blocks: what is known of each branch and loop.
      unset: all variables that may have no value where they are read.
      starts: those that must be marked as such, by the part of a statement at whose beginning that is done.
      shared: the names that the function declares to be global.
      closed: those that it declares to be nonlocal.
    """

    def __init__(self, root: ast.FunctionDef, has_walrus: bool = True) -> None:
        self._has_walrus = has_walrus  # there may be assignment expressions
        self.blocks: dict[ast.AST, Block] = {}
        self.unset: set[str] = set()
        self.starts: dict[Owner, list[str]] = {}
        self.shared, self.closed = declared(root)
        self._declared = self.shared | self.closed
        self._read: dict[ast.AST, set[str]] = {}
        self._written: dict[ast.AST, set[str]] = {}
        self._assigned: dict[ast.AST, list[Place]] = {}
        self._before: dict[ast.AST, tuple[set[str], set[str], set[str]]] = {}
        self._captured: dict[ast.AST, frozenset[str]] = {}
        self._raised: set[str] = set()
        self._lambdas = named_lambdas(root.body)
        self._capture(root.body, set())
        self._live(root.body, set())
        self._bind(root.body, parameters(root.args), (root, "body"))

    def _capture(self, body: list[Any], seen: set[str]) -> None:
        """Find what functions that are defined by then may read after each branch and loop."""
        for statement in body:
            if isinstance(statement, (ast.For, ast.While)):
                for node in statements(statement.body):
                    seen |= captured(node) if isinstance(node, DEFINITIONS) else set()
            if isinstance(statement, DEFINITIONS):
                seen |= captured(statement)
            for part in parts(statement):
                self._capture(part, seen)
            self._captured[statement] = frozenset(seen)

    def _live(self, body: list[Any], after: set[str]) -> set[str]:
        """The variables that are read in or after some statements, before they are set again."""
        for statement in reversed(body):
            after = self._live_before(statement, after | self._raised)
        return after | self._raised

    def _live_before(self, statement: Any, after: set[str]) -> set[str]:
        if not isinstance(statement, WITH_STATEMENTS):
            return self._live_before_simple(statement, after)
        known = self._before.get(statement)
        if known is None or known[:2] != (after, self._raised):  # loops around it ask again and again
            known = self._before[statement] = after, self._raised, self._live_before_compound(statement, after)
        return known[2]

    def _live_before_simple(self, statement: Any, after: set[str]) -> set[str]:
        if isinstance(statement, (ast.Return, ast.Raise)):
            return self._reads(statement) | self._raised
        if isinstance(statement, DEFINITIONS):  # the function may be called at any time from here on
            return self._reads(statement) | captured(statement) | (after - self._writes(statement))
        return self._reads(statement) | (after - self._writes(statement))

    def _live_before_compound(self, statement: Any, after: set[str]) -> set[str]:
        if isinstance(statement, ast.If):
            inside = self._live(statement.body, after) | self._live(statement.orelse, after)
            test = self._reads(statement.test)
            self._block(statement, inside | test, after, [*statement.body, *statement.orelse])
            return (inside - self._writes(statement.test)) | test
        if isinstance(statement, (ast.For, ast.While)):
            return self._live_before_loop(statement, after)
        if isinstance(statement, ast.With):
            before = self._live(statement.body, after)
            for item in reversed(statement.items):
                before = (before - self._writes(item)) | self._reads(item)
            return before
        if isinstance(statement, TRIES):
            return self._live_before_try(statement, after)
        before = set(after)
        for case in statement.cases:
            guard = set() if case.guard is None else self._reads(case.guard)
            before |= (self._live(case.body, after) | guard) - self._writes(case.pattern)
        return before | self._reads(statement.subject)

    def _live_before_loop(self, statement: Any, after: set[str]) -> set[str]:
        is_for = isinstance(statement, ast.For)
        head = self._reads(statement.iter if is_for else statement.test)
        if getattr(statement, "extra_test", None) is not None:
            head = head | self._reads(statement.extra_test)
        targets = self._writes(statement.target) if is_for else set()
        before = head | (after - targets)
        while True:
            found = head | ((self._live(statement.body, before) | after) - targets)
            if found == before:
                break
            before = found
        self._block(statement, before, after, [*([statement.target] if is_for else []), *statement.body])
        for value in getattr(statement, "options", {}).values():
            before = before | self._reads(value)
        return before

    def _live_before_try(self, statement: Any, after: set[str]) -> set[str]:
        """An exception may come from any statement, and leads to the handlers or to `finally`."""
        around = self._raised
        last = self._live(statement.finalbody, after)
        if statement.finalbody:
            self._raised = around | last
        handled: set[str] = set()
        for handler in statement.handlers:
            caught = set() if handler.type is None else self._reads(handler.type)
            handled |= (self._live(handler.body, last) - {handler.name or ""}) | caught
        orelse = self._live(statement.orelse, last)
        self._raised = self._raised | handled
        before = self._live(statement.body, orelse)
        self._raised = around
        return before | handled

    def _block(self, statement: Any, before: set[str], after: set[str], changing: list[Any]) -> None:
        after = after | self._captured[statement]
        modified: set[str] = set()
        assigned: dict[str, Place] = {}
        for part in changing:
            modified |= self._writes(part)
            for place in self._places(part):
                if place.names <= before:
                    assigned.setdefault(place.text, place)
        matters = modified & (before | after | self._declared)
        only_before = (matters & before) - after - self._declared
        names = sorted([*matters, *assigned], key=lambda n: (n in only_before, n))
        self.blocks[statement] = Block(names, len(names) - len(only_before), assigned)

    def _bind(self, body: list[Any], bound: set[str], owner: Owner) -> None:
        """Find the variables of branches and loops that may have no value before; `bound` is what has one, and grows."""
        for statement in body:
            block = self.blocks.get(statement)
            if block is not None:
                self._bind_block(statement, block, bound, owner)
            elif isinstance(statement, ast.With):
                for item in statement.items:
                    self._bind_expression(item, bound, owner)
                self._bind(statement.body, set(bound), owner)  # what is entered may end the block at any point
            elif isinstance(statement, TRIES):
                self._bind_try(statement, bound, owner)
            elif isinstance(statement, ast.Match):
                self._bind_expression(statement.subject, bound, owner)
                for case in statement.cases:
                    self._bind(case.body, bound | self._writes(case.pattern), owner)
            else:
                self._bind_expression(statement, bound, owner)
                if isinstance(statement, ast.Delete):
                    self.unset |= self._writes(statement) - self._declared

    def _bind_expression(self, node: Any, bound: set[str], owner: Owner) -> None:
        """Assignment expressions may stand where they are not always evaluated."""
        if self._has_walrus:
            missing = {n for n in walrus_names(node) if n not in bound and n not in self._declared}
            self._start(sorted(missing), owner)
        bound |= self._writes(node)

    def _bind_try(self, statement: Any, bound: set[str], owner: Owner) -> None:
        ends: list[set[str]] = []
        normal = set(bound)
        self._bind(statement.body, normal, owner)
        self._bind(statement.orelse, normal, owner)
        ends.append(normal)
        for handler in statement.handlers:
            own = bound | {handler.name or ""}
            self._bind(handler.body, own, owner)
            if not isinstance(handler.body[-1], (ast.Raise, ast.Return)):
                ends.append(own - {handler.name or ""})
        last = set(bound)
        self._bind(statement.finalbody, last, owner)
        bound |= set.intersection(*ends) | last

    def _bind_block(self, statement: Any, block: Block, bound: set[str], owner: Owner) -> None:
        if not isinstance(statement, ast.While):
            self._bind_expression(statement.test if isinstance(statement, ast.If) else statement.iter, bound, owner)
        block.unset = [n for n in block.variables if n not in bound and n not in self._declared]
        self._start(block.unset, owner)
        bound.update(block.variables)
        targets = self._writes(statement.target) if isinstance(statement, ast.For) else set()
        self._bind(statement.body, {*block.variables, *targets}, (statement, "body"))
        self._bind(statement.orelse, set(block.variables), (statement, "orelse"))

    def _start(self, names: list[str], owner: Owner) -> None:
        """Let variables be marked as having no value at the beginning of a part of the function."""
        known = self.starts.setdefault(owner, [])
        known.extend([n for n in names if n not in known])
        self.unset.update(names)

    def _reads(self, node: ast.AST) -> set[str]:
        found = self._read.get(node)
        if found is None:
            found = reads(node)
            for name in found & self._lambdas.keys():  # whoever reads a lambda may call it
                found = found | self._lambdas[name]
            self._read[node] = found
        return found

    def _writes(self, node: ast.AST) -> set[str]:
        found = self._written.get(node)
        if found is None:
            if isinstance(node, WITH_STATEMENTS):
                found = set(names_beside(node)).union(*map(self._writes, ast.iter_child_nodes(node)))
            else:
                found = writes(node)
            self._written[node] = found
        return found

    def _places(self, node: ast.AST) -> list[Place]:
        found = self._assigned.get(node)
        if found is None:
            if isinstance(node, WITH_STATEMENTS):
                found = [p for child in ast.iter_child_nodes(node) for p in self._places(child)]
            else:
                found = places(node)
            self._assigned[node] = found
        return found
