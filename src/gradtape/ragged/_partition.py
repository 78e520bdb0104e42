"""RowPartition: the partition of a sequence of values into rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.arrays import creation, joining, movement, shapes
from gradtape.core import convert, dtypes, errors
from gradtape.core.composite import Composite
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._partition_spec import PartitionForm, RowPartitionSpec
from gradtape.toplevel.inspection import get_static_value

_FACTORY = object()


class RowPartition(Composite):
    """A partition of a sequence of values into rows. The methods `from_…` create one.

    >>> rows = tf.experimental.RowPartition.from_row_lengths([4, 0, 3, 1, 0])
    >>> rows.row_splits().numpy()
    array([0, 4, 4, 7, 8, 8])
    >>> rows.nrows().numpy(), rows.nvals().numpy()
    (np.int64(5), np.int64(8))
    """

    __slots__ = ("_known", "_splits")

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: Any = False,
    ) -> None:
        if internal is not _FACTORY:
            raise ValueError(
                errors.compose(
                    "RowPartition: RowPartition constructor is private; please use one of the factory methods instead "
                    "(e.g., RowPartition.from_row_lengths()).",
                    "tf.experimental.RowPartition.from_row_splits(splits).",
                )
            )
        if not isinstance(row_splits, Tensor):
            raise errors.build(
                TypeError,
                f"Row-partitioning argument must be a Tensor, got {row_splits!r}.",
                "tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).",
            )
        if row_splits.dtype not in (dtypes.int32, dtypes.int64):
            raise errors.build(
                ValueError,
                "Row-partitioning argument must be int32 or int64.",
                "cast it: tf.cast(row_splits, tf.int64).",
            )
        row_splits.get_shape().assert_has_rank(1)
        given = {
            "row_lengths": row_lengths, "value_rowids": value_rowids, "nrows": nrows, "uniform": uniform_row_length,
            "nvals": nvals,
        }  # fmt: skip
        self._splits = row_splits
        self._known = {name: value for name, value in given.items() if value is not None}
        for value in self._known.values():
            if not isinstance(value, Tensor):
                raise errors.build(
                    TypeError,
                    "Cached value must be a Tensor or None.",
                    "tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).",
                )
            if value.dtype is not row_splits.dtype:
                raise errors.build(
                    ValueError,
                    f"Inconsistent dtype for encoding tensors: {value} vs {row_splits}.",
                    "cast both to tf.int64, or both to tf.int32.",
                )

    @classmethod
    def from_row_splits(cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None) -> Any:
        """A partition into rows that begin and end at splits, which rise from 0 to the number of values.

        >>> tf.experimental.RowPartition.from_row_splits([0, 2, 5])
        tf.RowPartition(row_splits=[0 2 5])
        """
        _check_flag(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise errors.build(
                ValueError,
                "row_splits tensor may not be empty.",
                "row_splits begin with 0 and have one more number than there are rows: [0] for no rows.",
            )
        splits = _vector(row_splits, "row_splits", dtype, dtype_hint)
        if splits.get_shape()[0] == 0:
            raise errors.build(
                ValueError,
                "row_splits tensor may not be empty.",
                "row_splits begin with 0 and have one more number than there are rows: [0] for no rows.",
            )
        return cls(_rising(splits, "from_row_splits") if validate else splits, internal=_FACTORY)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Any:
        """A partition into rows of given lengths.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        tf.RowPartition(row_splits=[0 2 2 3])
        """
        _check_flag(validate)
        lengths = _vector(row_lengths, "row_lengths", dtype, dtype_hint)
        splits = row_partition.from_lengths(lengths)
        splits = _rising(splits, "from_row_lengths") if validate else splits
        return cls(splits, row_lengths=lengths, internal=_FACTORY)

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Any:
        """A partition of a number of values into rows that begin at given positions.

        >>> tf.experimental.RowPartition.from_row_starts([0, 2], nvals=3)
        tf.RowPartition(row_splits=[0 2 3])
        """
        _check_flag(validate)
        starts = _vector(row_starts, "row_starts", dtype, dtype_hint)
        end = _scalar(nvals, starts.dtype, "nvals")
        splits = joining.concat([starts, movement.reshape(end, [1])], 0)
        splits = _rising(splits, "from_row_starts") if validate else splits
        return cls(splits, nvals=end, internal=_FACTORY)

    @classmethod
    def from_row_limits(cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None) -> Any:
        """A partition into rows that end at given positions.

        >>> tf.experimental.RowPartition.from_row_limits([2, 2, 3])
        tf.RowPartition(row_splits=[0 2 2 3])
        """
        _check_flag(validate)
        limits = _vector(row_limits, "row_limits", dtype, dtype_hint)
        splits = joining.concat([creation.zeros([1], limits.dtype), limits], 0)
        return cls(_rising(splits, "from_row_limits") if validate else splits, internal=_FACTORY)

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Any:
        """A partition in which the row of each value is given, in rising order.

        >>> tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4)
        tf.RowPartition(row_splits=[0 2 2 3 3])
        """
        _check_flag(validate)
        rows = _vector(value_rowids, "value_rowids", dtype, dtype_hint)
        known = None if nrows is None else get_static_value(nrows)
        if known is not None and np.ndim(known) == 0 and known < 0:
            raise errors.build(
                ValueError, f"Expected nrows >= 0; got {int(known)}.", "give the number of rows, 0 or more."
            )
        total = _scalar(-1 if nrows is None else nrows, rows.dtype, "nrows")
        checked = row_partition.checked_rowids(rows, total) if validate else rows
        splits = row_partition.from_rowids(checked, total)
        return cls(splits, value_rowids=rows, nrows=None if nrows is None else total, internal=_FACTORY)

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length: Any, nvals: Any = None, nrows: Any = None, validate: bool = True, dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Any:  # fmt: skip
        """A partition into rows of one length. At least one of `nvals` and `nrows` is given.

        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nvals=6)
        tf.RowPartition(nrows=3, uniform_row_length=2)
        """
        _check_flag(validate)
        if nvals is None and nrows is None:
            raise errors.build(
                ValueError,
                "Either (or both) of nvals and nrows must be specified.",
                "from_uniform_row_length(length, nvals=n), or nrows=n for rows of length 0.",
            )
        wanted = _wanted([uniform_row_length, nvals, nrows], dtype, dtype_hint)
        length, values, rows = [
            None if x is None else _scalar(x, wanted, name, dtype is not None)
            for x, name in ((uniform_row_length, "uniform_row_length"), (nvals, "nvals"), (nrows, "nrows"))
        ]
        if rows is None:
            rows = _quotient(values, length, wanted)
        if values is None:
            values = rows * length
        if validate:
            _check_uniform(length, rows, values)
        splits = row_partition.uniform(rows, length)
        count, size = get_static_value(rows), get_static_value(length)
        if count is not None and type(splits) is not Tensor:
            splits.set_shape([int(count) + 1])
        if validate and None in (count, size, get_static_value(values)):
            splits = row_partition.checked(splits, values)
        return cls(splits, uniform_row_length=length, nrows=rows, nvals=values, internal=_FACTORY)

    dtype = property(
        lambda self: self._splits.dtype, doc="The type of row splits and of all other numbers: int32 or int64."
    )

    def row_splits(self) -> Any:
        """Where rows begin, and where the last one ends."""
        return self._splits

    def value_rowids(self) -> Any:
        """The row number of each value."""
        known = self._known.get("value_rowids")
        return row_partition.to_rowids(self._splits) if known is None else known

    def row_lengths(self) -> Any:
        """The lengths of the rows."""
        known = self._known.get("row_lengths")
        return row_partition.to_lengths(self._splits) if known is None else known

    def row_starts(self) -> Any:
        """Where each row begins."""
        return self._splits[:-1]

    def row_limits(self) -> Any:
        """Where each row ends."""
        return self._splits[1:]

    def nvals(self) -> Any:
        """The number of values."""
        known = self._known.get("nvals")
        return self._splits[-1] if known is None else known

    def nrows(self) -> Any:
        """The number of rows."""
        known = self._known.get("nrows")
        return shapes.shape(self._splits, self.dtype)[0] - 1 if known is None else known

    def uniform_row_length(self) -> Any:
        """The length of all rows, or None if they may differ."""
        return self._known.get("uniform")

    def offsets_in_rows(self) -> Any:
        """The position of each value in its row."""
        return row_partition.to_offsets(self._splits)

    def is_uniform(self) -> bool:
        """True if all rows are known to have one length."""
        return "uniform" in self._known

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, if it is known while tracing."""
        count = self._splits.get_shape()[0]
        if count is not None:
            return int(count) - 1
        return _as_int(self._known.get("nrows"))

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if it is known while tracing."""
        count = _as_int(self._known.get("nvals"))
        rowids = self._known.get("value_rowids")
        if count is None and rowids is not None:
            size = rowids.get_shape()[0]
            return None if size is None else int(size)
        return count

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, if there is one and it is known while tracing."""
        return _as_int(self._known.get("uniform"))

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same with numbers of another type, int32 or int64."""
        wanted = dtypes.as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise errors.build(ValueError, "dtype must be int32 or int64.", "partition.with_dtype(tf.int64).")
        if wanted is self.dtype:
            return self
        return _like(cast(self._splits, wanted), {k: cast(v, wanted) for k, v in self._known.items() if k != "nvals"})

    def _components(self) -> list[Any]:
        return [self._splits]

    def _form(self) -> PartitionForm:
        return PartitionForm(self.static_uniform_row_length)

    def _spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype)

    def __repr__(self) -> str:
        if self.is_uniform():
            return (
                f"tf.RowPartition(nrows={_shown(self.nrows())}, uniform_row_length={_shown(self.uniform_row_length())})"
            )
        return f"tf.RowPartition(row_splits={_shown(self._splits)})"


def of_splits(splits: Any, length: Any = None) -> RowPartition:
    """The partition of row splits, of rows of one length if that is given."""
    known = {} if length is None else {"uniform": convert.convert_to_tensor(length, splits.dtype)}
    return _like(splits, known)


def _like(splits: Any, known: dict[str, Any]) -> RowPartition:
    made = RowPartition(splits, internal=_FACTORY)
    made._known.update(known)
    return made


def _shown(value: Any) -> Any:
    return value if type(value) is not Tensor else value.numpy()


def _check_flag(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise errors.build(
            TypeError, f"validate must have type bool, got {validate!r}.", "validate=True, or validate=False."
        )


def _as_int(value: Any) -> int | None:
    found = None if value is None else get_static_value(value)
    return None if found is None else int(found)


def _wanted(values: Sequence[Any], dtype: Any, hint: Any) -> dtypes.DType:
    """The dtype of the numbers: the requested one, else that of a tensor or array among them, else the hint, else int64."""
    if dtype is not None:
        return dtypes.as_dtype(dtype)
    for kind in ((Tensor, Variable), np.ndarray):
        for value in values:
            if isinstance(value, kind):
                return dtypes.as_dtype(value.dtype)
    return dtypes.int64 if hint is None else dtypes.as_dtype(hint)


def _vector(value: Any, name: str, dtype: Any, hint: Any) -> Any:
    if (isinstance(value, np.ndarray) and value.dtype == np.int64) or not isinstance(
        value, (Tensor, Variable, np.ndarray)
    ):
        array = np.asarray(value)
        wanted = dtypes.as_dtype(dtype or hint or dtypes.int64)
        found = convert.convert_to_tensor(
            array.astype(wanted.numpy) if array.dtype.kind in "iu" or not array.size else array
        )
    else:
        found = convert.convert_to_tensor(value, dtype)
    if found.dtype not in (dtypes.int32, dtypes.int64):
        raise errors.build(ValueError, f"{name} must have dtype int32 or int64.", "cast it: tf.cast(x, tf.int64).")
    if found.get_shape().rank is None:
        found.set_shape([None])
    found.get_shape().assert_has_rank(1)
    return found


def _scalar(value: Any, dtype: dtypes.DType, name: str, casts: bool = True) -> Any:
    is_tensor = isinstance(value, (Tensor, Variable))
    found = convert.convert_to_tensor(value) if is_tensor and casts else convert.convert_to_tensor(value, dtype)
    found = found if found.dtype is dtype else cast(found, dtype)
    found.get_shape().assert_has_rank(0) if found.get_shape().rank is not None else None
    return found


def _rising(splits: Any, who: str) -> Any:
    """The row splits, after a check that they rise from 0."""
    return row_partition.rising(splits, who=who)


def _quotient(values: Any, length: Any, dtype: dtypes.DType) -> Any:
    known = get_static_value(length)
    if known == 0:
        return convert.convert_to_tensor(0, dtype)
    return values // elementwise.maximum(length, convert.convert_to_tensor(1, dtype))


def _check_uniform(length: Any, rows: Any, values: Any) -> None:
    found = [get_static_value(x) for x in (length, rows, values)]
    if found[0] is not None and found[0] < 0:
        raise errors.build(ValueError, "uniform_row_length must be >= 0.", "give the length of all rows, 0 or more.")
    if None not in found and found[0] * found[1] != found[2]:
        raise errors.build(
            ValueError,
            f"uniform_row_length={int(found[0])} times nrows={int(found[1])} must equal nvals={int(found[2])}.",
            "leave nrows out: it follows from the number of values.",
        )
