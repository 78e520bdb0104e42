"""New arrays of `tf.experimental.numpy`; float64 by default, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import shape as known_shape
from gradtape.api.families import family
from gradtape.arrays import creation, movement
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.experimental.numpy._promotion import asarray, default_float, inexact_type, result_type
from gradtape.math._conversion import cast
from gradtape.math._elementwise import abs, exp, log, pow, sign, where
from gradtape.ops.family import dims


def float_by_default(dtype: Any) -> dtypes.DType:
    """The requested dtype; that of Python's floats if there is none."""
    return default_float() if dtype is float or dtype is None else dtypes.as_dtype(dtype)


@family("", shape="an int or a sequence of ints.", dtype="float64 by default.")
def _filled(who: str, value: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(shape: Any, dtype: Any = float) -> Tensor:
        return value(known_shape(shape, who), float_by_default(dtype))

    return function


zeros = _filled("zeros", "Zeros.", "tf.experimental.numpy.zeros(2).numpy() -> array([0., 0.])", creation.zeros)
ones = _filled("ones", "Ones.", "tf.experimental.numpy.ones((1, 2)).numpy() -> array([[1., 1.]])", creation.ones)


def empty(shape: Any, dtype: Any = float) -> Tensor:
    """Zeros: a tensor is never without values.

    >>> tf.experimental.numpy.empty(2).shape
    TensorShape([2])
    """
    return zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """An array filled with one value.

    Args:
      shape: an int or a sequence of ints.
      fill_value: a number, or values that broadcast to the shape.
      dtype: by default that of the value.

    >>> tf.experimental.numpy.full(2, 7).numpy()
    array([7, 7])
    """
    return movement.broadcast_to(asarray(fill_value, dtype), known_shape(shape, "full"))


def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros in the shape of another array, and of its dtype if none is given.

    >>> tf.experimental.numpy.zeros_like([1, 2]).numpy()
    array([0, 0])
    """
    return creation.zeros_like(asarray(a), dtype)


def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Ones in the shape of another array, and of its dtype if none is given.

    >>> tf.experimental.numpy.ones_like([1, 2]).numpy()
    array([1, 1])
    """
    return creation.ones_like(asarray(a), dtype)


def empty_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros, as `zeros_like`: a tensor is never without values.

    >>> tf.experimental.numpy.empty_like([1, 2]).dtype
    tf.int64
    """
    return zeros_like(a, dtype)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Tensor:
    """An array filled with one value, in the shape of another array.

    Args:
      a: the other array.
      fill_value: a number, or values that broadcast to the shape.
      dtype: by default that of `a`.
      order: "K": there is no other layout.
      subok: True: there are no subclasses.
      shape: another shape.

    >>> tf.experimental.numpy.full_like([1, 2], 7).numpy()
    array([7, 7])
    """
    if order != "K" or not subok:
        raise errors.build(
            ValueError,
            f"full_like: order and subok must be the defaults, got {order!r} and {subok}.",
            "leave them out.",
        )
    a = asarray(a)
    value = cast(asarray(fill_value), a.dtype if dtype is None else dtypes.as_dtype(dtype))
    return movement.broadcast_to(value, tuple(a.shape) if shape is None else known_shape(shape, "full_like"))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Evenly spaced numbers, excluding the end.

    Args:
      start: the first one; the end if that is not given.
      stop: the end.
      step: the distance.
      dtype: by default that of the arguments.

    >>> tf.experimental.numpy.arange(1, 7, 2).numpy()
    array([1, 3, 5])
    """
    if stop is None:
        start, stop = 0, start
    target = result_type(start, stop, step) if dtype is None else dtypes.as_dtype(dtype)
    values = [np.asarray(v).item() if isinstance(v, (Tensor, Variable, np.ndarray)) else v for v in (start, stop, step)]
    if not values[2]:
        raise errors.build(ValueError, "arange: step must not be 0.", "give another step.")
    return convert.convert_to_tensor(np.arange(*values).astype(target.numpy))


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Evenly spaced numbers between two ends, which may be arrays.

    Args:
      start: the first ones.
      stop: the last ones.
      num: how many.
      endpoint: whether `stop` is one of them.
      retstep: return the pair of the numbers and their distance.
      dtype: of the result.
      axis: along which they lie.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    if num < 0:
        raise errors.build(ValueError, f"linspace: num must not be negative, got {num}.", "use 0 or more.")
    wide = inexact_type(start, stop, default_float())
    a, b = asarray(start, wide), asarray(stop, wide)
    parts = max(num - 1 if endpoint else num, 1)
    step = (b - a) / float(parts)
    weights = np.arange(num, dtype=wide.numpy)
    places = movement.reshape(convert.convert_to_tensor(weights), [num] + [1] * _rank(step))
    last = movement.reshape(convert.convert_to_tensor(weights == num - 1), [num] + [1] * _rank(step))
    found = a + places * step
    if endpoint and num > 1:  # the exact end, without rounding
        found = where(last, b, found)
    if axis and found.ndim > 1:
        found = movement.transpose(found, _front_to(axis, found.ndim))
    found = cast(found, float_by_default(dtype) if dtype is not None else wide)
    return (found, step) if retstep else found


def _rank(x: Any) -> int:
    return int(x.ndim)


def _front_to(axis: int, rank: int) -> list[int]:
    """The order of axes that moves the first one to a place."""
    order = list(range(1, rank))
    order.insert(axis % rank, 0)
    return order


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Powers of a base, with evenly spaced exponents.

    Args:
      start: the first exponents.
      stop: the last ones.
      num: how many.
      endpoint: whether `stop` is one of them.
      base: whose powers.
      dtype: of the result.
      axis: along which they lie.

    >>> tf.experimental.numpy.logspace(0, 2, 3).numpy().round(6)
    array([  1.,  10., 100.])
    """
    exponents = linspace(start, stop, num, endpoint, dtype=None, axis=axis)
    found = pow(asarray(base, exponents.dtype), exponents)
    return found if dtype is None else cast(found, dtype)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Numbers between two ends in a geometric progression.

    Args:
      start: the first ones; not zero, and of the sign of `stop`.
      stop: the last ones.
      num: how many.
      endpoint: whether `stop` is one of them.
      dtype: of the result.
      axis: along which they lie.

    >>> tf.experimental.numpy.geomspace(1, 100, 3).numpy().round(6)
    array([  1.,  10., 100.])
    """
    wide = inexact_type(start, stop, default_float())
    a, b = asarray(start, wide), asarray(stop, wide)
    found = exp(linspace(log(abs(a)), log(abs(b)), num, endpoint, dtype=None, axis=0))
    found = sign(a) * found
    if axis and found.ndim > 1:
        found = movement.transpose(found, _front_to(axis, found.ndim))
    return found if dtype is None else cast(found, dtype)


def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """Matrices of coordinates from vectors of coordinates.

    Args:
      *xi: vectors.
      **kwargs: `indexing`, "xy" or "ij"; `sparse` and `copy` only with their defaults.

    >>> [grid.numpy().tolist() for grid in tf.experimental.numpy.meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    if kwargs.pop("sparse", False) or not kwargs.pop("copy", True):
        raise errors.build(ValueError, "meshgrid: only sparse=False and copy=True are supported.", "leave them out.")
    return creation.meshgrid(*[asarray(x) for x in xi], indexing=kwargs.pop("indexing", "xy"), **kwargs)


def ix_(*args: Any) -> list[Tensor]:
    """Vectors as indices that broadcast to a grid.

    >>> [i.shape for i in tf.experimental.numpy.ix_([0, 1], [2])]
    [TensorShape([2, 1]), TensorShape([1, 1])]
    """
    found = []
    for place, x in enumerate(map(asarray, args)):
        if x.ndim != 1:
            raise errors.build(
                ValueError, f"ix_: argument {place} must be a vector, got rank {x.ndim}.", "give vectors."
            )
        if x.dtype.is_bool:
            x = movement.reshape(where(x), [-1])
        found.append(movement.reshape(x, [1] * place + [-1] + [1] * (len(args) - place - 1)))
    return found


def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Arrays broadcast to a common shape.

    >>> [x.shape for x in tf.experimental.numpy.broadcast_arrays([1, 2], [[3]])]
    [TensorShape([1, 2]), TensorShape([1, 2])]
    """
    if kwargs.pop("subok", False) or kwargs:
        raise errors.build(ValueError, "broadcast_arrays: subok is not supported.", "leave subok out.")
    values = [asarray(x) for x in args]
    common = np.broadcast_shapes(*[dims(x) for x in values])
    return [movement.broadcast_to(x, common) for x in values]


def copy(a: Any) -> Tensor:
    """Another tensor of the same values.

    >>> tf.experimental.numpy.copy([1, 2]).numpy()
    array([1, 2])
    """
    return movement.identity(asarray(a))
