"""Expressions in rewritten functions: calls, `and`, `or`, `not`, comparisons, conditional expressions and comprehensions."""

# ruff: noqa: N815 - methods are named after the nodes that they visit
from __future__ import annotations

import ast
from typing import Any

from gradtape.autograph._activity import walrus_names
from gradtape.autograph._templates import call, define, load, place, thunk

# Calls that must come from the frame of the function itself, or gain nothing from another road.
_LEFT_ALONE = ("breakpoint",)
_DEBUGGERS = ("pdb", "ipdb")
_LEFT, _RIGHT = "ag__left", "ag__right"


class Expressions(ast.NodeTransformer):
    """The walk over expressions. New nodes stand where the old one stood."""

    def __init__(self, has_walrus: bool) -> None:
        self._has_walrus = has_walrus  # somewhere in the function are assignment expressions
        self._unset: set[str] = set()  # the variables that may have no value
        self._shared: set[str] = set()  # those that are global
        self._first: str | None = None  # the first parameter of the function around
        self._count = 0
        self._calls_as_they_are = False
        self._is_inline = False  # in a lambda or comprehension, before which no statement can stand
        self._before: list[Any] = []  # statements to be put before the one that is visited

    def visit(self, node: Any) -> Any:
        """The node after the change for its kind."""
        made = super().visit(node)
        if made is not node and hasattr(node, "lineno"):
            for new in made if isinstance(made, list) else [made]:
                if not hasattr(new, "lineno"):
                    place(new, node)
        return made

    def own_name(self, name: str) -> str:
        """A name that no function of the user's has."""
        self._count += 1
        return f"ag__{name}_{self._count}"

    def visit_Name(self, node: ast.Name) -> Any:
        return call("ld", node) if node.id in self._unset and isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> Any:
        """Calls of the user's functions rewrite them. `super()` as it is meant: the class is known to the function that was
        written in it."""
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
        node = self.generic_visit(node)  # type: ignore[assignment]
        if is_super and self._first is not None:
            node.args = [load("__class__"), load(self._first)]
        elif not self._calls_as_they_are and not _is_left_alone(node.func):
            node.func = place(call("called", node.func), node.func)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return call("autograph_artifact", self._inside(node))  # it needs no second rewriting

    def _inside(self, node: Any) -> Any:
        """A lambda or comprehension, after its parts."""
        before, self._is_inline = self._is_inline, True
        try:
            return self.generic_visit(node)
        finally:
            self._is_inline = before

    def visit_ListComp(self, node: Any) -> Any:
        return self._inside(node)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Comprehensions over tensors go over their rows."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.iter = call("rows", node.iter)
        node.ifs = [call("filter_", test) for test in node.ifs]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if self._must_stay(node.body, node.orelse):
            return self.generic_visit(node)
        test, body, orelse = self.visit(node.test), self._deferred(node.body), self._deferred(node.orelse)
        return call("if_exp", test, body, orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if self._must_stay(*node.values):
            return self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        *values, last = [self._deferred(v) for v in node.values]
        found: Any = None
        for value in reversed(values):
            found = place(call(name, value, last if found is None else thunk(found)), node)
        return found

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self.visit(node.operand)
        return call("not_", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c` as `a < b and b < c`, with b evaluated once."""
        if len(node.ops) > 1 and self._must_stay(*node.comparators[1:], also_outside=True):
            return self.generic_visit(node)
        node = self.generic_visit(node)  # type: ignore[assignment]
        if len(node.ops) == 1 and not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return node
        return _compared(node.left, node.ops, node.comparators, node)

    def _must_stay(self, *operands: Any, also_outside: bool = False) -> bool:
        """True if an operand binds names that would be lost in a separate function."""
        return (self._is_inline or also_outside) and any(self._bound_by(o) for o in operands)

    def _bound_by(self, node: Any) -> set[str]:
        return walrus_names(node) if self._has_walrus else set()

    def _deferred(self, node: Any) -> Any:
        """A function without parameters that gives the value of an expression. If the expression binds names it is one that is
        defined before the statement."""
        names = self._bound_by(node)
        made = self.visit(node)
        if not names:
            return thunk(made)
        own = self.own_name("operand")
        self._before.append(place(define(own, [], [*self.declarations(names), ast.Return(made)]), node))
        return place(load(own), node)

    def declarations(self, names: Any) -> list[Any]:
        """Statements that let a function inside of the user's set variables of that."""
        shared = [n for n in names if n in self._shared]
        closed = [n for n in names if n not in self._shared]
        found: list[Any] = [ast.Global(sorted(shared))] if shared else []
        return [*found, ast.Nonlocal(sorted(closed))] if closed else found


def _compared(left: Any, ops: list[Any], rights: list[Any], at: Any) -> Any:
    if len(ops) == 1:
        return place(_link(left, ops[0], rights[0]), at)
    middle = rights[0]
    if isinstance(middle, (ast.Name, ast.Constant)):
        rest = _compared(middle, ops[1:], rights[1:], at)
        return place(call("and_", thunk(place(_link(left, ops[0], middle), at)), thunk(rest)), at)
    rest = _compared(load(_RIGHT), ops[1:], rights[1:], at)
    both = call("and_", thunk(_link(load(_LEFT), ops[0], load(_RIGHT))), thunk(rest))
    arguments = ast.arguments([], [ast.arg(_LEFT), ast.arg(_RIGHT)], None, [], [], None, [])
    return place(ast.Call(ast.Lambda(arguments, both), [left, middle], []), at)


def _link(left: Any, op: Any, right: Any) -> Any:
    """One comparison."""
    if isinstance(op, ast.In):
        return call("in_", left, right)
    if isinstance(op, ast.NotIn):
        return call("not_", call("in_", left, right))
    return ast.Compare(left, [op], [right])


def _is_left_alone(function: Any) -> bool:
    """True for calls that stay as they are; those of what the rewriting itself has put there among them."""
    if isinstance(function, ast.Name):
        return function.id in _LEFT_ALONE
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    return function.value.id.startswith("ag__") or (function.attr == "set_trace" and function.value.id in _DEBUGGERS)
