"""Iterators over datasets, and the specs of datasets and iterators."""

from __future__ import annotations

from collections.abc import Iterator as PythonIterator
from itertools import islice
from typing import Any

import numpy as np

from gradtape.core import errors, nest, state
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, to_numpy
from gradtape.core.variable import Variable
from gradtape.data import _seeds as seeds

_END = object()


class Iterator:
    """The elements of a dataset, one after the other: what `iter(dataset)` returns.

    Dropping it ends its threads. In a `tf.function`, `next(iterator)` takes an element each time the function runs. A
    `tf.train.Checkpoint` keeps how far it is, and the seeds of shuffles; to restore that, the elements before are made again.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> [int(x) for x in iterator]
    [0, 1]
    """

    def __init__(self, stage: Any) -> None:
        self._stage_read = stage
        self._begin()

    def _begin(self, place: Any = None) -> None:
        """Start, or go to a place that a checkpoint kept."""
        found = seeds.of(self._stage_read)
        if place is not None:
            for own, kept in zip(found, np.reshape(place[1:], (-1, 4)), strict=True):
                own.place = kept
        self._seeds = [own.place for own in found]
        self._elements: PythonIterator[Any] = self._stage_read.elements()
        self._number = 0 if place is None else sum(1 for _ in islice(self._elements, int(place[0])))

    def _checkpoint_parts(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"place": Place(self, np.concatenate([[self._number], *self._seeds]).astype(np.int64))}

    @property
    def variables(self) -> list[Any]:
        """None that a program should change; that the attribute is there lets checkpoints take an iterator."""
        return []

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if state.current.trace is not None:
            from gradtape.data._traced import fetched

            return fetched(self._stage_read.spec(), self._taken)
        value = next(self._elements)
        self._number += 1
        return value

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""
        return next(self) if state.current.trace is not None else self._taken()

    def _taken(self) -> Any:
        value = next(self._elements, _END)
        if value is _END:
            raise errors.build(errors.OutOfRangeError, "End of sequence", "make a new iterator, or repeat the dataset.")
        self._number += 1
        return value

    def get_next_as_optional(self) -> Optional:
        """The next element as an `Optional`, which is empty after the last."""
        value = next(self._elements, _END)
        self._number += value is not _END
        return Optional(self.element_spec, None if value is _END else value, value is not _END)

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return self._stage_read.spec()


class Place(Variable):
    """How far an iterator is, as a checkpoint sees it: assigning lets the iterator go there."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Iterator, place: Any) -> None:
        super().__init__(place, trainable=False, name="iterator")
        self._iterator = iterator

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Go to a place."""
        super().assign(value)
        self._iterator._begin(self.numpy())
        return self


class NumpyIterator:
    """The elements of a dataset with NumPy arrays as leaves: what `as_numpy_iterator` returns."""

    def __init__(self, dataset: Any) -> None:
        self._elements = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return nest.map_structure(_as_numpy, next(self._elements))


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return to_numpy(leaf._array)
    return leaf.as_numpy_iterator() if hasattr(leaf, "as_numpy_iterator") else leaf


class Optional:
    """A value that may be missing.

    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> iterator.get_next_as_optional().has_value().numpy(), iterator.get_next_as_optional().has_value().numpy()
    (np.True_, np.False_)
    """

    def __init__(self, spec: Any, value: Any, is_there: bool) -> None:
        self._spec, self._value, self._is_there = spec, value, is_there

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An Optional with a value."""
        from gradtape.data import _structure as structure

        found = structure.tensors(value)
        return Optional(structure.spec(found), found, True)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An Optional without a value."""
        return Optional(element_spec, None, False)

    def has_value(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether there is a value."""
        from gradtape.core.tensor import wrap

        return wrap(np.bool_(self._is_there))

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError if there is none."""
        if not self._is_there:
            raise errors.build(
                errors.InvalidArgumentError, "The given optional does not have a value.", "ask has_value()."
            )
        return self._value

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the value."""
        return self._spec


class DatasetSpec:
    """The spec of a dataset as an element of another."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec, self._shape = element_spec, dataset_shape

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the dataset's elements."""
        return self._element_spec

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return cls(value.element_spec)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether another spec, or a dataset, has elements like these."""
        theirs = other.element_spec
        try:
            nest.assert_same_structure(self._element_spec, theirs)
        except (TypeError, ValueError):
            return False
        pairs = zip(nest.flatten(self._element_spec), nest.flatten(theirs), strict=True)
        return all(a.is_compatible_with(b) for a, b in pairs)

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(tuple(nest.flatten(self._element_spec)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r}, {TensorShape(self._shape)!r})"


class IteratorSpec(DatasetSpec):
    """The spec of an iterator."""
