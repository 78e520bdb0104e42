"""The form and the spec of ragged tensors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from gradtape.core import dtypes, errors
from gradtape.core.composite import CompositeSpec, Form
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.ragged._base import ragged, ragged_class


@dataclasses.dataclass(frozen=True)
class RaggedForm(Form):
    """The number of levels of rows, and which of them have uniform rows."""

    uniform: tuple[int | None, ...]

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The ragged tensor of flat values and the row splits of each level."""
        values = parts[0]
        for splits in parts[1:]:
            if splits.get_shape().rank is None:
                splits.set_shape([None])
        for splits, length in list(zip(parts[1:], self.uniform, strict=True))[::-1]:
            values = ragged(values, splits, length)
        return values

    def described(self, specs: Sequence[TensorSpec]) -> RaggedTensorSpec:
        """The spec of ragged tensors with these parts."""
        rows = specs[1].shape[0] if specs[1].shape.rank == 1 else None
        inner = specs[0].shape
        shape = (
            None if inner.rank is None else [None if rows is None else rows - 1, *self.uniform, *inner.as_list()[1:]]
        )
        return RaggedTensorSpec(shape, specs[0].dtype, len(self.uniform), specs[1].dtype)


class RaggedTensorSpec(CompositeSpec):
    """The kind of ragged tensors that a function accepts or a dataset holds.

    Args:
      shape: with None for the ragged axes.
      dtype: of the values.
      ragged_rank: how many axes may be ragged, after the first; by default all others. With 0, values are plain tensors, as the rows are of which `tf.map_fn` makes a ragged tensor.
      row_splits_dtype: int64 or int32.
      flat_values_spec: not taken: the flat values are plain tensors.

    >>> tf.RaggedTensorSpec([2, None], tf.int32)
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """

    __slots__ = ("dtype", "ragged_rank", "row_splits_dtype", "shape")

    _functions = "gradtape.ragged._overrides"

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        if flat_values_spec is not None:
            raise ValueError(
                errors.compose(
                    "RaggedTensorSpec: flat_values_spec is given, which is not supported.",
                    "give shape, dtype and ragged_rank.",
                )
            )
        self.shape, self.dtype = TensorShape(shape), dtypes.as_dtype(dtype)
        self.row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if ragged_rank is None:
            if self.shape.rank is None:
                raise ValueError(
                    errors.compose("RaggedTensorSpec: Must specify ragged_rank if shape is unknown.", "give one.")
                )
            ragged_rank = self.shape.rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(
                errors.compose(
                    f"RaggedTensorSpec: Argument `ragged_rank` must be an int, got {ragged_rank!r}.", "give one."
                )
            )
        if self.shape.rank is not None and ragged_rank >= self.shape.rank:
            raise ValueError(
                errors.compose(
                    f"RaggedTensorSpec: Argument `ragged_rank` ({ragged_rank}) must be less than rank ({self.shape.rank}).",
                    "the first axis is not ragged.",
                )
            )
        self.ragged_rank = ragged_rank

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return ragged_class() if self.ragged_rank > 0 else Tensor

    flat_values_spec = property(lambda self: None, doc="None: the flat values are plain tensors.")

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def _form(self) -> RaggedForm:
        dims = self.shape.as_list() if self.shape.rank is not None else [None] * (self.ragged_rank + 1)
        return RaggedForm(tuple(dims[1 : self.ragged_rank + 1]))

    def _component_specs(self) -> list[TensorSpec]:
        known = self.shape.rank is not None
        rows = self.shape[0] if known else None
        inner = self.shape.as_list()[self.ragged_rank + 1 :] if known else []
        values = TensorSpec([None, *inner], self.dtype) if known else TensorSpec(None, self.dtype)
        if self.ragged_rank <= 0:
            return [TensorSpec(self.shape, self.dtype)]
        splits = [TensorSpec([None if rows is None else rows + 1], self.row_splits_dtype)]
        splits += [TensorSpec([None], self.row_splits_dtype)] * (self.ragged_rank - 1)
        return [values, *splits]

    def _with_shape(self, shape: TensorShape) -> RaggedTensorSpec:
        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits_dtype)

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self.shape)
        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank + 1, self.row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        # Of dense tensors it is -1 then: their rows are dense, too, and make no ragged tensor when they are stacked.
        return RaggedTensorSpec(self.shape[1:], self.dtype, self.ragged_rank - 1, self.row_splits_dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if a value or spec is of this kind."""
        other = spec_or_value._spec() if hasattr(spec_or_value, "_spec") else spec_or_value
        return (
            isinstance(other, RaggedTensorSpec)
            and (self.dtype, self.ragged_rank, self.row_splits_dtype)
            == (other.dtype, other.ragged_rank, other.row_splits_dtype)
            and self.shape.is_compatible_with(other.shape)
        )

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.dtype, self.ragged_rank))

    def _key(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.ragged_rank, self.row_splits_dtype

    def __repr__(self) -> str:
        return f"RaggedTensorSpec({self.shape!r}, {self.dtype!r}, {self.ragged_rank}, {self.row_splits_dtype!r})"

    def __reduce__(self) -> Any:
        return RaggedTensorSpec, self._key()
