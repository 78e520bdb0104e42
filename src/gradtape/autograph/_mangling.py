"""Private names of a class (`self.__x`) in the form that Python stores: a method that is compiled alone has no class around it."""

from __future__ import annotations

import ast
import itertools
from typing import Any

# The fields of nodes that hold identifiers.
_FIELDS = ("id", "attr", "arg", "name", "asname", "rest")


def class_of(qualname: str) -> str:
    """The name of the innermost class that contains a function; empty if there is none."""
    parts = qualname.split(".")
    around = [a for a, b in itertools.pairwise(parts) if a != "<locals>" and b != "<locals>"]
    return around[-1].lstrip("_") if around else ""


def mangled(name: str, owner: str) -> str:
    """A name as a class stores it."""
    return f"_{owner}{name}" if owner and name[:2] == "__" and name[-2:] != "__" and "." not in name else name


def mangle(root: Any, owner: str) -> None:
    """Mangle all names of a function that is written in a class. Classes in it do so by themselves."""
    if not owner:
        return
    stack = [root]
    while stack:
        node = stack.pop()
        for field in _FIELDS:
            name = getattr(node, field, None)
            if isinstance(name, str) and name[:2] == "__":
                setattr(node, field, mangled(name, owner))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [mangled(n, owner) for n in node.names]
        if isinstance(node, ast.ClassDef):
            stack.extend([*node.bases, *node.keywords, *node.decorator_list])
        else:
            stack.extend(ast.iter_child_nodes(node))
