"""Functions of simple statements, rewritten in one walk over the syntax tree: most functions, for which malt is not loaded.

Simple are statements that come one after the other, and branches and loops of them whose variables are names: nothing leaves a
loop early, and no functions are defined beside them. All else is left to malt's passes (conversion.py), which give the same
for what both can do.
"""

# ruff: noqa: N802 - methods are named after the nodes that they visit
from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from gradtape.autograph import _returns as returns
from gradtape.autograph._expressions import Constructs, stripped
from gradtape.autograph._liveness import Block, Variables
from gradtape.autograph._source import Unavailable
from gradtape.autograph._templates import assign, call, define, names, place, thunk

_LOOPS = (ast.For, ast.While)
_FLOW = (ast.If, *_LOOPS)
# What is left to malt wherever it stands.
_NEVER = (ast.ClassDef, ast.NamedExpr, ast.Match, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)
_KINDS_NEVER = frozenset([*_NEVER, *[getattr(ast, n) for n in ("TypeAlias",) if hasattr(ast, n)]])
# What is left to malt in functions with branches or loops.
_KINDS_BESIDE_FLOW = frozenset(
    [ast.Break, ast.Continue, ast.Try, ast.Global, ast.Nonlocal, ast.Delete, ast.Import, ast.ImportFrom]
    + [getattr(ast, n) for n in ("TryStar",) if hasattr(ast, n)]
)
_OWN_NAMES = ("set_loop_options", returns.DID_RETURN, returns.VALUE)
# Calls that must come from the frame of the function itself, or gain nothing from another road.
_LEFT_ALONE = ("print", "breakpoint")
_DEBUGGERS = ("pdb", "ipdb")


def suits(root: Any) -> bool:
    """True for functions of simple statements.

    Raises:
      Unavailable: for what malt would refuse too.
    """
    nodes = list(ast.walk(root))
    kinds = {type(n) for n in nodes}
    if kinds & _KINDS_NEVER:
        return False
    if kinds & {ast.Yield, ast.YieldFrom}:
        raise Unavailable("generators are not supported")
    if kinds.isdisjoint(_FLOW):
        return True
    if kinds & _KINDS_BESIDE_FLOW or not isinstance(root, ast.FunctionDef):
        return False
    if not all(_is_simple(n, root) for n in nodes) or not _all_simple_in_blocks(root.body, False):
        return False
    if not returns.are_in_blocks(root.body):
        return True
    return returns.are_simple(root.body) and _all_simple_in_blocks(returns.moved(root.body), True)


def _is_simple(node: Any, root: ast.FunctionDef) -> bool:
    """True for what malt is not needed for in a function with branches or loops."""
    if isinstance(node, ast.FunctionDef):
        return node is root
    if isinstance(node, _LOOPS):
        return not node.orelse
    if isinstance(node, ast.AnnAssign):
        return node.value is not None
    if isinstance(node, ast.Attribute):
        return node.attr != "set_loop_options"
    if isinstance(node, ast.Name):
        return node.id not in _OWN_NAMES and (node.id[:2] != "__" or node.id[-2:] == "__")
    return True


def _all_simple_in_blocks(statements: list[Any], is_inside: bool) -> bool:
    """True if branches and loops set nothing but names."""
    for statement in statements:
        if isinstance(statement, _FLOW):
            if isinstance(statement, ast.For) and not _sets_names(statement.target):
                return False
            if not _all_simple_in_blocks([*statement.body, *statement.orelse], True):
                return False
        elif isinstance(statement, ast.With):
            if is_inside and not all(_sets_names(i) for i in statement.items):
                return False
            if not _all_simple_in_blocks(statement.body, is_inside):
                return False
        elif is_inside and not _sets_names(statement):
            return False
    return True


def _sets_names(node: ast.AST) -> bool:
    """True if no attribute or item is set."""
    return not any(
        isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, ast.Store) for n in ast.walk(node)
    )


def transformed(root: Any, function: FunctionType) -> Any:
    """The rewritten definition of a function that suits; for a lambda, an assignment of it."""
    has_flow = any(isinstance(n, _FLOW) for n in ast.walk(root))
    if has_flow and returns.are_in_blocks(root.body):
        returns.lowered(root)
    variables = Variables(root) if has_flow else None
    made = _Direct(root, function, variables).visit(stripped(root))
    if isinstance(made, ast.Lambda):
        made = place(assign("lambda__", made), made)
    return made


class _Direct(Constructs):
    """The walk. New nodes stand where the old one stood."""

    def __init__(self, root: Any, function: FunctionType, variables: Variables | None) -> None:
        super().__init__(root, function)
        self._blocks: dict[ast.stmt, Block] = {} if variables is None else variables.blocks
        self._unset: set[str] = set() if variables is None else variables.unset
        self._count = 0
        self._calls_as_they_are = False

    def visit(self, node: Any) -> Any:
        """The node after the change for its kind."""
        made = super().visit(node)
        if made is not node and hasattr(node, "lineno"):
            for new in made if isinstance(made, list) else [made]:
                if not hasattr(new, "lineno"):
                    place(new, node)
        return made

    def visit_Name(self, node: ast.Name) -> Any:
        node = super().visit_Name(node)
        if node.id in self._unset and isinstance(node.ctx, ast.Load):
            return call("ld", node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        made = self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self._unset:
            name = node.target.id
            return [assign(name, call("ld", ast.Name(name, ast.Load()))), made]
        return made

    def visit_Call(self, node: ast.Call) -> Any:
        is_super = self._is_super(node)
        node = super().visit_Call(node)
        if not is_super and not self._calls_as_they_are and not _is_left_alone(node.func):
            node.func = place(call("called", node.func), node.func)
        return node

    def visit_With(self, node: ast.With) -> Any:
        """What is entered is made by calls that stay as they are."""
        before, self._calls_as_they_are = self._calls_as_they_are, True
        node.items = [self.visit(item) for item in node.items]
        self._calls_as_they_are = before
        node.body = self._visited(node.body)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        made = super().visit_FunctionDef(node)
        if node is not self._root:  # it needs no second rewriting
            mark: Any = call("autograph_artifact").func
            made.decorator_list.append(place(mark, node))
        return made

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        made = super().visit_Lambda(node)
        return made if node is self._root else call("autograph_artifact", made)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        test, body, orelse = self.visit(node.test), self.visit(node.body), self.visit(node.orelse)
        return call("if_exp", test, thunk(body), thunk(orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        *values, found = [self.visit(v) for v in node.values]
        for value in reversed(values):
            found = call(name, thunk(value), thunk(found))
        return found

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return call("not_", operand)
        node.operand = operand
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c` as `a < b and b < c`."""
        made = super().visit_Compare(node)
        if made is not node:
            return call("not_", made.operand) if isinstance(made, ast.UnaryOp) else made
        left: Any = node.left
        found: Any = None
        for op, right in zip(node.ops, node.comparators, strict=True):
            one = ast.Compare(left, [op], [right])
            found = one if found is None else call("and_", thunk(found), thunk(one))
            left = right
        return node if len(node.ops) == 1 else found

    def visit_If(self, node: ast.If) -> Any:
        block = self._blocks[node]
        body, orelse = self._own("if_body"), self._own("else_body")
        test = self.visit(node.test)
        before, reading, writing = self._state(block)
        made: Any = [
            *before,
            define(body, [], [*_shared(block), *self._visited(node.body)]),
            define(orelse, [], [*_shared(block), *(self._visited(node.orelse) or [ast.Pass()])]),
            ast.Expr(call("if_stmt", test, _load(body), _load(orelse), reading, writing, *_described(block))),
        ]
        made[-1].value.args.append(ast.Constant(block.outputs))
        return made

    def visit_For(self, node: ast.For) -> Any:
        block = self._blocks[node]
        body, row = self._own("loop_body"), self._own("row")
        over = self.visit(node.iter)
        before, reading, writing = self._state(block)
        first = place(ast.Assign([node.target], _load(row)), node)
        loop = call("for_stmt", over, ast.Constant(None), _load(body), reading, writing, *_described(block), _options())
        return [
            *before,
            define(body, [row], [*_shared(block), first, *self._visited(node.body)]),
            ast.Expr(loop),
        ]

    def visit_While(self, node: ast.While) -> Any:
        block = self._blocks[node]
        body, test = self._own("loop_body"), self._own("loop_test")
        before, reading, writing = self._state(block)
        condition = place(ast.Return(self.visit(node.test)), node.test)
        loop = call("while_stmt", _load(test), _load(body), reading, writing, *_described(block), _options())
        return [
            *before,
            define(body, [], [*_shared(block), *self._visited(node.body)]),
            define(test, [], [condition]),
            ast.Expr(loop),
        ]

    def _state(self, block: Block) -> tuple[list[Any], Any, Any]:
        """Statements before a block, and the functions that read and write its variables."""
        before: list[Any] = [assign(n, call("Undefined", ast.Constant(n))) for n in block.unset]
        if not block.names:
            return before, call("no_state").func, call("keep_state").func
        reading, writing, values = self._own("get_state"), self._own("set_state"), self._own("values")
        assignment = ast.Assign([names(block.names, ast.Store())], _load(values))
        before.append(define(reading, [], [ast.Return(names(block.names, ast.Load()))]))
        before.append(define(writing, [values], [*_shared(block), assignment]))
        return before, _load(reading), _load(writing)

    def _own(self, name: str) -> str:
        """A name that no function of the user's has."""
        self._count += 1
        return f"ag__{name}_{self._count}"

    def _visited(self, statements: list[Any]) -> list[Any]:
        found: list[Any] = []
        for statement in statements:
            made = self.visit(statement)
            found.extend(made) if isinstance(made, list) else found.append(made)
        return found


def _is_left_alone(function: Any) -> bool:
    """True for calls that stay as they are; those of what the rewriting itself has put there among them."""
    if isinstance(function, ast.Name):
        return function.id in _LEFT_ALONE
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    return function.value.id.startswith("ag__") or (function.attr == "set_trace" and function.value.id in _DEBUGGERS)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _shared(block: Block) -> list[ast.stmt]:
    """The declaration of a block's variables in one of its functions."""
    return [ast.Nonlocal(list(block.names))] if block.names else []


def _described(block: Block) -> list[Any]:
    return [ast.Tuple([ast.Constant(n) for n in block.names], ast.Load())]


def _options() -> ast.Dict:
    return ast.Dict([], [])
