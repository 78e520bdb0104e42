"""DynamicRaggedShape: the shape of a ragged tensor, with the lengths of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradtape.arrays import joining, movement, shapes
from gradtape.core import convert, dtypes, errors
from gradtape.core.array_values import RaggedTensorValue
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._dynamic_shape_spec import DynamicRaggedShapeSpec, ShapeForm
from gradtape.ragged._partition import RowPartition, of_splits
from gradtape.ragged._partition_spec import RowPartitionSpec
from gradtape.toplevel.inspection import get_static_value


class DynamicRaggedShape(Composite):
    """The shape of a tensor that may be ragged: row partitions for its ragged axes, and the shape of its flat values.

    Args:
      row_partitions: how the flat values are cut into rows, the outermost partition first; none for a dense tensor.
      inner_shape: the shape of the flat values.
      dtype: of the lengths, int64 or int32.
      validate: check when the shape is used that the partitions fit each other.
      static_inner_shape: what is known of `inner_shape` while tracing.

    >>> tf.experimental.DynamicRaggedShape.from_tensor(tf.ragged.constant([[1, 2], [], [3, 4, 5]]))
    <DynamicRaggedShape lengths=[3, (2, 0, 3)] num_row_partitions=1>
    """

    __slots__ = ("_inner_shape", "_row_partitions", "_static_inner_shape")

    _functions = "gradtape.ragged._shape_overrides"
    Spec = DynamicRaggedShapeSpec

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        if not isinstance(row_partitions, Iterable):
            raise errors.build(
                TypeError,
                f"row_partitions should be a list of row partitions. Instead, got {row_partitions}.",
                "row_partitions=[tf.experimental.RowPartition.from_row_lengths([2, 0, 1])].",
            )
        given = list(row_partitions)
        for partition in given:
            if not isinstance(partition, RowPartition):
                raise errors.build(
                    TypeError,
                    f"row_partitions contains {partition} which is not a RowPartition.",
                    "make one of it: tf.experimental.RowPartition.from_row_splits(splits).",
                )
        wanted = _common_dtype(given, inner_shape, dtype)
        self._row_partitions = tuple([p.with_dtype(wanted) for p in given])
        self._inner_shape = _sizes(inner_shape, wanted)
        self._inner_shape.get_shape().assert_has_rank(1)
        known = static_sizes(self._inner_shape)
        self._static_inner_shape = known if static_inner_shape is None else known.merge_with(static_inner_shape)
        self._check(validate)

    def _check(self, validate: bool) -> None:
        """Refuse partitions that do not fit each other, or the shape of the flat values."""
        for axis, (outer, inner) in enumerate(zip(self._row_partitions, self._row_partitions[1:], strict=False)):
            text = f"RowPartitions in DynamicRaggedShape do not align between {axis} and {axis + 1}"
            self._check_equal(outer.static_nvals, inner.static_nrows, outer.nvals, inner.nrows, text, validate)
        if self._row_partitions and self._static_inner_shape.rank != 0:
            last, sizes = self._row_partitions[-1], self._static_inner_shape
            known = sizes[0] if sizes.rank is not None else None
            text = "Last row partition does not match inner_shape."
            self._check_equal(last.static_nvals, known, last.nvals, lambda: self._inner_shape[0], text, validate)

    def _check_equal(self, first: Any, second: Any, a: Any, b: Any, text: str, validate: bool) -> None:
        if first is not None and second is not None:
            if int(first) != int(second):
                raise errors.build(
                    ValueError,
                    text,
                    "each partition has as many rows as the one before it has values, and the last as many values as inner_shape[0].",
                )
        elif validate:
            self._inner_shape = row_partition.checked_counts(self._inner_shape, a(), b(), who=text)

    @classmethod
    def from_lengths(cls, lengths: Any, num_row_partitions: Any = None, dtype: Any = dtypes.int64) -> Any:
        """The shape of given lengths along each axis: ints, and tuples of ints for ragged axes.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 2])
        <DynamicRaggedShape lengths=[2, (2, 1), 2] num_row_partitions=1>
        """
        if not isinstance(lengths, list):
            raise errors.build(
                ValueError,
                "lengths should be a list.",
                "tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 2]).",
            )
        for x in lengths:
            if not isinstance(x, int) and not (isinstance(x, tuple) and all(isinstance(n, int) for n in x)):
                raise errors.build(
                    ValueError,
                    f"element of lengths should be int or tuple of ints: instead {x!r}.",
                    "an int for a uniform axis, a tuple of ints for a ragged one: [2, (2, 1), 2].",
                )
            if isinstance(x, int) and x < 0:
                raise errors.build(
                    ValueError,
                    f"lengths must not be negative, got {x}: Dimension {x} must be >= 0.",
                    "use lengths of 0 or more; they must be known.",
                )
        count = num_row_partitions
        if count is None:
            count = max([i for i, x in enumerate(lengths) if not isinstance(x, int)], default=0)
        if not isinstance(count, int):
            raise errors.build(
                ValueError, "num_row_partitions should be an int or None.", "leave it out to count the ragged axes."
            )
        if not lengths and count > 0:
            raise errors.build(
                ValueError,
                "num_row_partitions must be 0 without lengths: num_row_partitions==0 for a scalar shape.",
                "leave num_row_partitions out.",
            )
        if lengths and not count < len(lengths):
            raise errors.build(
                ValueError,
                "num_row_partitions should be less than `len(lengths)` if shape is not scalar.",
                f"use at most {len(lengths) - 1}: the first axis has no partition.",
            )
        if count <= 0:
            if not all(isinstance(x, int) for x in lengths):
                raise errors.build(
                    ValueError,
                    f"num_row_partitions must count the ragged axes of lengths, got {count} for {lengths}.",
                    "leave it out to count the ragged axes.",
                )
            return cls([], np.array(lengths, np.int64), dtype=dtype)
        partitions, rows = [], lengths[0]
        for length in lengths[1 : count + 1]:
            if isinstance(length, int):
                partitions.append(RowPartition.from_uniform_row_length(length, nvals=rows * length, nrows=rows))
                rows = rows * length
            else:
                if len(length) != rows:
                    raise errors.build(
                        ValueError,
                        f"Shape not consistent: {rows} rows, but {len(length)} lengths.",
                        f"give a length for each row: a tuple of {rows} ints.",
                    )
                partitions.append(RowPartition.from_row_lengths(length))
                rows = sum(length)
        return cls(partitions, np.array([rows, *lengths[count + 1 :]], np.int64), dtype=dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: Any = None) -> Any:
        """The shape of flat values of rank 1 that are cut into rows.

        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> tf.experimental.DynamicRaggedShape.from_row_partitions([rows])
        <DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>
        """
        if not row_partitions:
            raise errors.build(
                ValueError,
                "row_partitions cannot be empty.",
                "tf.experimental.DynamicRaggedShape([], inner_shape) is the shape of a dense tensor.",
            )
        return cls(row_partitions, movement.reshape(row_partitions[-1].nvals(), [1]), dtype=dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> Any:
        """The shape of a tensor, ragged or not.

        >>> tf.experimental.DynamicRaggedShape.from_tensor([[1, 2, 3], [4, 5, 6]])
        <DynamicRaggedShape lengths=[2, 3] num_row_partitions=0>
        """
        t = construct.tensor(t) if isinstance(t, RaggedTensorValue) else t
        if not hasattr(t, "nested_row_splits"):
            t = t if isinstance(t, (Tensor, Variable)) else convert.convert_to_tensor(t)
            return cls([], shapes.shape(t), dtype, static_inner_shape=t.get_shape())
        kind = t.row_splits.dtype
        return cls(
            partitions_of(t), shapes.shape(t.flat_values, kind), dtype, static_inner_shape=t.flat_values.get_shape()
        )

    row_partitions = property(lambda self: self._row_partitions, doc="How the flat values are cut into rows.")
    num_row_partitions = property(lambda self: len(self._row_partitions), doc="The number of row partitions.")
    inner_shape = property(lambda self: self._inner_shape, doc="The shape of the flat values.")
    inner_rank = property(lambda self: self._static_inner_shape.rank, doc="The rank of the flat values, or None.")
    dtype = property(lambda self: self._inner_shape.dtype, doc="The type of the lengths: int64 or int32.")

    @property
    def rank(self) -> int | None:
        """The number of axes, or None if it is not known."""
        inner = self.inner_rank
        return None if inner is None else len(self._row_partitions) + inner

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """The static lengths along each axis: an int, a tuple of ints for ragged axes, or None.

        Args:
          ragged_lengths: if false, None for ragged axes.
        """
        inner: list[Any] = [...] if self.inner_rank is None else self._static_inner_shape.as_list()
        if not self._row_partitions:
            return inner
        found: list[Any] = [self._row_partitions[0].static_nrows]
        for p in self._row_partitions:
            known = get_static_value(p.row_lengths()) if ragged_lengths and not p.is_uniform() else None
            found.append(p.static_uniform_row_length if known is None else tuple(known.tolist()))
        return found + (inner if inner == [...] else inner[1:])

    def is_uniform(self, axis: int) -> bool:
        """True if all rows along an axis are known to have one length."""
        if not isinstance(axis, int):
            raise errors.build(TypeError, "axis must be an integer.", "shape.is_uniform(1).")
        if axis < 0:
            raise errors.build(
                IndexError, "Negative axis values are not supported.", "count from the front: axis + shape.rank."
            )
        if self.rank is not None and axis >= self.rank:
            raise errors.build(
                IndexError, f"Expected axis={axis} < rank={self.rank}.", f"use an axis from 0 to {self.rank - 1}."
            )
        count = len(self._row_partitions)
        return axis == 0 or axis > count or self._row_partitions[axis - 1].is_uniform()

    def with_dtype(self, dtype: Any) -> Any:
        """The same with lengths of another type, int32 or int64."""
        wanted = dtypes.as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise errors.build(ValueError, "dtype must be int32 or int64.", "shape.with_dtype(tf.int64).")
        return DynamicRaggedShape(
            self._row_partitions, cast(self._inner_shape, wanted), wanted, static_inner_shape=self._static_inner_shape
        )

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise errors.build(
                    IndexError,
                    "Cannot stride through a shape.",
                    "take the lengths one by one: [shape[i] for i in range(0, shape.rank, 2)].",
                )
            return self._part(self._start(index.start), self._stop(index.stop))
        if not isinstance(index, int):
            raise errors.build(TypeError, "Argument is not an int or a slice.", "shape[0], or shape[:2].")
        if index < 0:
            if self.rank is None:
                raise errors.build(
                    ValueError,
                    "Rank must be known to use __getitem__ with a negative index.",
                    "count from the front, or give the values a known rank.",
                )
            index += self.rank
        return self._length(index)

    def _start(self, start: Any) -> int:
        start = 0 if start is None else start
        if self.rank is None:
            if start < 0:
                raise errors.build(
                    ValueError,
                    "Rank must be known to use __getitem__ with a negative start.",
                    "count from the front, or give the values a known rank.",
                )
            return int(start)
        return int(max(start + self.rank, 0) if start < 0 else min(start, self.rank))

    def _stop(self, stop: Any) -> int:
        if self.rank is None:
            if stop is None or stop < 0:
                raise errors.build(
                    ValueError,
                    "Rank must be known to use __getitem__ without a stop, or with a negative one.",
                    "shape[:n], with n of 0 or more, or give the values a known rank.",
                )
            return int(stop)
        if stop is None:
            return self.rank
        return int(max(stop + self.rank, 0) if stop < 0 else min(stop, self.rank))

    def _part(self, start: int, stop: int) -> Any:
        if stop <= start:
            return DynamicRaggedShape([], np.zeros(0, np.int64))
        count = len(self._row_partitions)
        if start:
            part = self if self.rank is not None and stop >= self.rank else self._part(0, stop)
            if not all(p.is_uniform() for p in part._row_partitions):
                raise errors.build(
                    ValueError, "All relevant dimensions must be uniform.", "start at 0: shape[:n] keeps ragged axes."
                )
            if part.rank is None:
                raise errors.build(
                    NotImplementedError,
                    "__getitem__[start:stop] where start > 0 not implemented.",
                    "start at 0, or give the values a known rank.",
                )
            return DynamicRaggedShape([], part._dense_sizes()[start:])
        if stop <= count:
            if stop == 1:
                return DynamicRaggedShape([], movement.reshape(self._row_partitions[0].nrows(), [1]))
            return DynamicRaggedShape.from_row_partitions(self._row_partitions[: stop - 1])
        if self.rank is not None and self.rank <= stop:
            return self
        known = self._static_inner_shape
        inner = known[: stop - count] if known.rank is not None else None
        return DynamicRaggedShape(self._row_partitions, self._inner_shape[: stop - count], static_inner_shape=inner)

    def _dense_sizes(self) -> Any:
        """The shape as a vector; all partitions are uniform."""
        if not self._row_partitions:
            return self._inner_shape
        outer = [self._row_partitions[0].nrows(), *[p.uniform_row_length() for p in self._row_partitions]]
        return joining.concat([joining.stack(outer), self._inner_shape[1:]], 0)

    def _length(self, index: int) -> Any:
        count = len(self._row_partitions)
        if not count or index > count + 1:
            if self.rank is None:
                raise errors.build(
                    ValueError,
                    "Rank must be known to use __getitem__ on a large index.",
                    "give the values a known rank: x.set_shape(...).",
                )
            if index >= self.rank:
                raise errors.build(
                    IndexError, f"Index is too big: {index}>={self.rank}.", f"use an index from 0 to {self.rank - 1}."
                )
        if index < 0:
            raise errors.build(
                IndexError, f"Index must be non-negative: {index}.", "use an index from 0 on; -1 is the last axis."
            )
        if not self.is_uniform(index):
            raise errors.build(
                ValueError,
                f"Index {index} is not uniform.",
                "its rows differ in length: x.row_lengths() has them, shape.static_lengths() those that are known.",
            )
        if not index and count:
            return self._row_partitions[0].nrows()
        if 0 < index <= count:
            return self._row_partitions[index - 1].uniform_row_length()
        known = self._static_inner_shape[index - count] if self.inner_rank is not None else None
        return self._inner_shape[index - count] if known is None else convert.convert_to_tensor(int(known), self.dtype)

    def _num_elements(self) -> Any:
        """The number of elements."""
        from gradtape.math._reductions import reduce_prod

        return reduce_prod(self._inner_shape)

    def _to_tensor_shape(self) -> TensorShape:
        """What is known of the shape."""
        lengths = self.static_lengths(ragged_lengths=False)
        return TensorShape(None) if ... in lengths else TensorShape(lengths)

    def _components(self) -> list[Any]:
        return [self._inner_shape, *[p.row_splits() for p in self._row_partitions]]

    def _form(self) -> ShapeForm:
        dims = None if self.inner_rank is None else tuple(self._static_inner_shape.as_list())
        return ShapeForm(tuple([p.static_uniform_row_length for p in self._row_partitions]), dims)

    def _spec(self) -> DynamicRaggedShapeSpec:
        inner = self._static_inner_shape
        # A partition has as many values as the next one has rows.
        counts = [p.static_nrows for p in self._row_partitions[1:]] + [inner[0] if inner.rank else None]
        specs = [
            RowPartitionSpec(p.static_nrows, n, p.static_uniform_row_length, self.dtype)
            for p, n in zip(self._row_partitions, counts, strict=False)
        ]
        return DynamicRaggedShapeSpec(specs, inner, self.dtype)

    def __repr__(self) -> str:
        lengths = ", ".join("..." if n is ... else str(n) for n in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={len(self._row_partitions)}>"


def partitions_of(rt: Any) -> list[RowPartition]:
    """The row partitions of a ragged tensor, the outermost first."""
    return [of_splits(s, n) for s, n in zip(rt.nested_row_splits, rt._uniform_lengths(), strict=True)]


def static_sizes(sizes: Any) -> TensorShape:
    """The static part of a shape that is given as a vector."""
    known = get_static_value(sizes, partial=True)
    if known is not None:
        return TensorShape([None if n is None or n < 0 else int(n) for n in known])
    count = sizes.get_shape()[0]
    return TensorShape(None) if count is None else TensorShape([None] * int(count))


def _common_dtype(partitions: Sequence[RowPartition], inner: Any, dtype: Any) -> dtypes.DType:
    """The dtype of the lengths: the requested one, else that of the partitions or of the inner shape, else int64."""
    if dtype is not None:
        return dtypes.as_dtype(dtype)
    if partitions:
        found: dtypes.DType = partitions[0].dtype
        return found
    if isinstance(inner, (Tensor, Variable)) or (isinstance(inner, np.ndarray) and inner.dtype == np.int32):
        return dtypes.as_dtype(inner.dtype)
    return dtypes.int64


def _sizes(value: Any, dtype: dtypes.DType) -> Any:
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        value = joining.stack([cast(convert.convert_to_tensor(v), dtype) for v in value])
    if not isinstance(value, (Tensor, Variable)):
        array = np.asarray(value)
        return convert.convert_to_tensor(
            array.astype(dtype.numpy) if array.dtype.kind in "iu" or not array.size else array
        )
    found = convert.convert_to_tensor(value)
    return found if found.dtype is dtype else cast(found, dtype)
