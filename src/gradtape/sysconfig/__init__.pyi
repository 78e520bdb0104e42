# Written by tools/stubs.py.
# ruff: noqa
from gradtape.sysconfig._build_info import get_build_info

__all__ = [
    "get_build_info",
]
