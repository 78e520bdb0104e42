"""TensorFlow's internal modules that exist here: `tensorflow.python.*`, `tf.__internal__`, `tf.raw_ops` and others.

`_internal/names.txt` lists them. The list is finite, and only programs that import `tensorflow` see it. A row is a module, a source, and
names that the module shows from there. A source is `tf` or a public module such as `tf.math`; with a dot in front, a file beside the
list; or else the full name of any module. `name=other` is `other`, which may be dotted, under the name `name`; `*` is all public names.
"""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType

from gradtape.compat import _fronts

_NAMES = Path(__file__).parent / "_internal" / "names.txt"
_PARTS = ("python", "__internal__", "__operators__", "raw_ops", "core", "compiler", "tools", "xla")


def is_inside(name: str) -> bool:
    """True for the name of a module of TensorFlow's inside, whether it is answered or not."""
    own = _own(name)
    return own is not None and any(own == part or own.startswith(f"{part}.") for part in _PARTS)


def _own(name: str) -> str | None:
    """The name of a module below `tensorflow`; `tensorflow.compat.v2` is `tensorflow` itself."""
    if not name.startswith(f"{_fronts.ROOT}."):
        return None
    return name.removeprefix(f"{_fronts.ROOT}.").removeprefix("compat.v2.")


@functools.cache
def module(name: str) -> ModuleType | None:
    """The module of TensorFlow's inside that has this name; None if it is not in the tables."""
    if not is_inside(name):
        return None
    known, own = modules(), _own(name)
    if own is None or own not in known:
        return None
    below = {k.removeprefix(f"{own}.").partition(".")[0] for k in known if k.startswith(f"{own}.")}
    return _fronts.TableModule(name, _fronts.entries(known[own]), frozenset(below))


@functools.cache
def modules() -> dict[str, dict[str, list[str]]]:
    """Every module in the list, by its name below `tensorflow`; packages that hold nothing but modules are empty."""
    known: dict[str, dict[str, list[str]]] = {}
    for row in _NAMES.read_text("utf-8").splitlines():
        name, *origin = row.split()
        parts = name.split(".")
        for end in range(1, len(parts)):
            known.setdefault(".".join(parts[:end]), {})
        sources = known.setdefault(name, {})
        for source in origin[:1]:
            sources.setdefault(source, []).extend(origin[1:])
    return known
