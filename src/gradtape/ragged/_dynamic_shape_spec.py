"""The form and the spec of ragged shapes."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

from gradtape.core import dtypes, errors
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.ragged._partition import of_splits
from gradtape.ragged._partition_spec import RowPartitionSpec


def _shape_class() -> Any:
    """DynamicRaggedShape, whose module is above this one."""
    return importlib.import_module("gradtape.ragged._dynamic_shape").DynamicRaggedShape


@dataclasses.dataclass(frozen=True)
class ShapeForm(Form):
    """The lengths of uniform partitions, and what is known of the shape of the flat values."""

    uniform: tuple[int | None, ...]
    inner: tuple[int | None, ...] | None

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The shape with these lengths."""
        partitions = [of_splits(s, n) for s, n in zip(parts[1:], self.uniform, strict=True)]
        return _shape_class()(partitions, parts[0], static_inner_shape=None if self.inner is None else list(self.inner))

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of shapes with such parts."""
        rows = [None if s.shape.rank is None or s.shape[0] is None else s.shape[0] - 1 for s in specs[1:]]
        partitions = [RowPartitionSpec(n, None, u, specs[0].dtype) for n, u in zip(rows, self.uniform, strict=True)]
        return DynamicRaggedShapeSpec(partitions, TensorShape(self.inner), specs[0].dtype)


def _told(specs: tuple[RowPartitionSpec, ...], inner: TensorShape) -> tuple[tuple[RowPartitionSpec, ...], TensorShape]:
    """The same specs with all that follows: the values of a partition are the rows of the next one, and at last the flat values."""
    if not specs:
        return specs, inner
    count = inner[:1] if inner.rank is not None else TensorShape([None])
    below, found = count, []
    for spec in specs[::-1]:  # from the flat values to the rows
        found.append(_with_values(spec, below))
        below = TensorShape([found[-1].nrows])
    specs, above, known = tuple(found[::-1]), TensorShape([None]), []
    for spec in specs:  # and back
        _check_alike(above, spec.nrows)
        known.append(spec._merge_with(RowPartitionSpec(above[0], None, None, spec.dtype)))
        above = TensorShape([known[-1].nvals])
    return tuple(known), inner if inner.rank is None else above.merge_with(count).concatenate(inner[1:])


def _with_values(spec: RowPartitionSpec, count: TensorShape) -> RowPartitionSpec:
    _check_alike(count, spec.nvals)
    return spec._merge_with(RowPartitionSpec(None, count[0], None, spec.dtype)) if count[0] is not None else spec


def _check_alike(count: TensorShape, own: int | None) -> None:
    if not count.is_compatible_with([own]):
        raise errors.build(
            ValueError,
            f"DynamicRaggedShape.Spec: partitions do not match: Dimensions {own} and {count[0]} are not compatible.",
            "the number of values of a partition is that of the rows of the next one, and at last of the flat values.",
        )


class DynamicRaggedShapeSpec(CompositeSpec):
    """The kind of shapes that a function accepts.

    Args:
      row_partitions: the specs of the row partitions.
      static_inner_shape: what is known of the shape of the flat values.
      dtype: of the lengths.
    """

    __slots__ = ("_row_partitions", "_static_inner_shape", "dtype")

    shape = TensorShape(None)

    def __init__(self, row_partitions: Any, static_inner_shape: Any, dtype: Any) -> None:
        if not isinstance(row_partitions, Iterable):
            raise errors.build(
                TypeError,
                f"row_partitions should be an Iterable, got {row_partitions!r}.",
                "pass the specs of the partitions in a list: [tf.type_spec_from_value(partition)].",
            )
        given = tuple(row_partitions)
        for spec in given:
            if not isinstance(spec, RowPartitionSpec):
                raise errors.build(
                    TypeError,
                    f"row_partitions should be an Iterable of RowPartitionSpecs. Got {spec!r}.",
                    "pass the specs of the partitions: tf.type_spec_from_value(partition).",
                )
        self.dtype = dtypes.as_dtype(dtype)
        if self.dtype not in (dtypes.int32, dtypes.int64):
            raise errors.build(
                ValueError, "dtype must be tf.int32 or tf.int64.", "use dtype=tf.int64 or dtype=tf.int32."
            )
        for spec in given:
            if spec.dtype is not self.dtype:
                raise errors.build(
                    ValueError,
                    f"dtype of {spec!r} is {spec.dtype!r}: expected {self.dtype!r}.",
                    f"pass spec.with_dtype({self.dtype!r}).",
                )
        inner = TensorShape(static_inner_shape)
        if inner.rank == 0 and given:
            raise errors.build(
                ValueError,
                "If row_partitions are provided, must have inner_rank > 0.",
                "static_inner_shape=[None]: the flat values have at least one axis.",
            )
        self._row_partitions, self._static_inner_shape = _told(given, inner)

    value_type = property(lambda self: _shape_class(), doc="The class of the values.")
    num_row_partitions = property(lambda self: len(self._row_partitions), doc="The number of row partitions.")
    inner_rank = property(lambda self: self._static_inner_shape.rank, doc="The rank of the flat values, or None.")

    @property
    def rank(self) -> int | None:
        """The number of axes, or None if it is not known."""
        return None if self.inner_rank is None else len(self._row_partitions) + self.inner_rank

    @classmethod
    def from_value(cls, value: Any) -> DynamicRaggedShapeSpec:
        """The spec of a shape, or of the shape of a tensor or of a spec of tensors."""
        kind = _shape_class()
        spec: DynamicRaggedShapeSpec = (value if isinstance(value, kind) else kind.from_tensor(value))._spec()
        return spec

    def with_dtype(self, dtype: Any) -> DynamicRaggedShapeSpec:
        """The same with lengths of another type."""
        return DynamicRaggedShapeSpec(
            [p.with_dtype(dtype) for p in self._row_partitions], self._static_inner_shape, dtype
        )

    def _component_specs(self) -> list[TensorSpec]:
        inner = TensorSpec([self.inner_rank], self.dtype)
        return [inner, *[s for p in self._row_partitions for s in p._component_specs()]]

    def _form(self) -> ShapeForm:
        dims = None if self.inner_rank is None else tuple(self._static_inner_shape.as_list())
        return ShapeForm(tuple([p.uniform_row_length for p in self._row_partitions]), dims)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or spec is of this kind."""
        other = spec_or_value._spec() if isinstance(spec_or_value, Composite) else spec_or_value
        return (
            isinstance(other, DynamicRaggedShapeSpec)
            and self.dtype is other.dtype
            and len(self._row_partitions) == len(other._row_partitions)
            and all(a.is_compatible_with(b) for a, b in zip(self._row_partitions, other._row_partitions, strict=True))
            and self._static_inner_shape.is_compatible_with(other._static_inner_shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec that contains this one and others; None if they differ in more than lengths."""
        inner = self._static_inner_shape
        for other in others:
            if not isinstance(other, DynamicRaggedShapeSpec) or len(other._row_partitions) != len(self._row_partitions):
                return None
            inner = inner.most_specific_compatible_shape(other._static_inner_shape)
        columns = zip(self._row_partitions, *[other._row_partitions for other in others], strict=True)
        partitions = [first.most_specific_common_supertype(rest) for first, *rest in columns]
        same = None not in partitions and all(other.dtype is self.dtype for other in others)
        return DynamicRaggedShapeSpec(partitions, inner, self.dtype) if same else None

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DynamicRaggedShapeSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._row_partitions, self._static_inner_shape, self.dtype

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self.dtype!r})"
        )

    def __reduce__(self) -> Any:
        return DynamicRaggedShapeSpec, self._key()
