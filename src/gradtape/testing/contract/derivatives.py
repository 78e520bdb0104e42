"""Clauses about `vjp`: what a tape makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import convert, dtypes
from gradtape.core.tensor import wrap
from gradtape.testing import finite_differences, gradient_check
from gradtape.testing.contract.case import Case, locked, rounding, tolerance, trains
from gradtape.transform.tape import GradientTape


def cotangents(case: Case) -> None:
    """There is one cotangent per input, of its shape and dtype; none only where an input cannot have one."""
    for name, arrays in _trained_runs(case).items():
        found = case.pull(arrays)
        assert len(found) == len(arrays), f"{len(found)} cotangents for {len(arrays)} inputs."
        for i, (x, moves, d) in enumerate(zip(arrays, case.moving(arrays), found, strict=True)):
            if not moves:
                assert d is None, f"input {i} is {x.dtype}, cannot have a cotangent, and got one."
                continue
            assert d is not None, f"input {i} got no cotangent."
            assert tuple(d.shape) == np.shape(x), f"input {i} has shape {np.shape(x)}, its cotangent {tuple(d.shape)}."
            # NumPy promotes bfloat16 * 2.0 to float32; the tape rounds such cotangents at the source.
            assert d.dtype == x.dtype or x.dtype.kind == "V", f"in {name} the cotangent of input {i} is {d.dtype}."


def first_derivative(case: Case) -> None:
    """The vjp agrees with central differences in float64 and complex128."""
    for problem in _problems(case):
        gradient_check.check_problem(problem, 1, ("rev",), gradient_check.Tolerance())


def second_derivative(case: Case) -> None:
    """The gradient of the gradient, with respect to inputs and cotangents, agrees with central differences."""
    for problem in _problems(case):
        seeds = case.seeds(tuple([y._array for y in problem.function(*map(wrap, problem.point))]))
        gradient_check.check_problem(
            gradient_check.gradient_problem(problem, list(seeds)), 1, ("rev",), gradient_check.Tolerance()
        )


def forward_mode(case: Case) -> None:
    """Forward mode agrees with central differences."""
    for problem in _problems(case):
        gradient_check.check_problem(problem, 1, ("fwd",), gradient_check.Tolerance())


def _problems(case: Case) -> list[gradient_check.Problem]:
    """The op as a function of its trainable inputs, at the sample's point."""
    return [
        _problem(case, arrays)
        for arrays in case.smooth_runs.values()
        if any(moves and np.size(x) for moves, x in zip(case.moving(arrays), arrays, strict=True))
    ]


def _problem(case: Case, arrays: tuple[Any, ...]) -> gradient_check.Problem:
    moving = [i for i, moves in enumerate(case.moving(arrays)) if moves]

    def function(*tensors: Any) -> list[Any]:
        inputs = case.tensors(*arrays)
        for i, tensor in zip(moving, tensors, strict=True):
            inputs[i] = tensor
        return gradient_check.trainable(case.op(*inputs, **case.params))

    return gradient_check.Problem(function, [arrays[i] for i in moving], [f"input {i}" for i in moving])


def modes(case: Case) -> None:
    """A recorded backward pass gives what an unrecorded one gives, in shape, dtype and value."""
    for name, arrays in _trained_runs(case).items():
        plain = _by_tape(case, arrays)
        with GradientTape() as outer:
            # Watching something makes the inner pass a recorded one, whose rules run on tensors.
            outer.watch(wrap(np.float32(1.0)))
            recorded = _by_tape(case, arrays)
        for i, (x, a, b) in enumerate(zip(arrays, plain, recorded, strict=True)):
            assert (a is None) == (b is None), f"input {i} has a cotangent in one mode only."
            if a is None:
                continue
            for d in (a, b):
                assert (d.dtype, d.shape) == (x.dtype, np.shape(x)), f"the gradient of input {i} is {d.dtype}{d.shape}."
            problem = finite_differences.mismatch(b, a, tolerance(x.dtype), atol=rounding(x.dtype))
            assert not problem, f"in {name}, recorded and unrecorded gradients of input {i}: {problem}."


def _by_tape(case: Case, arrays: tuple[Any, ...], wanted: list[int] | None = None, spoil: bool = False) -> list[Any]:
    """Gradients of the trainable inputs as arrays, None for the others; by a tape, for the case's own cotangents.

    `spoil` overwrites, between forward and backward, every input that the tape is not meant to keep.
    """
    xs = case.tensors(*arrays)
    moving = [i for i, moves in enumerate(case.moving(arrays)) if moves]
    wanted = moving if wanted is None else wanted
    with GradientTape() as tape:
        tape.watch([xs[i] for i in moving])
        results = finite_differences.leaves(case.op(*xs, **case.params))
    seeds = case.seeds(tuple([y._array for y in results]))
    targets = [(y, wrap(w)) for y, w in zip(results, seeds, strict=True) if trains(y._array)]
    if spoil:
        _spoil(case, arrays, [y._array for y in results])
    found = tape.gradient([y for y, _ in targets], [xs[i] for i in wanted], output_gradients=[w for _, w in targets])
    by_input = dict(zip(wanted, found, strict=True))
    return [None if by_input.get(i) is None else convert.convert_to_tensor(by_input[i])._array for i in range(len(xs))]


def _spoil(case: Case, arrays: tuple[Any, ...], results: list[Any]) -> None:
    kept = {base for base, suffix in case.op.residuals if not suffix}
    outputs = [y for name, y in zip(case.op.outputs, results, strict=False) if name in kept]
    for i, x in enumerate(arrays):
        name = case.op.inputs[0 if case.op.variadic else i]
        shared = any(np.shares_memory(x, other) for other in [*outputs, *arrays[:i], *arrays[i + 1 :]])
        if np.ndim(x) and name not in kept and not shared:
            x[...] = np.zeros((), x.dtype)


def saved(case: Case) -> None:
    """The tape keeps what the vjp names, and the gradient depends on nothing else."""
    arrays = tuple(finite_differences.as_arrays(case.main))
    result = case.op.kernel(*arrays, **case.params)
    kept = case.op.save(arrays, result)
    assert len(kept) == len(case.op.residuals), f"{len(kept)} values saved, the vjp names {len(case.op.residuals)}."
    for value, (base, suffix) in zip(kept, case.op.residuals, strict=True):
        own = (value,) if not case.op.variadic or base in case.op.outputs else value
        small = {"shape": (tuple,), "dtype": (np.dtype, dtypes.DType), "": (object,)}[suffix]
        assert all(isinstance(v, small) for v in own), f"{base}_{suffix} is saved as {value!r}."
    clean = _by_tape(case, tuple(finite_differences.as_arrays(case.main)))
    spoiled = _by_tape(case, tuple(finite_differences.as_arrays(case.main)), spoil=True)
    for i, (a, b) in enumerate(zip(clean, spoiled, strict=True)):
        same = a is None or finite_differences.same_bits(a, b)
        assert same, f"the gradient of input {i} changes when inputs that are not saved are overwritten."


def needs(case: Case) -> None:
    """Asking for one input's cotangent gives the same as asking for all."""
    moving = [i for i, moves in enumerate(case.moving(case.main)) if moves]
    everything = case.pull(case.main)
    taped = _by_tape(case, case.main)
    for i in moving:
        alone = case.pull(case.main, [k == i for k in range(len(case.main))])
        assert len(alone) == len(case.main), f"{len(alone)} cotangents when only input {i} is needed."
        assert alone[i] is not None, f"input {i} gets no cotangent when it alone is needed."
        assert finite_differences.same_bits(alone[i], everything[i]), (
            f"the cotangent of input {i} differs when it alone is needed."
        )
        single = _by_tape(case, case.main, [i])[i]
        assert single is not None, f"the tape gives None for input {i} when it alone is asked for."
        assert finite_differences.same_bits(single, taped[i]), (
            f"the gradient of input {i} differs when it alone is asked for."
        )


def precision(case: Case) -> None:
    """Cotangents in narrow dtypes are those in wide ones, as close as the dtype allows."""
    for name, arrays in _trained_runs(case).items():
        wide = locked(tuple([_widened(x) for x in arrays]))
        if all(a.dtype == b.dtype for a, b in zip(arrays, wide, strict=True)):
            continue
        for i, (d, w) in enumerate(zip(_by_tape(case, arrays), _with_seeds_of(case, arrays, wide), strict=True)):
            if d is None:
                continue
            # Several roundings on the way, and cancellation between them.
            problem = finite_differences.mismatch(
                d, np.asarray(w).astype(d.dtype), 4 * tolerance(d.dtype), atol=rounding(d.dtype)
            )
            assert not problem, f"in {name}, against float64, the gradient of input {i}: {problem}."


def _widened(x: Any) -> Any:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) if trains(x) else x


def _with_seeds_of(case: Case, narrow: tuple[Any, ...], wide: tuple[Any, ...]) -> tuple[Any, ...]:
    """Cotangents on wide inputs, for the cotangents that the narrow run had, roundings and all."""
    seeds = case.seeds(case.run(*narrow))
    result = case.op.kernel(*wide, **case.params)
    own = tuple([w.astype(y.dtype) for w, y in zip(seeds, finite_differences.leaves(result), strict=True)])
    return case.pull_with(own if isinstance(result, tuple) else own[0], wide, result)


def constant(case: Case) -> None:
    """An op without a derivative cuts the gradient: None, and no error."""
    arrays = case.main
    xs = case.tensors(*arrays)
    moving = [x for x, a in zip(xs, arrays, strict=True) if trains(a)]
    with GradientTape() as tape:
        tape.watch(moving)
        results = finite_differences.leaves(case.op(*xs, **case.params))
    found = tape.gradient(list(results), moving)
    assert all(d is None for d in found), "the op is not differentiable, but the tape gives a gradient."


def _trained_runs(case: Case) -> dict[str, tuple[Any, ...]]:
    return {name: xs for name, xs in case.runs.items() if any(case.moving(xs))}
