"""Datasets that a traced function returns: each run of the function creates one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, state
from gradtape.core.composite import Form, Pieces, pieces_class
from gradtape.core.op import NotDifferentiable, Op
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.data import _deferred as deferred


def pieces(stage: Any, make: Callable[[Any], Any]) -> Pieces:
    """A dataset in the form that a function can return: a node that creates its stage, and how to restore the dataset."""
    sources = deferred.sources(stage)
    inputs = [t for source in sources for t in source.tensors]
    box = state.tracing().append(_MakeStage(stage, sources), inputs, {}, Spec((), dtypes.string))
    result: Pieces = pieces_class(_DatasetForm(stage, make))(box)
    return result


class _MakeStage(Op):
    """The stage of a dataset, with the tensors that its sources wait for, in a box."""

    name = "dataset"
    effect = True
    differentiable = False
    any_size = True
    vjp = NotDifferentiable("a dataset is no number")

    def __init__(self, stage: Any, sources: list[deferred.Awaited]) -> None:
        self._stage, self._sources = stage, sources

    def kernel(self, *arrays: Any) -> Any:
        """A box with a separate stage for this run, since other runs may wait for other values."""
        box = np.empty((), object)
        values = iter(arrays)
        filled = {id(s): s.made([next(values) for _ in s.tensors]) for s in self._sources}
        box[()] = copy.deepcopy(self._stage, filled) if filled else self._stage
        return box


class _DatasetForm(Form):
    """The static part of a dataset."""

    def __init__(self, stage: Any, make: Callable[[Any], Any]) -> None:
        self._stage, self._make = stage, make

    def assembled(self, parts: Sequence[Any]) -> Any:
        """The dataset; in a function, one whose stage is known when that runs."""
        (box,) = parts
        if type(box) is Tensor:
            return self._make(box._array[()])
        return self._make(deferred.Awaited([box], _unboxed, self._stage.spec(), self._stage.cardinality()))


def _unboxed(value: list[Any]) -> Any:
    found = value[0]._array
    return found[()] if isinstance(found, np.ndarray) else found  # arguments of Python functions are scalars
