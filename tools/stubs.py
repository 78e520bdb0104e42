"""Stubs for the public modules whose names come from tables: `python tools/stubs.py [--check]`.

A type checker cannot see names that load when they are first used, nor the parameters of functions that a family makes. For every
public module with such names a `.pyi` is written beside it: names that are written out in some file are imported from there, so
that their own annotations count; functions of families are spelled out, with their documentation; modules are modules.

`--check` writes nothing and fails if a file is not what would be written. Stubs are never edited by hand.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import functools
import importlib
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import gradtape

ROOT = Path(gradtape.__file__).parent
HEADER = "# Written by tools/stubs.py.\n# ruff: noqa\n"
# Keras has no types: see keras.pyi.
KERAS = ("keras", "initializers", "losses", "metrics", "optimizers")
# Where the words of annotations come from.
WORDS = {
    **dict.fromkeys(("TensorLike", "Array", "Shape", "DType", "Axis"), "gradtape.core.annotations"),
    **dict.fromkeys(("Callable", "Sequence", "Mapping", "Iterable"), "collections.abc"),
    "Any": "typing",
    "ApproxTopK": "gradtape.arrays.sorting",
    "Candidates": "gradtape.random._candidate_samplers",
    "Tensor": "gradtape.core.tensor",
    "Transformation": "gradtape.data._experimental",
    "Variable": "gradtape.core.variable",
}


class Origin(NamedTuple):
    """Where a public name is defined: the module, and its name there; `*` is the module itself."""

    module: str
    name: str


def public_modules(name: str = "gradtape") -> Iterator[str]:
    """The modules that users can reach by attributes, and that have names of tables; not those of TensorFlow 1 in tf.compat."""
    module = importlib.import_module(name)
    if is_lazy(module):
        yield name
    for attribute in shown(module):
        value = None if attribute in KERAS else getattr(module, attribute)
        if isinstance(value, ModuleType) and value.__name__ == f"{name}.{attribute}" and value is not gradtape.compat:
            yield from public_modules(value.__name__)


def is_lazy(module: ModuleType) -> bool:
    """True if a module answers for names that it does not hold, and defines none itself."""
    own = definitions(module.__name__)
    is_own = any(isinstance(own.get(name), (ast.FunctionDef, ast.ClassDef)) for name in shown(module))
    return "__getattr__" in vars(module) and not is_own


def shown(module: ModuleType) -> list[str]:
    """The public names of a module."""
    names = getattr(module, "__all__", [])
    return sorted({*names, *KERAS} if module is gradtape else set(names))


@functools.cache
def definitions(module: str) -> dict[str, ast.stmt]:
    """The statements of a module that define its names."""
    file = importlib.import_module(module).__file__
    assert file is not None
    found: dict[str, ast.stmt] = {}
    for statement in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found[statement.name] = statement
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            found.update({alias.asname or alias.name: statement for alias in statement.names})
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                found.update({n.id: statement for n in ast.walk(target) if isinstance(n, ast.Name)})
    return found


@functools.cache
def origins(module: str) -> dict[str, Origin]:
    """Where the public names of a module come from: the rows of its table, and its imports."""
    loaded = importlib.import_module(module)
    found: dict[str, Origin] = {}
    for name, statement in definitions(module).items():
        if isinstance(statement, ast.ImportFrom) and statement.module is not None:
            own = next(a.name for a in statement.names if (a.asname or a.name) == name)
            is_module = isinstance(getattr(loaded, name, None), ModuleType)
            found[name] = Origin(f"{statement.module}.{own}", "*") if is_module else Origin(statement.module, own)
    for source, names in vars(loaded).get("_LATER", {}).items():
        for entry in names.split():
            name, _, own = entry.partition("=")
            found[source.rpartition(".")[2] if name == "*" else name] = Origin(source, own or name)
    return found


def is_made(origin: Origin) -> bool:
    """True if a name is a function which no `def` defines where it comes from: a family has made it."""
    if origin.name == "*":
        return False
    value = getattr(importlib.import_module(origin.module), origin.name)
    return isinstance(value, FunctionType) and isinstance(
        definitions(origin.module).get(origin.name), (ast.Assign, ast.AnnAssign)
    )


class Stub:
    """The text of one stub, as it grows."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.imports: set[str] = set()
        self.constants: list[str] = []
        self.functions: list[str] = []
        self.loaded = importlib.import_module(module)
        self.names = shown(self.loaded)

    def text(self) -> str:
        """The whole stub."""
        for name in self.names:
            self.add(name)
        if self.module == "gradtape":
            self.constants.append("__version__: str\n")
        listed = "".join([f'    "{name}",\n' for name in self.names])
        parts = ["".join(sorted(self.imports)), f"__all__ = [\n{listed}]\n{''.join(self.constants)}", *self.functions]
        return HEADER + "\n\n".join([part.rstrip("\n") for part in parts if part]) + "\n"

    def add(self, name: str) -> None:
        """One public name."""
        origin = origins(self.module).get(name)
        if origin is None:
            self.constants.append(f"{name}: {self.constant(getattr(self.loaded, name))}\n")
        elif origin.name == "*":
            package, _, last = origin.module.rpartition(".")
            self.show(package, last, name)
        elif not is_made(origin):
            self.show(origin.module, origin.name, name)
        elif (home := self.home(origin)) is not None:
            self.show(*home, name)
        else:
            function = getattr(importlib.import_module(origin.module), origin.name)
            self.functions.append(self.function(function, name))

    def home(self, origin: Origin) -> Origin | None:
        """The public module whose stub spells out a function; None if that is this one."""
        package = origin.module.rpartition(".")[0]
        if package == self.module or not is_lazy(importlib.import_module(package)):
            return None
        return next((Origin(package, n) for n, o in origins(package).items() if o == origin), None)

    def show(self, module: str, own: str, name: str) -> None:
        """Import a name so that it counts as this module's."""
        self.imports.add(f"from {module} import {own}{f' as {name}' if own != name else ''}\n")

    def word(self, word: str) -> str:
        """A word of an annotation, which may mean something else among the public names of this module."""
        if word in vars(builtins):
            if word not in self.names:
                return word
            self.imports.add("import builtins\n")
            return f"builtins.{word}"
        own = f"_{word}" if word in self.names else word
        self.imports.add(f"from {WORDS[word]} import {word}{f' as {own}' if own != word else ''}\n")
        return own

    def annotation(self, text: str) -> str:
        """An annotation in the words of this stub."""
        tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = self.word(node.id)
        return ast.unparse(tree)

    def constant(self, value: Any) -> str:
        """The type of a value that the module itself holds."""
        kind = type(value)
        if value is None:
            return "None"
        if hasattr(builtins, kind.__name__):
            return self.word(kind.__name__)
        return self.word("Any")

    def function(self, function: FunctionType, name: str) -> str:
        """The definition of a function that a family has made."""
        parameters, seen_star = [], False
        for p in inspect.signature(function).parameters.values():
            if p.kind is p.KEYWORD_ONLY and not seen_star:
                parameters.append("*")
                seen_star = True
            star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            text = f"{star}{p.name}: {self.annotation(str(p.annotation))}"
            parameters.append(text if p.default is p.empty else f"{text} = {_default(p.default)}")
        returns = self.annotation(str(function.__annotations__["return"]))
        head = f"def {name}({', '.join(parameters)}) -> {returns}:"
        if len(head) > 120:
            head = f"def {name}(\n    {', '.join(parameters)}\n) -> {returns}:"
        if any(len(line) > 120 for line in head.split("\n")):
            listed = ",\n    ".join(parameters)
            head = f"def {name}(\n    {listed},\n) -> {returns}:"
        words = inspect.getdoc(function)
        assert words, f"{function.__module__}.{function.__qualname__} has no docstring."
        quoted = f'"""{words}\n"""' if "\n" in words else f'"""{words}"""'
        raw = "r" if "\\" in words else ""
        return f"{head}\n{textwrap.indent(raw + quoted, '    ')}\n\n"


def _default(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value) if value is None or isinstance(value, (bool, int, float)) else "..."


def stubs() -> dict[Path, str]:
    """The text of every stub, by its file."""
    found = {}
    for name in dict.fromkeys(public_modules()):
        file = importlib.import_module(name).__file__
        assert file is not None
        found[Path(file).with_suffix(".pyi")] = Stub(name).text()
    return found


def stale() -> list[Path]:
    """The stubs that are not what would be written, and those that nobody writes any more."""
    wanted = stubs()
    changed = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return [*changed, *[path for path in _existing() if path not in wanted]]


def _existing() -> list[Path]:
    return [path for path in ROOT.glob("**/*.pyi") if path.read_text(encoding="utf-8").startswith(HEADER)]


def main() -> None:
    """Write the stubs, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a stub is stale")
    if parser.parse_args().check:
        if found := stale():
            sys.exit(f"stale: {', '.join(str(p.relative_to(ROOT)) for p in found)}; run `python tools/stubs.py`.")
        return
    found = stubs()
    for path in _existing():
        path.unlink()
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
