"""`tf.compat.v1.mixed_precision`: scales of losses."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat.v1 import _variables


class LossScale:
    """Base of the scales: a call gives the scale, `update` adapts it to gradients."""

    def __call__(self) -> Any:
        """The scale, as a float32 tensor."""
        raise NotImplementedError

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Adapt the scale to gradients; returns an operation, None where ops run at once, and whether the gradients are finite."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """What `from_config` makes the scale from."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A scale from a config."""
        return cls(**config)


class FixedLossScale(LossScale):
    """A scale that stays as it is.

    >>> tf.compat.v1.mixed_precision.FixedLossScale(8.0)().numpy()
    np.float32(8.0)
    """

    def __init__(self, loss_scale_value: float) -> None:
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError(f"loss_scale_value must be a Python int or float, got {loss_scale_value!r}.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._value = float(loss_scale_value)

    def __call__(self) -> Any:
        return tf.constant(self._value)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Nothing changes, and gradients are always applied."""
        return tf.no_op(), True

    def get_config(self) -> dict[str, Any]:
        """The value."""
        return {"loss_scale_value": self._value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"


class DynamicLossScale(LossScale):
    """A scale that grows after a number of steps with finite gradients, and shrinks after one without.

    >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(8.0, increment_period=1)
    >>> scale.update([tf.constant(1.0)])[1].numpy(), scale().numpy()
    (np.True_, np.float32(16.0))
    """

    def __init__(
        self, initial_loss_scale: float = 2.0**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        self._initial, self._period, self._multiplier = (
            float(initial_loss_scale),
            int(increment_period),
            float(multiplier),
        )
        self._scale = _variables.make_variable(tf.constant(self._initial), trainable=False, name="current_loss_scale")
        self._steps = _variables.make_variable(tf.constant(0, tf.int64), trainable=False, name="good_steps")

    initial_loss_scale = property(lambda self: self._initial, doc="The first scale.")
    increment_period = property(lambda self: self._period, doc="After how many good steps the scale grows.")
    multiplier = property(lambda self: self._multiplier, doc="By what it grows and shrinks.")

    def __call__(self) -> Any:
        return tf.convert_to_tensor(self._scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Adapt the scale to gradients."""
        finite = tf.constant(True)
        for gradient in tf.nest.flatten(grads):
            if gradient is not None:
                values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
                finite = tf.logical_and(finite, tf.reduce_all(tf.math.is_finite(tf.convert_to_tensor(values))))
        scale, steps = tf.convert_to_tensor(self._scale), tf.convert_to_tensor(self._steps)
        grows = steps + 1 >= self._period
        larger = scale * self._multiplier
        grown = tf.where(tf.logical_and(grows, tf.math.is_finite(larger)), larger, scale)
        zero = tf.zeros_like(steps)
        new_scale = tf.where(finite, grown, tf.maximum(scale / self._multiplier, 1.0))
        new_steps = tf.where(finite, tf.where(grows, zero, steps + 1), zero)
        return tf.group(self._scale.assign(new_scale), self._steps.assign(new_steps)), finite

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            "initial_loss_scale": self._initial,
            "increment_period": self._period,
            "multiplier": self._multiplier,
        }

    def __repr__(self) -> str:
        now = (
            f"current_loss_scale={float(self._scale)}, num_good_steps={int(self._steps)}, "
            if tf.executing_eagerly()
            else ""
        )
        return (
            f"DynamicLossScale({now}initial_loss_scale={self._initial}, increment_period={self._period}, "
            f"multiplier={self._multiplier})"
        )
