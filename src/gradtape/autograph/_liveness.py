"""Which variables a branch or loop changes that matter outside of it, in functions of simple statements."""

from __future__ import annotations

import ast
from typing import Any


class Block:
    """What is known of an `if`, `for` or `while`.

    Attributes:
      names: the variables that it changes and someone reads: first those read after it, in alphabetical order.
      outputs: how many of them are read after it.
      unset: those that have no value before it.
    """

    __slots__ = ("names", "outputs", "unset")

    def __init__(self, names: list[str], outputs: int) -> None:
        self.names, self.outputs = names, outputs
        self.unset: list[str] = []


class Variables:
    """The variables of a function definition whose statements come one after the other, but for branches and loops.

    Attributes:
      blocks: what is known of each branch and loop.
      unset: all variables that may have no value where they are read.
    """

    def __init__(self, root: ast.FunctionDef) -> None:
        self.blocks: dict[ast.stmt, Block] = {}
        self.unset: set[str] = set()
        self._read: dict[ast.AST, set[str]] = {}
        self._written: dict[ast.AST, set[str]] = {}
        self._live(root.body, set())
        args = root.args
        parameters = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
        self._bind(root.body, {a.arg for a in parameters if a is not None})

    def _live(self, statements: list[ast.stmt], after: set[str]) -> set[str]:
        """The variables that are read in or after some statements, before they are set again."""
        for statement in reversed(statements):
            after = self._live_before(statement, after)
        return after

    def _live_before(self, statement: Any, after: set[str]) -> set[str]:
        if isinstance(statement, ast.If):
            before = (
                self._reads(statement.test) | self._live(statement.body, after) | self._live(statement.orelse, after)
            )
        elif isinstance(statement, (ast.For, ast.While)):
            before = self._live_before_loop(statement, after)
        elif isinstance(statement, ast.With):
            before = self._live(statement.body, after)
            for item in reversed(statement.items):
                before = (before - self._writes(item)) | self._reads(item)
            return before
        elif isinstance(statement, (ast.Return, ast.Raise)):
            return self._reads(statement)
        else:
            return self._reads(statement) | (after - self._writes(statement))
        matters = self._writes(statement) & (before | after)
        only_before = before - after
        names = sorted(matters, key=lambda n: (n in only_before, n))
        self.blocks[statement] = Block(names, len(matters - only_before))
        return before

    def _live_before_loop(self, statement: Any, after: set[str]) -> set[str]:
        is_for = isinstance(statement, ast.For)
        head = self._reads(statement.iter if is_for else statement.test)
        targets = self._writes(statement.target) if is_for else set()
        before: set[str] = set(head)
        while True:
            found = head | ((self._live(statement.body, before) | after) - targets)
            if found == before:
                return before
            before = found

    def _bind(self, statements: list[ast.stmt], bound: set[str]) -> None:
        """Find the variables of branches and loops that have no value before; `bound` is what has one, and grows."""
        for statement in statements:
            block = self.blocks.get(statement)
            if block is not None:
                self._bind_block(statement, block, bound)
            elif isinstance(statement, ast.With):
                for item in statement.items:
                    bound |= self._writes(item)
                self._bind(statement.body, bound)
            else:
                bound |= self._writes(statement)

    def _bind_block(self, statement: Any, block: Block, bound: set[str]) -> None:
        block.unset = [n for n in block.names if n not in bound]
        self.unset.update(block.unset)
        bound.update(block.names)
        targets = self._writes(statement.target) if isinstance(statement, ast.For) else set()
        self._bind(statement.body, {*block.names, *targets})
        self._bind(statement.orelse, set(block.names))

    def _reads(self, node: ast.AST) -> set[str]:
        found = self._read.get(node)
        if found is None:
            found = self._read[node] = reads(node)
        return found

    def _writes(self, node: ast.AST) -> set[str]:
        found = self._written.get(node)
        if found is None:
            found = self._written[node] = writes(node)
        return found


def writes(node: ast.AST) -> set[str]:
    """The variables that a statement sets; those of comprehensions are their own."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    found: set[str] = set()
    if not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for child in ast.iter_child_nodes(node):
            found |= writes(child)
    return found


def reads(node: Any) -> set[str]:
    """The variables that a statement or expression reads."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, ast.Lambda):
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        return reads(node.args) | (reads(node.body) - own)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return _read_by_comprehension(node)
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        found |= reads(child)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    return found


def _read_by_comprehension(node: Any) -> set[str]:
    found: set[str] = set()
    own: set[str] = set()
    for generator in node.generators:
        found |= reads(generator.iter) - own
        own |= writes(generator.target)
        for test in generator.ifs:
            found |= reads(test) - own
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    for part in parts:
        found |= reads(part) - own
    return found
