"""`tf.data.Dataset`."""

from __future__ import annotations

import copy
import inspect
from typing import Any, Self

import numpy as np

from gradtape.core import dtypes, errors, nest, state
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import Tensor, wrap
from gradtape.data import _deferred as deferred
from gradtape.data._batch import Held
from gradtape.data._boxed import BoxedStage, key_of, stage_of
from gradtape.data._boxes import boxed
from gradtape.data._dataset_order import Arranging
from gradtape.data._dataset_sources import Making
from gradtape.data._dataset_transforms import Changing
from gradtape.data._iterator import Iterator, NumpyIterator
from gradtape.data._map import Asserted
from gradtape.data._options import Options
from gradtape.data._options import of as options_of
from gradtape.data._returned import pieces
from gradtape.data._specs import MAKERS, DatasetSpec
from gradtape.data._stage import INFINITE, UNKNOWN, Stage
from gradtape.data._traced import Steps, TracedIterator, may_assign, not_single


class Dataset(Making, Changing, Arranging):
    """A pipeline of elements: nested tuples and dicts of tensors.

    Methods make a new dataset of this one. Nothing runs before an iteration, and each iteration runs anew.

    >>> x, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    >>> ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(4, seed=0).batch(2).prefetch(1)
    >>> for features, labels in ds:
    ...     print(features.shape, labels.shape)
    (2, 2) (2,)
    (2, 2) (2,)
    """

    def __init__(self, variant_tensor: Stage) -> None:
        if not isinstance(variant_tensor, Stage):
            raise TypeError(
                errors.compose(
                    "Dataset: datasets are not made by calling the class.",
                    "use Dataset.from_tensor_slices, Dataset.from_generator, Dataset.range and the like.",
                )
            )
        self._stage = variant_tensor
        self._shuffled: list[Any] | None = None  # for random access
        self._reached: tuple[Any, list[Any]] | None = None  # for random access to a cache without a known end

    @classmethod
    def _of(cls, stage: Any) -> Self:
        # Datasets of files have their own constructors; transformed, they are plain datasets.
        made = object.__new__(Dataset)
        Dataset.__init__(made, stage)
        return made  # type: ignore[return-value]

    def _of_files(self, count: int, index: int) -> Self:
        """This dataset with every `count`-th of its files, for a worker."""
        from gradtape.data import _file_shards as file_shards

        return self._of(file_shards.part(self._stage, count, index))

    def __iter__(self) -> Any:
        if state.current.trace is None:
            return Iterator(self._stage)
        return TracedIterator(self._stage)

    def __len__(self) -> int:
        count: int = self._stage.cardinality()
        if count == INFINITE:
            raise TypeError(
                errors.compose("The dataset is infinite and has no length.", "take a part of it: dataset.take(n).")
            )
        if count == UNKNOWN:
            raise TypeError(
                errors.compose(
                    "The length of the dataset is unknown: it must be counted.",
                    "sum(1 for _ in dataset), or dataset.apply(tf.data.experimental.assert_cardinality(n)); "
                    "dataset.cardinality() returns what is known statically.",
                )
            )
        return count

    def __getitem__(self, index: Any) -> Any:
        raise TypeError(
            errors.compose(
                "'Dataset' object is not subscriptable: it has no random access.",
                "for x in dataset: ..., next(iter(dataset.skip(i))), or list(dataset)[i].",
            )
        )

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Dataset element_spec={self.element_spec!r}>"

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements, with NumPy arrays as leaves.

        >>> list(tf.data.Dataset.range(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return NumpyIterator(self)

    @property
    def element_spec(self) -> Any:
        """The structure of `tf.TensorSpec`s of the elements.

        After a `map` it comes from a trace of the function, or, if it cannot be traced, from the first element.

        >>> tf.data.Dataset.range(4).map(lambda i: (i, tf.zeros([3]))).batch(2).element_spec[1]
        TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
        """
        return self._stage.spec()

    def cardinality(self, name: str | None = None) -> Tensor:
        """The number of elements as an int64 tensor; `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`.

        >>> tf.data.Dataset.range(10).batch(4).cardinality().numpy()
        np.int64(3)
        """
        if state.current.trace is not None and deferred.sources(self._stage):
            found: Tensor = Steps(self._stage).count()
            return found
        return wrap(np.int64(self._stage.cardinality()))

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; InvalidArgumentError if there is none, or more than one.

        >>> tf.data.Dataset.range(3).batch(3).get_single_element().numpy()
        array([0, 1, 2])
        """
        if state.current.trace is not None:
            steps = Steps(self._stage)
            steps.start()
            element = steps.single()
            steps.stop()
            return element
        found = [value for _, value in zip(range(2), self._stage.values(), strict=False)]
        if len(found) != 1:
            raise not_single(len(found))
        return found[0]

    def options(self) -> Options:
        """The options."""
        return options_of(self._stage)._as_copy()

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """This dataset with options, of which `deterministic` has an effect: False lets parallel stages give elements as they are ready.

        >>> len(tf.data.Dataset.range(3).with_options(tf.data.Options()))
        3
        """
        if not isinstance(options, Options):
            raise AttributeError(
                errors.compose(
                    f"with_options: options must be tf.data.Options, got {options!r}.", "give tf.data.Options()."
                )
            )
        stage = copy.copy(self._stage)
        stage.options = options if stage.options is None else stage.options.merge(options)
        return self._of(stage)

    def assert_cardinality(self, expected_cardinality: Any) -> Self:
        """A dataset with an asserted number of elements; the iteration raises an error if the number is wrong.

        >>> len(tf.data.Dataset.range(4).filter(lambda x: x > 1).apply(tf.data.experimental.assert_cardinality(2)))
        2
        """
        return self._of(Asserted(self._stage, int(expected_cardinality)))

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def _spec_as_element(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def _pieces(self) -> Any:
        """The value that a traced function returns in its place."""
        return pieces(self._stage, Dataset._of)

    def _argument_key(self) -> Any:
        """The part of the dataset that traces of functions depend on."""
        return key_of(self._stage)

    def _boxed(self) -> Any:
        """The box in which it is passed to a function."""
        if isinstance(self._stage, BoxedStage):
            return self._stage.box
        return self._pieces()[0] if deferred.sources(self._stage) else boxed(self._stage)

    def _from_box(self, box: Any) -> Any:
        """A dataset like this one, of a box in a trace; its kind, for the spec of a box."""
        if isinstance(box, TensorSpec):
            return DatasetSpec(self.element_spec, assigns=may_assign(self._stage))
        if type(box) is Tensor or (isinstance(self._stage, BoxedStage) and box is self._stage.box):
            return self
        return Dataset._of(stage_of(box, self.element_spec, may_assign(self._stage)))

    # A `for` statement over a dataset is like a reduction, in which the shapes of variables may vary.
    _shapes_vary_in_loops = True

    def _staged_steps(self) -> Steps:
        """The steps of AutoGraph's `for` in a trace."""
        return Steps(self._stage)


def get_legacy_output_types(dataset: Dataset) -> Any:
    """The dtypes of the elements, in their structure."""
    return nest.map_structure(lambda s: dtypes.as_dtype(s.dtype), dataset.element_spec)


def get_legacy_output_shapes(dataset: Dataset) -> Any:
    """The shapes of the elements, in their structure."""
    return nest.map_structure(lambda s: s.shape, dataset.element_spec)


for _base in (Making, Changing, Arranging):  # in messages of Python they are methods of Dataset
    for _method in vars(_base).values():
        _function = getattr(_method, "__func__", _method)
        if inspect.isfunction(_function):
            _function.__qualname__ = f"Dataset.{_function.__name__}"


def _of_box(box: Any, spec: Any, assigns: bool) -> Dataset:
    return Dataset._of(stage_of(box, spec, assigns))


MAKERS["dataset"] = _of_box
MAKERS["dataset class"], MAKERS["iterator class"] = Dataset, Iterator
MAKERS["empty dataset"] = lambda spec: Dataset(Held([], spec))
