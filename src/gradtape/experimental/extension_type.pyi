# Written by tools/stubs.py.
# ruff: noqa
from gradtape.toplevel.extension_types import as_dict

__all__ = [
    "as_dict",
]
