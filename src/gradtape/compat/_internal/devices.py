"""Devices and determinism, as older programs ask."""

from __future__ import annotations

from typing import Any

from gradtape import config


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices."""
    return list(config.list_logical_devices())


def is_op_determinism_enabled() -> bool:
    """True: two runs of a program give the same bits."""
    return True


def disable_op_determinism() -> None:
    """Nothing: there is no other mode."""
