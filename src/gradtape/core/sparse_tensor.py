"""SparseTensor: the elements of a tensor that are not zero, and where they are."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.dims import Dim
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


@dataclasses.dataclass(frozen=True)
class SparseForm(Form):
    """The form of sparse tensors."""

    def assembled(self, parts: Sequence[Any]) -> SparseTensor:
        """The sparse tensor of indices, values and dense shape."""
        return SparseTensor(*parts)

    def described(self, specs: Sequence[TensorSpec]) -> SparseTensorSpec:
        """The spec of sparse tensors with these parts."""
        rank = specs[2].shape.rank and specs[2].shape[0]
        return SparseTensorSpec([None] * rank if rank else None, specs[1].dtype)


class SparseTensorSpec(CompositeSpec):
    """The shape and dtype of sparse tensors that a function accepts.

    Args:
      shape: of the whole tensor; unknown by default.
      dtype: of the values.

    >>> tf.SparseTensorSpec([None, 4], tf.int64)
    SparseTensorSpec(TensorShape([None, 4]), tf.int64)
    """

    __slots__ = ("dtype", "shape")

    _functions = "gradtape.sparse._overrides"

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self.shape, self.dtype = TensorShape(shape), dtypes.as_dtype(dtype)

    value_type = property(lambda self: SparseTensor, doc="The class of the values.")

    @classmethod
    def from_value(cls, value: SparseTensor) -> SparseTensorSpec:
        """The spec of a sparse tensor."""
        return cls(value.shape, value.dtype)

    def _form(self) -> SparseForm:
        return SparseForm()

    def _component_specs(self) -> list[TensorSpec]:
        rank = self.shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self.dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _build(self, parts: Sequence[Any]) -> Any:
        value = super()._build(parts)
        if isinstance(value, SparseTensor):
            value._told = self.shape
        return value

    def _with_shape(self, shape: TensorShape) -> SparseTensorSpec:
        return SparseTensorSpec(shape, self.dtype)

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self.shape), self.dtype)

    def _unbatch(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape[1:], self.dtype)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, SparseTensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"

    def __reduce__(self) -> Any:
        return SparseTensorSpec, (self.shape, self.dtype)


class SparseTensor(Composite):
    """`values[i]` at `indices[i]` in a tensor of shape `dense_shape`, zero elsewhere.

    Gradients flow through `values`.

    Args:
      indices: int64 of shape `[n, rank]`: one row for each value, by convention in row-major order.
      values: a vector of `n` values of any dtype.
      dense_shape: int64 of shape `[rank]`.

    >>> tf.SparseTensor(indices=[[0, 1], [2, 0]], values=[1.0, 2.0], dense_shape=[3, 4]).shape
    TensorShape([3, 4])
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_told", "_values")

    _counts_as_tensor = True
    # Said by `tf.convert_to_tensor` and by all functions that know no sparse tensors.
    _instead = "use tf.sparse.to_dense(x), or a function of tf.sparse, such as tf.sparse.sparse_dense_matmul(a, b)."
    _functions = "gradtape.sparse._overrides"

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        for name, given in (("indices", indices), ("dense_shape", dense_shape)):
            if isinstance(given, Tensor) and given.dtype is not dtypes.int64:
                raise ValueError(
                    errors.compose(
                        f"SparseTensor: {name} must be int64: Tensor conversion requested dtype int64 for Tensor with dtype "
                        f"{given.dtype.name}.",
                        f"use tf.cast({name}, tf.int64).",
                    )
                )
        self._indices = convert.convert_to_tensor(_plain(indices), dtypes.int64)
        self._values = _value(values)
        self._dense_shape = convert.convert_to_tensor(_plain(dense_shape), dtypes.int64)
        # What a spec or `set_shape` tells of the shape, where the sizes are known only when the function runs.
        self._told: TensorShape | None = _told_by(dense_shape)
        self._check()

    def _check(self) -> None:
        for part, axes in ((self._indices, 2), (self._values, 1), (self._dense_shape, 1)):
            if type(part) is not Tensor and part.get_shape().rank is None:
                part.set_shape([None] * axes)
        places, elements, whole = [t.get_shape() for t in (self._indices, self._values, self._dense_shape)]
        count = elements[0] if elements.rank == 1 else None
        rank = whole[0] if whole.rank == 1 else None
        if not (
            elements.is_compatible_with([None])
            and whole.is_compatible_with([None])
            and places.is_compatible_with([count, rank])
        ):
            raise errors.build(
                errors.ShapeError,
                f"SparseTensor: indices has shape {places}, values {elements}, dense_shape {whole}: "
                f"these do not match{_clash(places, whole, count, rank)}.",
                "indices needs a row for each value, with an index for each dimension of dense_shape.",
            )
        if type(self._dense_shape) is Tensor and min(self._dense_shape._array.tolist(), default=0) < 0:
            raise errors.build(
                errors.ShapeError,
                f"SparseTensor: dense_shape must not be negative, got {self._dense_shape._array.tolist()}.",
                "give the length of each axis.",
            )

    indices = property(lambda self: self._indices, doc="Where the values are: int64 of shape `[n, rank]`.")
    values = property(lambda self: self._values, doc="The values, of shape `[n]`.")
    dense_shape = property(lambda self: self._dense_shape, doc="The shape of the whole tensor, a vector of int64.")
    dtype = property(lambda self: self._values.dtype, doc="The type of the values.")

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor, as far as it is known."""
        try:
            return TensorShape(dense_dims(self))
        except NotImplementedError:  # the sizes are known only when the function runs
            known = _known_sizes(self._dense_shape)
            return known if self._told is None else known.merge_with(self._told)

    def set_shape(self, shape: Any) -> None:
        """Refine the static shape; ValueError if it is incompatible."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}")
        self._told = self.shape.merge_with(shape)

    def get_shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """A sparse tensor with other values at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)._shaped_like(self)

    def _shaped_like(self, other: SparseTensor) -> SparseTensor:
        """This tensor, which has the shape of another one: what is known of that holds here."""
        self._told = other._told
        return self

    def _components(self) -> list[Any]:
        """The tensors that it is made of, for `nest`."""
        return [self._indices, self._values, self._dense_shape]

    def __gradient_source__(self) -> Any:
        return self._values

    def _with_gradient(self, gradient: Any) -> SparseTensor:
        return self.with_values(gradient)

    def _form(self) -> SparseForm:
        return SparseForm()

    def _spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

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

    def __rmul__(self, other: Any) -> Any:
        return self * other if isinstance(other, (Tensor, Variable)) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        return self._scaled(other, operator.truediv)

    def _scaled(self, other: Any, function: Callable[[Any, Any], Any]) -> Any:
        """The values combined with the elements of a dense tensor that broadcasts to this one."""
        if isinstance(other, SparseTensor):
            raise errors.build(
                errors.ConversionError,
                "SparseTensor: * and / need a dense tensor on the other side, got a SparseTensor.",
                "use tf.sparse.to_dense on one of them, or tf.sparse.map_values where they have the same indices.",
            )
        other = convert.like(other._read() if isinstance(other, Variable) else other, self.dtype)
        return self.with_values(function(self._values, _elements_at(other, self)))

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"

    def __reduce__(self) -> Any:
        return SparseTensor, (self._indices, self._values, self._dense_shape)


def _clash(places: TensorShape, whole: TensorShape, count: int | None, rank: int | None) -> str:
    """What does not match in a sparse tensor of `count` values, whose dense_shape has `rank` numbers."""
    if whole.rank not in (None, 1):
        return ": dense_shape must be rank 1"
    if places.rank == 2 and None not in (places[0], count) and places[0] != count:
        return f": Dimensions {places[0]} and {count} are not compatible"
    if places.rank == 2 and None not in (places[1], rank) and places[1] != rank:
        return f": Dimensions {places[1]} and {rank} are not compatible"
    return ""


def _told_by(dense_shape: Any) -> TensorShape | None:
    """What a list of sizes tells, some of which are tensors that have no value yet."""
    if not isinstance(dense_shape, (list, tuple)) or not any(isinstance(n, Tensor) for n in dense_shape):
        return None
    return TensorShape([_size(n) for n in dense_shape])


def _size(n: Any) -> int | None:
    """A size that is a number, or a tensor with a value."""
    if type(n) is Tensor:
        return int(n._array)
    return int(n) if isinstance(n, (int, np.integer)) else None


def _known_sizes(dense_shape: Any) -> TensorShape:
    """What a function that is being traced knows of a shape."""
    trace = getattr(dense_shape, "trace", None)
    sizes = None if trace is None else trace.peek_symbolic(dense_shape)
    if sizes is not None and np.ndim(sizes) == 1:
        return TensorShape([None if isinstance(n, Dim) else int(n) for n in sizes])
    whole = dense_shape.get_shape()
    return TensorShape([None] * whole[0] if whole.rank == 1 and whole[0] is not None else None)


def dense_dims(sparse: SparseTensor) -> tuple[int, ...]:
    """The whole tensor's shape as Python ints."""
    return tuple([int(n) for n in sparse._dense_shape._array])


def _plain(value: Any) -> Any:
    """Integers of another width as an array, which converts; a tensor of int64 as it is."""
    from gradtape.core.op import REGISTRY

    if isinstance(value, Variable):
        value = value._read()
    if isinstance(value, TensorShape):
        return value.as_list()
    is_narrow = isinstance(value, Tensor) and value.dtype is not dtypes.int64 and value.dtype.is_integer
    return REGISTRY["cast_to_discrete"](value, dtype=dtypes.int64) if is_narrow else value


def _value(values: Any) -> Any:
    return values._read() if isinstance(values, Variable) else convert.convert_to_tensor(values)


def _elements_at(dense: Any, sparse: SparseTensor) -> Any:
    """The elements of a dense tensor, which broadcasts to a sparse one's shape, at its places."""
    from gradtape.core.op import REGISTRY

    if not dense.ndim:
        return dense
    rank = sparse._dense_shape.get_shape()[0]
    if dense.ndim > rank:
        raise errors.build(
            errors.ShapeError,
            f"SparseTensor: a dense tensor of shape {dense.shape} does not broadcast to shape {sparse.shape}.",
            "only the dense side may be repeated.",
        )
    # Along an axis of length 1 there is only index 0.
    moves: Any = np.array([d != 1 for d in dense.get_shape()], np.int64)
    if None in dense.get_shape().as_list():
        lengths = REGISTRY["shape_of"](dense, dtype=dtypes.int64)
        moves = REGISTRY["cast_to_discrete"](REGISTRY["not_equal"](lengths, np.int64(1)), dtype=dtypes.int64)
    places = sparse._indices[:, rank - dense.ndim :] * moves
    return REGISTRY["gather_nd"](dense, places, batch_dims=0)
