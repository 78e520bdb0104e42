"""Loss scales in the right order: gradients are unscaled, reduced, checked for being finite, clipped, and applied."""

from __future__ import annotations

from typing import Any

from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.tracing.init_scope import init_scope


def unscaled(optimizer: Any, grads: Any, variables: Any) -> list[Any]:
    """Gradients without the scale of the loss, if the optimizer has one."""
    if not hasattr(optimizer, "inner_optimizer"):
        return list(grads)
    if not optimizer.built:
        with init_scope():
            optimizer.build(variables)
    return [None if g is None else times(g, 1.0 / optimizer.dynamic_scale.value) for g in grads]


def rescaled(optimizer: Any, grads: Any) -> list[Any]:
    """Gradients with the scale of the loss, which Keras's optimizer takes out again; it is a power of two, so no bit changes."""
    if not hasattr(optimizer, "inner_optimizer"):
        return list(grads)
    return [None if g is None else times(g, optimizer.dynamic_scale.value) for g in grads]


def times(gradient: Any, factor: Any) -> Any:
    """A gradient times a number; rows stay rows."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(times(gradient.values, factor), gradient.indices, gradient.dense_shape)
    return gradient * (factor if isinstance(factor, float) else REGISTRY["cast"](factor, dtype=gradient.dtype))
