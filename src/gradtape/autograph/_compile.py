"""The code of rewritten functions, compiled under the user's own file and lines."""

from __future__ import annotations

import ast
import re
from types import CodeType, FunctionType
from typing import Any

from gradtape.autograph import _transformer as transformer
from gradtape.autograph._source import Unavailable, tree_of
from gradtape.autograph._templates import assign, define, load
from gradtape.autograph._verbosity import report, verbosity

_FUTURE = 0x1FF0000  # the flags of `from __future__ import ...` in a code object
_NAME = "ag__function"
_PLACE = f"outer__.<locals>.inner__.<locals>.{_NAME}"
_BLOCK = re.compile(r"ag__(if_body|else_body|loop_body|loop_test|extra_test|operand)_\d+")
_BLOCKS = re.compile(_BLOCK.pattern + r"\.<locals>\.")


def rewritten_code(function: FunctionType) -> CodeType:
    """The code of a module with a function `outer__`, which gives one of `ag__`, which defines the rewritten function inside of
    the names that the original closes over.

    Raises:
      Unavailable: if there is no source, or if it uses what cannot be rewritten.
    """
    code = function.__code__
    tree = transformed(function)
    if verbosity.level:
        report(function, lambda: ast.unparse(ast.fix_missing_locations(tree)))
    try:
        compiled = compile(
            _enclosed(tree, code.co_freevars),
            code.co_filename,
            "exec",
            flags=code.co_flags & _FUTURE,
            dont_inherit=True,
            optimize=0 if __debug__ else 1,
        )
    except (RecursionError, SyntaxError) as problem:
        raise Unavailable(f"{type(problem).__name__}: {problem}") from problem
    return _renamed(compiled, code, code.co_name)


def transformed(function: FunctionType) -> Any:
    """The rewritten syntax tree of a function definition; for a lambda, an assignment."""
    transformer.refuse(function)
    try:
        return transformer.transformed(tree_of(function), function)
    except RecursionError as problem:  # hundreds of branches in branches
        raise Unavailable(f"RecursionError: {problem}") from problem


def text_of(function: FunctionType) -> str:
    """The rewritten function as Python text."""
    return ast.unparse(ast.fix_missing_locations(transformed(function)))


def _enclosed(tree: Any, free: tuple[str, ...]) -> ast.Module:
    """A module with a function of no arguments, which gives a function of `ag__`, which defines the rewritten one: under a name of
    ours, since the function's own may mean something else to it, for instance what a decorator made of it."""
    if isinstance(tree, ast.FunctionDef):
        tree.name = _NAME
    else:
        tree.targets[0].id = _NAME
    inner = define("inner__", ["ag__"], [tree, ast.Return(load(_NAME))])
    cells: list[Any] = [assign(n, ast.Constant(None)) for n in free]
    outer = define("outer__", [], [*cells, inner, ast.Return(load("inner__"))])
    return ast.fix_missing_locations(ast.Module([ast.copy_location(outer, tree)], []))


def _renamed(code: CodeType, original: CodeType, name: str) -> CodeType:
    """The code with the user's names, for tracebacks: that of the function in place of ours and of those of branches and bodies."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            own = name if _BLOCK.fullmatch(constant.co_name) else constant.co_name
            own = original.co_name if own == _NAME else own
            place = _BLOCKS.sub("", constant.co_qualname).replace(_PLACE, original.co_qualname)
            constant = _renamed(constant, original, own).replace(co_name=own, co_qualname=place)
        constants.append(constant)
    return code.replace(co_consts=tuple(constants))
