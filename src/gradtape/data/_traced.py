"""Datasets in functions that are traced: elements are fetched when the function runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from gradtape.core import dtypes, errors, nest
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import host
from gradtape.data import _deferred as awaited, _composites as composites, _structure as structure
from gradtape.transform.py_function import numpy_function


def fetched(spec: Any, take: Callable[[], Any]) -> Any:
    """An element that `take` gives each time the traced function comes to this place."""
    specs = nest.flatten(spec)
    if not all(isinstance(s, (TensorSpec, CompositeSpec)) for s in specs):
        raise TypeError(
            errors.compose("the elements of this dataset hold datasets.", "use flat_map to turn them into tensors.")
        )

    def run() -> list[Any]:
        return [host(leaf._array) for leaf in nest.flatten(structure.tensors(take()), expand_composites=True)]

    parts = composites.components(specs)
    leaves = numpy_function(run, [], [s.dtype for s in parts])
    for leaf, own in zip(leaves, parts, strict=True):
        leaf.set_shape(own.shape)
    return composites.packed(spec, leaves)


class Steps(threading.local):
    """A `for` statement over a dataset in a graph. Each run of it iterates anew."""

    def __init__(self, stage: Any) -> None:
        self._stage, self._spec = stage, stage.spec()
        self._awaited = awaited.sources(stage)
        self._elements: Any = iter(())
        self._next: list[Any] = []

    def start(self) -> None:
        """Add a node that begins an iteration."""
        numpy_function(self._start, [t for source in self._awaited for t in source.tensors], [])

    def more(self) -> Any:
        """A bool tensor: whether there is another element."""
        found = numpy_function(self._more, [], dtypes.bool_)
        found.set_shape([])
        return found

    def take(self) -> Any:
        """That element."""
        return fetched(self._spec, lambda: self._next.pop())

    def stop(self) -> None:
        """Add a node that ends the iteration, and its threads."""
        numpy_function(self._stop, [], [])

    def _start(self, *arrays: Any) -> None:
        values = iter(arrays)
        for source in self._awaited:
            source.fill([next(values) for _ in source.tensors])
        self._elements = self._stage.elements()
        self._next.clear()

    def _more(self) -> bool:
        if not self._next:
            self._next.extend(value for value in [next(self._elements, self)] if value is not self)
        return bool(self._next)

    def _stop(self) -> None:
        self._elements = iter(())
        self._next.clear()
