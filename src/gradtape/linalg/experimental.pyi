# Written by tools/stubs.py.
# ruff: noqa
from gradtape.linalg._conjugate_gradient import conjugate_gradient

__all__ = [
    "conjugate_gradient",
]
