"""RaggedTensor: values and their partition into rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.arrays import indexing, joining, movement, shapes
from gradtape.core import convert, dtypes, errors
from gradtape.core.doors import adapt
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _conversion as conversion
from gradtape.ragged import _getitem as getitem
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _row_partition as partitions
from gradtape.ragged._base import RaggedBase, axis_of
from gradtape.ragged._operators import Operators
from gradtape.ragged._spec import RaggedForm, RaggedTensorSpec

_PLAIN = (list, tuple, np.ndarray)


class RaggedTensor(Operators, RaggedBase):
    """A tensor with axes along which rows have different lengths. Made by `tf.ragged.constant` and by the methods `from_…`.

    Gradients flow through `flat_values`.

    >>> x = tf.ragged.constant([[1, 2], [], [3]])
    >>> x
    <tf.RaggedTensor [[1, 2], [], [3]]>
    >>> x.row_lengths().numpy()
    array([2, 0, 1])
    """

    __slots__ = ("__weakref__", "_known", "_splits", "_uniform", "_values")

    # The message of `tf.convert_to_tensor` and of all functions that do not take ragged tensors.
    _instead = "use x.to_tensor() for a dense tensor, or x.flat_values with x.with_flat_values for the values."
    _functions = "gradtape.ragged._overrides"

    def __init__(self, values: Any, row_partition: Any, uniform_row_length: int | None = None) -> None:
        if type(values) in _PLAIN or type(row_partition) in _PLAIN:
            raise ValueError(
                errors.compose(
                    "RaggedTensor: the constructor is private, and takes no lists.",
                    "use tf.ragged.constant, or one of the methods RaggedTensor.from_….",
                )
            )
        self._values, self._splits, self._uniform = values, row_partition, uniform_row_length
        # The argument that a constructor got instead of the splits; its accessor returns it unchanged.
        self._known: dict[str, Any] = {}

    def _with_known(self, **known: Any) -> RaggedTensor:
        self._known.update(known)
        return self

    from_row_splits = staticmethod(construct.from_row_splits)
    from_row_lengths = staticmethod(construct.from_row_lengths)
    from_row_starts = staticmethod(construct.from_row_starts)
    from_row_limits = staticmethod(construct.from_row_limits)
    from_value_rowids = staticmethod(construct.from_value_rowids)
    from_uniform_row_length = staticmethod(construct.from_uniform_row_length)
    from_nested_row_splits = staticmethod(construct.from_nested_row_splits)
    from_nested_row_lengths = staticmethod(construct.from_nested_row_lengths)
    from_nested_value_rowids = staticmethod(construct.from_nested_value_rowids)
    from_tensor = staticmethod(adapt(construct.from_tensor))
    from_sparse = staticmethod(adapt(construct.from_sparse))

    values = property(lambda self: self._values, doc="The rows one after the other: a tensor, or a ragged tensor.")
    row_splits = property(lambda self: self._splits, doc="Where rows begin in `values`, and where the last one ends.")
    dtype = property(lambda self: self.flat_values.dtype, doc="The type of the elements.")

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows as a scalar tensor, or None if they may differ."""
        return None if self._uniform is None else convert.convert_to_tensor(self._uniform, self._splits.dtype)

    @property
    def flat_values(self) -> Any:
        """The innermost values, as a tensor."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all levels, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of axes that may be ragged."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def shape(self) -> TensorShape:
        """The shape, None for lengths that differ or are not known yet."""
        splits, inner = self._splits.get_shape(), self._values.get_shape()
        rows = None if splits.rank is None or splits[0] is None else splits[0] - 1
        return TensorShape(None if inner.rank is None else [rows, self._uniform, *inner.as_list()[1:]])

    def get_shape(self) -> TensorShape:
        """The shape, as `.shape`."""
        return self.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return 1 + int(self._values.ndim)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows.

        >>> int(tf.ragged.constant([[1, 2], []]).nrows())
        2
        """
        count = self._known.get("nrows")
        if count is None:
            count = shapes.shape(self._splits, self._splits.dtype)[0] - 1
        return count if out_type is None else cast(count, out_type)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows along an axis, ragged if that is not the first ragged one.

        >>> tf.ragged.constant([[[1], [2, 3]], [[]]]).row_lengths(axis=2)
        <tf.RaggedTensor [[1, 2], [0]]>
        """
        axis = axis_of(axis, self.ndim, "RaggedTensor.row_lengths")
        if axis == 0:
            return self.nrows()
        if axis == 1:
            known = self._known.get("row_lengths")
            return partitions.to_lengths(self._splits) if known is None else known
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        lengths = shapes.shape(self._values, self._splits.dtype)
        return self.with_values(movement.broadcast_to(lengths[axis - 1], lengths[: axis - 1]))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of all levels."""
        return tuple([partitions.to_lengths(s) for s in self.nested_row_splits])

    def row_starts(self, name: str | None = None) -> Tensor:
        """The start of each row in `values`."""
        result: Tensor = self._splits[:-1]
        return result

    def row_limits(self, name: str | None = None) -> Tensor:
        """The end of each row in `values`."""
        result: Tensor = self._splits[1:]
        return result

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row number of each element of `values`.

        >>> tf.ragged.constant([[1, 2], [], [3]]).value_rowids().numpy()
        array([0, 0, 2])
        """
        known = self._known.get("value_rowids")
        return partitions.to_rowids(self._splits) if known is None else known

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row numbers of all levels."""
        return tuple([partitions.to_rowids(s) for s in self.nested_row_splits])

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The shape of the smallest dense tensor that holds all rows, or its length along an axis.

        >>> tf.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy()
        array([3, 2])
        """
        outer = partitions.bounds(*self.nested_row_splits)
        whole = joining.concat([outer, shapes.shape(self.flat_values, dtypes.int64)[1:]], 0)
        found = whole if axis is None else indexing.gather(whole, axis)
        return cast(found, self._splits.dtype if out_type is None else out_type)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values."""
        new = new_values if isinstance(new_values, RaggedTensor) else construct.tensor(new_values)
        if not new.get_shape()[:1].is_compatible_with(self._values.get_shape()[:1]):
            raise errors.build(
                errors.ShapeError,
                f"RaggedTensor.with_values: new_values must be as many as the values, got {new.get_shape()} for "
                f"{self._values.get_shape()}.",
                "keep the number of values, or make new rows with RaggedTensor.from_row_splits.",
            )
        return RaggedTensor(new, self._splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows, at all levels, of other flat values.

        >>> x = tf.ragged.constant([[1.0, 4.0], [9.0]])
        >>> x.with_flat_values(tf.sqrt(x.flat_values))
        <tf.RaggedTensor [[1.0, 2.0], [3.0]]>
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same with row splits of int32 or int64."""
        wanted = dtypes.as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise ValueError(errors.compose(f"dtype must be int32 or int64, not {wanted.name}.", "choose one."))
        inner = self._values.with_row_splits_dtype(wanted) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(inner, cast(self._splits, wanted), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The tensor with several neighbouring axes merged.

        >>> tf.ragged.constant([[[1], [2, 3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        return adapt(rearrange.merge_dims)(self, outer_axis, inner_axis)

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
        """A dense tensor, with short rows padded.

        Args:
          default_value: what to fill up with; zero, or the empty string, by default.
          name: ignored.
          shape: lengths to cut or fill up to, None for those that are needed.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor(-1).numpy()
        array([[ 1,  2],
               [ 3, -1]], dtype=int32)
        """
        result: Tensor = adapt(conversion.to_tensor)(self, default_value, shape)
        return result

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor of all values.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        return adapt(conversion.to_sparse)(self)

    def to_list(self) -> list[Any]:
        """A nested list of the values.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        rows = self._values.to_list() if isinstance(self._values, RaggedTensor) else np.asarray(self._values).tolist()
        splits = np.asarray(self._splits).tolist()
        return [rows[a:b] for a, b in itertools.pairwise(splits)]

    def numpy(self) -> Any:
        """A NumPy array; if rows have different lengths, an array of arrays.

        >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
        """
        rows = self._values.numpy()
        splits = np.asarray(self._splits).tolist()
        cut = [rows[a:b] for a, b in itertools.pairwise(splits)]
        if not cut:
            return rows.reshape(0, *rows.shape)
        return np.stack(cut) if all(row.shape == cut[0].shape for row in cut) else objects(cut)

    def consumers(self) -> list[Any]:
        """Always empty: there is no graph."""
        return []

    def _components(self) -> list[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def __gradient_source__(self) -> Any:
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> RaggedTensor:
        return self.with_flat_values(gradient)

    def _form(self) -> RaggedForm:
        return RaggedForm(self._uniform_lengths())

    def _uniform_lengths(self) -> tuple[int | None, ...]:
        inner = self._values._uniform_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self._uniform, *inner)

    def _spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def __getitem__(self, key: Any) -> Any:
        return adapt(getitem.getitem)(self, key)

    def __len__(self) -> int:
        rows = self.shape[0]
        if rows is None:
            raise TypeError(errors.compose("len of a ragged tensor of unknown size.", "use x.nrows()."))
        return int(rows)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __bool__(self) -> bool:
        raise errors.build(
            TypeError,
            "RaggedTensor may not be used as a boolean.",
            "tf.reduce_any(x) for its values; tf.size(x.flat_values) > 0 asks whether there are any.",
        )

    def __repr__(self) -> str:
        if all(type(p) is Tensor for p in self._components()):
            return f"<tf.RaggedTensor {_text(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values!s}, row_splits={self._splits!s})"

    def _as_text(self, summarize: int | None) -> Tensor:
        """The rows as one string, for `tf.print` and `tf.strings.format`."""
        from gradtape.ragged._text import text_of

        return text_of(self, summarize)

    def __reduce__(self) -> Any:
        return _assembled, (self._form(), self._components())

    def __getattr__(self, name: str) -> Any:
        if name in ("op", "graph", "eval"):
            raise AttributeError(f"RaggedTensor.{name} is undefined when eager execution is enabled.")
        raise AttributeError(f"'RaggedTensor' object has no attribute {name!r}.")


def _text(x: Any) -> str:
    """The rows as NumPy writes arrays, with commas."""
    if not isinstance(x, np.ndarray):
        return str(x)
    if not x.size:
        return repr(x.tolist())
    with np.printoptions(formatter={"all": _text}):
        return np.array2string(x, separator=", ")


def _assembled(form: RaggedForm, parts: list[Any]) -> Any:
    return form.build(parts)
