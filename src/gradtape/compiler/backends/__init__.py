"""How patterns become machine code: one module for each family of patterns, loaded when the first of them is needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.compiler.runtime.kernels import Lowered
from gradtape.core.shape import Spec

Emitter = Callable[[Any, Sequence[Spec], Sequence[Spec]], Lowered | None]
# By the class of the pattern: a function of the pattern and of the specs of inputs and outputs. The modules below fill it.
EMITTERS: dict[type, Emitter] = {}

_MODULES = {
    "blocks": "Choose Repeat",
    "backends.convolution.lowering": "Convolve",
    "backends.indexing": "Put Take",
    "backends.marks": "Marks Strip",
    "backends.movement": "Copy",
    "backends.window.pattern": "Pool WinnerPositions",
    "backends.product.pattern": "Product",
    "backends.random": "Draw Scramble Skip",
    "backends.reduction": "Extreme Reduce",
    "backends.scan": "Scan",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}


def emits(kind: type) -> Callable[[Emitter], Emitter]:
    """Declare a function as the emitter of a pattern."""

    def register(emitter: Emitter) -> Emitter:
        EMITTERS[kind] = emitter
        return emitter

    return register


def emitter_of(kind: type) -> Emitter:
    """The function that makes kernels of a kind of pattern."""
    if kind not in EMITTERS:
        importlib.import_module(f"gradtape.compiler.{_PLACES[kind.__name__]}")
    return EMITTERS[kind]
