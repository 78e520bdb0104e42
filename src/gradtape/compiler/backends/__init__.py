"""How patterns become machine code: one module for each family of patterns, loaded when the first of them is needed.

A module declares functions that lower patterns by `emits`. If its patterns take epilogues it has the functions of a `PatternBackend`, too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.kernel_op import Pattern
from gradtape.compiler.runtime.kernels import Lowered, Operand
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
    "backends.rows.lower": "ColumnResult",
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
        _module_of(kind)
    return EMITTERS[kind]


class PatternBackend(Protocol):
    """A module whose patterns take epilogues."""

    GROUPS_ROWS: bool  # whether its kernels can address rows that lie in groups

    def takes_epilogue(self, pattern: Any, epilogue: Epilogue) -> bool:
        """True if an epilogue can be a part of a pattern, computed by the same algorithm as without one and no more slowly than by itself."""

    def launch(
        self, pattern: Any, operands: Sequence[Operand], epilogue: Epilogue | None, shares: tuple[tuple[int, int], ...]
    ) -> Lowered | None:
        """The launches of a pattern; None if it has no kernel.

        Args:
          pattern: what to compute.
          operands: what it reads, and the result; with an epilogue its first result, what it loads, and its other results.
          epilogue: what is done with the result.
          shares: (output, input) pairs that the epilogue allows to be the same memory, if no element is written twice.
        """


def backend_of(pattern: Pattern) -> PatternBackend:
    """The module of a pattern that takes epilogues."""
    return cast(PatternBackend, _module_of(type(pattern)))


def _module_of(kind: type) -> Any:
    return importlib.import_module(f"gradtape.compiler.{_PLACES[kind.__name__]}")
