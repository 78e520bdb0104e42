"""Arrays of partly unknown ints: the result of `tf.shape(x)` while functions run on symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import state
from gradtape.core.dims import Dim, is_symbolic
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor


def has_symbols(array: Any) -> bool:
    """True for an array of ints with unknown elements."""
    dtype = getattr(array, "dtype", None)
    return dtype is not None and dtype.kind == "O" and is_symbolic(array.flat)


def as_numbers(array: Any, dtype: Any) -> Any:
    """An array of symbols as an array of numbers; `Undecided` is raised if one is not known on this path."""
    found = np.array([int(n) for n in array.flat], dtype).reshape(array.shape)
    return found if found.ndim else found[()]


def as_array(values: Any, dtype: Any = np.int64) -> Any:
    """An array of ints and symbols: of objects if there is a symbol, else of the dtype."""
    flat = values if isinstance(values, (list, tuple)) else [values]
    if not is_symbolic(flat):
        return np.array(values, dtype)
    found = np.empty(len(flat), object)
    found[:] = flat
    return found if flat is values else found.reshape(())


def symbols_in(value: Any) -> Any:
    """The array of ints and symbols that an argument means; None if there is no symbol in it.

    There are symbols only on a path: callers look whether there is one first.
    """
    if type(value) is Dim:
        return as_array(value)
    if hasattr(value, "peek"):
        found = value.peek("This operation")
        return found if has_symbols(found) else None
    if not isinstance(value, (list, tuple)):
        return None
    parts = [symbols_in(v) for v in value]
    if all(p is None for p in parts):
        return None
    whole = [np.asarray(v, object) if p is None else p for v, p in zip(value, parts, strict=True)]
    return np.array([_item(p) for p in whole], object) if not whole[0].ndim else np.stack(whole)


def _item(x: Any) -> Any:
    return int(x[()]) if type(x[()]) is not Dim else x[()]


def unknown_tensor(shape: Any, dtype: Any) -> Tensor:
    """A tensor with only a shape and a dtype, for computations on a path."""
    made: Tensor = state.tracing().parameter(Spec(tuple(shape), dtype))
    return made
