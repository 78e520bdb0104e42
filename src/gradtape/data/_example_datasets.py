"""Datasets of records of features: `parse_example_dataset` and `make_batched_features_dataset`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import dtypes, errors
from gradtape.core.shape import TensorSpec
from gradtape.data._dataset import Dataset
from gradtape.data._readers import TFRecordDataset
from gradtape.data._stage import known_spec
from gradtape.data._threads import AUTOTUNE
from gradtape.io._parsing.parse_example import parse_example


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """A function for `Dataset.apply`: batches of serialized `tf.train.Example` records become dicts of tensors.

    Args:
      features: descriptions by name; see `tf.io.parse_example`.
      num_parallel_calls: how many batches are parsed at the same time.
      deterministic: whether the order is kept.

    >>> value = tf.train.FloatList(value=[1.0])
    >>> record = tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=value)}))
    >>> ds = tf.data.Dataset.from_tensors([record.SerializeToString()] * 2)
    >>> parse = tf.data.experimental.parse_example_dataset({"x": tf.io.FixedLenFeature([], tf.float32)})
    >>> [batch["x"].numpy().tolist() for batch in ds.apply(parse)]
    [[1.0, 1.0]]
    """
    if features is None:
        raise ValueError(
            errors.compose("Argument `features` is required, but not specified.", "describe the features.")
        )
    calls = None if num_parallel_calls == 1 else num_parallel_calls

    def parse(dataset: Dataset) -> Dataset:
        spec = known_spec(dataset._stage)
        if spec is not None and not TensorSpec([None], dtypes.string).is_compatible_with(spec):
            raise TypeError(
                errors.compose(
                    f"parse_example_dataset: Input dataset should be a dataset of vectors of strings. Instead it is {spec!r}.",
                    "use dataset.batch(n) before.",
                )
            )
        return dataset.map(lambda x: parse_example(x, features), calls, deterministic)

    return parse


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of features from files of serialized `tf.train.Example` records.

    Args:
      file_pattern: a pattern of paths, or a list of patterns.
      batch_size: records in a batch.
      features: descriptions by name; see `tf.io.parse_example`.
      reader: a function of a path that gives a dataset of records; `tf.data.TFRecordDataset` by default.
      label_key: the name of the feature that becomes the second part of each element.
      reader_args: further arguments of the reader.
      num_epochs: how many times the files are read; without end by default.
      shuffle: whether files and records come in random order.
      shuffle_buffer_size: how many records wait for their turn.
      shuffle_seed: of that order.
      prefetch_buffer_size: how many batches are prepared ahead.
      reader_num_threads: how many files are read at the same time.
      parser_num_threads: how many batches are parsed at the same time.
      sloppy_ordering: whether the order may differ from run to run.
      drop_final_batch: whether an incomplete batch at the end is left out.

    Returns:
      A dataset of dicts of tensors, or of pairs of a dict and a label.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.tfrecord"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for n in range(3):
    ...         value = tf.train.Feature(int64_list=tf.train.Int64List(value=[n]))
    ...         writer.write(tf.train.Example(features=tf.train.Features(feature={"n": value})).SerializeToString())
    >>> ds = tf.data.experimental.make_batched_features_dataset(
    ...     path, 2, {"n": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1, shuffle=False)
    >>> [batch["n"].numpy().tolist() for batch in ds]
    [[0, 1], [2]]
    """
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    read = reader or TFRecordDataset
    arguments = reader_args or ()
    threads = reader_num_threads or 1
    records = files.interleave(
        lambda path: read(path, *arguments), cycle_length=threads, num_parallel_calls=None if threads == 1 else threads
    )
    if shuffle:
        records = records.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        records = records.repeat(num_epochs)
    batches = records.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    parsed = batches.apply(parse_example_dataset(features, parser_num_threads or 2, not sloppy_ordering))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(
                errors.compose(
                    f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {list(features)}.",
                    "describe the label as a feature.",
                )
            )
        parsed = parsed.map(lambda x: (x, x.pop(label_key)))
    ahead: Dataset = parsed.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
    return ahead
