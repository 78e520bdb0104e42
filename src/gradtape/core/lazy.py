"""Names that load their module when first used: `import gradtape` stays quick, however large the library grows."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from gradtape.core import deferral, docstrings, doors, gc_pause


def attach(module: str, sources: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and the list of names for a module whose other names live in modules loaded later.

    Args:
      module: the module's `__name__`.
      sources: the names, separated by blanks, under the module that defines them. `fft=fft1d` is the other module's
        `fft1d` under the name `fft`; `*` is the module itself, under the last part of its name.
    """
    origins: dict[str, tuple[str, str]] = {}
    for source, names in sources.items():
        for entry in names.split():
            name, _, own = entry.partition("=")
            origins[source.rpartition(".")[2] if name == "*" else name] = (source, own or name)

    def get(name: str) -> Any:
        if name not in origins:
            raise _absence(module, name)
        source, own = origins[name]
        with gc_pause.paused():
            try:
                loaded = importlib.import_module(source)
            except ModuleNotFoundError as missing:
                if missing.name is None or missing.name.startswith("gradtape"):
                    raise
                # So that hasattr, inspect.getmembers and builders of documentation can ask.
                raise AttributeError(str(missing), name=name) from None
        defined = loaded if own == "*" else getattr(loaded, own)
        if type(defined) is FunctionType:
            docstrings.complete(defined)
        value = doors.shown(defined)
        if value is not defined:
            value.__module__, value.__qualname__ = module, name  # pickle looks for it there
        setattr(sys.modules[module], name, value)
        return value

    def everything() -> list[str]:
        return sorted({*vars(sys.modules[module])["__all__"], *origins})

    deferral.shows(module)
    return get, everything, sorted(origins)


def _absence(module: str, name: str) -> AttributeError:
    """The error for a name that a module does not have: left out on purpose, a habit of another library, or a mistake."""
    if not name.startswith("_"):
        # By its name: the tables belong to a layer above this one.
        known: AttributeError = importlib.import_module("gradtape.api.absent").problem(module, name)
        if known is not None:
            return known
    # With these two, Python adds "Did you mean: ...".
    return AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
