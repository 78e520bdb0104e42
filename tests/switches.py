"""Switches for the whole process or thread. A test may turn them; the next one finds them as they were."""

from __future__ import annotations

import operator
import sys
from typing import Any

# By module, where it is loaded: an object, and its attributes. Seeds are not here: every test that needs one sets it.
_ATTRIBUTES: dict[str, list[tuple[str, list[str]]]] = {
    "gradtape.core.state": [
        ("settings", ["functions_run_eagerly"]),
        ("current", ["recorders", "depth", "device", "trace", "in_pipeline", "streams", "path"]),
    ],
    "gradtape.core.device": [("placement", ["soft"])],
    "gradtape.core.hints": [("_Hints", ["is_on"])],
    "gradtape.core.tracebacks": [("_Switch", ["enabled"])],
    "gradtape.core.memory": [("", ["_asked"])],
    "gradtape.core.hot_kernels": [("", ["_enabled"])],
    "gradtape.config._threads": [("", ["_between"])],
    "gradtape.data._vectorized_map": [("settings", ["is_enabled"])],
    "gradtape.debugging._numerics": [("_Switches", ["placement"])],
    "gradtape.transform.jacobian": [("", ["_memory"])],
}
# Objects that are changed in place.
_CONTENTS = {"gradtape.config._devices": "_hidden", "gradtape.config._switches": "_settings"}


def positions() -> dict[tuple[str, str, str], Any]:
    """How all switches stand."""
    found = {}
    for module, owner, name in _names():
        found[module, owner, name] = getattr(_owner(module, owner), name)
    for module, name in _CONTENTS.items():
        if module in sys.modules:
            found[module, name, ""] = getattr(sys.modules[module], name).copy()
    return found


def restore(before: dict[tuple[str, str, str], Any]) -> list[str]:
    """Turn switches back; the names of those that stood otherwise."""
    turned = []
    for (module, owner, name), value in before.items():
        if name and getattr(_owner(module, owner), name) is not value:
            _put_back(module, owner, name, value)
            turned.append(f"{module}.{owner}.{name}")
        elif not name and (content := getattr(sys.modules[module], owner)) != value:
            content.clear()
            content.update(value)
            turned.append(f"{module}.{owner}")
    return turned


def _names() -> list[tuple[str, str, str]]:
    loaded = [(module, parts) for module, parts in _ATTRIBUTES.items() if module in sys.modules]
    return [(module, owner, name) for module, parts in loaded for owner, names in parts for name in names]


def _owner(module: str, owner: str) -> Any:
    return operator.attrgetter(owner)(sys.modules[module]) if owner else sys.modules[module]


def _put_back(module: str, owner: str, name: str, value: Any) -> None:
    if name == "_asked":  # threads were started for it
        from gradtape.config._threads import set_intra_op_parallelism_threads

        set_intra_op_parallelism_threads(value)
    else:
        setattr(_owner(module, owner), name, value)
