"""Kernels generated for ops that run repeatedly on large arrays, or very often on small ones.

An op with a `scalar` or `row` rule can be turned into machine code for arrays of given shapes. That takes some 50 ms, and
the code generator is loaded for the first, so it is done only for what has run several times. Without llvmlite nothing is
generated, and NumPy's kernels run.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

# How often an op must have run on arrays of the same shapes: large ones soon pay for the code.
_SOON, _LATE = 8, 128
LARGE = 1 << 15
_MOST = 4096  # kinds of calls that are remembered

_Kernel = Callable[..., Any]
_seen: dict[Any, Any] = {}
_generator: list[Any] = []
_NEVER: Any = object()  # stands for a kernel that cannot be generated


def install(module: str) -> None:
    """Name the module whose `generate(op, arrays, params)` gives a kernel or None. It is loaded when first needed."""
    _generator[:] = [module]


def generate_kernels(enabled: bool = True) -> None:
    """Choose whether to compile eager ops and backward passes that run repeatedly.

    Args:
      enabled: True (the default): an op gets it after some calls on arrays of the same shapes, a backward pass of a tape
        after some hundred that were the same (some ten with large arrays), and results may differ from the earlier ones in
        the last bit. False: results are NumPy's, bit for bit, in every call. Functions of `tf.function` are not concerned.

    >>> tf.config.generate_kernels(False)
    >>> tf.config.generate_kernels(True)
    """
    global _enabled
    _enabled = bool(enabled)


_enabled = True


def is_enabled() -> bool:
    """True if machine code may be made for what runs eagerly."""
    return _enabled


def kernel(op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> _Kernel | None:
    """Machine code for an op on arrays of this kind, if it has been compiled."""
    if not _enabled:
        return None
    key: Any = op, *[(a.shape, a.dtype) for a in arrays]
    if params:
        key = (*key, *params.items())
    found = _seen.get(key, 0)
    if type(found) is not int:
        return None if found is _NEVER else found
    _seen[key] = found + 1
    if found < (_SOON if max([a.size for a in arrays]) >= LARGE else _LATE):
        return None
    return _made(key, op, arrays, params)


def _made(key: Any, op: Any, arrays: Sequence[Any], params: dict[str, Any]) -> _Kernel | None:
    if len(_seen) > _MOST:
        _seen.clear()
    _seen[key] = _NEVER  # other threads use NumPy's kernel meanwhile
    made = None
    if _generator:
        if isinstance(_generator[0], str):
            _generator[0] = importlib.import_module(_generator[0])
        made = _generator[0].generate(op, arrays, params)
    if made is not None:
        _seen[key] = made
    return made
