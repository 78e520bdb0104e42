"""Nests evaluated with NumPy, for tests: the meaning of a nest, against which machine code is compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.compiler.nest.description import Dim, Instruction, Nest
from gradtape.core.shape import Spec

_JOINS = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "maximum": np.maximum, "minimum": np.minimum,
    "any": np.logical_or, "all": np.logical_and,
}  # fmt: skip


def interpret(nest: Nest, arrays: Sequence[Any], specs: Sequence[Spec], cg: Any, onto: Any = None) -> list[Any]:
    """The outputs of a nest, in new arrays; elements that it does not write are zero.

    Args:
      nest: what to compute.
      arrays: the inputs.
      specs: of the outputs.
      cg: an emitter whose values are NumPy arrays.
      onto: what the only output holds before.
    """
    run = _Run(nest, arrays, cg)
    made = [np.zeros(spec.shape, spec.dtype.numpy) for spec in specs]
    if onto is not None:
        made[0] = np.array(onto).reshape(specs[0].shape)
    for access, value in nest.stores:
        flat, _ = run.places(access.dims)
        axes = tuple([nest.axes[a] if a in _terms(access.dims) else 1 for a in range(len(nest.axes))])
        target = made[access.slot].reshape(-1)
        target[np.broadcast_to(flat, axes)] = np.broadcast_to(run.values[value], axes)
    return made


class _Run:
    """The values of all instructions; each has one dimension for every axis, of size one where it does not depend on it."""

    def __init__(self, nest: Nest, arrays: Sequence[Any], cg: Any) -> None:
        self._nest, self._arrays, self._cg = nest, arrays, cg
        self.values: list[Any] = []
        for instruction in nest.instructions:
            self.values.append(self._value(instruction))

    def _value(self, instruction: Instruction) -> Any:
        op, dtype, operands, access, axes, extra = instruction
        given = [self.values[i] for i in operands]
        if access is not None:
            flat, inside = self.places(access.dims)
            if op == "inside":
                return inside
            if op == "index":
                return flat.astype(dtype.numpy)
            source = np.ascontiguousarray(self._arrays[access.slot]).reshape(-1)
            fill = 0 if access.fill is None else float(access.fill)
            filled = np.asarray(fill).astype(dtype.numpy)
            return np.where(inside, source[np.where(inside, flat, 0)], filled).astype(dtype.numpy)
        if op == "const":
            return np.asarray(_number(extra)).astype(dtype.numpy).reshape((1,) * len(self._nest.axes))
        if op == "require":
            assert np.all(given[0]), "the input is an error"
            return given[0]
        if axes:
            return self._reduce(op, given[0], axes, dtype)
        return self._cg.cast(given[0], dtype) if op == "cast" else getattr(self._cg, op)(*given)

    def _reduce(self, op: str, x: Any, axes: Sequence[int], dtype: Any) -> Any:
        whole = np.broadcast_to(x, [self._nest.axes[a] if a in axes else n for a, n in enumerate(x.shape)])
        wide = whole.astype(np.float64) if dtype.is_floating and op in ("sum", "prod") else whole
        if not math.prod([self._nest.axes[a] for a in axes]):
            return np.zeros([1 if a in axes else n for a, n in enumerate(x.shape)], dtype.numpy)
        return _JOINS[op].reduce(wide, axis=tuple(axes), keepdims=True).astype(dtype.numpy)

    def places(self, index: Sequence[Dim]) -> tuple[Any, Any]:
        """For an index, the place in the flat array, and whether it is in bounds."""
        rank = len(self._nest.axes)
        flat = np.zeros((1,) * rank, np.int64)
        inside = np.ones((1,) * rank, bool)
        for dim in index:
            at = np.full((1,) * rank, dim.offset, np.int64)
            if dim.lookup >= 0:
                at = at + self.values[dim.lookup]
            for axis, c in dim.terms:
                shape = [1] * rank
                shape[axis] = self._nest.axes[axis]
                at = at + c * np.arange(self._nest.axes[axis]).reshape(shape)
            inside = inside & (at % dim.step == 0) & (at >= 0) & (at // dim.step < dim.size)
            flat = flat * dim.size + at // dim.step
        return flat, inside


def _terms(index: Sequence[Dim]) -> set[int]:
    return {axis for dim in index for axis, _ in dim.terms}


def _number(text: str) -> Any:
    """A constant's value; the text is Python's."""
    return (
        {"True": True, "False": False}.get(text)
        if text in ("True", "False")
        else complex(text)
        if "j" in text
        else _real(text)
    )


def _real(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return float(text)
