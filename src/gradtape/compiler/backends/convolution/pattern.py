"""Convolutions and their transposes."""

from __future__ import annotations

from collections.abc import Sequence

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.convolution.lowering import lower
from gradtape.compiler.runtime.kernels import Lowered
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.shape import Spec


@emits(Convolve)
def convolve(pattern: Convolve, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Lowered | None:
    """The launches of a convolution."""
    return lower(pattern)
