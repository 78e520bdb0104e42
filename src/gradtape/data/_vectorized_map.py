"""Maps followed by a batch: pure functions run compiled, on whole batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

from gradtape.core import nest, state
from gradtape.core.tensor import Tensor
from gradtape.data import _structure as structure
from gradtape.data._seeds import Draws
from gradtape.data._stage import aligned
from gradtape.data._user_functions import Function, spread

# Elements that run one by one before functions are compiled. A number and no time, so that every run draws the same numbers.
PATIENCE = 2048
_LEAST = 4  # elements of a batch from which a compiled function is quicker
_RENEWALS = 8  # of the compiled function, if names from outside change their meaning
Mapping = Callable[[Callable[[Any], Any], Iterator[Any]], Iterator[Any]]


class _Settings:
    """The switch for compiling functions; see `tf.data.experimental.enable_debug_mode`."""

    is_enabled = True


settings = _Settings()


class Vectorized:
    """The functions of one or more maps as a function of batches.

    Args:
      functions: in the order in which they are applied.
      mapping: gives the results of a function on elements, perhaps by threads.
    """

    def __init__(self, functions: list[Function], mapping: Mapping) -> None:
        self._functions, self._mapping = functions, mapping
        self._count = self._renewals = 0
        self._compiled: dict[Any, Any] = {}
        self._is_able = all(f.is_pure() for f in functions)

    def batches(self, groups: Iterator[Any], size: int, drop: bool) -> Iterator[Any]:
        """The stacked results on groups of elements: lists, or structures of tensors with a row for each element.

        Args:
          groups: of `size` elements, but the last, which may be smaller.
          size: how many results are stacked.
          drop: whether a smaller stack at the end is left out.
        """
        missing = max(0, PATIENCE - self._count)
        is_worth_it = self._is_able and size >= _LEAST
        yield from self._one_by_one(islice(groups, -(-missing // size)) if is_worth_it else groups, size, drop)
        for group in groups:
            made = self._at_once(group, size)
            if made is not None:
                yield made[0]
            else:
                yield from self._one_by_one(iter([group]) if self._is_able else chain([group], groups), size, drop)

    def _one_by_one(self, groups: Iterator[Any], size: int, drop: bool) -> Iterator[Any]:
        results = self._mapping(self._result, chain.from_iterable(map(_elements, groups)))
        for made in aligned(results, size, drop, lambda group: structure.stack("batch", group)):
            self._count += size
            yield made

    def _result(self, value: Any) -> Any:
        for function in self._functions:
            value = function.attempt(value)
        return value

    def _at_once(self, group: Any, size: int) -> tuple[Any] | None:
        """The result on a group, in a tuple; None if it has to be computed element by element."""
        if state.settings.functions_run_eagerly or not settings.is_enabled:
            return None
        try:
            batch = structure.stack("batch", group) if isinstance(group, list) else group
            columns = nest.flatten(batch)
            if columns[0].shape[0] != size:
                return None
            with state.outside():
                return (self._for(batch, columns)(*columns),)
        except Exception:
            # It cannot be traced, or an element is invalid: the eager run shows which.
            self._is_able = False
            return None

    def _for(self, batch: Any, columns: list[Tensor]) -> Any:
        if not all(f.is_pure() for f in self._functions) or self._renewals > _RENEWALS:
            raise TypeError("the functions do more than to compute")
        versions = tuple([f.version for f in self._functions])
        key = (*[(t.dtype, tuple(t.shape)) for t in columns], versions)
        found = self._compiled.get(key)
        if found is None:
            self._compiled.clear()
            self._renewals += 1
            found = self._compiled[key] = self._traced(batch, columns)
        return found

    def _traced(self, batch: Any, columns: list[Tensor]) -> Any:
        from gradtape.autograph._calls import converted
        from gradtape.polymorphic_function.function import function
        from gradtape.transform.vectorized_map import vectorized_map

        if any(t.dtype.kind == "O" for t in columns):
            raise TypeError("strings are not computed with")
        calls = [converted(f.function) for f in self._functions]

        def element(value: Any) -> Any:
            for own, call in zip(self._functions, calls, strict=True):
                state.current.streams = Draws(state.current.trace, own.draws)
                value = structure.result(call(*spread((value,))))
            state.current.streams = None
            return value

        def whole(*leaves: Any) -> Any:
            return vectorized_map(element, nest.pack_sequence_as(batch, leaves), fallback_to_while_loop=False)

        return function(whole).get_concrete_function(*[structure.spec(t) for t in columns])


def _elements(group: Any) -> Iterator[Any]:
    if isinstance(group, list):
        return iter(group)
    pack, columns = structure.packer(group), [t._array for t in nest.flatten(group)]
    return (pack([structure.row(c, i) for c in columns]) for i in range(columns[0].shape[0]))
