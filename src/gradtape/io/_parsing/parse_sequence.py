"""`tf.io.parse_sequence_example`: serialized `tf.train.SequenceExample` records as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.api.host_op import check_strings, hosted
from gradtape.core import errors
from gradtape.core.shape import ANY, Spec
from gradtape.io._parsing import columns, sequence_columns
from gradtape.io._parsing.columns import Column
from gradtape.io._parsing.feature_specs import (
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
    dtype_of,
    shape_of,
    unsupported,
)
from gradtape.io._parsing.parse_example import Plan, packed, ragged_column, read_all
from gradtape.io._parsing.wire_records import Batch

__all__ = ["parse_sequence_example", "parse_single_sequence_example"]


def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The features of serialized `tf.train.SequenceExample` records.

    Args:
      serialized: a vector of strings, one for each record.
      context_features: descriptions of features of the whole record; see `parse_example`.
      sequence_features: descriptions of features of its steps: `tf.io.FixedLenSequenceFeature`, `VarLenFeature` or
        `RaggedFeature`.
      example_names: names of the records, for messages.

    Returns:
      Three dicts: the features of whole records; those of their steps, with an axis for the steps, which is filled up to
      the longest sequence; and for those of fixed length the number of steps in each record.

    >>> record = tf.train.SequenceExample()
    >>> for number in (3, 5):
    ...     record.feature_lists.feature_list["n"].feature.add().int64_list.value.append(number)
    >>> feature = {"n": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> _, found, lengths = tf.io.parse_sequence_example([record.SerializeToString()], sequence_features=feature)
    >>> found["n"].numpy(), lengths["n"].numpy()
    (array([[3, 5]]), array([2]))
    """
    return _parsed(
        "parse_sequence_example", serialized, context_features, sequence_features, example_names, single=False
    )


def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialized `tf.train.SequenceExample` record; see `parse_sequence_example`.

    Args:
      serialized: a scalar string.
      context_features: descriptions of features of the whole record.
      sequence_features: descriptions of features of its steps.
      example_name: the name of the record, for messages.

    Returns:
      Two dicts: the features of the record, and those of its steps.

    >>> record = tf.train.SequenceExample()
    >>> for words in ([b"to", b"be"], [b"or"]):
    ...     record.feature_lists.feature_list["w"].feature.add().bytes_list.value.extend(words)
    >>> feature = {"w": tf.io.VarLenFeature(tf.string)}
    >>> _, found = tf.io.parse_single_sequence_example(record.SerializeToString(), sequence_features=feature)
    >>> found["w"].dense_shape.numpy()
    array([2, 2])
    """
    names = None if example_name is None else [example_name]
    who = "parse_single_sequence_example"
    return _parsed(who, serialized, context_features, sequence_features, names, single=True)[:2]


def _parsed(
    who: str, serialized: Any, context: Any, sequence: Any, names: Any, single: bool
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not (context or sequence):
        raise ValueError(
            errors.compose(
                f"{who}: Both context_features and sequence_features are None, but at least one should have values.",
                "describe some features.",
            )
        )
    x = check_strings(who, "serialized", serialized)
    if x.get_shape().rank not in (0 if single else 1, None):
        raise ValueError(
            errors.compose(
                f"{who}: Input serialized must be a {'scalar' if single else 'vector'}, it has shape {x.get_shape()}.",
                "parse_sequence_example takes a vector, parse_single_sequence_example a scalar.",
            )
        )
    given = check_strings(who, "example_names", np.array([], object) if names is None else names)
    plan = Plan(who, context or {}, single)
    wanted = _step_columns(who, sequence or {})
    found = list(_parse_sequence_example(x, given, *plan.defaults, plan=plan.columns, steps_plan=wanted, single=single))
    count = sum(len(columns.specs(column, None, single)) for column in plan.columns)
    sequences, lengths = _sequences(list(sequence or {}), wanted, found[count:], single)
    return plan.packed(found[:count]), sequences, lengths


def _step_columns(who: str, features: Mapping[str, Any]) -> tuple[Column, ...]:
    found = []
    for key, feature in features.items():
        if isinstance(feature, RaggedFeature):
            found.append(ragged_column(key, feature))
        elif isinstance(feature, VarLenFeature):
            found.append(Column("sparse", key, dtype_of(key, feature)))
        elif isinstance(feature, FixedLenSequenceFeature):
            shape = shape_of(key, feature)
            # Here a default says whether the list of steps may be missing.
            found.append(Column("padded", key, dtype_of(key, feature), shape, bool(feature.allow_missing)))
        else:
            raise unsupported(key, feature, who)
    return tuple(found)


def _sequences(
    keys: list[str], wanted: tuple[Column, ...], arrays: Sequence[Any], single: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    remaining = iter(arrays)
    found, lengths = {}, {}
    for key, column in zip(keys, wanted, strict=True):
        parts = [next(remaining) for _ in sequence_columns.specs(column, None, single)]
        if column.kind == "padded":
            lengths[key] = parts.pop()
        found[key] = packed(sequence_columns.as_column(column, single), parts)
    return found, lengths


def _specs(
    x: Spec, names: Spec, *defaults: Spec, plan: tuple[Column, ...], steps_plan: tuple[Column, ...], single: bool
) -> tuple[Spec, ...]:
    count = None if single or x.shape is ANY else x.shape[0]
    whole = [spec for column in plan for spec in columns.specs(column, count, single)]
    return (*whole, *[spec for column in steps_plan for spec in sequence_columns.specs(column, count, single)])


@hosted(_specs)
def _parse_sequence_example(
    data: Any, names: Any, *defaults: Any, plan: tuple[Column, ...], steps_plan: tuple[Column, ...], single: bool
) -> tuple[Any, ...]:
    batch = Batch("parse_sequence_example", list(np.ravel(data)), list(np.ravel(names)))
    whole = read_all(plan, batch, defaults, single)
    return (*whole, *[array for column in steps_plan for array in sequence_columns.read(column, batch, single)])
