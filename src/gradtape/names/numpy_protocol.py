"""NumPy functions on tensors: `np.sin(t)`, `np.mean(t, axis=0)`, `np.concatenate([t, u])` are recorded ops.

TensorFlow silently leaves the tape there. What has no op runs in NumPy on the values and returns an array, which
`tape.explain` can name; `gradtape.config.record_numpy_functions(False)` makes all NumPy functions do so.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import convert, nest
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import load_all

_OURS = (Tensor, Variable)


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """What NumPy calls for a ufunc with a tensor among its inputs."""
    given = {k for k, v in options.items() if v is not None}
    if method == "__call__" and not given:
        for meaning, kinds in _meanings(ufunc):
            tensors = _alike(inputs)
            if all(t.dtype.kind in kinds for t in tensors):
                return meaning(*tensors)
    elif method == "reduce" and given <= {"axis", "keepdims"}:
        function = _reductions().get(ufunc)
        if function is not None:
            return function(inputs[0], axis=options.get("axis", 0), keepdims=options.get("keepdims", False))
    return _in_numpy(getattr(ufunc, method), inputs, options)


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What NumPy calls for a function with a tensor among its arguments."""
    ours = _functions().get(function) or _library().get(function)
    if ours is not None:
        try:
            return ours(*args, **kwargs)
        except NotCovered:
            pass
    return _in_numpy(function, args, kwargs)


class NotCovered(Exception):
    """An argument of a NumPy function that ours has no counterpart for."""


def _library() -> dict[Any, Callable[..., Any]]:
    """NumPy functions whose ops are loaded when one of them is first used."""
    from gradtape.names.numpy_library import FUNCTIONS

    return FUNCTIONS


def _in_numpy(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The NumPy function on plain values: this leaves the tape."""
    return function(*_values(args), **{k: _values(v) for k, v in kwargs.items()})


def _values(structure: Any) -> Any:
    if isinstance(structure, _OURS):
        return np.asarray(structure)
    return nest.map_structure(_values, structure) if nest.is_nested(structure) and structure else structure


def _alike(inputs: Any) -> list[Tensor]:
    """The inputs as tensors; NumPy and Python values take the dtype of the first tensor."""
    dtype = next(x.dtype for x in inputs if isinstance(x, _OURS))
    return [
        x if isinstance(x, Tensor) else x._read() if isinstance(x, Variable) else convert.like(x, dtype) for x in inputs
    ]


def _meanings(ufunc: Any) -> Any:
    """What a ufunc may mean on tensors, by dtype; families that are not loaded yet may know."""
    found = _ufuncs().get(ufunc)
    if found is None and not _complete:
        load_all()
        _complete.append(True)
        _ufuncs.cache_clear()
        found = _ufuncs().get(ufunc)
    return found or ()


_complete: list[bool] = []


@functools.cache
def _ufuncs() -> dict[Any, list[tuple[Callable[..., Any], str]]]:
    """What a ufunc means on tensors of some kinds of dtypes: an op, or an operator that chooses one by the dtype."""
    found: dict[Any, list[tuple[Callable[..., Any], str]]] = {
        np.equal: [(operator.eq, "fVciubO")], np.not_equal: [(operator.ne, "fVciubO")],
        np.true_divide: [(operator.truediv, "iu")], np.abs: [(abs, "c")], np.invert: [(operator.invert, "b")],
        np.bitwise_and: [(operator.and_, "b")], np.bitwise_or: [(operator.or_, "b")],
        np.bitwise_xor: [(operator.xor, "b")],
    }  # fmt: skip
    for op in REGISTRY.values():
        for function in op.numpy:
            found.setdefault(function, []).append((op, op.kinds))
    return found


@functools.cache
def _reductions() -> dict[Any, Callable[..., Any]]:
    from gradtape.names import reducing

    return {
        np.add: reducing.reduce_sum, np.multiply: reducing.reduce_prod, np.maximum: reducing.reduce_max,
        np.minimum: reducing.reduce_min, np.logical_and: reducing.reduce_all, np.logical_or: reducing.reduce_any,
    }  # fmt: skip


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = np._NoValue, **more: Any
    ) -> Any:
        if dtype is not None or out is not None or any(v is not np._NoValue for v in more.values()):
            raise NotCovered
        return function(a, axis=axis, keepdims=False if keepdims is np._NoValue else bool(keepdims))

    return reduce


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
        return function(_alike(arrays), axis=axis)

    return join


@functools.cache
def _functions() -> dict[Any, Callable[..., Any]]:
    from gradtape.names import creating, elementwise, indexing, linear, moving, reducing

    def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
        perm = list(range(a.ndim))
        perm[axis1], perm[axis2] = perm[axis2], perm[axis1]
        return moving.transpose(a, perm)

    def moveaxis(a: Any, source: Any, destination: Any) -> Any:
        # NumPy knows the rules for several axes: let it move the axes of a shape that names them.
        named = np.moveaxis(np.empty(tuple(range(1, a.ndim + 1)), bool), source, destination).shape
        return moving.transpose(a, [n - 1 for n in named])

    def where(condition: Any, x: Any = None, y: Any = None) -> Any:
        if x is None or y is None:
            raise NotCovered
        x, y = _alike((x, y)) if isinstance(x, _OURS) or isinstance(y, _OURS) else (x, y)
        return elementwise.where(condition, x, y)

    def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **more: Any) -> Any:
        low, high = more.pop("min", a_min), more.pop("max", a_max)
        if out is not None or more:
            raise NotCovered
        if low is not None:
            a = elementwise.maximum(a, low)
        return a if high is None else elementwise.minimum(a, high)

    def dot(a: Any, b: Any) -> Any:
        a, b = _alike((a, b))
        if not a.ndim or not b.ndim:
            return a * b
        return linear.tensordot(a, b, [[a.ndim - 1], [max(b.ndim - 2, 0)]])

    def tile(A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's name
        counts = np.atleast_1d(reps)
        if len(counts) != A.ndim:
            raise NotCovered
        return moving.tile(A, counts)

    def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
        a, b = _alike((a, b))
        return linear.tensordot(a, b, axes)

    def outer(a: Any, b: Any) -> Any:
        a, b = _alike((a, b))
        return moving.reshape(a, [-1, 1]) * moving.reshape(b, [1, -1])

    def reshape(a: Any, shape: Any = None, order: str = "C", **more: Any) -> Any:
        if order != "C" or more:
            raise NotCovered
        return moving.reshape(a, shape)

    def ravel(a: Any, order: str = "C") -> Any:
        return reshape(a, [-1], order)

    def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
        if out is not None or mode != "raise":
            raise NotCovered
        return (
            indexing.gather(moving.reshape(a, [-1]), indices)
            if axis is None
            else indexing.gather(a, indices, axis=axis)
        )

    def flip(m: Any, axis: Any = None) -> Any:
        axes = range(m.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
        return moving.reverse(m, list(axes))

    def arg(function: Callable[..., Any]) -> Callable[..., Any]:
        def search(a: Any, axis: Any = None, out: Any = None, **more: Any) -> Any:
            if out is not None or more:
                raise NotCovered
            return function(moving.reshape(a, [-1]), 0) if axis is None else function(a, axis)

        return search

    def full_like(a: Any, fill_value: Any, **more: Any) -> Any:
        if more:
            raise NotCovered
        return creating.zeros_like(a) + fill_value

    from gradtape.names.indexing import argmax, argmin

    return {
        np.sum: _reduction(reducing.reduce_sum), np.mean: _reduction(reducing.reduce_mean),
        np.prod: _reduction(reducing.reduce_prod), np.max: _reduction(reducing.reduce_max),
        np.amax: _reduction(reducing.reduce_max), np.min: _reduction(reducing.reduce_min),
        np.amin: _reduction(reducing.reduce_min), np.any: _reduction(reducing.reduce_any),
        np.all: _reduction(reducing.reduce_all), np.var: _spread(reducing.reduce_variance),
        np.std: _spread(reducing.reduce_std), np.concatenate: _joined(moving.concat), np.stack: _joined(moving.stack),
        np.reshape: reshape, np.ravel: ravel, np.swapaxes: swapaxes, np.moveaxis: moveaxis,
        np.transpose: lambda a, axes=None: moving.transpose(a, axes),
        np.expand_dims: lambda a, axis: functools.reduce(moving.expand_dims, _axes(axis, a.ndim), a),
        np.squeeze: lambda a, axis=None: moving.squeeze(a, axis),
        np.broadcast_to: lambda array, shape, subok=False: moving.broadcast_to(array, shape),
        np.where: where, np.clip: clip, np.dot: dot, np.outer: outer, np.take: take, np.flip: flip,
        np.tensordot: tensordot,
        np.tile: tile,
        np.roll: lambda a, shift, axis=None: _refuse() if axis is None else moving.roll(a, shift, axis),
        np.argmax: arg(argmax), np.argmin: arg(argmin),
        np.zeros_like: lambda a, **more: creating.zeros_like(a, **more),
        np.ones_like: lambda a, **more: creating.ones_like(a, **more),
        np.full_like: full_like, np.copy: lambda a, **more: moving.identity(a),
        np.real: elementwise.real, np.imag: elementwise.imag, np.angle: elementwise.angle,
        np.shape: lambda a: tuple(a.shape), np.ndim: operator.attrgetter("ndim"),
        np.size: lambda a, axis=None: int(np.prod(tuple(a.shape))) if axis is None else a.shape[axis],
    }  # fmt: skip


def _axes(axis: Any, rank: int) -> list[int]:
    """New axes of `np.expand_dims`, in the order in which they can be put in one by one."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    return sorted(a + rank + len(axes) if a < 0 else a for a in axes)


def _refuse() -> Any:
    raise NotCovered


def record_numpy_functions(enabled: bool = True) -> None:
    """Choose what NumPy functions do with tensors.

    Args:
      enabled: True (the default of gradtape): `np.sin(t)` is a recorded op that returns a tensor. False (as in
        TensorFlow): it returns a NumPy array, and a gradient ends there.

    >>> type(np.sin(tf.constant(0.0))).__name__
    'Tensor'
    >>> tf.config.record_numpy_functions(False)
    >>> type(np.sin(tf.constant(0.0))).__name__
    'float32'
    >>> tf.config.record_numpy_functions(True)
    """
    # Without the attributes NumPy converts through `__array__`, and `array + t` still reaches `t.__radd__`.
    for owner in _OURS:
        for name, method in (("__array_ufunc__", array_ufunc), ("__array_function__", array_function)):
            if enabled:
                setattr(owner, name, method)
            elif name in vars(owner):
                delattr(owner, name)


record_numpy_functions(True)
