"""The syntax tree of a function, from its file: found by position, which distinguishes lambdas on one line."""

from __future__ import annotations

import ast
import copy
import dis
import linecache
from types import CodeType, FunctionType
from typing import Any

from gradtape.autograph._mangling import class_of, mangled

_files: dict[str, tuple[list[str], dict[int, list[Any]]]] = {}
_MOST = 64  # files whose trees are kept


class Unavailable(Exception):
    """A function cannot be rewritten: it has no source, or uses unsupported syntax."""


def tree_of(function: FunctionType) -> Any:
    """A new copy of the function's syntax tree; lines and columns are those of the file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        if code.co_filename in ("<stdin>", "<console>"):
            raise Unavailable("functions typed into this prompt have no source; put them in a file, or use IPython")
        raise Unavailable(f"the source code of {code.co_filename} cannot be found")
    node = _alone(code, lines)
    if node is not None:
        return node
    found = [n for n in _functions(code.co_filename, lines).get(code.co_firstlineno, []) if _is_node_of(n, code)]
    if len(found) > 1:
        found = _narrowest(found, code) if code.co_name == "<lambda>" else found[-1:]
    if len(found) != 1:
        raise Unavailable(f"the source code of {code.co_name} is not found in {code.co_filename}")
    return copy.deepcopy(found[0])


def has_control_flow(code: CodeType) -> bool:
    """True if a code object, or one nested in it, branches or loops."""
    before = ""
    for instruction in dis.get_instructions(code):
        # A `with` block jumps on the result of __exit__: that is no branch of the program.
        name = instruction.opname
        if name == "FOR_ITER" or ("JUMP" in name and "_IF_" in name and before != "WITH_EXCEPT_START"):
            return True
        if name != "TO_BOOL":
            before = name
    return any(has_control_flow(c) for c in code.co_consts if isinstance(c, CodeType))


def last_line(code: CodeType) -> int:
    """The last line of a file that a code object has instructions for."""
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inner = [last_line(c) for c in code.co_consts if isinstance(c, CodeType)]
    return max([code.co_firstlineno, *lines, *inner])


def _alone(code: CodeType, lines: list[str]) -> Any:
    """The tree of a function from its own lines, if they are Python by themselves: much quicker than reading a large file."""
    first = code.co_firstlineno
    if not 0 < first <= len(lines):
        return None
    indent = _indent(lines[first - 1])
    if indent and first == 1:  # there is no line for the header
        return None
    last = last_line(code)
    is_lambda = code.co_name == "<lambda>"
    if is_lambda and last > first:
        return None
    while not is_lambda and last < len(lines) and (not lines[last].strip() or _indent(lines[last]) > indent):
        last += 1
    header = "\n" * (first - 2) + ("if 1:\n" if indent else "\n"[: first - 1])
    try:
        module = ast.parse(header + "".join(lines[first - 1 : last]))
    except SyntaxError:
        return None
    if is_lambda:
        lambdas = [n for n in ast.walk(module) if isinstance(n, ast.Lambda) and _is_node_of(n, code)]
        found = _narrowest(lambdas, code, is_sure=True)
    else:
        outer: Any = module.body[0]
        found = [
            n
            for n in (outer.body[:1] if indent else [outer])
            if isinstance(n, ast.FunctionDef) and _is_node_of(n, code)
        ]
    return found[0] if len(found) == 1 else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _functions(filename: str, lines: list[str]) -> dict[int, list[Any]]:
    """All functions of a file by the line on which their code begins."""
    known = _files.get(filename)
    if known is not None and known[0] is lines:
        return known[1]
    try:
        module = ast.parse("".join(lines))
    except SyntaxError as problem:
        raise Unavailable(f"{filename} is not Python source: {problem}") from None
    found: dict[int, list[Any]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
        elif isinstance(node, ast.FunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            found.setdefault(first, []).append(node)
    if len(_files) >= _MOST:
        _files.clear()
    _files[filename] = lines, found
    return found


def _is_node_of(node: Any, code: CodeType) -> bool:
    if isinstance(node, ast.Lambda) != (code.co_name == "<lambda>"):
        return False
    if isinstance(node, ast.FunctionDef) and node.name != code.co_name:
        return False
    args = node.args
    owner = class_of(code.co_qualname)
    names = [mangled(a.arg, owner) for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return tuple(names) == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _narrowest(nodes: list[Any], code: CodeType, is_sure: bool = False) -> list[Any]:
    """The lambda of several whose body the code comes from: the smallest that holds all places of its instructions. If these are
    not known, all of them, or none where one must be sure."""
    places = [i.positions for i in dis.get_instructions(code) if i.opname not in _WITHOUT_PLACE and i.positions]
    known = [p for p in places if p.lineno is not None and p.end_col_offset]
    if not known:
        return [] if is_sure else nodes
    first = min((p.lineno, p.col_offset) for p in known)
    last = max((p.end_lineno, p.end_col_offset) for p in known)
    fitting = [
        n
        for n in nodes
        if (n.body.lineno, n.body.col_offset) <= first and last <= (n.body.end_lineno, n.body.end_col_offset)
    ]
    return sorted(fitting, key=lambda n: (n.body.lineno, n.body.col_offset))[-1:]


_WITHOUT_PLACE = ("RESUME", "COPY_FREE_VARS", "MAKE_CELL", "CACHE")
