"""Datasets in functions that are traced: elements are fetched when the function runs."""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import host
from gradtape.data import _composites as composites
from gradtape.data import _deferred as deferred
from gradtape.data import _structure as structure
from gradtape.data._boxes import boxed
from gradtape.data._optional import TracedOptional, blank
from gradtape.data._purity import Reading
from gradtape.data._specs import DatasetSpec
from gradtape.transform.py_function import numpy_function

_FOR_ITER = dis.opmap["FOR_ITER"]
_MOST_REQUESTS = 5000  # the elements of an iterator that traces request


def refuse_python_loop(iterator: Any) -> None:
    """Raise if a `for` statement of Python, or something like `list`, asks for elements in a trace: it would never end."""
    frame = sys._getframe(2)
    iterator.requests += 1
    if frame.f_code.co_code[frame.f_lasti] == _FOR_ITER or iterator.requests > _MOST_REQUESTS:
        raise ValueError(
            errors.compose(
                "a dataset cannot be iterated by Python while a function is traced: the `for elem in dataset: ...` idiom is only "
                "supported where AutoGraph is enabled.",
                "write `for x in dataset` in a function that AutoGraph converts, use next(iterator), or iterate outside and "
                "call the function on each element.",
            )
        )


def fetched(stage: Any, take: Callable[..., Any], inputs: Sequence[Any] = ()) -> Any:
    """An element that `take` returns for some inputs of a stage, each time the traced function reaches this point."""
    spec, parts = _parts_of(stage)
    leaves = called(stage, Call(take, ELEMENT), list(inputs), [s.dtype for s in parts])
    return _shaped(spec, parts, leaves)


def fetched_optional(stage: Any, take: Callable[..., Any], inputs: Sequence[Any] = ()) -> Any:
    """The same as an Optional: `take` returns a pair of a bool, whether there is an element, and the element."""
    spec, parts = _parts_of(stage)
    there, *leaves = called(stage, Call(take, spec), list(inputs), [dtypes.bool_, *[s.dtype for s in parts]])
    there.set_shape([])
    return TracedOptional(spec, there, leaves)


def _parts_of(stage: Any) -> tuple[Any, list[Any]]:
    """The structure of specs of a stage's elements, and the specs of their tensors."""
    spec = stage.spec()
    specs = nest.flatten(spec)
    if not all(map(_can_be_fetched, specs)):
        raise TypeError(
            errors.compose(
                f"the elements of this dataset, {spec!r}, cannot be taken in a function.",
                "use map or flat_map to turn them into tensors.",
            )
        )

    return spec, composites.components(specs)


def _can_be_fetched(spec: Any) -> bool:
    """True if the parts of an element are tensors, or fit in a box: a dataset, but not a batch of them."""
    if isinstance(spec, DatasetSpec):
        return spec.shape.rank == 0
    return spec is None or isinstance(spec, (TensorSpec, CompositeSpec))


def _arrays(value: Any) -> list[Any]:
    leaves = nest.flatten(structure.tensors(value), expand_composites=True)
    return [_array(leaf) for leaf in leaves if leaf is not None]


def _array(leaf: Any) -> Any:
    # A box stays a tensor: in an array, the node would look for strings.
    return boxed(leaf._stage) if hasattr(leaf, "_stage") else host(leaf._array)


def _shaped(spec: Any, parts: list[Any], leaves: Any) -> Any:
    """An element made of a node's tensors, whose static shapes come from specs."""
    for leaf, own in zip(leaves, parts, strict=True):
        leaf.set_shape(own.shape)
    return composites.packed(spec, leaves)


NOTHING, ELEMENT = object(), object()


class Call:
    """The call of a node on behalf of a stage.

    Attributes:
      function: the function; if it is a method of `Steps` or `Seeds`, it can be saved.
      form: what it gives: NOTHING but arrays, an ELEMENT, or a pair of whether there is an element of a spec, and the element.
    """

    __name__ = "dataset"
    assigns_nothing: bool

    def __init__(self, function: Callable[..., Any], form: Any = NOTHING) -> None:
        self.function, self.form = function, form

    def __call__(self, *arrays: Any) -> Any:
        """The results of the function, as arrays."""
        result = self.function(*arrays)
        if self.form is NOTHING:
            return result
        if self.form is ELEMENT:
            return _arrays(result)
        is_there, value = result
        return [np.bool_(is_there), *(_arrays(value) if is_there else [host(t._array) for t in blank(self.form)])]


def called(stage: Any, function: Callable[..., Any], inputs: list[Any], wanted: Any) -> Any:
    """A node that calls a function on behalf of a stage. It counts as assigning no variables, unless user functions
    with possible side effects run in the stage."""
    call = function if isinstance(function, Call) else Call(function)
    if not may_assign(stage):
        call.assigns_nothing = True
    return numpy_function(call, inputs, wanted)


def may_assign(stage: Any) -> bool:
    """True if a user function with possible side effects runs in a stage."""
    if getattr(stage, "assigns", False):
        return True
    own = getattr(getattr(stage, "function", None), "function", None)
    return (own is not None and not Reading(own).is_pure) or any(map(may_assign, stage.inputs))


def not_single(count: int) -> Exception:
    """The error for a dataset without exactly one element."""
    what = "Dataset had more than one element." if count else "Dataset was empty."
    return errors.build(
        errors.InvalidArgumentError,
        f"get_single_element: the dataset must have one element. {what}",
        "use take(1), or batch.",
    )


def _caches(stage: Any) -> list[Any]:
    """The caches of a stage and its inputs whose contents depend on the function's arguments."""
    own = [stage] if hasattr(stage, "forget") and deferred.sources(stage) else []
    return [*own, *[found for source in stage.inputs for found in _caches(source)]]


class Steps(threading.local):
    """A `for` statement over a dataset in a graph. Each run starts a new iteration."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage
        self._awaited = deferred.sources(stage)
        self._caches = _caches(stage)
        self._elements: Any = iter(())
        self._next: list[Any] = []

    def start(self) -> None:
        """Add a node that begins an iteration."""
        called(self._stage, self._start, [t for source in self._awaited for t in source.tensors], [])

    def more(self) -> Any:
        """A bool tensor: whether there is another element."""
        found = called(self._stage, self._more, [], dtypes.bool_)
        found.set_shape([])
        return found

    def take(self) -> Any:
        """That element."""
        return fetched(self._stage, self._pop)

    def stop(self) -> None:
        """Add a node that ends the iteration, and its threads."""
        called(self._stage, self._stop, [], [])

    def _start(self, *arrays: Any) -> None:
        values = iter(arrays)
        for source in self._awaited:
            source.fill([next(values) for _ in source.tensors])
        for cache in self._caches:  # they belong to one run: the next one may have another dataset
            cache.forget()
        self._elements = self._stage.values()
        self._next.clear()

    def _pop(self) -> Any:
        return self._next.pop()

    def _more(self) -> bool:
        if not self._next:
            self._next.extend(value for value in [next(self._elements, self)] if value is not self)
        return bool(self._next)

    def following(self) -> Any:
        """The next element, when the function runs."""
        if not self._more():
            raise errors.build(
                errors.OutOfRangeError, "End of sequence", "ask for fewer elements, or repeat the dataset."
            )
        return self._next.pop()

    def _stop(self) -> None:
        self._elements = iter(())
        self._next.clear()

    def finish(self, function: Callable[[Any], Any]) -> None:
        """Add a node that calls a function on all elements that are left, and ends the iteration."""

        def run() -> None:
            function(self._elements)
            self._stop()

        called(self._stage, run, [], [])

    def single(self) -> Any:
        """The only element."""
        return fetched(self._stage, self._single)

    def _single(self) -> Any:
        found = [value for _, value in zip(range(2), self._elements, strict=False)]
        if len(found) != 1:
            raise not_single(len(found))
        return found[0]

    def count(self) -> Any:
        """The number of elements of the stage when the function runs."""
        found = called(
            self._stage, self._counted, [t for source in self._awaited for t in source.tensors], dtypes.int64
        )
        found.set_shape([])
        return found

    def _counted(self, *arrays: Any) -> Any:
        self._start(*arrays)
        with deferred.counting():
            return np.int64(self._stage.cardinality())

    def pulled(self) -> tuple[bool, Any]:
        """Whether there is another element, and the element, when the function runs."""
        return (True, self._next.pop()) if self._more() else (False, None)


class IteratorSteps:
    """A `for` statement in a graph over an existing iterator. Elements that it does not take remain in the iterator."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def start(self) -> None:
        """No effect: the iterator has already started."""

    def more(self) -> Any:
        """A bool tensor: whether there is another element."""
        found = called(self._iterator._stage_read, self._iterator._has_more, [], dtypes.bool_)
        found.set_shape([])
        return found

    def take(self) -> Any:
        """That element."""
        return fetched(self._iterator._stage_read, self._iterator._taken)

    def stop(self) -> None:
        """No effect: the iterator is used elsewhere."""


class TracedIterator:
    """The result of `iter(dataset)` in a function: each run of the function starts from the beginning."""

    def __init__(self, stage: Any) -> None:
        self._stage, self._steps = stage, Steps(stage)
        self._steps.start()
        self.requests = 0
        self.element_spec = stage.spec()

    def __iter__(self) -> TracedIterator:
        return self

    def __next__(self) -> Any:
        refuse_python_loop(self)
        return fetched(self._stage, self._steps.following)

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""
        return next(self)

    def get_next_as_optional(self) -> Any:
        """The next element as an `Optional`, which is empty after the last."""
        return fetched_optional(self._stage, self._steps.pulled)

    def _staged_steps(self) -> Any:
        return _Rest(self._steps)


class _Rest:
    """A `for` statement over the remaining elements of an iterator created in the function."""

    def __init__(self, steps: Steps) -> None:
        self.more, self.take = steps.more, steps.take

    def start(self) -> None:
        """No effect: the iterator has already started."""

    def stop(self) -> None:
        """No effect: other statements may use it."""
