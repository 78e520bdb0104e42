"""`tf.autodiff`: differentiating in both directions, and second derivatives."""

from gradtape.autodiff._autodiff_init import (
    ForwardAccumulator,
    GradientTape,
    hessian,
    hvp,
    per_example_gradients,
)

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "hessian",
    "hvp",
    "per_example_gradients",
]
