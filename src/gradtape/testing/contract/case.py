"""A sample made ready for the clauses: its inputs in each dtype, its results, and what the tape says, computed once."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.core.op import Op
from gradtape.core.shape import Spec, spec_of
from gradtape.core.tensor import wrap
from gradtape.testing import finite_differences
from gradtape.testing.sample import Sample

# Rounding errors that a result may have picked up, in units of the dtype's eps.
ULPS = 8


class Case:
    """One sample under the contract.

    Attributes:
      op, params, sample: the op, its parameters, and where they come from.
      runs: the distinct tuples of input arrays, by the name of the dtype that they were cast to.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.op: Op = sample.op
        self.params = sample.params
        self._results: dict[str, tuple[Any, ...]] = {}

    def __repr__(self) -> str:
        inputs = ", ".join(str(spec_of(x)) for x in self.native)
        params = "".join(f", {name}={value!r}" for name, value in self.params.items())
        return f"{self.op.name}({inputs}{params})"

    @functools.cached_property
    def native(self) -> tuple[Any, ...]:
        """The inputs as the sample gives them."""
        return tuple([as_array(x) for x in self.sample.inputs])

    @functools.cached_property
    def runs(self) -> dict[str, tuple[Any, ...]]:
        """Input arrays by dtype name; dtypes that would repeat a run are left out."""
        found: dict[str, tuple[Any, ...]] = {}
        seen = set()
        for name in self.sample.dtypes:
            arrays = cast_inputs(self.native, name, self.op.homogeneous)
            key = tuple([x.dtype for x in arrays])
            if key not in seen:
                seen.add(key)
                found[name] = locked(arrays)
        return found

    @functools.cached_property
    def smooth_runs(self) -> dict[str, tuple[Any, ...]]:
        """The runs in which derivatives are measured: float64 and complex128, as far as the sample has such a kind."""
        kinds = {dtypes.as_dtype(n).kind for n, xs in self.runs.items() if any(self.moving(xs))}
        names = [n for n, k in (("float64", "fV"), ("complex128", "c")) if kinds & set(k)]
        return {name: locked(cast_inputs(self.native, name, self.op.homogeneous)) for name in names}

    @functools.cached_property
    def main(self) -> tuple[Any, ...]:
        """The inputs for clauses that look at one run: the widest dtype, complex before real."""
        for name in ("complex128", "float64"):
            if name in self.smooth_runs:
                return self.smooth_runs[name]
        return list(self.runs.values())[-1]

    @functools.cached_property
    def elementwise(self) -> bool:
        """True if the op works element by element, with broadcasting."""
        return self.op.elementwise or self.emits

    @functools.cached_property
    def emits(self) -> bool:
        """True if the op has a rule for one element."""
        return callable(getattr(self.op, "scalar", None))

    @functools.cached_property
    def differentiable(self) -> bool:
        """True if a gradient flows through the op on this sample: it has a vjp, a trainable input and output."""
        if not self.op.differentiable or not self.smooth_runs:
            return False
        try:
            with np.errstate(all="ignore"):
                return any(trains(y) for y in self.run(*self.main))
        except Exception:
            return True  # the clauses will fail, and say so

    def run(self, *arrays: Any) -> tuple[Any, ...]:
        """The kernel's results on arrays."""
        return finite_differences.leaves(self.op.kernel(*arrays, **self.params))

    def results(self, name: str) -> tuple[Any, ...]:
        """The kernel's results in one dtype, kept."""
        if name not in self._results:
            self._results[name] = self.run(*self.runs[name])
        return self._results[name]

    def infer(self, *arrays: Any) -> tuple[Spec, ...]:
        """The specs that the op's `infer` promises for arrays."""
        specs = self.op.infer(*[spec_of(x) for x in arrays], **self.params)
        return (specs,) if isinstance(specs, Spec) else tuple(specs)

    def tensors(self, *arrays: Any) -> list[Any]:
        """New tensors of arrays."""
        return [wrap(x) for x in arrays]

    def moving(self, arrays: tuple[Any, ...]) -> list[bool]:
        """For each input, whether it can have a gradient: by its dtype, and because the op does not call it constant."""
        names = self.op.inputs * len(arrays) if self.op.variadic else self.op.inputs
        return [trains(x) and name not in self.op.constants for name, x in zip(names, arrays, strict=False)]

    def seeds(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """Random cotangents of results; zeros for integers, as a backward pass fills them in."""
        random = finite_differences.generator()
        return tuple([finite_differences.random_like(y, random) if trains(y) else np.zeros_like(y) for y in results])

    def pull(self, arrays: tuple[Any, ...], needs: list[bool] | None = None) -> tuple[Any, ...]:
        """The cotangents of all inputs by the op's vjp on arrays, for random cotangents of the results."""
        result = self.op.kernel(*arrays, **self.params)
        seeds = self.seeds(finite_differences.leaves(result))
        dy = seeds if isinstance(result, tuple) else seeds[0]
        return self.pull_with(dy, arrays, result, needs)

    def pull_with(
        self, dy: Any, arrays: tuple[Any, ...], result: Any, needs: list[bool] | None = None
    ) -> tuple[Any, ...]:
        """The cotangents of all inputs by the op's vjp on arrays."""
        saved = self.op.save(tuple(arrays), result)
        needs = self.moving(arrays) if needs is None else needs
        return tuple([dense(d) for d in self.op.pull(dy, saved, needs, self.params)])


def locked(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies that cannot be written to: a clause that fails must not make others fail."""
    copies = tuple([np.array(x) if np.ndim(x) else x for x in arrays])
    for x in copies:
        if np.ndim(x):
            x.flags.writeable = False
    return copies


def trains(x: Any) -> bool:
    """True if an array can have a gradient."""
    return dtypes.from_numpy(x.dtype).is_trainable


def dense(d: Any) -> Any:
    """A cotangent as a whole array or tensor, where rows of it were given."""
    from gradtape.core.indexed_slices import IndexedSlices, densify

    return densify(d) if isinstance(d, IndexedSlices) else d


def tolerance(dtype: Any, least: float = 0.0) -> float:
    """The relative error that a few roundings in a dtype explain."""
    own = dtypes.as_dtype(dtype)
    if not (own.is_floating or own.is_complex):
        return 0.0
    return max(least, ULPS * rounding(own))


def rounding(dtype: Any) -> float:
    """The spacing of numbers around 1: what is lost in `1 - y` where y is close to 1, whatever remains."""
    return float(2.0 ** -_mantissa(dtypes.as_dtype(dtype).real_dtype))


def _mantissa(dtype: dtypes.DType) -> int:
    import ml_dtypes

    return int(ml_dtypes.finfo(dtype.numpy).nmant)  # type: ignore[no-untyped-call]


def cast_inputs(inputs: tuple[Any, ...], name: str, homogeneous: bool) -> tuple[Any, ...]:
    """Inputs in another dtype.

    Floating and complex inputs are the data of a sample, and are cast; masks, indices and strings beside them stay. If
    there are no floats, the inputs of an op whose inputs have one dtype are cast among the integers.
    """
    dtype = dtypes.as_dtype(name)
    if any(x.dtype.kind in "fcV" for x in inputs):
        return tuple([cast(x, dtype) if x.dtype.kind in "fcV" else x for x in inputs])
    if homogeneous and dtype.is_integer and all(x.dtype.kind in "iu" for x in inputs):
        return tuple([cast(x, dtype) for x in inputs])
    return inputs


def cast(x: Any, dtype: dtypes.DType) -> Any:
    """An array in another dtype. Real numbers get an imaginary part where they become complex, so that a forgotten
    conjugation is seen; unsigned integers get magnitudes."""
    if dtype.is_complex and x.dtype.kind != "c":
        x = x * (1.0 + 0.25j)
    elif x.dtype.kind == "c" and not dtype.is_complex:
        x = np.real(x)
    if dtype.is_unsigned:
        x = np.abs(x)
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(dtype.numpy)[()]


def as_array(x: Any) -> Any:
    """A NumPy array, or a NumPy scalar for rank 0."""
    array = np.asarray(x)
    if array.dtype.kind in "SU":
        array = np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array.astype(object)
    return array[()] if array.dtype.kind != "O" else array
