"""`tf.compat.v1.mixed_precision`: scales of losses, as classes for `isinstance`."""

from __future__ import annotations


class LossScale:
    """Base of the scales."""


class FixedLossScale(LossScale):
    """A scale that stays as it is."""

    def __init__(self, loss_scale_value: float) -> None:
        self._value = float(loss_scale_value)

    def __call__(self) -> float:
        return self._value


class DynamicLossScale(LossScale):
    """A scale that follows the gradients; Keras's LossScaleOptimizer has its own."""

    def __init__(
        self, initial_loss_scale: float = 2.0**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        self.initial_loss_scale, self.increment_period = initial_loss_scale, increment_period
        self.multiplier = multiplier
