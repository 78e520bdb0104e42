"""Iterators over datasets."""

from __future__ import annotations

import time
from collections.abc import Iterator as PythonIterator
from itertools import islice
from typing import Any, cast

import numpy as np

from gradtape.core import errors, nest, state, tracebacks
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorSpec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor, to_numpy, wrap
from gradtape.core.variable import Variable
from gradtape.data import _seeds as seeds
from gradtape.data._boxed import BoxedIterator, key_of
from gradtape.data._boxes import boxed
from gradtape.data._failure import Failure, raised
from gradtape.data._optional import Optional
from gradtape.data._specs import IteratorSpec
from gradtape.data._stage import known_spec
from gradtape.data._traced import IteratorSteps, fetched, fetched_optional, may_assign, refuse_python_loop

_END = object()
_PAUSE = 0.0005  # seconds between checks whether an iterator is free


class Iterator:
    """An iterator over the elements of a dataset: the result of `iter(dataset)`.

    Dropping it ends its threads. In a `tf.function`, `next(iterator)` takes an element each time the function runs. A
    `tf.train.Checkpoint` keeps how far it is, and the seeds of shuffles; to restore that, the elements before are made again.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> [int(x) for x in iterator]
    [0, 1]
    """

    def __init__(self, stage: Any) -> None:
        self._stage_read, self.requests = stage, 0
        self._begin()

    def _begin(self, place: Any = None) -> None:
        """Start at the beginning, or at a position restored from a checkpoint."""
        found = seeds.of(self._stage_read)
        if place is not None:
            for own, kept in zip(found, np.reshape(place[1:], (-1, 4)), strict=True):
                own.place = kept
        self._seeds = [own.place for own in found]
        self._elements: PythonIterator[Any] = self._stage_read.begin()
        self._ahead: list[Any] = []  # an element that a loop in a graph has requested but not taken
        self._number = 0 if place is None else sum(1 for _ in islice(self._elements, int(place[0])))

    def _checkpoint_parts(self) -> dict[str, Any]:
        """The parts that a checkpoint saves."""
        return {"place": Place(self, self._save())}

    def _save(self) -> Any:
        """The position, as a tensor."""
        return wrap(np.concatenate([[self._number], *self._seeds]).astype(np.int64))

    def _restore(self, state: Any) -> None:
        """Move to a saved position."""
        self._begin(np.asarray(state))

    def rewind(self) -> None:
        """Return to the beginning of the same iteration."""
        self._begin(np.concatenate([[0], *self._seeds]))

    @property
    def variables(self) -> list[Any]:
        """Internal state; its presence lets checkpoints save an iterator."""
        return []

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if state.current.trace is not None:
            refuse_python_loop(self)
            return fetched(self._stage_read, self._taken)
        try:
            value = self._ahead.pop() if self._ahead else next(self._elements)
        except MemoryError as problem:
            raise errors.no_room(problem, "dataset") from problem.__cause__
        except ValueError as problem:
            value = self._after_others(problem)
            if value is _END:
                raise StopIteration from None
        self._number += 1
        if type(value) is Failure:
            raise tracebacks.cut(value.problem)
        return value

    def _pull(self) -> Any:
        """The next element, a failure, or the end."""
        try:
            value = self._ahead.pop() if self._ahead else next(self._elements, _END)
        except ValueError as problem:
            value = self._after_others(problem)
        self._number += value is not _END
        return value

    def _after_others(self, problem: ValueError) -> Any:
        """The next element, once no other thread is in the pipeline. A lock would double the cost of each step;
        Python's generators refuse a second thread themselves."""
        while str(problem) == "generator already executing":
            time.sleep(_PAUSE)
            try:
                return self._ahead.pop() if self._ahead else next(self._elements, _END)
            except ValueError as again:
                problem = again
        raise problem

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""
        return next(self) if state.current.trace is not None else self._taken()

    def _taken(self) -> Any:
        value = self._pull()
        if value is _END:
            raise errors.build(errors.OutOfRangeError, "End of sequence", "make a new iterator, or repeat the dataset.")
        return raised(value)

    def get_next_as_optional(self) -> Optional:
        """The next element as an `Optional`, which is empty after the last."""
        if state.current.trace is not None:
            return cast("Optional", fetched_optional(self._stage_read, self._pulled))
        is_there, value = self._pulled()
        return Optional(self.element_spec, value, is_there)

    def _pulled(self) -> tuple[bool, Any]:
        """Whether there was another element, and the element."""
        value = self._pull()
        return (False, None) if value is _END else (True, raised(value))

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return self._stage_read.spec()

    @property
    def _type_spec(self) -> Any:
        """The spec that stands for iterators like this one among arguments."""
        return IteratorSpec(self.element_spec)

    def _has_more(self) -> bool:
        """True if there is another element, which is kept for the next call."""
        if not self._ahead:
            self._ahead.extend(value for value in [next(self._elements, _END)] if value is not _END)
        return bool(self._ahead)

    def _staged_steps(self) -> Any:
        """A `for` statement over the iterator in a function, which continues at the iterator's position when it runs."""
        return IteratorSteps(self)

    def _argument_key(self) -> Any:
        """The part of the iterator that traces of functions depend on."""
        return key_of(self._stage_read)

    def _boxed(self) -> Any:
        """The box in which it is passed to a function."""
        return boxed(self)

    def _from_box(self, box: Any) -> Any:
        """An iterator like this one, of a box in a trace; its kind, for the spec of a box."""
        assigns = may_assign(self._stage_read)
        if isinstance(box, TensorSpec):
            return IteratorSpec(self.element_spec, assigns=assigns)
        return self if type(box) is Tensor else BoxedIterator(box, self.element_spec, assigns)


class Place(Variable):
    """The position of an iterator for checkpoints: assigning moves the iterator."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Iterator, place: Any) -> None:
        super().__init__(place, trainable=False, name="iterator")
        self._iterator = iterator

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Move to a position."""
        super().assign(value)
        self._iterator._begin(self.numpy())
        return self


class NumpyIterator:
    """An iterator over the elements of a dataset, with NumPy arrays as leaves: the result of `as_numpy_iterator`."""

    def __init__(self, dataset: Any) -> None:
        spec = known_spec(dataset._stage, may_trace=False)
        for leaf in [] if spec is None else nest.flatten(spec):
            if leaf is not None and not isinstance(leaf, (TensorSpec, CompositeSpec)):
                raise _without_array(leaf)
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return nest.map_structure(_as_numpy, next(self._iterator))

    def save(self) -> Any:
        """The position of the iterator, as a tensor for `restore`."""
        return self._iterator._save()

    def restore(self, state: Any) -> None:
        """Move to a saved position."""
        self._iterator._restore(state)

    def _checkpoint_parts(self) -> dict[str, Any]:
        found: dict[str, Any] = self._iterator._checkpoint_parts()
        return found

    @property
    def variables(self) -> list[Any]:
        """Always empty, as for the iterator."""
        return []


def _as_numpy(leaf: Any) -> Any:
    """A leaf as an array that cannot be written to: it may be one that the dataset gives again."""
    if isinstance(leaf, Tensor):
        array = to_numpy(leaf._array)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array = array.view()
            array.flags.writeable = False
        return array
    if isinstance(leaf, SparseTensor):
        from gradtape.sparse._conversion import to_dense

        return _as_numpy(to_dense(leaf))
    if leaf is not None and not hasattr(leaf, "numpy"):
        raise _without_array(leaf)
    return leaf if leaf is None else leaf.numpy()


def _without_array(leaf: Any) -> Exception:
    return TypeError(
        errors.compose(
            "as_numpy_iterator: `tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of "
            f"{leaf!r}.",
            "iterate over the dataset itself.",
        )
    )
