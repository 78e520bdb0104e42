"""What is changed in a syntax tree before malt's passes: constructs that they would refuse, or leave to Python."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from malt.pyct import anno

from gradtape.staging.autograph.source import Unavailable

LOOP_OPTIONS = "ag_loop_options__"


def prepared(node: Any, function: FunctionType) -> Any:
    """The tree for malt: without decorators, defaults and annotations, which belong to the definition and not to a call."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [], None
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    # Any value will do: the function gets the original's defaults.
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    return _Preparation(node, function).visit(node)


class _Preparation(ast.NodeTransformer):
    def __init__(self, root: Any, function: FunctionType) -> None:
        self._root = root
        first = (*root.args.posonlyargs, *root.args.args)
        self._first = first[0].arg if first else None
        parts = [p for p in function.__qualname__.split(".") if p != "<locals>"]
        self._class = parts[-2].lstrip("_") if len(parts) > 1 else ""

    def visit(self, node: Any) -> Any:
        """The node after the change for its kind; new nodes stand where the old one stood."""
        made = super().visit(node)
        origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
        for new in made if isinstance(made, list) else [made]:
            if origin is not None and new is not None and not anno.hasanno(new, anno.Basic.ORIGIN):
                anno.setanno(new, anno.Basic.ORIGIN, origin)
        return made

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
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
        node = self.generic_visit(node)  # type: ignore[assignment]
        if is_super and self._first is not None:
            node.args = [ast.Name("__class__", ast.Load()), ast.Name(self._first, ast.Load())]
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """`set_loop_options(...)`, under the name by which malt's passes find it."""
        call = node.value
        if (
            isinstance(call, ast.Call)
            and getattr(call.func, "attr", getattr(call.func, "id", "")) == "set_loop_options"
        ):
            call.func = ast.Name(LOOP_OPTIONS, ast.Load())
            for part in (call, *call.args, *[k.value for k in call.keywords]):
                self.generic_visit(part)
            return node
        return self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> Any:
        node = self.generic_visit(node)  # type: ignore[assignment]
        message = node.msg or ast.Constant("")
        return ast.Expr(_call("assert_stmt", node.test, _thunk(message)))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        """`except E as name`, with the name assigned: malt's passes take the name of a handler for a node."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        if node.name is not None:
            node.body.insert(0, ast.Assign([ast.Name(node.name, ast.Store())], _call("caught")))
            node.name = None
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Comprehensions over tensors go over their rows."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.iter = _call("rows", node.iter)
        node.ifs = [_call("filter_", test) for test in node.ifs]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`x in tensor`."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = _call("in_", node.left, node.comparators[0])
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

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node


def _call(name: str, *arguments: Any) -> Any:
    return ast.Call(ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load()), list(arguments), [])


def _thunk(body: Any) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)
