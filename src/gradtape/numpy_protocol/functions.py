"""NumPy functions that are composed of the ops that `import gradtape` loads: reductions, movement, products, choices."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.arrays import creation, indexing, movement
from gradtape.linalg import _products as products
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.numpy_protocol.operands import OURS, NotCovered, alike


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = np._NoValue, **more: Any
    ) -> Any:
        if dtype is not None or out is not None or any(v is not np._NoValue for v in more.values()):
            raise NotCovered
        return function(a, axis=axis, keepdims=False if keepdims is np._NoValue else bool(keepdims))

    return reduce


def _truth(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.any`, `np.all`: of numbers, those that are not zero count as true."""
    return _reduction(lambda a, **how: function(a if a.dtype.is_bool else a != 0, **how))


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.var`, `np.std`: the population statistic, as TensorFlow's; `ddof` is NumPy's own."""
    reduce = _reduction(function)

    def statistic(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, **more: Any) -> Any:
        if ddof:
            raise NotCovered
        return reduce(a, axis, dtype, out, **more)

    return statistic


def _joined(function: Callable[..., Any]) -> Callable[..., Any]:
    def join(arrays: Any, axis: Any = 0, out: Any = None, **more: Any) -> Any:
        if out is not None or more or axis is None:
            raise NotCovered
        return function(alike(arrays), axis=axis)

    return join


def _swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    perm = list(range(a.ndim))
    perm[axis1], perm[axis2] = perm[axis2], perm[axis1]
    return movement.transpose(a, perm)


def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    # NumPy knows the rules for several axes: let it move the axes of a shape that names them.
    named = np.moveaxis(np.empty(tuple(range(1, a.ndim + 1)), bool), source, destination).shape
    return movement.transpose(a, [n - 1 for n in named])


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None or y is None:
        raise NotCovered
    x, y = alike((x, y)) if isinstance(x, OURS) or isinstance(y, OURS) else (x, y)
    return elementwise.where(condition, x, y)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **more: Any) -> Any:
    low, high = more.pop("min", a_min), more.pop("max", a_max)
    if out is not None or more:
        raise NotCovered
    if low is not None:
        a = elementwise.maximum(a, low)
    return a if high is None else elementwise.minimum(a, high)


def _dot(a: Any, b: Any) -> Any:
    a, b = alike((a, b))
    if not a.ndim or not b.ndim:
        return a * b
    return products.tensordot(a, b, [[a.ndim - 1], [max(b.ndim - 2, 0)]])


def _tile(A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's name
    counts = np.atleast_1d(reps)
    if len(counts) != A.ndim:
        raise NotCovered
    return movement.tile(A, counts)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = alike((a, b))
    return products.tensordot(a, b, axes)


def _outer(a: Any, b: Any) -> Any:
    a, b = alike((a, b))
    return movement.reshape(a, [-1, 1]) * movement.reshape(b, [1, -1])


def _reshape(a: Any, shape: Any = None, order: str = "C", **more: Any) -> Any:
    if order != "C" or more:
        raise NotCovered
    return movement.reshape(a, shape)


def _ravel(a: Any, order: str = "C") -> Any:
    return _reshape(a, [-1], order)


def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    if out is not None or mode != "raise":
        raise NotCovered
    return (
        indexing.gather(movement.reshape(a, [-1]), indices) if axis is None else indexing.gather(a, indices, axis=axis)
    )


def _flip(m: Any, axis: Any = None) -> Any:
    axes = range(m.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    return movement.reverse(m, list(axes))


def _arg(function: Callable[..., Any]) -> Callable[..., Any]:
    def search(a: Any, axis: Any = None, out: Any = None, **more: Any) -> Any:
        if out is not None or more:
            raise NotCovered
        return function(movement.reshape(a, [-1]), 0) if axis is None else function(a, axis)

    return search


def _full_like(a: Any, fill_value: Any, **more: Any) -> Any:
    if more:
        raise NotCovered
    return creation.zeros_like(a) + fill_value


def _axes(axis: Any, rank: int) -> list[int]:
    """New axes of `np.expand_dims`, in the order in which they can be put in one by one."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    return sorted(a + rank + len(axes) if a < 0 else a for a in axes)


def _refuse() -> Any:
    raise NotCovered


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _reduction(reductions.reduce_sum), np.mean: _reduction(reductions.reduce_mean),
    np.prod: _reduction(reductions.reduce_prod), np.max: _reduction(reductions.reduce_max),
    np.amax: _reduction(reductions.reduce_max), np.min: _reduction(reductions.reduce_min),
    np.amin: _reduction(reductions.reduce_min), np.any: _truth(reductions.reduce_any),
    np.all: _truth(reductions.reduce_all), np.var: _spread(reductions.reduce_variance),
    np.std: _spread(reductions.reduce_std), np.concatenate: _joined(movement.concat), np.stack: _joined(movement.stack),
    np.reshape: _reshape, np.ravel: _ravel, np.swapaxes: _swapaxes, np.moveaxis: _moveaxis,
    np.transpose: lambda a, axes=None: movement.transpose(a, axes),
    np.expand_dims: lambda a, axis: functools.reduce(movement.expand_dims, _axes(axis, a.ndim), a),
    np.squeeze: lambda a, axis=None: movement.squeeze(a, axis),
    np.broadcast_to: lambda array, shape, subok=False: movement.broadcast_to(array, shape),
    np.where: _where, np.clip: _clip, np.dot: _dot, np.outer: _outer, np.take: _take, np.flip: _flip,
    np.tensordot: _tensordot,
    np.tile: _tile,
    np.roll: lambda a, shift, axis=None: _refuse() if axis is None else movement.roll(a, shift, axis),
    np.argmax: _arg(indexing.argmax), np.argmin: _arg(indexing.argmin),
    np.zeros_like: lambda a, **more: creation.zeros_like(a, **more),
    np.ones_like: lambda a, **more: creation.ones_like(a, **more),
    np.full_like: _full_like, np.copy: lambda a, **more: movement.identity(a),
    np.real: elementwise.real, np.imag: elementwise.imag, np.angle: elementwise.angle,
    np.shape: lambda a: tuple(a.shape), np.ndim: operator.attrgetter("ndim"),
    np.size: lambda a, axis=None: int(np.prod(tuple(a.shape))) if axis is None else a.shape[axis],
}  # fmt: skip
