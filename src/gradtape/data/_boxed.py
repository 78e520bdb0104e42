"""Datasets, iterators and optionals as arguments of functions: each travels in a box, so that one trace serves all of one kind.

A box is a tensor of rank 0 whose only element is the object. A trace takes the box as a parameter; what reads it is a node that
opens the box when the function runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import dtypes
from gradtape.data import _deferred as deferred
from gradtape.data._boxes import opened
from gradtape.data._optional import Optional
from gradtape.data._specs import MAKERS, IteratorSpec
from gradtape.data._stage import Stage, known_spec
from gradtape.data._traced import called, fetched, fetched_optional, may_assign, refuse_python_loop
from gradtape.polymorphic_function.cache_key import Leaves, encode


def key_of(stage: Stage) -> Any:
    """The part of a dataset that traces depend on: the specs of its elements, and whether user code in it may assign
    variables. None if the specs need an element, or a surrounding function that has not run yet."""
    spec = known_spec(stage)
    return None if spec is None else (encode(spec, Leaves()), may_assign(stage))


class BoxedStage(deferred.Awaited):
    """The stage of a dataset that is an argument.

    Attributes:
      box: the parameter of the trace.
      assigns: whether user code in it may assign variables.
    """

    def __init__(self, box: Any, spec: Any, assigns: bool) -> None:
        super().__init__([box], _content, spec)
        self.box, self.assigns = box, assigns


def stage_of(box: Any, spec: Any, assigns: bool) -> BoxedStage:
    """The stage of an argument, which a node opens when the function begins: functions of the user may close over the dataset."""
    stage = BoxedStage(box, spec, assigns)
    called(stage, lambda content: stage.fill([content]), [box], [])
    return stage


def _content(value: list[Any]) -> Any:
    return opened(value[0]._array)


class BoxedIterator:
    """An iterator that is an argument, in the trace of a function."""

    def __init__(self, box: Any, spec: Any, assigns: bool) -> None:
        self._kind, self._box = BoxedStage(box, spec, assigns), box
        self.element_spec, self.requests = spec, 0

    @property
    def _type_spec(self) -> Any:
        """The spec that stands for iterators like this one among arguments."""
        return IteratorSpec(self.element_spec)

    def __iter__(self) -> BoxedIterator:
        return self

    def __next__(self) -> Any:
        refuse_python_loop(self)
        return self._element(lambda iterator: iterator._taken())

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""
        return next(self)

    def get_next_as_optional(self) -> Any:
        """The next element as an `Optional`, which is empty after the last."""
        return fetched_optional(self._kind, lambda box: opened(box)._pulled(), [self._box])

    def _element(self, take: Callable[[Any], Any]) -> Any:
        return fetched(self._kind, lambda box: take(opened(box)), [self._box])

    def _staged_steps(self) -> Any:
        return _BoxedSteps(self)

    def _argument_key(self) -> Any:
        return encode(self.element_spec, Leaves()), self._kind.assigns

    def _boxed(self) -> Any:
        return self._box

    def _from_box(self, box: Any) -> Any:
        return BoxedIterator(box, self.element_spec, self._kind.assigns)


class _BoxedSteps:
    """A `for` statement in a graph over an iterator that is an argument."""

    def __init__(self, iterator: BoxedIterator) -> None:
        self._iterator = iterator

    def start(self) -> None:
        """No effect: the iterator has already started."""

    def more(self) -> Any:
        """A bool tensor: whether there is another element."""
        own = self._iterator
        found = called(own._kind, lambda box: opened(box)._has_more(), [own._box], dtypes.bool_)
        found.set_shape([])
        return found

    def take(self) -> Any:
        """That element."""
        return self._iterator._element(lambda iterator: iterator._taken())

    def stop(self) -> None:
        """No effect: the iterator is used elsewhere."""


def optional_of(box: Any, spec: Any) -> Any:
    """The Optional that is an argument, in the trace of a function."""
    return fetched_optional(BoxedStage(box, spec, assigns=False), lambda content: opened(content)._state(), [box])


MAKERS["iterator"] = BoxedIterator
MAKERS["optional"] = optional_of
MAKERS["optional class"] = Optional
