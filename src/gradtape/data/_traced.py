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
_MOST_REQUESTS = 5000  # elements of one iterator that traces ask for


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
    """An element of a stage that `take` gives, of some inputs, each time the traced function comes to this place."""
    spec, parts = _parts_of(stage)
    leaves = called(stage, Call(take, ELEMENT), list(inputs), [s.dtype for s in parts])
    return _shaped(spec, parts, leaves)


def fetched_optional(stage: Any, take: Callable[..., Any], inputs: Sequence[Any] = ()) -> Any:
    """The same as an Optional: `take` gives a pair, whether there is an element, and the element."""
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
    """Whether parts of an element are tensors, or can be put in a box: a dataset, but not a batch of them."""
    if isinstance(spec, DatasetSpec):
        return spec.shape.rank == 0
    return spec is None or isinstance(spec, (TensorSpec, CompositeSpec))


def _arrays(value: Any) -> list[Any]:
    leaves = nest.flatten(structure.tensors(value), expand_composites=True)
    return [_array(leaf) for leaf in leaves if leaf is not None]


def _array(leaf: Any) -> Any:
    # A box stays a tensor: of an array, the node would look for strings in it.
    return boxed(leaf._stage) if hasattr(leaf, "_stage") else host(leaf._array)


def _shaped(spec: Any, parts: list[Any], leaves: Any) -> Any:
    """An element of tensors that a node gives, of which the shapes are known as far as specs tell."""
    for leaf, own in zip(leaves, parts, strict=True):
        leaf.set_shape(own.shape)
    return composites.packed(spec, leaves)


NOTHING, ELEMENT = object(), object()


class Call:
    """What a node calls on behalf of a stage.

    Attributes:
      function: the function; if it is a method of `Steps` or `Seeds`, it can be saved.
      form: what it gives: NOTHING but arrays, an ELEMENT, or a pair of whether there is an element of a spec, and the element.
    """

    __name__ = "dataset"
    assigns_nothing: bool

    def __init__(self, function: Callable[..., Any], form: Any = NOTHING) -> None:
        self.function, self.form = function, form

    def __call__(self, *arrays: Any) -> Any:
        """What the function gives, as arrays."""
        result = self.function(*arrays)
        if self.form is NOTHING:
            return result
        if self.form is ELEMENT:
            return _arrays(result)
        is_there, value = result
        return [np.bool_(is_there), *(_arrays(value) if is_there else [host(t._array) for t in blank(self.form)])]


def called(stage: Any, function: Callable[..., Any], inputs: list[Any], wanted: Any) -> Any:
    """A node that calls a function on behalf of a stage. Unless functions of the user run in the stage that may do more than
    compute, the graph knows that no variable is assigned."""
    call = function if isinstance(function, Call) else Call(function)
    if not may_assign(stage):
        call.assigns_nothing = True
    return numpy_function(call, inputs, wanted)


def may_assign(stage: Any) -> bool:
    """True if a function of the user runs in a stage that may do more than compute."""
    if getattr(stage, "assigns", False):
        return True
    own = getattr(getattr(stage, "function", None), "function", None)
    return (own is not None and not Reading(own).is_pure) or any(map(may_assign, stage.inputs))


def not_single(count: int) -> Exception:
    """The error of a dataset that has not one element."""
    what = "Dataset had more than one element." if count else "Dataset was empty."
    return errors.build(
        errors.InvalidArgumentError,
        f"get_single_element: the dataset must have one element. {what}",
        "use take(1), or batch.",
    )


def _caches(stage: Any) -> list[Any]:
    """The caches among a stage and those that it reads whose content depends on what the function is called on."""
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
        """The number of elements, as the stage tells it when the function runs."""
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
    """A `for` statement in a graph over an iterator that is there already. Elements that it does not take stay there."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def start(self) -> None:
        """Nothing: the iterator has begun."""

    def more(self) -> Any:
        """A bool tensor: whether there is another element."""
        found = called(self._iterator._stage_read, self._iterator._has_more, [], dtypes.bool_)
        found.set_shape([])
        return found

    def take(self) -> Any:
        """That element."""
        return fetched(self._iterator._stage_read, self._iterator._taken)

    def stop(self) -> None:
        """Nothing: the iterator continues elsewhere."""


class TracedIterator:
    """What `iter(dataset)` is in a function: each run of the function starts from the beginning."""

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
    """A `for` statement over what is left of an iterator that was made in the function."""

    def __init__(self, steps: Steps) -> None:
        self.more, self.take = steps.more, steps.take

    def start(self) -> None:
        """Nothing: the iterator has begun."""

    def stop(self) -> None:
        """Nothing: there may be more statements that use it."""
