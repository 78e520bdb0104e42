"""SparseTensor: the elements of a tensor that are not zero, and where they are."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


class SparseTensor:
    """`values[i]` at `indices[i]` in a tensor of shape `dense_shape`, zero elsewhere.

    Gradients flow through `values`.

    Args:
      indices: int64 of shape `[n, rank]`: one row for each value, by convention in row-major order.
      values: a vector of `n` values of any dtype.
      dense_shape: int64 of shape `[rank]`.

    >>> tf.SparseTensor(indices=[[0, 1], [2, 0]], values=[1.0, 2.0], dense_shape=[3, 4]).shape
    TensorShape([3, 4])
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    # NumPy must not take an operator for itself: `array * sparse` asks here.
    __array_ufunc__ = None

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = convert.convert_to_tensor(_plain(indices), dtypes.int64)
        self._values = _value(values)
        self._dense_shape = convert.convert_to_tensor(_plain(dense_shape), dtypes.int64)
        self._check()

    def _check(self) -> None:
        shapes = [tuple(t.shape) for t in (self._indices, self._values, self._dense_shape)]
        places, elements, whole = shapes
        if [len(s) for s in shapes] != [2, 1, 1] or places != (elements[0], whole[0]):
            raise errors.build(
                errors.ShapeError,
                f"SparseTensor: indices has shape {list(places)}, values {list(elements)}, dense_shape {list(whole)}.",
                "indices needs a row for each value, with an index for each dimension of dense_shape.",
            )

    indices = property(lambda self: self._indices, doc="Where the values are: int64 of shape `[n, rank]`.")
    values = property(lambda self: self._values, doc="The values, of shape `[n]`.")
    dense_shape = property(lambda self: self._dense_shape, doc="The shape of the whole tensor, a vector of int64.")
    dtype = property(lambda self: self._values.dtype, doc="The type of the values.")

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return TensorShape(dense_dims(self))

    def get_shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other values at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def _components(self) -> list[Any]:
        """The tensors that it is made of, for `nest`."""
        return [self._indices, self._values, self._dense_shape]

    @classmethod
    def _from_components(cls, components: list[Any]) -> SparseTensor:
        return cls(*components)

    def consumers(self) -> list[Any]:
        """Always empty: there is no graph."""
        return []

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor of anything with `indices`, `values` and `dense_shape`."""
        parts = [getattr(sparse_tensor_value, name, None) for name in ("indices", "values", "dense_shape")]
        if any(p is None for p in parts):
            raise TypeError(
                errors.compose(
                    f"Argument sparse_tensor_value={sparse_tensor_value!r} must be a SparseTensor or SparseTensorValue.",
                    "give an object with indices, values and dense_shape.",
                )
            )
        return cls(*parts)

    def __getattr__(self, name: str) -> Any:
        if name in ("op", "graph", "eval"):
            raise AttributeError(f"SparseTensor.{name} is undefined when eager execution is enabled.")
        raise AttributeError(f"'SparseTensor' object has no attribute {name!r}.")

    def __mul__(self, other: Any) -> Any:
        return self._scaled(other, operator.mul)

    def __truediv__(self, other: Any) -> Any:
        return self._scaled(other, operator.truediv)

    def _scaled(self, other: Any, function: Callable[[Any, Any], Any]) -> Any:
        """The values combined with the elements of a dense tensor that broadcasts to this one."""
        if isinstance(other, SparseTensor):
            return NotImplemented
        other = convert.like(other._read() if isinstance(other, Variable) else other, self.dtype)
        return self.with_values(function(self._values, _elements_at(other, self)))

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"

    def __reduce__(self) -> Any:
        return SparseTensor, (self._indices, self._values, self._dense_shape)


def dense_dims(sparse: SparseTensor) -> tuple[int, ...]:
    """The whole tensor's shape as Python ints."""
    return tuple([int(n) for n in sparse._dense_shape._array])


def _plain(value: Any) -> Any:
    """Integers of another width as an array, which converts; a tensor of int64 as it is."""
    if isinstance(value, Variable):
        value = value._read()
    if isinstance(value, TensorShape):
        return value.as_list()
    is_narrow = isinstance(value, Tensor) and value.dtype is not dtypes.int64 and value.dtype.is_integer
    return value._array if is_narrow else value


def _value(values: Any) -> Any:
    return values._read() if isinstance(values, Variable) else convert.convert_to_tensor(values)


def _elements_at(dense: Any, sparse: SparseTensor) -> Any:
    """The elements of a dense tensor, broadcast to a sparse one's shape, at its places."""
    from gradtape.core.op import REGISTRY

    if not dense.ndim:
        return dense
    shape = dense_dims(sparse)
    wide = REGISTRY["broadcast_to"](dense, shape=shape)
    return REGISTRY["gather_nd"](wide, sparse._indices, batch_dims=0)
