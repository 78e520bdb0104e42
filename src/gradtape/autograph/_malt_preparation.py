"""What is changed in a syntax tree before malt's passes: constructs that they would refuse, or leave to Python."""

# ruff: noqa: N802 - methods are named after the nodes that they visit
from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from malt.pyct import anno

from gradtape.autograph._expressions import Constructs, stripped
from gradtape.autograph._templates import assign, call

LOOP_OPTIONS = "ag_loop_options__"


def prepared(node: Any, function: FunctionType) -> Any:
    """The tree for malt."""
    return _Preparation(node, function).visit(stripped(node))


class _Preparation(Constructs):
    def visit(self, node: Any) -> Any:
        """The node after the change for its kind; new nodes stand where the old one stood."""
        made = super().visit(node)
        origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
        for new in made if isinstance(made, list) else [made]:
            if origin is not None and new is not None and not anno.hasanno(new, anno.Basic.ORIGIN):
                anno.setanno(new, anno.Basic.ORIGIN, origin)
        return made

    def visit_Expr(self, node: ast.Expr) -> Any:
        """`set_loop_options(...)`, under the name by which malt's passes find it."""
        made = node.value
        if (
            isinstance(made, ast.Call)
            and getattr(made.func, "attr", getattr(made.func, "id", "")) == "set_loop_options"
        ):
            made.func = ast.Name(LOOP_OPTIONS, ast.Load())
            for part in (made, *made.args, *[k.value for k in made.keywords]):
                self.generic_visit(part)
            return node
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        """`except E as name`, with the name assigned: malt's passes take the name of a handler for a node."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        if node.name is not None:
            node.body.insert(0, assign(node.name, call("caught")))
            node.name = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node
