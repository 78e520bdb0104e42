"""What is changed in the syntax tree of every function that is rewritten, whoever rewrites the statements."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from gradtape.autograph._source import Unavailable
from gradtape.autograph._templates import call, thunk


def stripped(node: Any) -> Any:
    """A function without decorators, defaults and annotations, which belong to the definition and not to a call."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [], None
    args = node.args
    for argument in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg):
        if argument is not None:
            argument.annotation = None
    # Any value will do: the function gets the original's defaults.
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.kw_defaults = [d and ast.Constant(None) for d in args.kw_defaults]
    return node


class Constructs(ast.NodeTransformer):
    """Names as the class of a method means them, `super()`, assertions, comprehensions and `in`."""

    def __init__(self, root: Any, function: FunctionType) -> None:
        self._root = root
        first = (*root.args.posonlyargs, *root.args.args)
        self._first = first[0].arg if first else None
        parts = [p for p in function.__qualname__.split(".") if p != "<locals>"]
        self._class = parts[-2].lstrip("_") if len(parts) > 1 else ""

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Names of a class's own, `self.__x`, as Python stores them."""
        node.attr = self._mangled(node.attr)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        node.id = self._mangled(node.id)
        return node

    def _mangled(self, name: str) -> str:
        return f"_{self._class}{name}" if self._class and name[:2] == "__" and name[-2:] != "__" else name

    def visit_Call(self, node: ast.Call) -> Any:
        """`super()` as it is meant: the class is known to the function that was written in it."""
        is_super = self._is_super(node)
        node = self.generic_visit(node)  # type: ignore[assignment]
        if is_super:
            node.args = [ast.Name("__class__", ast.Load()), ast.Name(self._first or "", ast.Load())]
        return node

    def _is_super(self, node: ast.Call) -> bool:
        return isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self._first is not None

    def visit_Assert(self, node: ast.Assert) -> Any:
        node = self.generic_visit(node)  # type: ignore[assignment]
        return ast.Expr(call("assert_stmt", node.test, thunk(node.msg or ast.Constant(""))))

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Comprehensions over tensors go over their rows."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.iter = call("rows", node.iter)
        node.ifs = [call("filter_", test) for test in node.ifs]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`x in tensor`."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = call("in_", node.left, node.comparators[0])
            return found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), found)
        return node

    def visit_Yield(self, node: Any) -> Any:
        raise Unavailable("generators are not supported")

    def visit_YieldFrom(self, node: Any) -> Any:
        raise Unavailable("generators are not supported")

    def visit_Await(self, node: Any) -> Any:
        raise Unavailable("coroutines are not supported")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._inner(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return self._inner(node)

    def _inner(self, node: Any) -> Any:
        """Inside of an inner function, `super()` means that function's first parameter."""
        if node is self._root:
            return self.generic_visit(node)
        before = self._first
        first = (*node.args.posonlyargs, *node.args.args)
        self._first = first[0].arg if first and isinstance(node, ast.FunctionDef) else before
        try:
            return self.generic_visit(node)
        finally:
            self._first = before
