"""Notebooks as programs: the code cells of an `.ipynb` file, one after the other."""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
import sys
from types import ModuleType
from typing import Any, NamedTuple

from gradtape.core.plain_file import read_plain

# The output of a command as a value: `files = !ls`, `home = %env HOME`.
_ASSIGNED = re.compile(r"(\s*[A-Za-z_]\w*\s*=\s*)([!%].*)$")
# Magics that run the rest of their cell as Python.
_TRANSPARENT = ("%%time", "%%timeit", "%%capture", "%%prun")


class Cell(NamedTuple):
    """A code cell: its name in tracebacks, its Python, and the commands of Jupyter that were skipped."""

    name: str
    code: str
    skipped: tuple[str, ...] = ()


def cells(path: str) -> list[Cell]:
    """The code cells of a notebook that are Python, without what only Jupyter understands.

    Lines keep their numbers: commands of Jupyter (`%matplotlib inline`, `!pip install …`) become comments, `pass` where a
    block needs a statement, an empty list where their output is wanted.
    """
    try:
        content = json.loads(read_plain(path))
        code_cells = [cell["source"] for cell in content["cells"] if cell["cell_type"] == "code"]
        sources = [source if isinstance(source, str) else "".join(source) for source in code_cells]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path} is not a notebook: it should be JSON with 'cells' (nbformat 4).") from None
    python = []
    for number, source in enumerate(sources, 1):
        first = source.lstrip().partition("\n")[0].split(" ")[0]
        if first.startswith("%%") and first not in _TRANSPARENT:
            print(f"{path}: cell {number} is left out: {first}", file=sys.stderr)
            continue
        lines = source.split("\n")
        code = [_python(line) for line in lines]
        skipped = tuple([line.strip() for line, own in zip(lines, code, strict=True) if line != own])
        python.append(Cell(f"{path}[cell {number}]", "\n".join(code) + "\n", skipped))
    return python


def _python(line: str) -> str:
    """A line of a cell, as Python."""
    text = line.lstrip()
    assigned = _ASSIGNED.match(line)
    if assigned:  # the output of a command, of which there is none
        return f"{assigned[1]}[]  # {assigned[2]}"
    if text.startswith(("%", "!")) or (text.endswith("?") and not text.startswith("#")):
        blanks = line[: len(line) - len(text)]
        return f"{blanks}pass  # {text}" if blanks else f"# {text}"
    return line


class _Shell:
    """What `get_ipython()` gives: its methods (`run_line_magic`, `system`) do nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def run(path: str) -> None:
    """Run the cells of a notebook in one module; the value of a cell's last expression is shown."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    module: Any = ModuleType("__main__")
    module.__file__, module.display, module.get_ipython = path, print, _Shell
    sys.modules["__main__"] = module
    book = cells(path)
    skipped = [command for cell in book for command in cell.skipped]
    if skipped:
        shown = ", ".join(skipped[:3]) + (", ..." if len(skipped) > 3 else "")
        lines = "1 line" if len(skipped) == 1 else f"{len(skipped)} lines"
        print(f"{path}: skipped {lines} that only Jupyter runs: {shown}", file=sys.stderr)
    for cell in book:
        # Tracebacks and functions that read their own source find it here.
        linecache.cache[cell.name] = (len(cell.code), None, cell.code.splitlines(keepends=True), cell.name)
        tree = ast.parse(cell.code, cell.name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, cell.name, "exec"), vars(module))
        if isinstance(last, ast.Expr) and not _is_silent(cell.code):
            value = eval(compile(ast.Expression(last.value), cell.name, "eval"), vars(module))
            if value is not None:
                print(repr(value))
        elif last is not None:
            exec(compile(ast.Module([last], []), cell.name, "exec"), vars(module))


def _is_silent(code: str) -> bool:
    """True for cells that end with a semicolon, which shows nothing."""
    return code.rstrip().endswith(";")
