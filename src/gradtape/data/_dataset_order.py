"""Methods of `Dataset` that choose, order, join and keep elements."""

from __future__ import annotations

from typing import Any, Self

from gradtape.core import errors
from gradtape.data import _batch as batching
from gradtape.data import _cache_and_prefetch as cache_and_prefetch
from gradtape.data import _grouping as grouping
from gradtape.data import _padded_batch as padding
from gradtape.data import _saved as saved
from gradtape.data import _shuffle_and_repeat as shuffle_and_repeat
from gradtape.data import _zip_and_sample as zip_and_sample
from gradtape.data._snapshot import Snapshot
from gradtape.data._stage import positive, stage_of
from gradtape.io._paths import local


class Arranging:
    """Selecting, ordering and grouping elements."""

    _stage: Any

    @classmethod
    def _of(cls, stage: Any) -> Self:
        raise NotImplementedError

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """A dataset of elements stacked along a new first axis.

        Batches of slices of tensors are slices, or one gather after a shuffle.

        Args:
          batch_size: how many elements a batch has.
          drop_remainder: leave a smaller batch at the end away.
          num_parallel_calls, deterministic, name: ignored.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        return self._of(batching.Batch(self._stage, batch_size, drop_remainder))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """A dataset of elements that are padded at their ends and stacked.

        Args:
          batch_size: how many elements a batch has.
          padded_shapes: for each tensor the shape to pad to, with None for the largest in the batch, which is the default.
          padding_values: what to pad with, one for all or one for each tensor; zeros and empty strings by default.
          drop_remainder: leave a smaller batch at the end away.
          name: ignored.

        >>> ds = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> [x.numpy().tolist() for x in ds.padded_batch(3)]
        [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]
        """
        return self._of(padding.PaddedBatch(self._stage, batch_size, padded_shapes, padding_values, drop_remainder))

    def unbatch(self, name: str | None = None) -> Self:
        """A dataset of the rows of the elements.

        >>> [int(x) for x in tf.data.Dataset.range(5).batch(2).unbatch()]
        [0, 1, 2, 3, 4]
        """
        return self._of(batching.Unbatch(self._stage))

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: str | None = None) -> Self:
        """A dataset of the same rows in batches of another size; a list gives the batch sizes, which are used in turn.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2).rebatch(3)]
        [[0, 1, 2], [3, 4]]
        """
        return self._of(batching.Rebatch(self.unbatch()._stage, batch_size, drop_remainder))

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """A dataset of datasets of neighbouring elements.

        Args:
          size: how many elements a window has.
          shift: how far the next window begins; `size` by default.
          stride: the distance of the elements in a window.
          drop_remainder: leave smaller windows away.
          name: ignored.

        >>> windows = tf.data.Dataset.range(4).window(2, shift=1, drop_remainder=True)
        >>> [x.numpy().tolist() for x in windows.flat_map(lambda w: w.batch(2))]
        [[0, 1], [1, 2], [2, 3]]
        """
        return self._of(batching.Window(self._stage, size, shift, stride, drop_remainder, type(self)._of))

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """A dataset of the elements in random order.

        Each element comes at random from a buffer, where the next one of the input takes its place; a buffer as large as
        the dataset gives every order with equal probability.

        Args:
          buffer_size: the size of the buffer.
          seed: an integer. The orders of the first, second, ... iteration are then the same in every run. Under
            `tf.random.set_seed` they are so without it.
          reshuffle_each_iteration: False gives the same order in each iteration.
          name: ignored.

        >>> ds = tf.data.Dataset.range(4).shuffle(4, seed=1)
        >>> sorted(int(x) for x in ds)
        [0, 1, 2, 3]
        """
        return self._of(shuffle_and_repeat.Shuffle(self._stage, buffer_size, seed, reshuffle_each_iteration))

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """A dataset of the elements repeated `count` times; endlessly by default, or for -1.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._of(shuffle_and_repeat.Repeat(self._stage, count))

    def take(self, count: Any, name: str | None = None) -> Self:
        """A dataset of the first `count` elements; of all for -1.

        >>> [int(x) for x in tf.data.Dataset.range(9).take(2)]
        [0, 1]
        """
        return self._of(shuffle_and_repeat.take(self._stage, count))

    def skip(self, count: Any, name: str | None = None) -> Self:
        """A dataset without the first `count` elements; empty for -1.

        >>> [int(x) for x in tf.data.Dataset.range(4).skip(2)]
        [2, 3]
        """
        return self._of(shuffle_and_repeat.skip(self._stage, count))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """A dataset of every `num_shards`-th element, from the one at `index`.

        >>> [int(x) for x in tf.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        return self._of(shuffle_and_repeat.shard(self._stage, num_shards, index))

    def concatenate(self, dataset: Any, name: str | None = None) -> Self:
        """A dataset of these elements, followed by those of another dataset.

        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))]
        [0, 1, 5, 6]
        """
        return self._of(shuffle_and_repeat.Concatenate(self._stage, stage_of("concatenate", dataset)))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Self:
        """A dataset of pairs of an int64 and an element.

        >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(7, 9).enumerate(1)]
        [(1, 7), (2, 8)]
        """
        return self._of(zip_and_sample.Enumerate(self._stage, positive("enumerate", "start", start, -(2**63))))

    def unique(self, name: str | None = None) -> Self:
        """A dataset of the distinct elements.

        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 3, 1]).unique()]
        [1, 3]
        """
        return self._of(grouping.Unique(self._stage))

    def cache(self, filename: Any = "", name: str | None = None) -> Self:
        """A dataset that caches its elements in the first complete iteration.

        Args:
          filename: a file to keep them in; in memory by default. The file is used by later runs too: remove it when the
            pipeline before it changes.
          name: ignored.

        >>> ds = tf.data.Dataset.random(seed=1, rerandomize_each_iteration=True).take(2).cache()
        >>> list(ds.as_numpy_iterator()) == list(ds.as_numpy_iterator())
        True
        """
        if filename is None:
            raise ValueError(errors.compose("cache: filename must not be None.", 'leave it out, or give "".'))
        path = local("cache", filename)
        return self._of(
            cache_and_prefetch.FileCache(self._stage, path) if path else cache_and_prefetch.Cache(self._stage)
        )

    def snapshot(
        self,
        path: str,
        compression: Any = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Self:
        """A dataset that keeps its elements in a folder, from which later iterations, and later programs with the same pipeline, read them.

        Args:
          path: the folder. Several pipelines may share it: each has a folder in it, by what it computes.
          compression: "GZIP", or "AUTO" and None for none.
          reader_func: a function of a dataset of datasets, one for each file, that gives a dataset.
          shard_func: a function of an element that gives the number of its file; they are dealt to the files by default.
          name: ignored.

        >>> import tempfile
        >>> [int(x) for x in tf.data.Dataset.range(2).snapshot(tempfile.mkdtemp())]
        [0, 1]
        """
        return self._of(Snapshot(self._stage, path, compression, reader_func, shard_func, type(self)._of))

    def save(self, path: str, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None) -> None:
        """Write the elements to a folder, from which `load` reads them.

        Args:
          path: the folder.
          compression: "GZIP", or None.
          shard_func: a function of an element that gives the number of its file; there is one by default.
          checkpoint_args: arguments of a `tf.train.CheckpointManager` that saves how far the writing is.
        """
        saved.save(path, self._stage, compression, shard_func, checkpoint_args)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """A dataset whose next elements a thread prepares while the program uses earlier ones.

        Args:
          buffer_size: how many; `tf.data.AUTOTUNE` or None for a few.
          name: ignored.

        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
        [0, 1, 2]
        """
        return self._of(cache_and_prefetch.Prefetch(self._stage, -1 if buffer_size is None else buffer_size))

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Self:
        """A dataset of `tf.SparseTensor`s, of several elements each.

        Args:
          batch_size: how many elements a batch has.
          row_shape: the shape of a row; -1 or None for the largest length in the batch.
          name: ignored.

        >>> rows = tf.data.Dataset.range(1, 3).map(tf.range)
        >>> [x.dense_shape.numpy().tolist() for x in rows.sparse_batch(2, [4])]
        [[2, 4]]
        """
        return self._of(batching.SparseBatch(self._stage, batch_size, row_shape))

    def ragged_batch(
        self, batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = None, name: str | None = None
    ) -> Self:
        """A dataset of ragged tensors, of several elements each, whose sizes may differ.

        Args:
          batch_size: how many elements a batch has.
          drop_remainder: leave a smaller batch at the end away.
          row_splits_dtype: the dtype of the row splits; int64 by default.
          name: ignored.

        >>> list(tf.data.Dataset.range(1, 4).map(tf.range).ragged_batch(2))
        [<tf.RaggedTensor [[0], [0, 1]]>, <tf.RaggedTensor [[0, 1, 2]]>]
        """
        return self._of(batching.RaggedBatch(self._stage, batch_size, drop_remainder, row_splits_dtype))
