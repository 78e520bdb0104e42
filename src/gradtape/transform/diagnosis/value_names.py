"""The user's name for a value, from the calling frame, and a description of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from gradtape.core import provenance
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_MEMBERS = 100  # how many items of a container are looked at


def user_frame() -> FrameType | None:
    """The innermost frame of the user's code."""
    frame: FrameType | None = sys._getframe(1)
    code, _ = provenance.search(frame)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def find_name(value: Any, frame: FrameType | None) -> str:
    """The name of a value in a frame: a variable's, or `model.w`, `weights[0]`; empty if it has none there."""
    if frame is None:
        return ""
    scopes = [frame.f_locals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
    for scope in scopes:
        for name, held in list(scope.items()):
            if held is value and name.isidentifier() and not name.startswith("__"):
                return name
    for name, held in list(frame.f_locals.items()):
        if not name.isidentifier():
            continue
        for suffix, member in _members(held):
            if member is value:
                return name + suffix
    return ""


def _members(held: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(held, (list, tuple)):
        yield from ((f"[{i}]", member) for i, member in enumerate(held[:_MEMBERS]))
    elif isinstance(held, Mapping):
        yield from ((f"[{key!r}]", member) for key, member in list(held.items())[:_MEMBERS])
    elif not isinstance(held, (type, type(os), Tensor, Variable)):
        attributes = getattr(held, "__dict__", None)
        if isinstance(attributes, dict):
            yield from ((f".{key}", member) for key, member in list(attributes.items())[:_MEMBERS])


def describe(value: Any, name: str, otherwise: str) -> str:
    """A value in words: `w (Variable 'dense/kernel', f32[64,10])`."""
    if isinstance(value, Variable):
        kind = "Variable" if value._name == "Variable" else f"Variable {value._name!r}"
    elif isinstance(value, Tensor):
        kind = "Tensor"
    else:
        return name or otherwise
    return f"{name or otherwise} ({kind}, {spec_of(value)})"
