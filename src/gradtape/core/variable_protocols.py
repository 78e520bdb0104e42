"""ValueProtocols: what Python and NumPy ask of a variable, they ask of its value; and its operators, with those in place, which are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.core.tensor_operators import Operators

if TYPE_CHECKING:
    from gradtape.core.annotations import TensorLike
    from gradtape.core.indexed_slices import IndexedSlices
    from gradtape.core.variable import Variable

    class Part(Tensor):
        """`v[...]`: a tensor, which can be assigned to."""

        def assign(self, value: TensorLike, name: str | None = None) -> Variable:
            """Replace this part of the variable; the value is broadcast to the part's shape."""


def _guard(sign: str, instead: str) -> Any:
    """An in-place operator, which would silently put a tensor in the place of the variable."""

    def method(self: Any, value: Any) -> NoReturn:
        raise RuntimeError(
            errors.compose(
                f"`variable {sign}= value` with `tf.Variable`s is not supported: it would replace the variable by a tensor.",
                f"use `{instead}` to change the variable, or `y = variable {sign} value` for a new tensor.",
            )
        )

    return method


class ValueProtocols(Operators):
    """Base of Variable, which provides `_read` and `_value`."""

    __slots__ = ()

    _value: Tensor

    if TYPE_CHECKING:

        def _read(self) -> Tensor: ...
        def read_value(self) -> Tensor: ...

        # `gradtape.ops.getitem` and `gradtape.toplevel.variable_methods`, which know the ops, define these.
        def __getitem__(self, key: Any) -> Part: ...
        def scatter_add(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...

        scatter_sub = scatter_update = scatter_mul = scatter_div = scatter_min = scatter_max = scatter_add
        batch_scatter_update = scatter_add

        def scatter_nd_add(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Self: ...

        scatter_nd_sub = scatter_nd_update = scatter_nd_min = scatter_nd_max = scatter_nd_add

        def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor: ...
        def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor: ...
        def count_up_to(self, limit: int) -> Tensor: ...

    if not TYPE_CHECKING:  # checkers then say that a tensor does not fit a variable
        __iadd__ = _guard("+", "variable.assign_add(value)")
        __isub__ = _guard("-", "variable.assign_sub(value)")
        __imul__ = _guard("*", "variable.assign(variable * value)")
        __itruediv__ = _guard("/", "variable.assign(variable / value)")
        __ipow__ = _guard("**", "variable.assign(variable ** value)")

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __index__(self) -> int:
        return self._read().__index__()

    def __format__(self, spec: str) -> str:
        return format(self._read(), spec) if spec else str(self)

    def __hash__(self) -> int:
        raise TypeError(
            errors.compose(
                "Variable is unhashable: it cannot be a key of a dict or an element of a set.",
                "use variable.ref() as the key; ref.deref() gives the variable back.",
            )
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._read().__array__(dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._read().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[Any, Any]:
        return self._value.__dlpack_device__()

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            errors.compose(
                "'Variable' object does not support item assignment.",
                f"v[{_written(key)}].assign({_written_value(value)}).",
            )
        )


def _written_value(value: Any) -> str:
    """A value as a program has it, if it is short enough to be written."""
    return errors.brief(value) if isinstance(value, (int, float, str, list, tuple)) else "value"


def _written(key: Any) -> str:
    """An index as it is written between brackets."""
    if isinstance(key, tuple):
        return ", ".join([_written(k) for k in key])
    if not isinstance(key, slice):
        return "..." if key is Ellipsis else errors.brief(key)
    parts = ["" if part is None else str(part) for part in (key.start, key.stop, key.step)]
    return ":".join(parts if parts[2] else parts[:2])
