"""Which variables a piece of a syntax tree reads and binds in the function that it stands in."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TRIES: tuple[Any, ...] = (ast.Try, *[getattr(ast, n) for n in ("TryStar",) if hasattr(ast, n)])
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.AsyncFor, ast.AsyncWith, *TRIES)
WITH_STATEMENTS = (*_COMPOUND, ast.Match, ast.match_case, ast.ExceptHandler)  # the nodes that have statements in them


def own_nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    """Nodes and their descendants, excluding the bodies of functions and classes."""
    stack = list(nodes)
    while stack:
        found = stack.pop()
        yield found
        if not isinstance(found, (*DEFINITIONS, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(found))


def parts(statement: Any) -> list[list[Any]]:
    """The lists of statements in a statement; functions and classes have their own."""
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases]
    if not isinstance(statement, _COMPOUND):
        return []
    found = [statement.body, getattr(statement, "orelse", []), getattr(statement, "finalbody", [])]
    return [*found, *[handler.body for handler in getattr(statement, "handlers", [])]]


def statements(body: Iterable[Any]) -> Iterator[Any]:
    """Statements and those nested in them, excluding the bodies of functions and classes."""
    stack = list(body)
    while stack:
        found = stack.pop()
        yield found
        for part in parts(found):
            stack.extend(part)


def parameters(arguments: ast.arguments) -> set[str]:
    """The names of all parameters."""
    every = (*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
    return {a.arg for a in every if a is not None}


def declared(function: Any) -> tuple[set[str], set[str]]:
    """The names that a function declares to be global, and those that it declares to be nonlocal."""
    shared: tuple[set[str], set[str]] = set(), set()
    for node in statements(_body(function)):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            shared[isinstance(node, ast.Nonlocal)].update(node.names)
    return shared


def writes(node: Any) -> set[str]:
    """The names that a statement or expression binds or deletes. Those of comprehensions and lambdas are their own."""
    found: set[str] = set()
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Name):
            if not isinstance(one.ctx, ast.Load):
                found.add(one.id)
            continue
        if isinstance(one, COMPREHENSIONS):
            found.update(walrus_names(one))
            continue
        if isinstance(one, (*DEFINITIONS, ast.Lambda)):
            if not isinstance(one, ast.Lambda):
                found.add(one.name)
            continue
        if isinstance(one, ast.AnnAssign) and one.value is None:
            continue
        found.update(names_beside(one))
        stack.extend(ast.iter_child_nodes(one))
    return found


def names_beside(node: Any) -> Iterator[str]:
    """The names that a node binds other than by `ast.Name`."""
    if isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name is not None:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest is not None:
        yield node.rest


def walrus_names(node: Any) -> set[str]:
    """The names that assignment expressions in a node bind in the function around it."""
    found: set[str] = set()
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.NamedExpr):
            found.add(one.target.id)
        if not isinstance(one, (*DEFINITIONS, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(one))
    return found


def reads(node: Any) -> set[str]:
    """The names that a statement or expression reads when it is executed: not those in the bodies of functions that it defines,
    but those of lambdas, which are mostly called at once."""
    if isinstance(node, ast.Name):
        return {node.id} if not isinstance(node.ctx, ast.Store) else set()
    if isinstance(node, ast.Lambda):
        return _read_by_all(ast.iter_child_nodes(node.args)) | captured(node)
    if isinstance(node, COMPREHENSIONS):
        return _read_by_comprehension(node)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        outside = [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        return _read_by_all(outside)
    found = _read_by_all(ast.iter_child_nodes(node))
    if isinstance(node, ast.ClassDef):
        return found | captured(node)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    return found


def _read_by_all(nodes: Any) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        found |= reads(node)
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


def captured(node: Any) -> set[str]:
    """The names from around a function, lambda or class that its body reads when it is called."""
    body = _body(node)
    found = _read_by_all(body)
    for inner in statements(body):
        if isinstance(inner, DEFINITIONS):
            found |= captured(inner)
    if isinstance(node, ast.ClassDef):
        return found
    return found - _locals(node)


def _body(node: Any) -> list[Any]:
    return node.body if isinstance(node.body, list) else [node.body]


def _locals(function: Any) -> set[str]:
    own = parameters(function.args)
    for statement in _body(function):
        own |= writes(statement)
    shared_by_all, shared = declared(function)
    return own - shared_by_all - shared


def named_lambdas(body: list[Any]) -> dict[str, set[str]]:
    """The names that lambdas read which have a name: `f = lambda: x`."""
    found: dict[str, set[str]] = {}
    for node in statements(body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for name in writes(node):
                found[name] = found.get(name, set()) | captured(node.value)
    return found


class Place:
    """An attribute or item that is assigned: `self.total`, `table["key"]`, `rows[i]`.

    Attributes:
      text: as Python writes it.
      names: the variables in it.
      node: the expression.
    """

    __slots__ = ("names", "node", "text")

    def __init__(self, text: str, node: Any) -> None:
        self.text, self.node = text, node
        self.names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def places(node: Any) -> list[Place]:
    """The attributes and items that a statement assigns and that a variable leads to, without calls and computed indices."""
    found: dict[str, Place] = {}
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, (*DEFINITIONS, ast.Lambda)):
            continue
        if isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store):
            text = _path(one)
            if text is not None:
                found.setdefault(text, Place(text, one))
        stack.extend(ast.iter_child_nodes(one))
    return list(found.values())


def _path(node: Any) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, (ast.Attribute, ast.Subscript)):
        return None
    owner = _path(node.value)
    if owner is None:
        return None
    if isinstance(node, ast.Attribute):
        return f"{owner}.{node.attr}"
    index = repr(node.slice.value) if isinstance(node.slice, ast.Constant) else _path(node.slice)
    return None if index is None else f"{owner}[{index}]"
