"""`tf.io.parse_example`: serialized `tf.train.Example` records as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.api.host_op import check_strings, hosted
from gradtape.core import dtypes, errors
from gradtape.core.shape import ANY, Spec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.io._parsing import columns, ragged_features
from gradtape.io._parsing.columns import Column
from gradtape.io._parsing.feature_specs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    default_of,
    dtype_of,
    shape_of,
    unsupported,
)
from gradtape.io._parsing.wire_records import Batch

__all__ = ["parse_example", "parse_single_example"]


def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> dict[str, Any]:
    """The features of serialized `tf.train.Example` records.

    Args:
      serialized: a vector of strings, one for each record; or one string, for results without an axis for the batch.
      features: descriptions by name: `tf.io.FixedLenFeature`, `FixedLenSequenceFeature` with `allow_missing=True`,
        `VarLenFeature`, `SparseFeature` or `RaggedFeature`.
      example_names: names of the records, for messages.

    Returns:
      A dict of tensors, sparse tensors and ragged tensors, with the names of `features`.

    >>> value = tf.train.FloatList(value=[1.0, 2.0])
    >>> record = tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=value)}))
    >>> tf.io.parse_example([record.SerializeToString()], {"x": tf.io.FixedLenFeature([2], tf.float32)})["x"].numpy()
    array([[1., 2.]], dtype=float32)
    """
    if not features:
        raise ValueError(
            errors.compose(f"Argument `features` cannot be None or falsy. Got {features}", "describe the features.")
        )
    x = check_strings("parse_example", "serialized", serialized)
    shape = x.get_shape()
    if shape.rank is None or shape.rank > 1:
        raise errors.build(
            errors.ShapeError,
            f"parse_example: Expected serialized to be a scalar or vector, got shape: {shape}",
            "reshape it to a vector, or set its shape.",
        )
    names = check_strings(
        "parse_example", "example_names", np.array([], object) if example_names is None else example_names
    )
    plan = Plan("parse_example", features, single=shape.rank == 0)
    found = _parse_example(x, names, *plan.defaults, plan=plan.columns, single=plan.single)
    return plan.packed(list(found))


def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized `tf.train.Example` record; see `parse_example`.

    Args:
      serialized: a scalar string.
      features: descriptions by name.
      example_names: the name of the record, for messages.

    Returns:
      A dict of tensors, sparse tensors and ragged tensors, without an axis for the batch.

    >>> value = tf.train.Int64List(value=[1, 2, 3])
    >>> record = tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(int64_list=value)}))
    >>> tf.io.parse_single_example(record.SerializeToString(), {"x": tf.io.VarLenFeature(tf.int64)})["x"].values.numpy()
    array([1, 2, 3])
    """
    x = check_strings("parse_single_example", "serialized", serialized)
    if x.get_shape().rank not in (0, None):
        raise ValueError(
            errors.compose("parse_single_example: Input serialized must be a scalar", "for several, use parse_example.")
        )
    if x.get_shape().rank is None:
        x.set_shape([])
    return parse_example(x, features, None if example_names is None else [example_names])


class Plan:
    """The columns of a dict of descriptions, and how results are put together from their arrays.

    Attributes:
      columns: what is read, as a parameter of an op.
      defaults: arrays that stand for missing features, of those columns that have one.
      single: whether there is one record, without an axis for the batch.
    """

    def __init__(self, who: str, features: Mapping[str, Any], single: bool) -> None:
        self.single = single
        self.defaults: list[Any] = []
        found: list[Column] = []
        for key, feature in features.items():
            found.append(self._column(who, key, feature))
        self._keys = list(features)
        self.columns = tuple(found)

    def _column(self, who: str, key: str, feature: Any) -> Column:
        if isinstance(feature, RaggedFeature):
            return ragged_column(key, feature)
        if isinstance(feature, VarLenFeature):
            return Column("sparse", key, dtype_of(key, feature))
        if isinstance(feature, SparseFeature):
            return _located(key, feature)
        if not isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
            raise unsupported(key, feature, who)
        dtype, shape = dtype_of(key, feature), shape_of(key, feature)
        is_sequence = isinstance(feature, FixedLenSequenceFeature)
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise ValueError(
                errors.compose(
                    f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True. It is False for {key!r}.",
                    "give allow_missing=True.",
                )
            )
        default = default_of(key, feature, dtype, () if is_sequence else shape)
        if default is not None:
            self.defaults.append(default)
        return Column("padded" if is_sequence else "fixed", key, dtype, shape, default is not None)

    def packed(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """The results by name."""
        remaining = iter(arrays)
        parts = [[next(remaining) for _ in columns.specs(column, None, self.single)] for column in self.columns]
        return {key: packed(*pair) for key, pair in zip(self._keys, zip(self.columns, parts, strict=True), strict=True)}


def packed(column: Column, parts: list[Any]) -> Any:
    """The tensor, sparse tensor or ragged tensor of a column's arrays."""
    if column.kind == "ragged":
        return ragged_features.assembled(column, parts)
    return SparseTensor(*parts) if column.kind in ("sparse", "located") else parts[0]


def ragged_column(key: str, feature: RaggedFeature) -> Column:
    """The columns read for a ragged feature."""
    partitions = tuple([(type(p).__name__.strip("_"), p[0]) for p in feature.partitions])
    splits = dtypes.as_dtype(feature.row_splits_dtype)
    return Column("ragged", feature.value_key or key, dtype_of(key, feature), partitions=partitions, splits=splits)


def _located(key: str, feature: SparseFeature) -> Column:
    keys = feature.index_key if isinstance(feature.index_key, (list, tuple)) else [feature.index_key]
    sizes = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
    if not keys or not feature.value_key or len(keys) != len(sizes):
        raise ValueError(
            errors.compose(
                f"feature {key}: {feature} must have a value_key, and as many sizes as index keys.",
                "give one for each axis.",
            )
        )
    sizes = tuple([int(n) for n in sizes])
    return Column(
        "located", feature.value_key, dtype_of(key, feature), sizes, False, tuple(keys), bool(feature.already_sorted)
    )


def _specs(x: Spec, names: Spec, *defaults: Spec, plan: tuple[Column, ...], single: bool) -> tuple[Spec, ...]:
    count = None if single or x.shape is ANY else x.shape[0]
    return tuple([spec for column in plan for spec in columns.specs(column, count, single)])


@hosted(_specs)
def _parse_example(data: Any, names: Any, *defaults: Any, plan: tuple[Column, ...], single: bool) -> tuple[Any, ...]:
    batch = Batch("parse_example", list(np.ravel(data)), list(np.ravel(names)))
    return tuple(read_all(plan, batch, defaults, single))


def read_all(plan: tuple[Column, ...], batch: Batch, defaults: Sequence[Any], single: bool) -> list[Any]:
    """The arrays of all columns."""
    remaining, found = iter(defaults), []
    for column in plan:
        found += columns.read(column, batch, next(remaining) if column.has_default else None, single)
    return [a if a.ndim or a.dtype == object else a[()] for a in found]
