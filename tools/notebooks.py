"""Writes examples/notebooks/: every program of examples/ as a notebook.

python tools/notebooks.py            writes the files
python tools/notebooks.py --check    fails if a notebook is not what its program says

The docstring of a program becomes the text of the first cell, its imports and constants the next cell, and each class or
function a cell. The last cell is the block under `if __name__ == "__main__"`. Notebooks have no outputs: they are small, and
differences between versions can be read.
"""

from __future__ import annotations

import ast
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NOTEBOOKS = EXAMPLES / "notebooks"


def notebook(program: str) -> dict[str, Any]:
    """The notebook of a program, in nbformat 4.5."""
    pieces = split(program)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [_cell(number, kind, text) for number, (kind, text) in enumerate(pieces)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def split(program: str) -> list[tuple[str, str]]:
    """The cells of a program: kind, "markdown" or "code", and text."""
    tree, lines = ast.parse(program), program.splitlines()
    text = ast.get_docstring(tree) or ""
    title, _, rest = text.partition("\n\n")
    cells = [("markdown", f"# {title.rstrip('.')}\n\n{_prose(rest)}".strip())]
    code: list[str] = []
    start = tree.body[0].end_lineno or 0
    for node in tree.body[1:]:
        first = min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", [])]])
        before = lines[start : first - 1]  # comments and empty lines
        body = lines[first - 1 : node.end_lineno]
        start = node.end_lineno or 0
        if _is_main(node):
            body = textwrap.dedent("\n".join(body[1:])).splitlines()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) or _is_main(node):
            if code:
                cells.append(("code", "\n".join(code)))
            cells.append(("code", "\n".join([*before, *body])))
            code = []
        else:
            code += [*before, *body]
    return [(kind, part.strip("\n")) for kind, part in cells]


def _prose(text: str) -> str:
    """Text without the commands that run the program in a shell."""
    return "\n\n".join(part for part in text.split("\n\n") if not part.lstrip().startswith("python examples/"))


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(True)}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def texts() -> dict[Path, str]:
    """The files to write, with their texts."""
    found = {}
    for path in sorted(EXAMPLES.glob("*.py")):
        content = notebook(path.read_text(encoding="utf-8"))
        found[NOTEBOOKS / f"{path.stem}.ipynb"] = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    return found


def main() -> int:
    """Write the notebooks, or say which are out of date."""
    wanted = texts()
    present = {path: path.read_text(encoding="utf-8") for path in NOTEBOOKS.glob("*.ipynb")}
    if "--check" in sys.argv[1:]:
        stale = sorted(p.name for p in wanted.keys() | present.keys() if wanted.get(p) != present.get(p))
        print(f"Out of date: {', '.join(stale)}" if stale else "The notebooks are up to date.")
        return int(bool(stale))
    NOTEBOOKS.mkdir(exist_ok=True)
    for path in present.keys() - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    print(f"Written: {len(wanted)} notebooks in {NOTEBOOKS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
