"""Modules under TensorFlow's names, which the import finder returns.

A `Front` shows gradtape, or a namespace that is no module, under TensorFlow's name. A `TableModule` shows the names that a
table has for it and nothing else: TensorFlow's inside is finite here, and a name that is not there says who asked for it.
"""

from __future__ import annotations

import dis
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType, ModuleType
from typing import Any

from gradtape.core.errors import LeftOutError

ROOT = "tensorflow"
_OWN_FILES = "<frozen importlib"


class Front(ModuleType):
    """A module of TensorFlow's name: gradtape with TensorFlow's version, or a namespace that is no module."""

    def __init__(self, name: str, shown: Any, find: Callable[[str], Any]) -> None:
        super().__init__(name, getattr(shown, "__doc__", None))
        self._shown, self._find = shown, find
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._find(name)
        except LeftOutError:
            raise
        except AttributeError as problem:
            general = "`gradtape check script.py` lists the names that a program uses and gradtape lacks"
            hint = str(problem).partition("\n  fix: ")[2] or general
            raise AttributeError(
                f"module {self.__name__!r}, answered by gradtape, has no attribute {name!r}; {hint}",
                name=name,
                obj=self,
            ) from None
        if not name.startswith("__") or name == "__internal__":
            self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._shown)})


class TableModule(ModuleType):
    """A module whose names come from a table; each refers to a name of another module.

    Args:
      name: of the module.
      origins: for each name, where it is found: `module` and the dotted name in it.
      inner: the names of modules below this one.
    """

    def __init__(self, name: str, origins: Mapping[str, tuple[str, str]], inner: frozenset[str]) -> None:
        super().__init__(name, "Names of TensorFlow's inside, answered by gradtape.")
        self._origins, self._inner = origins, inner
        self.__path__: list[str] = []
        self.__all__ = sorted([n for n in {*origins, *inner} if not n.startswith("_")])

    def __getattr__(self, name: str) -> Any:
        if name in self._origins:
            value = found(*self._origins[name])
        elif name in self._inner:
            value = importlib.import_module(f"{self.__name__}.{name}")
        elif name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        else:
            raise absent_name(self, name, sys._getframe(1))
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._origins, *self._inner})


def found(module: str, dotted: str) -> Any:
    """An object by its module and the dotted name in it; the module itself where there is no name."""
    value = importlib.import_module(module)
    for part in filter(None, dotted.split(".")):
        try:
            value = getattr(value, part)
        except AttributeError:
            if not isinstance(value, ModuleType):
                raise
            value = importlib.import_module(f"{value.__name__}.{part}")
    return value


def absent_name(module: TableModule, name: str, frame: FrameType) -> Exception:
    """The error for a name that is not in the table: who asked, and which public name there is in its place.

    `from module import name` drops the text of an AttributeError, so it gets an ImportError.
    """
    what = f"{module.__name__}.{name} is a name of TensorFlow's inside that gradtape does not answer."
    text = f"{what}\n  at:  {asker(frame)}\n  fix: {_advice(name)}"
    if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM":
        return ImportError(text, name=module.__name__)
    return AttributeError(text, name=name, obj=module)


def asker(frame: FrameType | None) -> str:
    """The library whose line asks for a name, with the line."""
    while frame is not None and (frame.f_code.co_filename.startswith(_OWN_FILES) or _is_ours(frame)):
        frame = frame.f_back
    if frame is None:
        return "unknown"
    name = frame.f_globals.get("__name__", "__main__")
    library = "the program" if name == "__main__" else f"the library {name.partition('.')[0]}"
    return f"{library} asks for it, {frame.f_code.co_filename}:{frame.f_lineno}"


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("gradtape.")


def _advice(name: str) -> str:
    public = public_name(name)
    return (
        f"use the public name, {public}."
        if public
        else "use public names of tf; docs/libraries.md lists what is answered."
    )


def public_name(name: str) -> str | None:
    """The public name of a function that TensorFlow's inside has under this name, with or without a version at its end."""
    plain = name.removesuffix("_v2").removesuffix("_v1")
    rooms = (
        "",
        "math",
        "nn",
        "linalg",
        "random",
        "nest",
        "strings",
        "sparse",
        "ragged",
        "image",
        "io",
        "debugging",
        "data",
    )
    for room in rooms:
        try:
            space = found("gradtape", room)
            getattr(space, plain)
        except (AttributeError, ImportError):
            continue
        return ".".join(filter(None, ["tf", room, plain]))
    return None


def entries(table: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    """The origin of each name that a module shows: a module and the dotted name in it."""
    origins: dict[str, tuple[str, str]] = {}
    for source, names in table.items():
        is_public = source.partition(".")[0] == "tf"
        module = "gradtape" if is_public else f"gradtape.compat._internal{source}" if source[0] == "." else source
        room = source[3:] + "." if source.startswith("tf.") else ""
        for entry in names:
            name, _, own = entry.partition("=")
            if name == "*":
                origins |= {n: (module, room + n) for n in dir(found(module, room)) if not n.startswith("_")}
            else:
                origins[name] = (module, room + (own or name))
    return origins
