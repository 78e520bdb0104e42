"""NumPy functions composed of ops that `import gradtape` loads: reductions, movement, products, choices."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.arrays import creation, indexing, movement
from gradtape.linalg import _products as products
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.numpy_functions import matrices
from gradtape.numpy_functions import movement as shared
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


def _product(function: Callable[..., Any]) -> Callable[..., Any]:
    def multiply(a: Any, b: Any, *how: Any, **options: Any) -> Any:
        return function(*alike((a, b)), *how, **options)

    return multiply


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


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _reduction(reductions.reduce_sum), np.mean: _reduction(reductions.reduce_mean),
    np.prod: _reduction(reductions.reduce_prod), np.max: _reduction(reductions.reduce_max),
    np.amax: _reduction(reductions.reduce_max), np.min: _reduction(reductions.reduce_min),
    np.amin: _reduction(reductions.reduce_min), np.any: _truth(reductions.reduce_any),
    np.all: _truth(reductions.reduce_all), np.var: _spread(reductions.reduce_variance),
    np.std: _spread(reductions.reduce_std), np.concatenate: _joined(movement.concat), np.stack: _joined(movement.stack),
    np.reshape: _reshape, np.ravel: _ravel, np.swapaxes: shared.swapaxes, np.moveaxis: shared.moveaxis,
    np.transpose: lambda a, axes=None: movement.transpose(a, axes),
    np.expand_dims: lambda a, axis: shared.expand_dims(a, axis),
    np.squeeze: lambda a, axis=None: movement.squeeze(a, axis),
    np.broadcast_to: lambda array, shape, subok=False: movement.broadcast_to(array, shape),
    np.where: _where, np.clip: _clip, np.take: _take,
    np.dot: _product(matrices.dot), np.inner: _product(matrices.inner), np.outer: _product(matrices.outer),
    np.vdot: _product(matrices.vdot), np.kron: _product(matrices.kron), np.tensordot: _product(products.tensordot),
    np.flip: lambda m, axis=None: shared.flip(m, axis), np.rot90: lambda m, k=1, axes=(0, 1): shared.rot90(m, k, axes),
    np.tile: lambda A, reps: shared.tile(A, np.atleast_1d(reps).tolist()),  # noqa: N803 - NumPy's name
    np.roll: lambda a, shift, axis=None: shared.roll(a, shift, axis),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: matrices.diagonal(a, offset, axis1, axis2),
    np.tril: lambda m, k=0: matrices.triangle(m, k, True), np.triu: lambda m, k=0: matrices.triangle(m, k, False),
    np.argmax: _arg(indexing.argmax), np.argmin: _arg(indexing.argmin),
    np.zeros_like: lambda a, **more: creation.zeros_like(a, **more),
    np.ones_like: lambda a, **more: creation.ones_like(a, **more),
    np.full_like: _full_like, np.copy: lambda a, **more: movement.identity(a),
    np.real: elementwise.real, np.imag: elementwise.imag, np.angle: elementwise.angle,
    np.shape: lambda a: tuple(a.shape), np.ndim: operator.attrgetter("ndim"),
    np.size: lambda a, axis=None: int(np.prod(tuple(a.shape))) if axis is None else a.shape[axis],
}  # fmt: skip
