"""DuckArray: an array type of somebody else, which follows NumPy's protocols and refuses to become an ndarray.

What runs on it runs on any such array, CuPy's for instance, without a silent copy to the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


class DuckArray(NDArrayOperatorsMixin):
    """An ndarray in disguise: NumPy's functions and operators on it give DuckArrays; mixing it with an ndarray, or
    converting it to one, is a TypeError. Its elements are in `hidden`.

    >>> from gradtape.testing import DuckArray
    >>> np.exp(DuckArray([0.0])) + 1.0
    DuckArray([2.])
    """

    __slots__ = ("hidden",)

    def __init__(self, array: Any) -> None:
        self.hidden = np.asarray(array)

    shape = property(lambda self: self.hidden.shape, doc="The shape.")
    ndim = property(lambda self: self.hidden.ndim, doc="The number of dimensions.")
    dtype = property(lambda self: self.hidden.dtype, doc="The NumPy dtype.")
    size = property(lambda self: self.hidden.size, doc="The number of elements.")

    def astype(self, dtype: Any, copy: bool = True) -> DuckArray:
        """The elements in another dtype."""
        return DuckArray(self.hidden.astype(dtype, copy=copy))

    def item(self) -> Any:
        """The only element as a Python number."""
        return self.hidden.item()

    def __getitem__(self, key: Any) -> DuckArray:
        return DuckArray(self.hidden[_reveal(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.hidden[_reveal(key)] = _reveal(value)

    def __len__(self) -> int:
        return len(self.hidden)

    def __bool__(self) -> bool:
        return bool(self.hidden)

    def __int__(self) -> int:
        return int(self.hidden)

    def __float__(self) -> float:
        return float(self.hidden)

    def __repr__(self) -> str:
        return repr(self.hidden).replace("array", "DuckArray", 1)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("a DuckArray was about to be converted to a NumPy array silently.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _hide(getattr(ufunc, method)(*_reveal(inputs), **_reveal(options)))

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        return _hide(function(*_reveal(inputs), **_reveal(options)))


def _reveal(value: Any) -> Any:
    """Arguments with the ndarrays inside DuckArrays; TypeError for a bare ndarray beside them."""
    if isinstance(value, DuckArray):
        return value.hidden
    if isinstance(value, np.ndarray):
        raise TypeError("a DuckArray was mixed with a NumPy array; create arrays with like=.")
    if isinstance(value, (list, tuple)):
        return type(value)([_reveal(v) for v in value])
    if isinstance(value, dict):
        return {key: _reveal(v) for key, v in value.items()}
    return value


def _hide(result: Any) -> Any:
    """A result with DuckArrays in place of arrays; shapes and other plain values as they are."""
    if isinstance(result, (np.ndarray, np.generic)):
        return DuckArray(result)
    if isinstance(result, (list, tuple)) and any(isinstance(r, (np.ndarray, np.generic)) for r in result):
        items = [_hide(r) for r in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def hide(value: Any) -> Any:
    """A NumPy array or scalar as a DuckArray; tuples and lists element by element; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)([hide(v) for v in value])
    return DuckArray(value) if isinstance(value, (np.ndarray, np.generic)) else value


def reveal(value: Any) -> Any:
    """The NumPy arrays behind DuckArrays, in tuples and lists too."""
    return _reveal(value)
