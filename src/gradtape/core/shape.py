"""Shapes and specs: TensorShape and TensorSpec for users, Spec for the rules of ops."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.dimension import Dimension
from gradtape.core.dims import Dim

Dims = tuple[int | None, ...]


class AnyShape(tuple[Any, ...]):
    """The shape of which not even the rank is known. It holds one None, so that whoever looks for unknown dimensions
    finds one; it equals itself alone. A part of it is as little known."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def __getitem__(self, key: Any) -> Any:
        return self if isinstance(key, slice) else None

    def __repr__(self) -> str:
        return "..."


ANY: Any = AnyShape((None,))


def stacked(n: int | None, shape: Any) -> Any:
    """The shape of n tensors of a shape in one."""
    return ANY if shape is ANY else (n, *shape)


class Steps(tuple[Any, ...]):
    """The shape of what a loop keeps of its steps for its derivative: as many rows as there were steps. Only loops read
    such values, and they need not know the number."""

    __slots__ = ()


class Spec(NamedTuple):
    """Shape and dtype of a value, as the `infer` rules see it. A dimension is None while it is unknown; the shape is
    `ANY` while the rank is."""

    shape: tuple[int, ...]
    dtype: dtypes.DType

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_known(self) -> bool:
        """True if every dimension is known."""
        return None not in self.shape

    def __str__(self) -> str:
        dims = "..." if self.shape is ANY else ",".join("?" if d is None else str(d) for d in self.shape)
        return f"{self.dtype.short}[{dims}]"


def spec_of(value: Any) -> Spec:
    """The Spec of a tensor, an array, a TensorSpec or a Python number."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        value = np.asarray(value)
        dtype = value.dtype
    if not isinstance(dtype, dtypes.DType):
        dtype = dtypes.from_numpy(dtype)
    shape = value.shape
    return Spec(ANY if type(shape) is TensorShape and shape._dims is None else tuple(shape), dtype)


def broadcast(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...] | None:
    """The shape that two shapes broadcast to, or None if they do not."""
    if type(a) is type(b) is Steps and len(a) == len(b):
        return Steps([m if m == n else None for m, n in zip(a, b, strict=True)])
    if type(a) is Steps and (a == b or not b):
        return a
    if type(b) is Steps and not a:
        return b
    longer, shorter = (tuple(a), tuple(b)) if len(a) >= len(b) else (tuple(b), tuple(a))
    start = len(longer) - len(shorter)
    result = list(longer)
    for i, (m, n) in enumerate(zip(longer[start:], shorter, strict=True), start):
        if m == n or n == 1:
            continue
        if m != 1:
            return None
        result[i] = n
    return tuple(result)


def normalize_axis(axis: Any, rank: int, op: str, name: str = "axis", *, reduced: bool = False) -> int:
    """An axis counted from the front; an error that names the op if it is out of range."""
    try:
        # Of an axis that is not known those in range have a path each.
        axis = axis.__index__() if type(axis) is not Dim or -rank <= axis < rank else rank
    except AttributeError:
        raise errors.build(
            errors.DTypeError, f"{op}: {name} must be an integer, got {axis!r}.", "pass a Python int or an int tensor."
        ) from None
    except TypeError:
        if not getattr(axis, "ndim", 0):
            raise
        raise errors.build(
            errors.ShapeError,
            f"{op}: {name} must be a scalar, but received a tensor of shape {list(axis.shape)}.",
            "pass a Python int or a scalar tensor.",
        ) from None
    if not -rank <= axis < rank:
        raise errors.build(
            errors.RangeError,
            f"{op}: {name} is {axis}, but the input has rank {rank}: {axis} is out of range"
            f"{f' (Invalid reduction dimension {axis} for input with {rank} dimensions)' if reduced else ''}.",
            f"use an axis from {-rank} to {rank - 1}; anything else is out of bounds."
            if rank
            else "a scalar has no axes: every axis is out of bounds.",
        )
    return int(axis + rank if axis < 0 else axis)


def normalize_axes(axis: Any, rank: int, op: str, *, reduced: bool = True) -> tuple[int, ...]:
    """Axes counted from the front, sorted, without repetition; None means all. Errors say whether they were to be reduced."""
    if axis is None:
        return tuple(range(rank))
    if hasattr(axis, "ndim") and hasattr(axis, "dtype"):
        axis = np.asarray(axis).tolist()
    if not isinstance(axis, (list, tuple, range)):
        axis = (axis,)
    axes = tuple(sorted(normalize_axis(a, rank, op, reduced=reduced) for a in axis))
    if len(set(axes)) != len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise errors.build(
            errors.ShapeError,
            f"{op}: axis {tuple(axis)} names an axis twice: axis {twice} specified more than once. "
            f"{'Invalid reduction arguments: ' if reduced else ''}Axes contains duplicate dimension: {twice}.",
            "name each axis once.",
        )
    return axes


class TensorShape:
    """A shape whose dimensions or rank may be unknown.

    >>> tf.TensorShape([2, None]).as_list()
    [2, None]
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: Any = None) -> None:
        if isinstance(dims, TensorShape):
            self._dims: Dims | None = dims._dims
        elif dims is None:
            self._dims = None
        elif isinstance(dims, (int, np.integer, Dimension)):
            self._dims = (_dimension(dims),)
        elif hasattr(dims, "unknown_rank"):  # a message
            self._dims = None if dims.unknown_rank else tuple([None if d.size == -1 else d.size for d in dims.dim])
        elif isinstance(dims, Iterable) and getattr(dims, "ndim", 1) != 0:
            self._dims = tuple(_dimension(d) for d in dims)
        elif getattr(dims, "ndim", 1) == 0:
            self._dims = (_dimension(dims),)
        else:
            raise _not_dims(dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list of objects with a `value`, or None; `as_list` gives numbers."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """The dimensions as a list; ValueError if the rank is unknown."""
        return list(self._known())

    def as_proto(self) -> Any:
        """The shape as TensorFlow's message: -1 for an unknown dimension.

        >>> [dim.size for dim in tf.TensorShape([2, None]).as_proto().dim]
        [2, -1]
        """
        kind = importlib.import_module("gradtape.protos.tensor_proto").TensorShapeProto
        if self._dims is None:
            return kind(unknown_rank=True)
        proto = kind()
        for size in self._dims:
            proto.dim.add(size=-1 if size is None else size)
        return proto

    def num_elements(self) -> int | None:
        """The product of the dimensions, or None if one is unknown."""
        if self._dims is None or None in self._dims:
            return None
        return math.prod([d for d in self._dims if d is not None])

    def is_fully_defined(self) -> bool:
        """True if every dimension is known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """True if one concrete shape can satisfy both."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            m is None or n is None or m == n for m, n in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError if the shapes are not compatible."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_same_rank(self, other: Any) -> None:
        """ValueError unless another shape has the same rank, or one is unknown."""
        its = TensorShape(other)
        if self.rank is not None and its.rank is not None and self.rank != its.rank:
            raise ValueError(f"Shapes {self} and {its} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """ValueError if the rank differs."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self) -> None:
        """ValueError if a dimension is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have the rank."""
        return self.merge_with([None] * rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if its rank is smaller."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(
                errors.compose(
                    f"Shape {self} must have rank at least {rank}, it has rank {self.rank}.",
                    "add an axis in front, for instance x[tf.newaxis], or reshape the tensor.",
                )
            )
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if its rank is larger."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def merge_with(self, other: Any) -> TensorShape:
        """The combination of what both shapes specify."""
        theirs = TensorShape(other)
        self.assert_is_compatible_with(theirs)
        if self._dims is None:
            return theirs
        if theirs._dims is None:
            return self
        return TensorShape([n if m is None else m for m, n in zip(self._dims, theirs._dims, strict=True)])

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that contains both."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return TensorShape(None)
        return TensorShape([m if m == n else None for m, n in zip(self._dims, other._dims, strict=True)])

    def most_specific_common_supertype(self, others: Any) -> TensorShape | None:
        """The narrowest shape that contains this one and others; None if one of these is no shape."""
        found = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            found = found.most_specific_compatible_shape(other)
        return found

    def is_subtype_of(self, other: Any) -> bool:
        """True if every shape that this one allows is allowed by the other."""
        return isinstance(other, TensorShape) and self.most_specific_compatible_shape(other) == other

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape, then of the other."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def _known(self) -> Dims:
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return self._dims

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return self._unknown_slice(key) if isinstance(key, slice) else None
        return TensorShape(self._dims[key]) if isinstance(key, slice) else self._dims[key]

    @staticmethod
    def _unknown_slice(key: slice) -> TensorShape:
        """A part of a shape of unknown rank: its length is known if the limits say it."""
        start, stop = key.start or 0, key.stop
        if key.step is not None or stop is None or stop < 0 or start < 0:
            return TensorShape(None)
        return TensorShape([None] * max(stop - start, 0))

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: Any) -> bool:
        if type(other) is tuple:
            return self._dims == other
        try:
            other = TensorShape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return bool(self._dims == other._dims)

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        return f"({self._dims[0]},)" if len(self._dims) == 1 else f"({', '.join(map(str, self._dims))})"

    def __reduce__(self) -> Any:
        return TensorShape, (None if self._dims is None else list(self._dims),)


def _dimension(value: Any) -> int | None:
    if type(value) is Dimension:
        value = value.value
    if value is None or type(value) is Dim:
        return value  # type: ignore[return-value]
    try:
        size = int(value.__index__())
    except AttributeError:
        raise TypeError(
            errors.compose(
                f"TensorShape: Dimension value must be integer or None, got {errors.brief(value)}.",
                "write the sizes as ints, for instance [2, 3] or [None, 3].",
            )
        ) from None
    if size < 0:
        raise ValueError(
            errors.compose(f"TensorShape: Dimension {size} must be >= 0.", "write None for an unknown size.")
        )
    return size


def _not_dims(value: Any) -> TypeError:
    return TypeError(
        errors.compose(
            f"TensorShape: dims must be None, an int or a sequence of int or None, got {errors.brief(value)}.",
            "write the sizes as a list, for instance [2, 3] or [None, 3].",
            depth=3,
        )
    )


class TensorSpec:
    """The shape, dtype and name of tensors that a function accepts."""

    __slots__ = ("_dtype", "_name", "_shape")
    value_type: ClassVar[type]  # Tensor, which core/tensor.py puts here: it is built on this file

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = TensorShape(shape), dtypes.as_dtype(dtype), name

    shape = property(lambda self: self._shape, doc="The TensorShape.")
    dtype = property(lambda self: self._dtype, doc="The DType.")
    name = property(lambda self: self._name, doc="The name, or None.")

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        if not hasattr(tensor, "dtype") or not hasattr(tensor, "shape"):
            raise ValueError(
                errors.compose(
                    f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.",
                    "convert it first, tf.convert_to_tensor(x), or give the shape and dtype: tf.TensorSpec(shape, dtype).",
                )
            )
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A copy of a spec, perhaps under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def _flat_tensor_specs(self) -> list[TensorSpec]:
        """The specs of the tensors that a value consists of: itself."""
        return [self]

    def is_subtype_of(self, other: Any) -> bool:
        """True if every tensor of this spec is one of the other's."""
        if not isinstance(other, TensorSpec) or self._dtype != other.dtype:
            return False
        if self._name and self._name != other.name:  # a name that was asked for must be kept
            return False
        return bool(self._shape.most_specific_compatible_shape(other.shape) == other.shape)

    def most_specific_common_supertype(self, others: Any) -> TensorSpec | None:
        """The narrowest spec that contains this one and others; None if the dtypes differ."""
        shape = self._shape
        for other in others:
            if not isinstance(other, TensorSpec) or other.dtype != self._dtype:
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        return (
            type(self)(shape, self._dtype, self._name) if type(self) is TensorSpec else TensorSpec(shape, self._dtype)
        )

    def is_compatible_with(self, other: Any) -> bool:
        """True if the other tensor or spec has this dtype and a compatible shape."""
        if not hasattr(other, "dtype") or not hasattr(other, "shape"):
            return False
        return self._dtype == other.dtype and self._shape.is_compatible_with(other.shape)

    def _batch(self, batch_size: int | None) -> TensorSpec:
        """The spec of several such tensors, stacked."""
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        """The spec of a row of such a tensor."""
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1.")
        return TensorSpec(self._shape[1:], self._dtype)

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """The narrowest spec that contains both."""
        if self._dtype != other.dtype:
            raise ValueError(f"No TensorSpec contains both {self} and {other}: the dtypes differ.")
        return TensorSpec(self._shape.most_specific_compatible_shape(other.shape), self._dtype)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TensorSpec) and (self._shape, self._dtype, self._name) == (
            other._shape,
            other._dtype,
            other._name,
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> Any:
        return TensorSpec, (self._shape, self._dtype, self._name)
