"""The ops of optimizers, over variables: `tf.raw_ops.ResourceApplyAdam` and the like.

With `indices` an op changes these rows alone: this is what `Sparse` stands for in the names of ops.
"""

# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import gradtape as tf


class _Part:
    """A variable, or some of its rows.

    Attributes:
      value: what it holds.
    """

    def __init__(self, resource: Any, indices: Any = None) -> None:
        self._variable = _variable(resource)
        self._at = None if indices is None else tf.expand_dims(tf.convert_to_tensor(indices), -1)
        self.value: Any = (
            tf.convert_to_tensor(self._variable) if indices is None else tf.gather(self._variable, indices)
        )

    def numbers(self, *values: Any) -> list[Any]:
        """Values in the dtype of the variable."""
        return [tf.cast(value, self._variable.dtype) for value in values]

    def assign(self, value: Any) -> Any:
        """Replace the value."""
        v = self._variable
        return v.assign(value if self._at is None else tf.tensor_scatter_nd_update(v, self._at, value))

    def subtract(self, change: Any) -> Any:
        """Subtract from the value."""
        v = self._variable
        return v.assign_sub(change) if self._at is None else v.assign(tf.tensor_scatter_nd_sub(v, self._at, change))


def _variable(resource: Any) -> Any:
    return getattr(resource, "_variable", resource)


def ResourceApplyGradientDescent(
    *, var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: Any = None
) -> Any:
    """A step of gradient descent."""
    w = _Part(var)
    (rate,) = w.numbers(alpha)
    return w.subtract(rate * delta)


def ResourceApplyKerasMomentum(
    *, var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, indices: Any = None, use_locking: bool = False,
    use_nesterov: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step with momentum."""
    w, a = _Part(var, indices), _Part(accum, indices)
    rate, m = w.numbers(lr, momentum)
    moved = a.value * m - rate * grad
    a.assign(moved)
    return w.subtract(rate * grad - moved * m if use_nesterov else -moved)


def ResourceApplyAdam(
    *, var: Any, m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any,
    use_locking: bool = False, use_nesterov: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adam."""
    w, first, second = _Part(var), _Part(m), _Part(v)
    p1, p2, rate, b1, b2, e = w.numbers(beta1_power, beta2_power, lr, beta1, beta2, epsilon)
    rate = rate * tf.sqrt(1 - p2) / (1 - p1)
    new_m = first.value + (grad - first.value) * (1 - b1)
    new_v = second.value + (grad * grad - second.value) * (1 - b2)
    first.assign(new_m)
    second.assign(new_v)
    top = grad * (1 - b1) + b1 * new_m if use_nesterov else new_m
    return w.subtract(rate * top / (tf.sqrt(new_v) + e))


def ResourceApplyAdamWithAmsgrad(
    *, var: Any, m: Any, v: Any, vhat: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any,
    grad: Any, use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adam with the largest second moment so far."""
    w, first, second, largest = _Part(var), _Part(m), _Part(v), _Part(vhat)
    p1, p2, rate, b1, b2, e = w.numbers(beta1_power, beta2_power, lr, beta1, beta2, epsilon)
    rate = rate * tf.sqrt(1 - p2) / (1 - p1)
    new_m = first.value * b1 + grad * (1 - b1)
    new_v = second.value * b2 + grad * grad * (1 - b2)
    new_largest = tf.maximum(largest.value, new_v)
    first.assign(new_m)
    second.assign(new_v)
    largest.assign(new_largest)
    return w.subtract(rate * new_m / (tf.sqrt(new_largest) + e))


def ResourceApplyAdaMax(
    *, var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of AdaMax."""
    w, first, second = _Part(var), _Part(m), _Part(v)
    p1, rate, b1, b2, e = w.numbers(beta1_power, lr, beta1, beta2, epsilon)
    new_m = first.value * b1 + grad * (1 - b1)
    new_v = tf.maximum(second.value * b2, tf.abs(grad))
    first.assign(new_m)
    second.assign(new_v)
    return w.subtract(rate / (1 - p1) * new_m / (new_v + e))


def ResourceApplyAdagradV2(
    *, var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, indices: Any = None, use_locking: bool = False,
    update_slots: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adagrad."""
    w, a = _Part(var, indices), _Part(accum, indices)
    rate, e = w.numbers(lr, epsilon)
    total = a.value + (grad * grad if update_slots else 0)
    a.assign(total)
    return w.subtract(rate * grad / (tf.sqrt(total) + e))


def ResourceApplyAdadelta(
    *, var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, indices: Any = None,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adadelta."""
    w, a, u = _Part(var, indices), _Part(accum, indices), _Part(accum_update, indices)
    rate, r, e = w.numbers(lr, rho, epsilon)
    total = a.value * r + grad * grad * (1 - r)
    change = tf.sqrt(u.value + e) / tf.sqrt(total + e) * grad
    a.assign(total)
    u.assign(u.value * r + change * change * (1 - r))
    return w.subtract(rate * change)


def ResourceApplyRMSProp(
    *, var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any = None,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of RMSProp."""
    return _rms_prop(None, var, ms, mom, lr, rho, momentum, epsilon, grad, indices)


def ResourceApplyCenteredRMSProp(
    *, var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any = None,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of centered RMSProp."""
    return _rms_prop(mg, var, ms, mom, lr, rho, momentum, epsilon, grad, indices)


def _rms_prop(
    mg: Any, var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any
) -> Any:
    """A step of RMSProp; centered if the mean gradients `mg` are given."""
    w, squares, moved = _Part(var, indices), _Part(ms, indices), _Part(mom, indices)
    rate, r, m, e = w.numbers(lr, rho, momentum, epsilon)
    total = squares.value * r + grad * grad * (1 - r)
    spread = total
    if mg is not None:
        means = _Part(mg, indices)
        mean = means.value * r + grad * (1 - r)
        means.assign(mean)
        spread = total - mean * mean
    change = moved.value * m + rate * grad / tf.sqrt(spread + e)
    squares.assign(total)
    moved.assign(change)
    return w.subtract(change)


def ResourceApplyFtrlV2(
    *, var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, l2_shrinkage: Any = 0.0,
    indices: Any = None, use_locking: bool = False, multiply_linear_by_lr: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Ftrl; `l2_shrinkage` is a further penalty on the size of weights."""
    w, a, z = _Part(var, indices), _Part(accum, indices), _Part(linear, indices)
    rate, first, second, power, shrinkage = w.numbers(lr, l1, l2, lr_power, l2_shrinkage)
    total = a.value + grad * grad
    sigma = (total**-power - a.value**-power) / rate
    line = z.value + (grad + 2 * shrinkage * w.value) - sigma * w.value
    divisor = total**-power / rate + 2 * second
    a.assign(total)
    z.assign(line)
    small = tf.zeros_like(w.value)
    return w.assign(tf.where(tf.abs(line) > first, (tf.sign(line) * first - line) / divisor, small))


ResourceApplyFtrl = ResourceSparseApplyFtrl = ResourceSparseApplyFtrlV2 = ResourceApplyFtrlV2
ResourceSparseApplyKerasMomentum, ResourceSparseApplyAdagradV2 = ResourceApplyKerasMomentum, ResourceApplyAdagradV2
ResourceSparseApplyAdadelta, ResourceSparseApplyRMSProp = ResourceApplyAdadelta, ResourceApplyRMSProp
ResourceSparseApplyCenteredRMSProp = ResourceApplyCenteredRMSProp


def ResourceScatterAdd(*, resource: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """Add to rows of a variable."""
    return tf.compat.v1.scatter_add(_variable(resource), indices, updates)


def ResourceScatterSub(*, resource: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """Subtract from rows of a variable."""
    return tf.compat.v1.scatter_sub(_variable(resource), indices, updates)


def ResourceScatterUpdate(*, resource: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """Replace rows of a variable."""
    return tf.compat.v1.scatter_update(_variable(resource), indices, updates)
