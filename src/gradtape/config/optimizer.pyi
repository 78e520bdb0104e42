# Written by tools/stubs.py.
# ruff: noqa
from gradtape.config._switches import get_experimental_options
from gradtape.config._switches import get_jit
from gradtape.config._switches import set_experimental_options
from gradtape.config._switches import set_jit

__all__ = [
    "get_experimental_options",
    "get_jit",
    "set_experimental_options",
    "set_jit",
]
