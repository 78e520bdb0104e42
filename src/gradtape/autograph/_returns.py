"""Return statements in branches, as assignments: the function then returns once, at its end."""

from __future__ import annotations

import ast
from typing import Any

from gradtape.autograph._templates import assign, call, place

DID_RETURN, VALUE = "do_return", "retval_"
_SCOPE = "ag__scope"


def are_in_blocks(statements: list[Any]) -> bool:
    """True if a branch or loop has a return statement."""
    return any(_returns(s) for s in statements if isinstance(s, (ast.If, ast.For, ast.While))) or any(
        are_in_blocks(s.body) for s in statements if isinstance(s, ast.With)
    )


def are_simple(statements: list[Any]) -> bool:
    """True if each return statement ends the function or a branch, and what follows a branch that returns can become a part of
    the other branch."""
    for k, statement in enumerate(statements):
        rest = statements[k + 1 :]
        if isinstance(statement, ast.Return):
            return not rest
        if _returns(statement):
            return (
                isinstance(statement, ast.If)
                and _can_take(statement, rest)
                and all(map(are_simple, _taken(statement, rest)))
            )
    return True


def moved(statements: list[Any]) -> list[Any]:
    """What follows the first branch of a function that returns, and becomes a part of it."""
    first = next(k for k, s in enumerate(statements) if _returns(s))
    return statements[first + 1 :]


def lowered(root: ast.FunctionDef) -> None:
    """Let a function whose return statements are simple assign what it returns."""
    has_text = isinstance(root.body[0], ast.Expr) and isinstance(root.body[0].value, ast.Constant)
    text, body = root.body[:has_text], root.body[has_text:]
    scope = call("FunctionScope", ast.Constant(root.name), ast.Constant(""), ast.Constant(None))
    returned = ast.Call(
        ast.Attribute(ast.Name(_SCOPE, ast.Load()), "ret", ast.Load()),
        [ast.Name(VALUE, ast.Load()), ast.Name(DID_RETURN, ast.Load())],
        [],
    )
    inside = [
        assign(DID_RETURN, ast.Constant(False)),
        assign(VALUE, call("UndefinedReturnValue")),
        *_assigning(body),
        ast.Return(returned),
    ]
    block = ast.With([ast.withitem(scope, ast.Name(_SCOPE, ast.Store()))], inside)
    root.body = [*text, place(block, body[0])]


def _assigning(statements: list[Any]) -> list[Any]:
    found: list[Any] = []
    for k, statement in enumerate(statements):
        if isinstance(statement, ast.Return):
            value = statement.value or ast.Constant(None)
            made = (assign(DID_RETURN, ast.Constant(True)), assign(VALUE, value))
            return [*found, *[place(m, statement) for m in made]]
        if isinstance(statement, ast.If) and _returns(statement):
            statement.body, statement.orelse = map(_assigning, _taken(statement, statements[k + 1 :]))
            return [*found, statement]
        found.append(statement)
    return found


def _can_take(statement: ast.If, rest: list[Any]) -> bool:
    """True if what follows a branch is only for one of its parts."""
    return not rest or _ends(statement.body) != _ends(statement.orelse)


def _taken(statement: ast.If, rest: list[Any]) -> tuple[list[Any], list[Any]]:
    """The parts of a branch, the one that does not return with what follows."""
    if _ends(statement.body):
        return statement.body, [*statement.orelse, *rest]
    return [*statement.body, *rest], statement.orelse


def _returns(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Return) for n in ast.walk(node))


def _ends(statements: list[Any]) -> bool:
    """True if statements return in any case."""
    if not statements:
        return False
    last = statements[-1]
    return isinstance(last, ast.Return) or (isinstance(last, ast.If) and _ends(last.body) and _ends(last.orelse))
