"""Tables for `tf.lookup` from datasets, and datasets padded to a length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradtape.arrays.creation import zeros
from gradtape.arrays.movement import concat, reshape
from gradtape.core import convert, dtypes, errors, nest
from gradtape.data._dataset import Dataset
from gradtape.lookup._initializers import KeyValueTensorInitializer
from gradtape.lookup._static_tables import StaticHashTable, StaticVocabularyTable


def DatasetInitializer(dataset: Dataset) -> KeyValueTensorInitializer:  # noqa: N802 - TensorFlow's name
    """The initializer of a table with the keys and values of a dataset of pairs, or of batches of them.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), default_value=-1)
    >>> table.lookup(tf.constant(["b", "x"])).numpy()
    array([ 2, -1], dtype=int32)
    """
    rows = list(dataset)
    spec = dataset.element_spec
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise ValueError(
            errors.compose(
                f"DatasetInitializer: elements must be pairs of keys and values, got {spec}.",
                "zip keys and values.",
            )
        )
    return KeyValueTensorInitializer(*[_column([row[i] for row in rows], spec[i]) for i in (0, 1)])


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table with the keys and values of a dataset of pairs.

    Args:
      dataset: of pairs.
      num_oov_buckets: how many buckets there are for keys that are not in the table; their values are int64 then.
      vocab_size: accepted and ignored.
      default_value: the value of keys that are not in the table, if there are no buckets.
      hasher_spec: accepted and ignored.
      key_dtype: accepted: it is that of the keys.
      name: of the table.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], tf.constant([1, 2], tf.int64)))
    >>> tf.data.experimental.table_from_dataset(pairs, default_value=-1).lookup(tf.constant(["b"])).numpy()
    array([2])
    """
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, name=name)
    if default_value is None:
        default_value = b"" if dataset.element_spec[1].dtype is dtypes.string else -1
    return StaticHashTable(initializer, default_value, name=name)


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table that maps the keys in a dataset to their positions.

    Args:
      dataset: of keys, each of which occurs once.
      num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name: as for `table_from_dataset`.

    >>> keys = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> tf.data.experimental.index_table_from_dataset(keys).lookup(tf.constant(["b", "x"])).numpy()
    array([ 1, -1])
    """
    keys = _column(list(dataset), dataset.element_spec)
    places = Dataset.from_tensors((keys, np.arange(keys.shape[0], dtype=np.int64)))
    return table_from_dataset(places, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)


def _column(parts: list[Any], spec: Any) -> Any:
    """The keys or values as one vector."""
    if not parts:
        return zeros([0], spec.dtype)
    return concat([reshape(part, [-1]) for part in parts], 0)


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Callable[[Dataset], Dataset]:
    """A function for `Dataset.apply`: pad a dataset of dicts with zero elements, and mark the real ones.

    Args:
      cardinality: how many elements there are to be.
      mask_key: the name of the mark.

    >>> dataset = tf.data.Dataset.from_tensor_slices({"x": [1, 2]})
    >>> list(dataset.apply(tf.data.experimental.pad_to_cardinality(3)).map(lambda e: e["valid"]).as_numpy_iterator())
    [np.True_, np.True_, np.False_]
    """

    def pad(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, Mapping):
            raise ValueError(
                errors.compose(
                    f"`pad_to_cardinality` requires its input dataset to be a dictionary, its elements are {spec}.",
                    'map them to dicts: dataset.map(lambda x: {"x": x}).',
                )
            )
        count = int(dataset.cardinality())
        if count < 0:
            raise ValueError(
                errors.compose(
                    "The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has cardinality "
                    f"{count}.",
                    "take a part of it, or use tf.data.experimental.assert_cardinality.",
                )
            )
        missing = cardinality - count
        if missing < 0:
            raise ValueError(
                errors.compose(
                    "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the target cardinality "
                    f"({cardinality}), but has cardinality {count}.",
                    "pad it to more elements, or take fewer.",
                )
            )
        empty = nest.map_structure(lambda s: zeros([n or 0 for n in s.shape], s.dtype), spec)
        real = dataset.map(lambda element: {**element, mask_key: convert.convert_to_tensor(True)})
        filler = Dataset.from_tensors({**empty, mask_key: False}).repeat(missing)
        return real.concatenate(filler)

    return pad
