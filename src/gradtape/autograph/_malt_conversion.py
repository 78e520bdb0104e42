"""Functions with statements that are not simple, rewritten by malt's passes over the syntax tree."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from malt.converters import (
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    directives,
    functions,
    logical_expressions,
    return_statements,
    variables,
)
from malt.core import converter
from malt.lang.directives import set_loop_options
from malt.pyct import anno, cfg, inspect_utils, naming, origin_info, qual_names, transformer
from malt.pyct.static_analysis import activity, reaching_definitions

from gradtape.autograph._malt_preparation import LOOP_OPTIONS, prepared
from gradtape.autograph._source import Unavailable
from gradtape.autograph._templates import assign


def transformed(node: Any, function: FunctionType) -> Any:
    """The rewritten definition of a function; for a lambda, an assignment of it.

    Raises:
      Unavailable: if it uses what cannot be rewritten.
    """
    _annotate(node, function.__code__.co_filename)
    namespace = inspect_utils.getnamespace(function)
    namer = naming.Namer(namespace)
    namespace[LOOP_OPTIONS] = set_loop_options
    name = "lambda__" if isinstance(node, ast.Lambda) else node.name
    info = transformer.EntityInfo(
        name=name, source_code="", source_file=function.__code__.co_filename, future_features=(), namespace=namespace
    )
    options = converter.ConversionOptions(recursive=True, user_requested=False, optional_features=None)
    context = transformer.Context(info, namer, converter.ProgramContext(options=options))
    node = prepared(node, function)
    try:
        node = _passes(node, context)
    except Unavailable:
        raise
    except Exception as problem:
        raise Unavailable(f"{type(problem).__name__}: {problem}") from problem
    tree = assign(name, node) if isinstance(node, ast.Lambda) else node
    _place(tree, function.__code__.co_firstlineno)
    return tree


def _passes(node: Any, context: Any) -> Any:
    """What malt does, in its order; passes that have nothing to do are left out, since each looks at everything."""
    kinds = {type(n) for n in ast.walk(node)}
    has_flow = bool(kinds & {ast.If, ast.While, ast.For, ast.AsyncFor})
    steps = [
        (functions, True),
        (directives, bool(kinds & {ast.While, ast.For})),
        (break_statements, ast.Break in kinds),
        (continue_statements, ast.Continue in kinds or ast.Break in kinds),
        (return_statements, has_flow and not _returns_at_end(node)),
        (call_trees, True),
        (control_flow, has_flow),
        (conditional_expressions, ast.IfExp in kinds),
        (logical_expressions, bool(kinds & {ast.BoolOp, ast.Compare, ast.Not}) or has_flow),
        (variables, has_flow),
    ]
    graphs = cfg.build(node)
    node = qual_names.resolve(node)
    node = activity.resolve(node, context, None)
    if has_flow:
        node = reaching_definitions.resolve(node, context, graphs)
        anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
    for step, is_needed in steps:
        if is_needed:
            node = step.transform(node, context)
    return node


def _returns_at_end(node: Any) -> bool:
    """True if every function of a tree returns at most once, as its last statement."""
    defined = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]
    returns = sum(isinstance(n, ast.Return) for n in ast.walk(node))
    return returns <= sum(isinstance(n.body[-1], ast.Return) for n in defined)


def _annotate(node: Any, filename: str) -> None:
    """Let every node remember where it stands in the user's file."""
    n: Any
    for n in ast.walk(node):
        line = getattr(n, "lineno", None)
        if line is not None:
            place = origin_info.Location(filename, line, n.col_offset)
            anno.setanno(n, anno.Basic.ORIGIN, origin_info.OriginInfo(place, None, "", None))
            anno.setanno(n, "lineno", line)


def _place(node: Any, line: int) -> None:
    """Give every node the line of the user's file that it came from; new ones that of what is around them."""
    origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
    if origin is not None:
        line = origin.loc.lineno
    elif isinstance(node, ast.stmt):
        first = _first_line(node)
        line = line if first is None else first
    if "lineno" in node._attributes:
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = 0 if origin is None else origin.loc.col_offset
    for name, value in ast.iter_fields(node):
        if isinstance(value, tuple):  # malt is content with what can be printed
            setattr(node, name, list(value))
    for child in ast.iter_child_nodes(node):
        _place(child, line)


def _first_line(node: Any) -> int | None:
    """The first line of the user's that a new statement contains."""
    for n in ast.walk(node):
        origin = anno.getanno(n, anno.Basic.ORIGIN, default=None)
        if origin is not None:
            result: int | None = origin.loc.lineno
            return result
    return None
