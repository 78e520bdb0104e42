"""The ops of optimizers, over variables: `tf.raw_ops.ResourceApplyAdam` and the like."""

# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import gradtape as tf


def _variable(resource: Any) -> Any:
    return getattr(resource, "_variable", resource)


def _number(value: Any, like: Any) -> Any:
    return tf.cast(value, like.dtype)


def _rows(indices: Any) -> Any:
    return tf.expand_dims(tf.convert_to_tensor(indices), -1)


def ResourceApplyGradientDescent(
    *, var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: Any = None
) -> Any:
    """A step of gradient descent."""
    v = _variable(var)
    return v.assign_sub(_number(alpha, v) * delta)


def ResourceApplyKerasMomentum(
    *, var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, use_locking: bool = False, use_nesterov: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """A step with momentum."""
    v, a = _variable(var), _variable(accum)
    step = _number(lr, v) * grad
    moved = tf.convert_to_tensor(a) * _number(momentum, v) - step
    a.assign(moved)
    return v.assign_add(moved * _number(momentum, v) - step if use_nesterov else moved)


def ResourceSparseApplyKerasMomentum(
    *, var: Any, accum: Any, lr: Any, grad: Any, indices: Any, momentum: Any, use_locking: bool = False,
    use_nesterov: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step with momentum, of some rows."""
    v, a = _variable(var), _variable(accum)
    at, step = _rows(indices), _number(lr, v) * grad
    moved = tf.gather(a, indices) * _number(momentum, v) - step
    a.assign(tf.tensor_scatter_nd_update(a, at, moved))
    change = moved * _number(momentum, v) - step if use_nesterov else moved
    return v.assign(tf.tensor_scatter_nd_add(v, at, change))


def ResourceApplyAdam(
    *, var: Any, m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any,
    use_locking: bool = False, use_nesterov: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adam."""
    w, first, second = _variable(var), _variable(m), _variable(v)
    b1, b2 = _number(beta1, w), _number(beta2, w)
    rate = _number(lr, w) * tf.sqrt(1 - _number(beta2_power, w)) / (1 - _number(beta1_power, w))
    new_m = tf.convert_to_tensor(first) + (grad - tf.convert_to_tensor(first)) * (1 - b1)
    new_v = tf.convert_to_tensor(second) + (grad * grad - tf.convert_to_tensor(second)) * (1 - b2)
    first.assign(new_m)
    second.assign(new_v)
    top = grad * (1 - b1) + b1 * new_m if use_nesterov else new_m
    return w.assign_sub(rate * top / (tf.sqrt(new_v) + _number(epsilon, w)))


def ResourceApplyAdamWithAmsgrad(
    *, var: Any, m: Any, v: Any, vhat: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any,
    grad: Any, use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adam with the largest second moment so far."""
    w, first, second, largest = _variable(var), _variable(m), _variable(v), _variable(vhat)
    b1, b2 = _number(beta1, w), _number(beta2, w)
    rate = _number(lr, w) * tf.sqrt(1 - _number(beta2_power, w)) / (1 - _number(beta1_power, w))
    new_m = tf.convert_to_tensor(first) * b1 + grad * (1 - b1)
    new_v = tf.convert_to_tensor(second) * b2 + grad * grad * (1 - b2)
    new_largest = tf.maximum(tf.convert_to_tensor(largest), new_v)
    first.assign(new_m)
    second.assign(new_v)
    largest.assign(new_largest)
    return w.assign_sub(rate * new_m / (tf.sqrt(new_largest) + _number(epsilon, w)))


def ResourceApplyAdaMax(
    *, var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of AdaMax."""
    w, first, second = _variable(var), _variable(m), _variable(v)
    b1, b2 = _number(beta1, w), _number(beta2, w)
    new_m = tf.convert_to_tensor(first) * b1 + grad * (1 - b1)
    new_v = tf.maximum(tf.convert_to_tensor(second) * b2, tf.abs(grad))
    first.assign(new_m)
    second.assign(new_v)
    return w.assign_sub(_number(lr, w) / (1 - _number(beta1_power, w)) * new_m / (new_v + _number(epsilon, w)))


def ResourceApplyAdagradV2(
    *, var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, use_locking: bool = False, update_slots: bool = True,
    name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adagrad."""
    w, a = _variable(var), _variable(accum)
    total = tf.convert_to_tensor(a) + (grad * grad if update_slots else 0)
    a.assign(total)
    return w.assign_sub(_number(lr, w) * grad / (tf.sqrt(total) + _number(epsilon, w)))


def ResourceSparseApplyAdagradV2(
    *, var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, indices: Any, use_locking: bool = False,
    update_slots: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adagrad, of some rows."""
    w, a, at = _variable(var), _variable(accum), _rows(indices)
    total = tf.gather(a, indices) + (grad * grad if update_slots else 0)
    a.assign(tf.tensor_scatter_nd_update(a, at, total))
    change = _number(lr, w) * grad / (tf.sqrt(total) + _number(epsilon, w))
    return w.assign(tf.tensor_scatter_nd_sub(w, at, change))


def ResourceApplyAdadelta(
    *, var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, use_locking: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adadelta."""
    w, a, u = _variable(var), _variable(accum), _variable(accum_update)
    r, e = _number(rho, w), _number(epsilon, w)
    total = tf.convert_to_tensor(a) * r + grad * grad * (1 - r)
    change = tf.sqrt(tf.convert_to_tensor(u) + e) / tf.sqrt(total + e) * grad
    a.assign(total)
    u.assign(tf.convert_to_tensor(u) * r + change * change * (1 - r))
    return w.assign_sub(_number(lr, w) * change)


def ResourceSparseApplyAdadelta(
    *, var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any, indices: Any,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Adadelta, of some rows."""
    w, a, u, at = _variable(var), _variable(accum), _variable(accum_update), _rows(indices)
    r, e = _number(rho, w), _number(epsilon, w)
    total = tf.gather(a, indices) * r + grad * grad * (1 - r)
    held = tf.gather(u, indices)
    change = tf.sqrt(held + e) / tf.sqrt(total + e) * grad
    a.assign(tf.tensor_scatter_nd_update(a, at, total))
    u.assign(tf.tensor_scatter_nd_update(u, at, held * r + change * change * (1 - r)))
    return w.assign(tf.tensor_scatter_nd_sub(w, at, _number(lr, w) * change))


def ResourceApplyRMSProp(
    *, var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, use_locking: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """A step of RMSProp."""
    w, squares, moved = _variable(var), _variable(ms), _variable(mom)
    r = _number(rho, w)
    total = tf.convert_to_tensor(squares) * r + grad * grad * (1 - r)
    change = tf.convert_to_tensor(moved) * _number(momentum, w)
    change += _number(lr, w) * grad / tf.sqrt(total + _number(epsilon, w))
    squares.assign(total)
    moved.assign(change)
    return w.assign_sub(change)


def ResourceApplyCenteredRMSProp(
    *, var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of centered RMSProp."""
    w, means, squares, moved = _variable(var), _variable(mg), _variable(ms), _variable(mom)
    r = _number(rho, w)
    total = tf.convert_to_tensor(squares) * r + grad * grad * (1 - r)
    mean = tf.convert_to_tensor(means) * r + grad * (1 - r)
    change = tf.convert_to_tensor(moved) * _number(momentum, w)
    change += _number(lr, w) * grad / tf.sqrt(total - mean * mean + _number(epsilon, w))
    squares.assign(total)
    means.assign(mean)
    moved.assign(change)
    return w.assign_sub(change)


def ResourceSparseApplyRMSProp(
    *, var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of RMSProp, of some rows."""
    w, squares, moved, at = _variable(var), _variable(ms), _variable(mom), _rows(indices)
    r = _number(rho, w)
    total = tf.gather(squares, indices) * r + grad * grad * (1 - r)
    change = tf.gather(moved, indices) * _number(momentum, w)
    change += _number(lr, w) * grad / tf.sqrt(total + _number(epsilon, w))
    squares.assign(tf.tensor_scatter_nd_update(squares, at, total))
    moved.assign(tf.tensor_scatter_nd_update(moved, at, change))
    return w.assign(tf.tensor_scatter_nd_sub(w, at, change))


def ResourceSparseApplyCenteredRMSProp(
    *, var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any, indices: Any,
    use_locking: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of centered RMSProp, for some rows."""
    w, means, squares, moved, at = _variable(var), _variable(mg), _variable(ms), _variable(mom), _rows(indices)
    r = _number(rho, w)
    total = tf.gather(squares, indices) * r + grad * grad * (1 - r)
    mean = tf.gather(means, indices) * r + grad * (1 - r)
    change = tf.gather(moved, indices) * _number(momentum, w)
    change += _number(lr, w) * grad / tf.sqrt(total - mean * mean + _number(epsilon, w))
    squares.assign(tf.tensor_scatter_nd_update(squares, at, total))
    means.assign(tf.tensor_scatter_nd_update(means, at, mean))
    moved.assign(tf.tensor_scatter_nd_update(moved, at, change))
    return w.assign(tf.tensor_scatter_nd_sub(w, at, change))


def _followed(
    w: Any, a: Any, z: Any, grad: Any, shifted: Any, rate: Any, l1: Any, l2: Any, power: Any
) -> tuple[Any, Any, Any]:
    """The new sum of squares, the new linear term and the new weights of a step of Ftrl."""
    total = a + grad * grad
    sigma = (total**-power - a**-power) / rate
    linear = z + shifted - sigma * w
    divisor = total**-power / rate + 2 * l2
    return total, linear, tf.where(tf.abs(linear) > l1, (tf.sign(linear) * l1 - linear) / divisor, tf.zeros_like(w))


def ResourceApplyFtrl(
    *, var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, use_locking: bool = False,
    multiply_linear_by_lr: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Ftrl."""
    return ResourceApplyFtrlV2(
        var=var, accum=accum, linear=linear, grad=grad, lr=lr, l1=l1, l2=l2, l2_shrinkage=0.0, lr_power=lr_power
    )


def ResourceApplyFtrlV2(
    *, var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any,
    use_locking: bool = False, multiply_linear_by_lr: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Ftrl with a further penalty on the size of weights."""
    w, a, z = _variable(var), _variable(accum), _variable(linear)
    weights = tf.convert_to_tensor(w)
    shifted = grad + 2 * _number(l2_shrinkage, w) * weights
    options = [_number(v, w) for v in (lr, l1, l2, lr_power)]
    total, line, new = _followed(weights, tf.convert_to_tensor(a), tf.convert_to_tensor(z), grad, shifted, *options)
    a.assign(total)
    z.assign(line)
    return w.assign(new)


def ResourceSparseApplyFtrl(
    *, var: Any, accum: Any, linear: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, lr_power: Any,
    use_locking: bool = False, multiply_linear_by_lr: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Ftrl, of some rows."""
    return ResourceSparseApplyFtrlV2(
        var=var, accum=accum, linear=linear, grad=grad, indices=indices, lr=lr, l1=l1, l2=l2, l2_shrinkage=0.0,
        lr_power=lr_power,
    )  # fmt: skip


def ResourceSparseApplyFtrlV2(
    *, var: Any, accum: Any, linear: Any, grad: Any, indices: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any,
    use_locking: bool = False, multiply_linear_by_lr: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """A step of Ftrl with a further penalty, of some rows."""
    w, a, z, at = _variable(var), _variable(accum), _variable(linear), _rows(indices)
    weights = tf.gather(w, indices)
    shifted = grad + 2 * _number(l2_shrinkage, w) * weights
    options = [_number(v, w) for v in (lr, l1, l2, lr_power)]
    total, line, new = _followed(weights, tf.gather(a, indices), tf.gather(z, indices), grad, shifted, *options)
    a.assign(tf.tensor_scatter_nd_update(a, at, total))
    z.assign(tf.tensor_scatter_nd_update(z, at, line))
    return w.assign(tf.tensor_scatter_nd_update(w, at, new))


def ResourceScatterAdd(*, resource: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """Add to rows of a variable."""
    return tf.compat.v1.scatter_add(_variable(resource), indices, updates)


def ResourceScatterSub(*, resource: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """Subtract from rows of a variable."""
    return tf.compat.v1.scatter_sub(_variable(resource), indices, updates)


def ResourceScatterUpdate(*, resource: Any, indices: Any, updates: Any, name: Any = None) -> Any:
    """Replace rows of a variable."""
    return tf.compat.v1.scatter_update(_variable(resource), indices, updates)
