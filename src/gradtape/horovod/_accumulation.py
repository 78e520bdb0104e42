"""Gradients of several backward passes, added up before they are reduced and applied."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.control_flow.functions import cond
from gradtape.core import dtypes
from gradtape.core.convert import convert_to_tensor
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import wrap
from gradtape.core.variable import Variable
from gradtape.core.weak import WeakKeys
from gradtape.horovod._loss_scale import rescaled, unscaled
from gradtape.horovod._tape import Reducer
from gradtape.tracing.init_scope import init_scope


class _Sums:
    """The sums of one optimizer, and how many passes are in them."""

    def __init__(self, variables: Any) -> None:
        self.count = Variable(np.int64(0), trainable=False)
        self.sums = [Variable(np.zeros(tuple(v.shape), _dtype(v)), trainable=False) for v in variables]


def _dtype(variable: Any) -> Any:
    return dtypes.as_dtype(variable.dtype).numpy


def accumulating(base: Any, reducer: Reducer, passes: int, average: bool) -> Any:
    """The method `apply` of an optimizer that accumulates gradients and applies them every n calls."""
    known: WeakKeys[Any, _Sums] = WeakKeys()

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        variables = self._trainable_variables if trainable_variables is None else list(trainable_variables)
        if self not in known:
            with init_scope():
                self.build(variables)
                known[self] = _Sums(variables)
        held = known[self]
        grads = unscaled(self, grads, variables)
        for total, g in zip(held.sums, grads, strict=True):
            if g is not None:
                total.assign_add(convert_to_tensor(g))
        held.count.assign_add(wrap(np.int64(1)))

        def step() -> Any:
            scale = 1.0 / passes if average else 1.0
            whole = [None if g is None else total * scale for total, g in zip(held.sums, grads, strict=True)]
            base.apply(self, rescaled(self, reducer(whole, variables)), trainable_variables)
            for total in held.sums:
                total.assign(REGISTRY["zeros_like"](total.read_value()))  # not times 0: a sum may have overflowed
            held.count.assign(wrap(np.int64(0)))
            return self.iterations.value + 0

        return cond(held.count.read_value() >= passes, step, lambda: self.iterations.value + 0)

    return apply
