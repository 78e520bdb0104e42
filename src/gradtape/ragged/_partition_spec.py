"""The form and the spec of row partitions."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Sequence
from typing import Any

from gradtape.core import dtypes, errors
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.shape import TensorShape, TensorSpec


def _partition() -> Any:
    """The module of RowPartition, which is above this one."""
    return importlib.import_module("gradtape.ragged._partition")


@dataclasses.dataclass(frozen=True)
class PartitionForm(Form):
    """The length of all rows, if there is one."""

    uniform: int | None

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The partition with these splits."""
        splits = parts[0]
        if splits.get_shape().rank is None:
            splits.set_shape([None])
        return _partition().of_splits(splits, self.uniform)

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of partitions with such splits."""
        rows = specs[0].shape[0] if specs[0].shape.rank == 1 else None
        return RowPartitionSpec(None if rows is None else rows - 1, None, self.uniform, specs[0].dtype)


class RowPartitionSpec(CompositeSpec):
    """The type specification of a row partition.

    Args:
      nrows: the number of rows, None if it may differ.
      nvals: the number of values.
      uniform_row_length: the length of all rows, None if rows differ or it is not known.
      dtype: int64 or int32.
    """

    __slots__ = ("_nrows", "_nvals", "_uniform_row_length", "dtype")

    def __init__(
        self, nrows: Any = None, nvals: Any = None, uniform_row_length: Any = None, dtype: Any = dtypes.int64
    ) -> None:
        rows, values, length = (
            TensorShape([n]) if not isinstance(n, TensorShape) else n for n in (nrows, nvals, uniform_row_length)
        )
        self.dtype = dtypes.as_dtype(dtype)
        if self.dtype not in (dtypes.int32, dtypes.int64):
            raise errors.build(
                ValueError, "dtype must be tf.int32 or tf.int64.", "use dtype=tf.int64 or dtype=tf.int32."
            )
        n, v, u = rows[0], values[0], length[0]
        if (n == 0 or u == 0) and v not in (0, None):
            other = f"nrows={n}" if n == 0 else f"uniform_row_length={u}"
            raise errors.build(
                ValueError, f"nvals={v} is not compatible with {other}.", "use nvals=0, or leave it out."
            )
        if n == 0 or u == 0:
            v = 0
        if u is not None and v is not None:
            if u and v % u:
                raise errors.build(
                    ValueError,
                    f"nvals={v} is not compatible with uniform_row_length={u} (doesn't divide evenly).",
                    "leave nvals out: it is nrows times uniform_row_length.",
                )
            if n is not None and v != u * n:
                raise errors.build(
                    ValueError,
                    f"nvals={v} is not compatible with nrows={n} and uniform_row_length={u}.",
                    "leave nvals out: it is nrows times uniform_row_length.",
                )
            if n is None and u:
                n = v // u
        if u is not None and n is not None and v is None:
            v = u * n
        self._nrows, self._nvals, self._uniform_row_length = TensorShape([n]), TensorShape([v]), TensorShape([u])

    value_type = property(lambda self: _partition().RowPartition, doc="The class of the values.")
    nrows = property(lambda self: self._nrows[0], doc="The number of rows, or None.")
    nvals = property(lambda self: self._nvals[0], doc="The number of values, or None.")
    uniform_row_length = property(lambda self: self._uniform_row_length[0], doc="The length of all rows, or None.")
    shape = TensorShape(None)

    @classmethod
    def from_value(cls, value: Any) -> RowPartitionSpec:
        """The spec of a partition."""
        if not isinstance(value, _partition().RowPartition):
            raise errors.build(
                TypeError,
                "Expected `value` to be a `RowPartition`.",
                "tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).",
            )
        spec: RowPartitionSpec = value._spec()
        return spec

    def with_dtype(self, dtype: Any) -> RowPartitionSpec:
        """The same of another type of numbers."""
        return RowPartitionSpec(self.nrows, self.nvals, self.uniform_row_length, dtype)

    def _form(self) -> PartitionForm:
        return PartitionForm(self.uniform_row_length)

    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([None if self.nrows is None else self.nrows + 1], self.dtype)]

    def _serialize(self) -> tuple[Any, ...]:
        return self._nrows, self._nvals, self._uniform_row_length, self.dtype

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or spec is of this kind."""
        other = spec_or_value._spec() if isinstance(spec_or_value, Composite) else spec_or_value
        if not isinstance(other, RowPartitionSpec) or other.dtype is not self.dtype:
            return False
        pairs = zip(self._serialize()[:3], other._serialize()[:3], strict=True)
        if not all(a.is_compatible_with(b) for a, b in pairs):
            return False
        try:
            self._merge_with(other)
        except ValueError:
            return False
        return True

    def _merge_with(self, other: RowPartitionSpec) -> RowPartitionSpec:
        merged = [a.merge_with(b)[0] for a, b in zip(self._serialize()[:3], other._serialize()[:3], strict=True)]
        if self.dtype is not other.dtype:
            raise errors.build(
                ValueError, "Merging RowPartitionSpecs with incompatible dtypes.", "spec.with_dtype(tf.int64) for both."
            )
        try:
            return RowPartitionSpec(merged[0], merged[1], merged[2], self.dtype)
        except ValueError:
            raise errors.build(
                ValueError,
                "Merging incompatible RowPartitionSpecs.",
                "their numbers of rows and values must be equal, or None.",
            ) from None

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec that contains this one and others; None if the types of numbers differ."""
        if any(not isinstance(other, RowPartitionSpec) or other.dtype is not self.dtype for other in others):
            return None
        columns = zip(self._serialize()[:3], *[other._serialize()[:3] for other in others], strict=True)
        n, v, u = [c[0][0] if all(x == c[0] for x in c[1:]) else None for c in columns]
        return RowPartitionSpec(n, v, u, self.dtype)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, RowPartitionSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.nrows, self.nvals, self.uniform_row_length, self.dtype

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, uniform_row_length={self.uniform_row_length}, "
            f"dtype={self.dtype!r})"
        )

    def __reduce__(self) -> Any:
        return RowPartitionSpec, self._key()
