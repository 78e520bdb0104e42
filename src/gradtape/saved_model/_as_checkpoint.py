"""The variables of a saved model as a checkpoint, for `tf.train`: under the paths of the objects that hold them."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from gradtape.core import errors
from gradtape.saved_model import _directory as directory
from gradtape.train import _object_graph as object_graph
from gradtape.train._file_format import Reader

is_model = directory.exists


def open_variables(folder: Path) -> Reader:
    """A reader of the variables of a saved model, with its objects as a checkpoint describes them."""
    content, arrays = directory.read(folder)
    try:
        described, names = _described(content["objects"])
        return arrays.renamed(names, {"objects": described})
    except errors.OpError:
        raise
    except Exception as problem:  # any error that a damaged file may cause
        raise directory.damaged(folder, f"{type(problem).__name__}: {problem}.") from problem


def _described(nodes: list[Any]) -> tuple[list[Any], dict[str, str]]:
    """The objects of a model with their parts, and the names of arrays by the key of each variable: its shortest path."""
    nodes = _with_states(nodes)
    described: list[Any] = [{"parts": {}} for _ in nodes]
    names: dict[str, str] = {}
    seen, todo = {0}, deque([(0, "")])
    while todo:
        number, path = todo.popleft()
        ((kind, held),) = nodes[number].items()
        if kind == "variable":
            key = path + object_graph.VALUE
            described[number]["value"] = key
            names[key] = f"variable-{held}"
            continue
        parts = described[number]["parts"] = _parts(kind, held)
        for name, part in parts.items():
            if part not in seen:
                seen.add(part)
                todo.append((part, f"{path}{object_graph.escaped(name)}/"))
    return described, names


def _with_states(nodes: list[Any]) -> list[Any]:
    """The objects, with the states of generators as separate variables."""
    whole = list(nodes)
    for number, node in enumerate(nodes):
        if "generator" in node:
            whole[number] = {"object": ["Generator", {"_state_var": len(whole)}]}
            whole.append({"variable": node["generator"]})
    return whole


def _parts(kind: str, held: Any) -> dict[str, int]:
    """The numbers of an object's parts by the names that the live object has for them; literals are not parts."""
    if kind == "object":
        return dict(held[1])
    if kind in ("list", "tuple"):
        return {str(i): part for i, part in enumerate(held) if type(part) is int}
    if kind == "dict":
        return {str(key): part for key, part in held if type(part) is int and isinstance(key, (str, int))}
    return {}
