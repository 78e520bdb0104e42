"""Switches and conversions of AutoGraph."""

from __future__ import annotations

import enum
from typing import Any

from gradtape import autograph as _autograph


class Status(enum.Enum):
    """Whether a function is converted."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class Feature(enum.Enum):
    """Parts of the conversion."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"


class ControlStatusCtx:
    """The AutoGraph status of the called function."""

    def __init__(self, status: Any = Status.UNSPECIFIED, options: Any = None) -> None:
        self.status, self.options = status, options

    def __enter__(self) -> ControlStatusCtx:
        return self

    def __exit__(self, *problem: Any) -> None:
        return None


_UNSPECIFIED = ControlStatusCtx()
CONVERSION_RULES: tuple[Any, ...] = ()


def control_status_ctx() -> ControlStatusCtx:
    """The AutoGraph status of the called function."""
    return _UNSPECIFIED


class ConversionOptions:
    """Options of the conversion."""

    def __init__(self, recursive: bool = False, user_requested: bool = False, **options: Any) -> None:
        self.recursive, self.user_requested = recursive, user_requested
        self.__dict__.update(options)


class ProgramContext:
    """The facts about a program being converted."""

    def __init__(self, options: Any, autograph_module: Any = None) -> None:
        self.options, self.autograph_module = options, autograph_module


def tf_convert(f: Any, ctx: Any = None, convert_by_default: bool = True, user_requested: bool = False) -> Any:
    """A function whose control flow over tensors is traced."""
    if getattr(ctx, "status", Status.UNSPECIFIED) is Status.DISABLED or not convert_by_default:
        return f
    try:
        return _autograph.to_graph(f)
    except Exception:
        return f
