"""Clauses about results: what `infer` and `kernel` say."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, memory
from gradtape.core.shape import Spec, spec_of
from gradtape.testing import finite_differences
from gradtape.testing.contract.case import Case, tolerance, trains


def infer(case: Case) -> None:
    """`infer` gives the shape and dtype of the kernel's result, in every dtype; None for sizes that depend on values."""
    for name, arrays in case.runs.items():
        promised, results = case.infer(*arrays), case.results(name)
        got = tuple([spec_of(y) for y in results])
        agree = len(promised) == len(got) and all(map(_describes, promised, got))
        assert agree, f"infer says {_show(promised)}, the kernel returns {_show(got)}."


def _describes(promised: Spec, got: Spec) -> bool:
    """True if a result's spec is as promised, where an unknown dimension may be any."""
    dims = zip(promised.shape, got.shape, strict=False)
    return promised.dtype is got.dtype and promised.rank == got.rank and all(m in (None, n) for m, n in dims)


def _show(specs: tuple[Spec, ...]) -> str:
    return ", ".join(map(str, specs))


def dtype(case: Case) -> None:
    """A floating result is as wide as the floating inputs: nothing is promoted, unless a parameter asks for it."""
    if any(isinstance(p, dtypes.DType) for p in case.params.values()):
        return
    for arrays in case.runs.values():
        widths = {spec_of(x).dtype.real_dtype for x in arrays if x.dtype.kind in "fcV"}
        for spec in case.infer(*arrays):
            if spec.dtype.kind in "fcV" and widths:
                assert spec.dtype.real_dtype in widths, f"the result is {spec.dtype.name} for inputs of {widths}."


def parameters(case: Case) -> None:
    """Parameters are hashable: traced programs are found again by them."""
    for name, value in case.params.items():
        try:
            hash(value)
        except TypeError:
            raise AssertionError(f"the parameter {name} is {value!r}, which is not hashable.") from None


def reference(case: Case) -> None:
    """The kernel's result is that of an independent function, as close as the dtype allows."""
    for name, arrays in case.runs.items():
        wanted = case.sample.reference(*[_widest(x) for x in arrays], **case.params)  # type: ignore[misc]
        wanted = tuple(wanted) if isinstance(wanted, (tuple, list)) and len(case.op.outputs) != 1 else (wanted,)
        results = case.results(name)
        assert len(wanted) == len(results), f"{len(results)} results, the reference gives {len(wanted)}."
        for got, want in zip(results, wanted, strict=True):
            want = np.asarray(want)
            if got.dtype.kind in "fcV":
                # Rounded as the result is, so that overflow to inf agrees.
                want = want.astype(got.dtype)
            rtol = tolerance(got.dtype, case.sample.tolerance)
            problem = finite_differences.mismatch(got, want, rtol, case.elementwise)
            assert not problem, f"in {name}, {problem}."


def _widest(x: Any) -> Any:
    if x.dtype.kind in "fcV":
        return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    return x


def refusal(case: Case) -> None:
    """Dtypes of a kind that the op does not take, and dtypes that differ, are refused by `infer` and on tensors."""
    if not case.op.homogeneous:
        return
    arrays = case.main
    for name in ("float32", "complex64", "int32", "bool"):
        other = dtypes.as_dtype(name)
        if other.kind not in case.op.kinds:
            _refused(case, [np.ones(np.shape(x), other.numpy)[()] for x in arrays], f"{name}, which it does not take")
    if len(arrays) > 1:
        kinds = [
            n for n in ("float32", "float64", "int32", "int64", "bool") if dtypes.as_dtype(n).kind in case.op.kinds
        ]
        if len(kinds) > 1:
            first, second = (dtypes.as_dtype(n).numpy for n in kinds[:2])
            mixed = [np.ones(np.shape(x), second if i else first)[()] for i, x in enumerate(arrays)]
            _refused(case, mixed, f"a mixture of {kinds[0]} and {kinds[1]}")


def _refused(case: Case, arrays: list[Any], what: str) -> None:
    for how, call in (
        ("infer", case.infer),
        ("the op on tensors", lambda *xs: case.op(*case.tensors(*xs), **case.params)),
    ):
        try:
            call(*arrays)
        except errors.DTypeError:
            continue
        except Exception as problem:
            raise AssertionError(
                f"{how} raises {type(problem).__name__} instead of DTypeError for {what}."
            ) from problem
        raise AssertionError(f"{how} accepts {what}.")


def pure(case: Case) -> None:
    """Kernel and vjp leave their inputs as they were."""
    arrays = tuple(finite_differences.as_arrays(case.main))
    before = finite_differences.as_arrays(arrays)
    result = case.op.kernel(*arrays, **case.params)
    _unchanged(arrays, before, "the kernel", "input")
    if not case.differentiable:
        return
    seeds = case.seeds(finite_differences.leaves(result))
    kept = finite_differences.as_arrays(seeds)
    case.pull_with(seeds if isinstance(result, tuple) else seeds[0], arrays, result)
    _unchanged(arrays, before, "the vjp", "input")
    _unchanged(seeds, kept, "the vjp", "cotangent")


def _unchanged(arrays: Any, before: Any, who: str, what: str) -> None:
    for i, (now, then) in enumerate(zip(arrays, before, strict=True)):
        assert finite_differences.same_bits(now, then), f"{who} wrote to {what} {i}."


def deterministic(case: Case) -> None:
    """Two runs give the same bits, of values and cotangents."""
    for a, b in zip(case.run(*case.main), case.run(*case.main), strict=True):
        assert finite_differences.same_bits(a, b), "two runs of the kernel differ."
    if case.differentiable:
        for a, b in zip(case.pull(case.main), case.pull(case.main), strict=True):
            assert (a is None and b is None) or finite_differences.same_bits(a, b), "two runs of the vjp differ."


def layout(case: Case) -> None:
    """Strides do not matter: views that are transposed, strided, reversed, of stride zero and read-only."""
    for view in (_transposed, _strided, _reversed, _repeated):
        views = tuple([view(x) if np.ndim(x) else x for x in case.main])
        whole = tuple([x.copy() if np.ndim(x) else x for x in views])
        if view is _repeated and _values_refused(case, whole):
            continue
        _same(case, case.run(*views), case.run(*whole), f"{view.__name__.strip('_')} inputs change the result")
        if case.differentiable:
            result = case.op.kernel(*whole, **case.params)
            seeds = case.seeds(finite_differences.leaves(result))
            spread = tuple([view(w) if np.ndim(w) else w for w in seeds])
            packed = tuple([w.copy() if np.ndim(w) else w for w in spread])
            several = isinstance(result, tuple)
            got = case.pull_with(spread if several else spread[0], views, case.op.kernel(*views, **case.params))
            want = case.pull_with(packed if several else packed[0], whole, result)
            _same(case, got, want, f"{view.__name__.strip('_')} inputs change the gradient")


def _same(case: Case, got: Any, want: Any, what: str) -> None:
    for a, b in zip(got, want, strict=True):
        if a is None and b is None:
            continue
        problem = finite_differences.mismatch(a, b, tolerance(b.dtype), case.elementwise)
        assert not problem, f"{what}: {problem}."


def _values_refused(case: Case, arrays: tuple[Any, ...]) -> bool:
    """True if the op does not take the values: a matrix of equal rows has no inverse."""
    try:
        case.run(*arrays)
    except errors.InvalidArgumentError:
        return True
    return False


def _locked(x: Any) -> Any:
    x.flags.writeable = False
    return x


def _transposed(x: Any) -> Any:
    return _locked(np.asfortranarray(x))


def _strided(x: Any) -> Any:
    return _locked(np.repeat(x, 2, axis=-1)[..., ::2])


def _reversed(x: Any) -> Any:
    return _locked(np.flip(x).copy()[(slice(None, None, -1),) * x.ndim])


def _repeated(x: Any) -> Any:
    """The first row everywhere, with stride zero."""
    return np.broadcast_to(x[:1], x.shape)


def sizes(case: Case) -> None:
    """An elementwise op takes inputs without elements, NumPy scalars and arrays of rank 0."""
    for arrays, shape in _small_inputs(case):
        promised = case.infer(*arrays)
        results = case.run(*arrays)
        assert tuple(map(spec_of, results)) == promised, f"infer says {_show(promised)} for inputs of shape {shape}."
        assert all(spec.shape == shape for spec in promised), f"the result is {_show(promised)} for shape {shape}."
        if not case.differentiable or not any(map(trains, results)):
            continue
        for x, d in zip(arrays, case.pull(arrays), strict=True):
            assert d is None or tuple(d.shape) == x.shape, f"the cotangent of {spec_of(x)} has shape {d.shape}."


def _small_inputs(case: Case) -> list[tuple[tuple[Any, ...], tuple[int, ...]]]:
    scalars = tuple([np.ravel(x)[0] if np.size(x) else np.zeros((), x.dtype)[()] for x in case.main])
    found: list[tuple[tuple[Any, ...], tuple[int, ...]]] = [(scalars, ()), (tuple(map(np.asarray, scalars)), ())]
    for shape in ((0,), (2, 0, 3)):
        found.append((tuple([np.full(shape, x) for x in scalars]), shape))
        found.append(((*[np.full(shape, x) for x in scalars[:1]], *scalars[1:]), shape))
    return found


def parts(case: Case) -> None:
    """An elementwise op may be computed in parts, as large arrays are, in every dtype."""
    for name, arrays in case.runs.items():
        (want,) = case.results(name)
        if not np.size(want) or not np.ndim(want):
            continue
        _same(case, (memory.apply(case.op, arrays, case.params),), (want,), f"in {name}, the large way differs")
        rows = [[x if _shared(x, want) else x[i : i + 1] for x in arrays] for i in range(len(want))]
        joined = np.concatenate([case.run(*row)[0] for row in rows])
        _same(case, (joined,), (want,), f"in {name}, row by row")


def _shared(x: Any, result: Any) -> bool:
    """True if every row of the result uses the whole input."""
    return bool(np.ndim(x) < result.ndim or x.shape[0] == 1)
