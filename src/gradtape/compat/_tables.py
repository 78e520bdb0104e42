"""TensorFlow's internal modules that exist here: `tensorflow.python.*`, `tf.__internal__`, `tf.raw_ops` and others.

The tables are in `_internal/`: one for each part. They are finite, and only programs that import `tensorflow` see them.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from types import ModuleType

from gradtape.compat import _fronts

_TABLES = {
    "python": "python_table",
    "__internal__": "double_underscore_table",
    "__operators__": "double_underscore_table",
    "raw_ops": "raw_ops_table",
    "core": "messages_table",
    "compiler": "messages_table",
    "tools": "messages_table",
    "xla": "messages_table",
}


def is_inside(name: str) -> bool:
    """True for the name of a module of TensorFlow's inside, whether it is answered or not."""
    own = _own(name)
    return own is not None and any(own == part or own.startswith(f"{part}.") for part in _TABLES)


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
def modules() -> dict[str, Mapping[str, str]]:
    """Every module in the tables, by its name below `tensorflow`; packages that hold nothing but modules are empty."""
    known: dict[str, Mapping[str, str]] = {}
    for table in dict.fromkeys([*_TABLES.values(), "exported_table"]):
        listed = importlib.import_module(f"gradtape.compat._internal.{table}").MODULES
        for name, names in listed.items():
            parts = name.split(".")
            for end in range(1, len(parts)):
                if any(".".join(parts[:end]).startswith(part) for part in _TABLES):
                    known.setdefault(".".join(parts[:end]), {})
            before = known.get(name, {})
            known[name] = {
                room: " ".join(filter(None, [before.get(room), names.get(room)])) for room in {**before, **names}
            }
    return known
