"""Datasets in saved functions: descriptions of their stages and traced functions, and datasets from descriptions.

A description names one of the classes listed here, with its attributes. No stage that reads or writes files is among them, and functions
of the user are described by their traces: a file cannot name code.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.shape import ANY, Spec
from gradtape.data import _batch as batching
from gradtape.data import _cache_and_prefetch as caching
from gradtape.data import _map as mapping
from gradtape.data import _padded_batch as padding
from gradtape.data import _shuffle_and_repeat as order
from gradtape.data import _sources as sources
from gradtape.data import _zip_and_sample as joining
from gradtape.data._deferred import Awaited
from gradtape.data._seeds import Seeds
from gradtape.data._stage import Stage, Table
from gradtape.data._traced import ELEMENT, NOTHING, Call, Steps
from gradtape.data._user_functions import Function
from gradtape.saved_model._functions import describe_concrete, restored_concrete
from gradtape.saved_model._references import UnsaveableError
from gradtape.transform.py_function import NumpyCall

_STAGES: dict[str, type[Stage]] = {
    kind.__name__: kind
    for kind in (
        sources.Slices, sources.Pieces, sources.Single, sources.Range, sources.Counter, sources.RandomNumbers, Awaited,
        mapping.Map, mapping.Filter, mapping.TakeWhile, mapping.Scan, mapping.Tolerant, mapping.Asserted,
        batching.Batch, batching.RaggedBatch, batching.SparseBatch, batching.Unbatch, batching.Held, padding.PaddedBatch,
        caching.Cache, caching.Prefetch, order.Shuffle, order.Repeat, order.Section, order.Concatenate,
        joining.Zip, joining.Enumerate, joining.Choose, joining.Sample,
    )
}  # fmt: skip
_MAKERS: dict[str, Any] = {"Slices": sources.Slices, "Single": sources.Single}
_METHODS = {"_start", "_more", "_pop", "_stop", "following", "_single", "_counted", "pulled", "_begin_again"}
# State of a run, and values that can be recomputed.
_PASSING: dict[str, Any] = {
    "options": None,
    "_vectorized": None,
    "_pace": None,
    "_kept": None,
    "_own": None,
    "_latest": None,
}


class RestoredCall(NumpyCall):
    """A node of a file that calls a method of a dataset."""

    def infer(self, *specs: Spec) -> tuple[Spec, ...]:
        """Nothing is known of the results but their dtypes."""
        return tuple([Spec(ANY, dtype) for dtype in self.dtypes])


def described(op: NumpyCall, writer: Any) -> Any:
    """The description of a node's call; UnsaveableError if the method cannot be saved."""
    call: Any = op.func
    owner, name = getattr(call.function, "__self__", None), getattr(call.function, "__name__", "")
    if not isinstance(owner, (Steps, Seeds)) or name not in _METHODS:
        raise UnsaveableError("a dataset or an iterator that is an argument, or was made outside")
    form = {id(NOTHING): "nothing", id(ELEMENT): "element"}.get(id(call.form))
    return [
        _number(writer, owner),
        name,
        form or [writer.describe(call.form)],
        [t.name for t in op.dtypes],
        op.effect,
        hasattr(call, "assigns_nothing"),
    ]


def _number(writer: Any, part: Any) -> int:
    found: int = writer.pipeline(part, lambda: _described(writer, part))
    return found


def _described(writer: Any, part: Any) -> Any:
    if isinstance(part, Steps):
        return ["steps", _number(writer, part._stage)]
    if isinstance(part, Seeds):
        return ["seeds", writer.describe(part.place), part._changes, hasattr(part, "_first")]
    kind = type(part).__name__
    if _STAGES.get(kind) is not type(part):
        raise UnsaveableError(f"a dataset with the stage {kind}")
    part.spec()  # traces functions
    for value in vars(part).values():
        if isinstance(value, Function) and value.kept_trace(part.trace_functions) is None:
            raise UnsaveableError(f"a dataset whose function of {value.name} cannot be traced")
    attributes = {name: _value(writer, v) for name, v in vars(part).items() if name not in _PASSING}
    return ["stage", kind, attributes]


def _value(writer: Any, value: Any) -> Any:
    """An attribute of a stage."""
    if isinstance(value, (Stage, Seeds)):
        return {"part": _number(writer, value)}
    if isinstance(value, Function):
        concrete = value._trace[0]
        return {"function": [value.name, describe_concrete(writer, concrete)]}
    if isinstance(value, Table):
        return {"table": [writer.describe(value.pattern), [writer.describe(c) for c in value.columns]]}
    if isinstance(value, (tuple, list)) and value and all(isinstance(v, Stage) for v in value):
        return {"parts": [_number(writer, v) for v in value]}
    if isinstance(value, partial) and value.func is sources.range_of:
        return {"range of": value.keywords["dtype"].name}
    if callable(value):
        name = next((name for name, known in _MAKERS.items() if known is value), None)
        if name is None:
            raise UnsaveableError(f"a dataset that is made by {value!r}")
        return {"maker": name}
    return {"value": writer.describe(value)}


def restored(content: Any, reader: Any) -> RestoredCall:
    """The op of a node, from its description."""
    number, name, form, names, effect, assigns_nothing = content
    owner = _part(reader, number)
    if name not in _METHODS or not isinstance(owner, (Steps, Seeds)) or not hasattr(owner, name):
        raise TypeError(f"a dataset is asked for {name!r}")
    forms = {"nothing": NOTHING, "element": ELEMENT}
    call = Call(getattr(owner, name), forms[form] if isinstance(form, str) else reader.value(form[0]))
    if assigns_nothing:
        call.assigns_nothing = True
    return RestoredCall(call, [dtypes.as_dtype(n) for n in names], bool(effect))


def _part(reader: Any, number: int) -> Any:
    return reader.pipeline(number, lambda content: _restored(reader, *content))


def _restored(reader: Any, kind: str, *content: Any) -> Any:
    if kind == "steps":
        return Steps(_stage(reader, content[0]))
    if kind == "seeds":
        seeds = Seeds.__new__(Seeds)
        seeds.place, seeds._changes, seeds.given = (
            np.asarray(reader.value(content[0]), np.int64),
            bool(content[1]),
            (None, True),
        )
        if content[2]:
            seeds._first = seeds.place
        return seeds
    name, attributes = content
    made = _STAGES[name].__new__(_STAGES[name])
    if shadowing := [n for n in attributes if callable(getattr(made, n, None)) or n.startswith("__")]:
        raise TypeError(f"a stage has the attribute {shadowing[0]!r}")
    vars(made).update(_PASSING | {"_own": threading.local()})
    vars(made).update({n: _attribute(reader, v) for n, v in attributes.items()})
    return made


def _attribute(reader: Any, content: Any) -> Any:
    ((tag, value),) = content.items()
    if tag == "part":
        return _part(reader, value)
    if tag == "parts":
        return tuple([_stage(reader, n) for n in value])
    if tag == "function":
        return Function.restored(value[0], restored_concrete(reader, value[1]))
    if tag == "table":
        return Table(reader.value(value[0]), [reader.value(c) for c in value[1]])
    if tag == "range of":
        return partial(sources.range_of, dtype=dtypes.as_dtype(value))
    if tag == "maker":
        return _MAKERS[value]
    return reader.value(value)


def _stage(reader: Any, number: int) -> Stage:
    found = _part(reader, number)
    if not isinstance(found, Stage):
        raise TypeError(f"{found!r} is not a stage of a dataset")
    return found
