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

from gradtape.core import nest
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.numpy_protocol.operands import OURS, NotCovered, alike
from gradtape.ops import load_all


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """NumPy's protocol for ufuncs with a tensor among the inputs."""
    given = {k for k, v in options.items() if v is not None}
    if method == "__call__" and not given:
        for meaning, kinds in _meanings(ufunc):
            tensors = _pairing[-1](inputs)
            if all(t.dtype.kind in kinds for t in tensors):
                return meaning(*tensors)
    elif method == "reduce" and given <= {"axis", "keepdims"}:
        function = _reductions().get(ufunc)
        if function is not None:
            return function(inputs[0], axis=options.get("axis", 0), keepdims=options.get("keepdims", False))
    return _in_numpy(getattr(ufunc, method), inputs, options)


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's protocol for functions with a tensor among the arguments."""
    ours = _functions().get(function) or _library().get(function)
    if ours is not None:
        try:
            return ours(*args, **kwargs)
        except NotCovered:
            pass
    return _in_numpy(function, args, kwargs)


@functools.cache
def _functions() -> dict[Any, Callable[..., Any]]:
    """NumPy functions whose ops are there."""
    from gradtape.numpy_protocol.functions import FUNCTIONS

    return FUNCTIONS


def _library() -> dict[Any, Callable[..., Any]]:
    """NumPy functions whose ops are loaded when one of them is first used."""
    from gradtape.numpy_protocol.library import FUNCTIONS

    return FUNCTIONS


def _in_numpy(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The NumPy function on plain values: this leaves the tape."""
    return function(*_values(args), **{k: _values(v) for k, v in kwargs.items()})


def _values(structure: Any) -> Any:
    if isinstance(structure, OURS):
        return np.asarray(structure)
    return nest.map_structure(_values, structure) if nest.is_nested(structure) and structure else structure


# How the operands of a ufunc become tensors of one dtype: the first tensor's, until NumPy's promotion is asked for.
_pairing: list[Callable[[Any], list[Tensor]]] = [alike]


def promote_by(pairing: Callable[[Any], list[Tensor]]) -> None:
    """Change how operands of ufuncs become tensors, for the rest of the program."""
    _pairing[:] = [pairing]


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
        np.bitwise_xor: [(operator.xor, "b")], np.matmul: [(operator.matmul, "fVciu")],
    }  # fmt: skip
    for op in REGISTRY.values():
        for function in op.numpy:
            found.setdefault(function, []).append((op, op.kinds))
    return found


@functools.cache
def _reductions() -> dict[Any, Callable[..., Any]]:
    from gradtape.math import _reductions as reductions

    return {
        np.add: reductions.reduce_sum, np.multiply: reductions.reduce_prod, np.maximum: reductions.reduce_max,
        np.minimum: reductions.reduce_min, np.logical_and: reductions.reduce_all, np.logical_or: reductions.reduce_any,
    }  # fmt: skip


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
    for owner in OURS:
        for name, method in (("__array_ufunc__", array_ufunc), ("__array_function__", array_function)):
            if enabled:
                setattr(owner, name, method)
            elif name in vars(owner):
                delattr(owner, name)


record_numpy_functions(True)
