"""`gradtape check`: the TensorFlow names that a program uses, and which of them gradtape lacks; the program is not run."""

from __future__ import annotations

import ast
import inspect
import io
import sys
import threading
import tokenize
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from gradtape import compat
from gradtape.api import absent, habits
from gradtape.cli import notebook
from gradtape.core.plain_file import read_plain

_ROOTS = ("tensorflow", "gradtape")
_DEEP, _STACK = 50_000, 512 << 20  # levels, and bytes of stack that suffice for them


class Use(NamedTuple):
    """A name of TensorFlow at a place in a program."""

    name: str
    place: str


class Finding(NamedTuple):
    """A name, where it is used, and what is wrong with it; nothing if the text is empty."""

    name: str
    places: list[str]
    problem: str


def report(paths: Sequence[str], only_missing: bool = False) -> int:
    """Print the names that programs use; returns 0 if gradtape has them all, 1 if not, 2 if a program cannot be read. The others
    are looked at all the same."""
    found: dict[str, list[str]] = {}
    unreadable: list[str] = []
    for path in paths:
        for use in uses(path, unreadable):
            found.setdefault(use.name, []).append(use.place)
    for problem in unreadable:
        print(f"gradtape check: {problem}")
    findings = [Finding(name, places, lack(name)) for name, places in sorted(found.items())]
    missing = [f for f in findings if f.problem]
    for finding in missing if only_missing else findings:
        state = "missing" if finding.problem else "ok"
        note = f"  ({finding.problem})" if finding.problem else ""
        print(f"{state:8} {finding.name:<48} {_lines(finding.places, len(paths) > 1)}{note}")
    if not findings and unreadable:
        return 2
    if not findings:
        print("No names of TensorFlow are used.")
    elif missing:
        print(f"\n{len(missing)} of {len(findings)} names are missing.")
    else:
        print(f"\ngradtape has all {len(findings)} names.")
    return 2 if unreadable else 1 if missing else 0


def _lines(places: list[str], several: bool) -> str:
    shown = list(dict.fromkeys(p if several or "[" in p else p.rpartition(":")[2] for p in places))
    text = ", ".join(shown[:8]) + (" …" if len(shown) > 8 else "")
    return text if several or "[" in text else ("line " if len(shown) == 1 else "lines ") + text


def uses(path: str, unreadable: list[str] | None = None) -> list[Use]:
    """The names of TensorFlow in a script or notebook, in their order.

    Args:
      path: of the program.
      unreadable: a list to which is added what cannot be read, and why: the file, or cells of it.
    """
    unreadable = [] if unreadable is None else unreadable
    try:
        sources = _sources(path)
    except (OSError, SyntaxError, ValueError) as problem:
        unreadable.append(f"{path}: {problem}")
        return []
    names = _Names()
    found: list[Use] = []
    for name, code in sources:
        try:
            found += names.uses(_parsed(code, name), name)
        except (SyntaxError, ValueError) as problem:
            unreadable.append(f"{name}: {problem}")
        except (RecursionError, MemoryError):
            unreadable.append(f"{name}: an expression is nested too deeply")
    return found


def _sources(path: str) -> list[tuple[str, str]]:
    """The parts of a program with their names: a script, or the cells of a notebook."""
    if path.endswith(".ipynb"):
        return [(cell.name, cell.code) for cell in notebook.cells(path)]
    data = read_plain(path)
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    return [(path, data.decode(encoding))]


def _parsed(code: str, name: str) -> ast.Module:
    """The syntax tree of a program. Long sums are nested deeply: they need more stack than the main thread has."""
    try:
        return ast.parse(code, name)
    except RecursionError:
        pass
    found: list[Any] = []

    def parse() -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(_DEEP)
        try:
            found.append(ast.parse(code, name))
        except (RecursionError, MemoryError, SyntaxError, ValueError) as problem:
            found.append(problem)
        finally:
            sys.setrecursionlimit(limit)

    before = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=parse)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if isinstance(found[0], Exception):
        raise found[0]
    result: ast.Module = found[0]
    return result


class _Names:
    """What the names of a program stand for, as far as they stand for something of TensorFlow."""

    def __init__(self) -> None:
        self._meaning: dict[str, str] = {}

    def uses(self, tree: ast.Module, file: str) -> Iterator[Use]:
        inner: set[int] = set()
        found: list[tuple[int, int, Use]] = []
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found += [(node.lineno, 0, Use(name, f"{file}:{node.lineno}")) for name in self._imported(node)]
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name = self._dotted(node.value)
                if name and isinstance(_object(name), ModuleType):
                    self._meaning[node.targets[0].id] = name
        for node in ast.walk(tree):
            if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner:
                inner.update(id(part) for part in _chain(node))
                name = self._dotted(node)
                if name and "." in name:
                    found.append((node.lineno, node.col_offset, Use(name, f"{file}:{node.lineno}")))
        yield from (use for *_, use in sorted(found))

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        """Note what an import gives; the names of TensorFlow that it needs."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                root, _, rest = alias.name.partition(".")
                if root in _ROOTS:
                    self._meaning[alias.asname or root] = f"tf.{rest}" if alias.asname and rest else "tf"
                    if rest:
                        yield f"tf.{rest}"
            return
        root, _, rest = (node.module or "").partition(".")
        if root not in _ROOTS or node.level:
            return
        base = f"tf.{rest}" if rest else "tf"
        for alias in node.names:
            if alias.name == "*":
                yield base
            else:
                self._meaning[alias.asname or alias.name] = f"{base}.{alias.name}"
                yield f"{base}.{alias.name}"

    def _dotted(self, node: ast.AST) -> str:
        """The name of TensorFlow that an expression is; empty if it is something else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._meaning:
            return ""
        return _public(".".join([self._meaning[node.id], *reversed(parts)]))


def _chain(node: ast.AST) -> Iterator[ast.AST]:
    """The names and attributes that a dotted name consists of."""
    while isinstance(node, ast.Attribute):
        yield node
        node = node.value
    if isinstance(node, ast.Name):
        yield node


def _public(name: str) -> str:
    """A name without attributes of things that are neither modules nor classes: `tf.float32.name` is `tf.float32`."""
    parts = name.split(".")
    for end in range(2, len(parts)):
        found = _object(".".join(parts[:end]))
        if found is not None and not isinstance(found, (ModuleType, type)):
            return ".".join(parts[:end])
    return name


def _object(name: str) -> object:
    try:
        found: object = compat.resolve(name.split(".")[1:])
    except (ImportError, AttributeError):
        return None
    return found


def lack(name: str) -> str:
    """Why a name cannot be used; empty if it can.

    >>> from gradtape.cli.check import lack
    >>> lack("tf.GradientTape"), lack("tf.Session")
    ('', 'not in tf, but in TensorFlow 1; write call functions on tensors directly: y = f(x); there is nothing to run in a session')
    """
    parts = name.split(".")
    try:
        if name == "tf" or compat.resolve(parts[1:]) is not None:
            return ""
        known = absent.lookup(name)
        if known is not None:
            return f"left out: {known.reason}; {known.instead}"
        habit = habits.lookup(name)
        if habit is not None:
            return f"not in tf, but in {habit.library}; write {habit.instead}"
        for end in range(len(parts) - 1, 0, -1):
            owner = compat.resolve(parts[1:end])
            if owner is not None:
                if inspect.isclass(owner) and parts[-1].startswith("_"):
                    return ""
                return f"not in {'.'.join(parts[:end])}"
    except ImportError as problem:
        return str(problem).partition("\n")[0]
    return "not in tf"
