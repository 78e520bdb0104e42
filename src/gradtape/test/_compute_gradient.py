"""Numerical gradients from finite differences, to compare with the tape's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor, to_numpy
from gradtape.transform.tape import GradientTape


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """Jacobians of a function, from a tape and from central differences.

    Args:
      f: a function of tensors that returns one tensor.
      x: a list of its arguments.
      delta: the step; 1/1024 by default.

    Returns:
      Two lists, with an array of shape `[size of the result, size of the argument]` for each argument. A complex number
      counts as two numbers.

    >>> theoretical, numerical = tf.test.compute_gradient(tf.square, [tf.constant([3.0])])
    >>> theoretical[0]
    array([[6.]], dtype=float32)
    """
    if not isinstance(x, (list, tuple)):
        raise errors.build(
            ValueError, "compute_gradient: `x` must be a list or tuple of arguments.", "write compute_gradient(f, [x])."
        )
    step = 1.0 / 1024 if delta is None else delta
    given = [convert.convert_to_tensor(v) for v in x]
    places = range(len(given))
    return [_by_tape(f, given, i) for i in places], [_by_differences(f, given, i, step) for i in places]


def _by_tape(f: Callable[..., Any], x: list[Tensor], i: int) -> Any:
    """The Jacobian by one argument, a row at a time."""
    with GradientTape(persistent=True) as tape:
        tape.watch(x[i])
        y = convert.convert_to_tensor(f(*x))
    whole, columns = _reals(y), _reals(x[i])
    rows = []
    for k in range(whole.size):
        direction = np.zeros(whole.size, whole.dtype)
        direction[k] = 1.0
        seed = _like(direction, y)
        found = tape.gradient(y, x[i], output_gradients=convert.convert_to_tensor(seed))
        rows.append(
            np.zeros(columns.size, columns.dtype) if found is None else _reals(convert.convert_to_tensor(found))
        )
    return np.array(rows, columns.dtype).reshape(whole.size, columns.size)


def _by_differences(f: Callable[..., Any], x: list[Tensor], i: int, step: float) -> Any:
    base = _reals(x[i])
    columns = []
    for k in range(base.size):
        values = []
        for sign in (1.0, -1.0):
            moved = base.copy()
            moved[k] += sign * step
            point = convert.convert_to_tensor(_like(moved, x[i]))
            values.append(_reals(convert.convert_to_tensor(f(*x[:i], point, *x[i + 1 :]))))
        columns.append((values[0] - values[1]) / (2 * step))
    size = _reals(convert.convert_to_tensor(f(*x))).size
    return np.array(columns, base.dtype).reshape(base.size, size).T


def _reals(tensor: Tensor) -> Any:
    """The numbers of a tensor in a row; real and imaginary parts of complex ones."""
    array = np.ascontiguousarray(np.asarray(to_numpy(tensor._array))).reshape(-1)
    return array.view(array.real.dtype) if array.dtype.kind == "c" else array


def _like(numbers: Any, tensor: Tensor) -> Any:
    """Numbers in a row in the shape and dtype of a tensor."""
    dtype = tensor.dtype.as_numpy_dtype
    array = numbers.view(dtype) if tensor.dtype.is_complex else numbers.astype(dtype)
    return array.reshape(tuple(tensor.shape))
