"""Pieces of syntax trees that rewritten functions are made of."""

from __future__ import annotations

import ast
from typing import Any


def call(name: str, *arguments: Any) -> ast.Call:
    """A call of one of the functions of `ag__`."""
    return ast.Call(ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load()), list(arguments), [])


def load(name: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(name, ast.Load())


def thunk(body: Any) -> ast.Lambda:
    """A function without parameters that gives the value of an expression."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def assign(name: str, value: Any) -> ast.Assign:
    """The statement `name = value`."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def define(name: str, parameters: list[str], body: list[Any]) -> ast.FunctionDef:
    """The definition of a function."""
    arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    made = ast.FunctionDef(name, arguments, body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        made.type_params = []  # type: ignore[attr-defined]
    return made


def place(new: Any, old: Any) -> Any:
    """A new node, where an old one begins, if that is known."""
    if hasattr(old, "lineno"):
        new.lineno = new.end_lineno = old.lineno
        new.col_offset = new.end_col_offset = old.col_offset
    return new
