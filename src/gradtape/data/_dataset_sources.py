"""Datasets from tensors, numbers, generators, files and other datasets: the static methods of `Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.shape import TensorSpec
from gradtape.data import _composites as composites
from gradtape.data import _file_stages as file_stages
from gradtape.data import _saved as saved
from gradtape.data import _shuffle_and_repeat as shuffle_and_repeat
from gradtape.data import _sources as sources
from gradtape.data import _zip_and_sample as zip_and_sample
from gradtape.data._deferred import Awaited, is_awaited
from gradtape.data._stage import stage_of


class Making:
    """The static methods that create datasets."""

    @classmethod
    def _of(cls, stage: Any) -> Self:
        """A dataset around a stage."""
        raise NotImplementedError

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Self:
        """A dataset of the rows of tensors.

        Args:
          tensors: a tensor, or nested tuples and dicts of tensors with equally many rows. Lists become tensors.
          name: ignored.

        >>> ds = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
        >>> list(ds.as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]
        """
        if name is not None and not isinstance(name, str):
            what = f"from_tensor_slices: tensors must be one argument, and the second one is the name, got {errors.brief(name)}."
            raise TypeError(errors.compose(what, "a tuple makes pairs: tf.data.Dataset.from_tensor_slices((x, y))."))
        if composites.holds(tensors):
            return cls._of(sources.Pieces(tensors))
        return cls._of(sources.awaited_slices(tensors) if is_awaited(tensors) else sources.Slices(tensors))

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Self:
        """A dataset of one element.

        >>> tf.data.Dataset.from_tensors([1, 2, 3]).element_spec
        TensorSpec(shape=(3,), dtype=tf.int32, name=None)
        """
        return cls._of(sources.awaited_single(tensors) if is_awaited(tensors) else sources.Single(tensors))

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Self:
        """A dataset of the values of a generator function.

        Args:
          generator: a function that returns an iterator or iterable; it is called for each iteration.
          output_types: the dtypes of the elements, where there is no `output_signature`.
          output_shapes: their shapes; unknown by default.
          args: arguments of the function, which it gets as NumPy arrays.
          output_signature: nested `tf.TensorSpec`s of the elements.
          name: ignored.

        >>> def squares(n):
        ...     for i in range(n):
        ...         yield i * i
        >>> ds = tf.data.Dataset.from_generator(squares, args=[4], output_signature=tf.TensorSpec([], tf.int32))
        >>> list(ds.as_numpy_iterator())
        [np.int32(0), np.int32(1), np.int32(4), np.int32(9)]
        """
        if (output_types is None) == (output_signature is None) or (
            output_signature is not None and output_shapes is not None
        ):
            raise TypeError(
                errors.compose(
                    "from_generator: needs either output_signature, or output_types with or without output_shapes.",
                    "give output_signature=tf.TensorSpec(shape, dtype).",
                )
            )
        found = output_signature if output_types is None else sources.signature(output_types, output_shapes)
        return cls._of(sources.Generated(generator, args, found))

    @classmethod
    def range(cls, *args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Self:
        """A dataset of the numbers of Python's `range`.

        >>> list(tf.data.Dataset.range(1, 7, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(5)]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                errors.compose(f"range: expected 1 to 3 numbers, got {len(args)}.", "give range(start, stop, step).")
            )
        dtype = dtypes.as_dtype(output_type)
        make = partial(sources.range_of, dtype=dtype)
        return cls._of(Awaited(args, make, TensorSpec([], dtype)) if is_awaited(args) else make(args))

    @classmethod
    def counter(cls, start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None) -> Self:
        """An infinite dataset of numbers.

        >>> list(tf.data.Dataset.counter(5, 5).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(10), np.int64(15)]
        """
        kind = dtypes.as_dtype(dtype)
        first, distance = (convert.convert_to_tensor(n, kind).numpy().item() for n in (start, step))
        return cls._of(sources.Counter(first, distance, kind))

    @classmethod
    def random(cls, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Self:
        """An infinite dataset of random int64, from 0 to 2**32 - 1.

        >>> ds = tf.data.Dataset.random(seed=4).take(10)
        >>> list(ds.as_numpy_iterator()) == list(ds.as_numpy_iterator())
        True
        """
        return cls._of(sources.RandomNumbers(seed, bool(rerandomize_each_iteration)))

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """A dataset of tuples with one element of each dataset; it ends with the shortest.

        Args:
          args: datasets, or one nested structure of datasets.
          datasets: the same, by its old name.
          name: ignored.

        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 20)
        >>> list(tf.data.Dataset.zip(a, b).as_numpy_iterator())
        [(np.int64(0), np.int64(10)), (np.int64(1), np.int64(11)), (np.int64(2), np.int64(12))]
        """
        if not args and datasets is None:
            raise TypeError(errors.compose("zip: Must pass at least one dataset to `zip`.", "give datasets."))
        if args and datasets is not None:
            raise TypeError(errors.compose("zip: Both `*args` and `datasets` cannot be set.", "give one of them."))
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        if _holds_a_list(given):
            raise TypeError(
                errors.compose(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Python "
                    "`list` is not supported and you should use `tuple` instead.",
                    "give a tuple, or zip(*datasets).",
                )
            )
        if given == () or given == {}:
            raise errors.build(
                errors.InvalidArgumentError, "zip: the structure must hold datasets.", "give at least one."
            )
        return cls._of(zip_and_sample.Zip(given, [stage_of("zip", leaf) for leaf in nest.flatten(given)]))

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Self:
        """A dataset of the paths that match a pattern.

        Args:
          file_pattern: a pattern as of Python's `glob`, or several.
          shuffle: whether they come in random order, which is so by default. Otherwise they are sorted.
          seed: of the order.
          name: ignored.

        >>> import os, pathlib, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> _ = pathlib.Path(os.path.join(folder, "a.txt")).write_text("text")
        >>> [os.path.basename(p) for p in tf.data.Dataset.list_files(folder + "/*.txt").as_numpy_iterator()]
        [b'a.txt']
        """

        def listed(pattern: Any) -> Any:
            found = file_stages.matching(pattern)
            stage = sources.Slices(convert.convert_to_tensor(found))
            return stage if shuffle is False else shuffle_and_repeat.Shuffle(stage, len(found), seed, True)

        if is_awaited(file_pattern):
            return cls._of(Awaited(file_pattern, listed, TensorSpec([], dtypes.string)))
        return cls._of(listed(file_pattern))

    @classmethod
    def choose_from_datasets(cls, datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Self:
        """A dataset of elements from several datasets, in the order given by a dataset of indices.

        >>> words = [tf.data.Dataset.from_tensors(w).repeat() for w in ("a", "b")]
        >>> choice = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1]))
        >>> list(tf.data.Dataset.choose_from_datasets(words, choice).as_numpy_iterator())
        [b'a', b'b', b'b']
        """
        stages = [stage_of("choose_from_datasets", d) for d in datasets]
        if not hasattr(choice_dataset, "_stage"):
            raise TypeError(
                errors.compose(
                    f"choose_from_datasets: `choice_dataset` should be a `tf.data.Dataset`, got {errors.brief(choice_dataset)}.",
                    "give a dataset of int64 scalars: tf.data.Dataset.range(2).",
                )
            )
        return cls._of(
            zip_and_sample.Choose(stages, stage_of("choose_from_datasets", choice_dataset), stop_on_empty_dataset)
        )

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Self:
        """A dataset of elements from several datasets, each chosen at random.

        Args:
          datasets: a list of datasets.
          weights: how probable each is, or a dataset of weights for one choice after the other; equally by default.
          seed: of the choice.
          stop_on_empty_dataset: end when a dataset ends, instead of going on with the others.
          rerandomize_each_iteration: choose otherwise in each iteration.

        >>> ones, twos = (tf.data.Dataset.from_tensors(i).repeat(2) for i in (1, 2))
        >>> sorted(int(x) for x in tf.data.Dataset.sample_from_datasets([ones, twos], seed=1))
        [1, 1, 2, 2]
        """
        stages = [stage_of("sample_from_datasets", d) for d in datasets]
        rerandomize, weights = bool(rerandomize_each_iteration), getattr(weights, "_stage", weights)
        return cls._of(zip_and_sample.sample(stages, weights, seed, stop_on_empty_dataset, rerandomize))

    @classmethod
    def load(
        cls, path: str, element_spec: Any = None, compression: Any = None, reader_func: Any = None, wait: bool = False
    ) -> Self:
        """The dataset that `save` wrote.

        Args:
          path: the folder.
          element_spec: the specs of the elements; those that were saved by default.
          compression: as it was saved.
          reader_func: a function of a dataset of datasets, one for each file, that gives a dataset.
          wait: ignored.

        >>> import os, pathlib, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]
        """
        return cls._of(saved.Saved(path, element_spec, compression, reader_func, cls._of))


def _holds_a_list(structure: Any) -> bool:
    """True if a structure is a list, or holds one: a list of datasets would be taken for the elements of one dataset."""
    if isinstance(structure, Mapping):
        return any(map(_holds_a_list, structure.values()))
    return isinstance(structure, list) or (isinstance(structure, tuple) and any(map(_holds_a_list, structure)))
