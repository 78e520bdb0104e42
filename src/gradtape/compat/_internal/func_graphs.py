"""The graph of a function, as programs look at it, and the scratch graphs of Keras 2."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.core import nest
from gradtape.core.weak import WeakKeys
from gradtape.tracing.operation import Operation
from gradtape.tracing.symbol import symbol
from gradtape.tracing.trace import Trace


class FuncGraph(_graphs.Graph):
    """A graph like that of a function: variables that are used in it are ordinary ones."""

    building_function = True

    def __init__(self, name: str = "", *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.name, self.outer_graph = name, None
        self._call_time_values: dict[Any, Any] = {}
        self._viewed: weakref.ref[Trace] | None = None

    @classmethod
    def of(cls, trace: Trace) -> FuncGraph:
        """The graph of a function that is being traced, always the same object."""
        found = _known.get(trace)
        if found is None:
            found = _known[trace] = cls(trace.graph.name)
            found._viewed = weakref.ref(trace)
        return found

    @contextlib.contextmanager
    def as_default(self) -> Iterator[FuncGraph]:
        """A block in this graph; that of a function is the default where the function is traced."""
        with contextlib.nullcontext() if self._viewed is not None else self.trace:
            yield self

    def capture_call_time_value(
        self, closure: Callable[[], Any], spec: Any, key: Any = None, default_value: Any = None, placeholder: Any = None
    ) -> Any:
        """The result of a Python function, called once for each key when the traced function is called."""
        known = self._call_time_values
        if key is not None and key in known:
            return known[key]
        kinds = nest.flatten(spec)
        values = tf.py_function(
            lambda: nest.flatten(closure()), [], [s.dtype if isinstance(s, tf.TensorSpec) else s for s in kinds]
        )
        for value, kind in zip(values, kinds, strict=True):
            if isinstance(kind, tf.TensorSpec):
                value.set_shape(kind.shape)
        found = nest.pack_sequence_as(spec, values)
        if key is not None:
            known[key] = found
        return found

    def _shown(self) -> Trace:
        trace = None if self._viewed is None else self._viewed()
        return self.trace if trace is None else trace

    @property
    def inputs(self) -> list[Any]:
        """The arguments of the function."""
        return list(self._shown().parameters)

    def get_operations(self) -> list[Any]:
        """The operations of the function so far."""
        trace = self._shown()
        made = [Operation(symbol(node.outputs[0], trace)) for node in trace.graph.nodes if node.outputs]
        return [*[Operation(t) for t in trace.parameters], *made]


_known: WeakKeys[Trace, FuncGraph] = WeakKeys()
