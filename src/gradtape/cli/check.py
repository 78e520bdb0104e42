"""`gradtape check`: the TensorFlow names that a program uses, and which of them gradtape lacks; the program is not run."""

from __future__ import annotations

import ast
import difflib
import inspect
import io
import sys
import threading
import tokenize
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import gradtape
from gradtape import compat
from gradtape.api import absent, habits
from gradtape.cli import companions, notebook
from gradtape.core import attribute_hints, refusals
from gradtape.core.plain_file import read_plain

_ROOTS = ("tensorflow", "gradtape")
_DEEP, _STACK = 50_000, 512 << 20  # levels, and bytes of stack that suffice for them


class Use(NamedTuple):
    """A name of TensorFlow at a place in a program.

    `tf.reduce_sum`; also `Tensor.mean` and `tf.reduce_sum(dim=)`, attributes and arguments that are not there, and
    `tensorflow_text`, a library beside TensorFlow.
    """

    name: str
    place: str


class Finding(NamedTuple):
    """A name, where it is used, whether gradtape has it ("ok", "missing" or "untried"), and what is wrong with it."""

    name: str
    places: list[str]
    state: str
    problem: str


def report(paths: Sequence[str], only_missing: bool = False) -> int:
    """Print the names that programs use; returns 0 if gradtape has them all, 1 if not, 2 if a program cannot be read. The others
    are still checked."""
    found: dict[str, list[str]] = {}
    unreadable: list[str] = []
    for path in paths:
        for use in uses(path, unreadable):
            found.setdefault(use.name, []).append(use.place)
    for problem in unreadable:
        print(f"gradtape check: {problem}")
    findings = [_finding(name, places) for name, places in sorted(found.items())]
    missing = [f for f in findings if f.state == "missing"]
    for finding in findings:
        if finding.state == "ok" and only_missing:
            continue
        note = f"  ({finding.problem})" if finding.problem else ""
        print(f"{finding.state:8} {finding.name:<48} {_lines(finding.places, len(paths) > 1)}{note}")
    if not findings and unreadable:
        return 2
    if not findings:
        print("No names of TensorFlow are used.")
    elif missing:
        print(f"\n{len(missing)} of {len(findings)} names are missing.")
    else:
        untried = sum(f.state == "untried" for f in findings)
        note = f"; {untried} {'libraries have' if untried > 1 else 'library has'} not been tried" if untried else ""
        print(f"\ngradtape has all {len(findings) - untried} names{note}.")
    return 2 if unreadable else 1 if missing else 0


def _finding(name: str, places: list[str]) -> Finding:
    problem = lack(name)
    library = companions.lookup(name)
    untried = library is not None and library.runs is None
    return Finding(name, places, "untried" if untried else "missing" if problem else "ok", problem)


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
        self._tensors: dict[str, type] = {}

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
        self._find_tensors(tree)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Attribute, ast.Call)):
                found += [(node.lineno, node.col_offset, Use(n, f"{file}:{node.lineno}")) for n in self._absent(node)]
        yield from (use for *_, use in sorted(found))

    def _find_tensors(self, tree: ast.Module) -> None:
        """Note the names that stand for tensors: all that a program assigns to them are results of functions of TensorFlow."""
        assigned: dict[str, set[type | None]] = {}
        assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
        simple = {id(node.targets[0]): node.value for node in assignments if len(node.targets) == 1}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assigned.setdefault(node.id, set()).add(self._kind(simple.get(id(node))))
            elif isinstance(node, ast.arg):
                assigned.setdefault(node.arg, set()).add(None)
        for name, kinds in assigned.items():
            kind = kinds.pop() if len(kinds) == 1 else None
            if kind is not None:
                self._tensors[name] = kind

    def _kind(self, node: ast.AST | None) -> type | None:
        """The class of an expression if it is `tf.Tensor` or `tf.Variable`."""
        if isinstance(node, ast.Name):
            return self._tensors.get(node.id)
        called = _object(self._dotted(node.func)) if isinstance(node, ast.Call) else None
        if called is gradtape.Variable:
            return gradtape.Variable
        is_tensor = getattr(called, "__annotations__", {}).get("return") == "Tensor"
        return gradtape.Tensor if is_tensor else None

    def _absent(self, node: ast.Attribute | ast.Call) -> Iterator[str]:
        """The attribute of a tensor, and the arguments of a function, that are not there."""
        if isinstance(node, ast.Attribute):
            kind = self._kind(node.value)
            if kind is not None and attribute_hints.hint(kind, node.attr):
                yield f"{kind.__name__}.{node.attr}"
            return
        name = self._dotted(node.func)
        called = _object(name) if name else None
        known = _parameters(called) if callable(called) else None
        if known is not None:
            yield from [f"{name}({k.arg}=)" for k in node.keywords if k.arg is not None and k.arg not in known]

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        """Note what an import gives; the names of TensorFlow that it needs."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                root, _, rest = alias.name.partition(".")
                if companions.lookup(root) is not None:
                    yield root
                if root in _ROOTS:
                    self._meaning[alias.asname or root] = f"tf.{rest}" if alias.asname and rest else "tf"
                    if rest:
                        yield f"tf.{rest}"
            return
        root, _, rest = (node.module or "").partition(".")
        if companions.lookup(root) is not None and not node.level:
            yield root
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


def _parameters(function: Any) -> set[str] | None:
    """The names of the arguments that a function or class takes; None if it takes any, or that is not known."""
    if isinstance(function, type) and "__init__" in vars(function):
        function = vars(function)["__init__"]
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    return None if any(p.kind is p.VAR_KEYWORD for p in parameters.values()) else set(parameters)


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


def _object(name: str) -> Any:
    if not name:
        return None
    try:
        found = compat.resolve(name.split(".")[1:])
    except (ImportError, AttributeError):
        return None
    return found


def lack(name: str) -> str:
    """Why a name cannot be used; empty if it can.

    >>> from gradtape.cli.check import lack
    >>> lack("tf.GradientTape"), lack("tf.Session")
    ('', 'not in tf, but in TensorFlow 1; instead: call functions on tensors directly: y = f(x); there is nothing to run in a session')
    """
    library = companions.lookup(name)
    if library is not None:
        return library.reason
    if name.endswith("=)"):
        function, _, argument = name[:-2].partition("(")
        return f"no such argument; instead: {refusals.instead_of_argument(argument, function, _object(function))}"
    kind = {"Tensor": gradtape.Tensor, "Variable": gradtape.Variable}.get(name.partition(".")[0])
    if kind is not None:
        return f"no such attribute; instead: {attribute_hints.hint(kind, name.partition('.')[2])}"
    parts = name.split(".")
    try:
        if name == "tf" or compat.resolve(parts[1:]) is not None:
            return ""
        if len(parts) > 1 and parts[-1] in vars(compat.resolve(parts[1:-1]) or object):
            return ""  # its value is None, as that of tf.newaxis
        known = absent.lookup(name)
        if known is not None:
            return f"left out: {known.reason}; {known.instead}"
        habit = habits.lookup(name) or habits.lookup(".".join(parts[:2]))
        if habit is not None:
            whose = f", but in {habit.library}" if habit.library else ""
            return f"not in tf{whose}; instead: {habit.instead}"
        for end in range(len(parts) - 1, 0, -1):
            owner = compat.resolve(parts[1:end])
            if owner is not None:
                if end == len(parts) - 1 and hasattr(owner, parts[end]):  # `tf.newaxis` is None
                    return ""
                if inspect.isclass(owner) and parts[-1].startswith("_"):
                    return ""
                return f"not in {'.'.join(parts[:end])}{_meant(owner, parts, end)}"
    except ImportError as problem:
        return str(problem).replace("\n  fix: ", " ")
    return "not in tf"


def _meant(owner: Any, parts: list[str], end: int) -> str:
    """A name that is close to a misspelt one."""
    close = difflib.get_close_matches(parts[end], [n for n in dir(owner) if not n.startswith("_")], 1, 0.8)
    return f"; did you mean {'.'.join([*parts[:end], close[0]])}?" if close else ""
