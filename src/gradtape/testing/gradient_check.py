"""check_grads: a function's derivatives against central differences.

One random direction per argument decides: a wrong gradient agrees with the differences along it with probability zero.
Higher orders come from checking the gradient, which is itself a function of the arguments and of the cotangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.core import convert, dtypes, nest
from gradtape.core.tensor import host, wrap
from gradtape.core.variable import Variable
from gradtape.testing import finite_differences
from gradtape.transform.tape import GradientTape


class Tolerance(NamedTuple):
    """How far a derivative may be from central differences with step `eps`."""

    atol: float = 1e-7
    rtol: float = 1e-6
    eps: float = 1e-4


class Problem(NamedTuple):
    """A function of a flat list of tensors, a point, and the names of the arguments for messages."""

    function: Callable[..., list[Any]]
    point: list[Any]
    names: list[str]


def check_grads(
    f: Callable[..., Any],
    args: Any,
    order: int = 2,
    modes: Sequence[str] = ("rev", "fwd"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Raises AssertionError unless a function's derivatives agree with central differences.

    Args:
      f: a function of tensors, in any nested structures, that returns tensors.
      args: its positional arguments: a tuple or list of numbers, arrays, tensors or structures of them. Floating
        values are made float64, complex ones complex128; others are passed as they are.
      order: how often to differentiate.
      modes: "rev" checks GradientTape, "fwd" checks ForwardAccumulator.
      atol: the absolute tolerance, 1e-7 unless given.
      rtol: the relative tolerance, 1e-6 unless given.
      eps: the step of the differences, 1e-4 unless given, relative to each element.

    >>> from gradtape.testing import check_grads
    >>> check_grads(lambda x, y: x * x * y, (3.0, np.array([1.0, 2.0])))
    """
    if unknown := set(modes) - {"rev", "fwd"}:
        raise ValueError(f"check_grads: modes holds {sorted(unknown)}; use 'rev' and 'fwd'.")
    default = Tolerance()
    tolerance = Tolerance(*[own if own is not None else d for own, d in zip((atol, rtol, eps), default, strict=True)])
    args = tuple(args) if isinstance(args, (list, tuple)) else (args,)
    with np.errstate(all="ignore"):
        check_problem(_flat_problem(f, args), order, modes, tolerance)


def _flat_problem(f: Callable[..., Any], args: tuple[Any, ...]) -> Problem:
    """The function over the differentiable leaves of its arguments."""
    flat = [_as_wide(leaf) for leaf in nest.flatten(args)]
    paths = _paths(args, "args")
    moving = [
        k for k, leaf in enumerate(flat) if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "fc"
    ]

    def function(*tensors: Any) -> list[Any]:
        values: list[Any] = [wrap(v) if isinstance(v, (np.ndarray, np.generic)) else v for v in flat]
        for k, tensor in zip(moving, tensors, strict=True):
            values[k] = tensor
        return trainable(f(*nest.pack_sequence_as(args, values)))

    return Problem(function, [flat[k] for k in moving], [paths[k] for k in moving])


def _as_wide(leaf: Any) -> Any:
    """A leaf as an array: float64 or complex128 where it is differentiable; other objects as they are."""
    if isinstance(leaf, Variable):
        leaf = leaf.value()
    if hasattr(leaf, "_array"):
        leaf = np.asarray(host(leaf._array))
    if not isinstance(leaf, (float, complex, np.ndarray, np.generic)):
        return leaf
    array = np.asarray(leaf)
    dtype = dtypes.from_numpy(array.dtype)
    if dtype.is_complex or dtype.is_floating:
        array = array.astype(np.complex128 if dtype.is_complex else np.float64)
    return array[()]


def _paths(structure: Any, prefix: str) -> list[str]:
    """A name for each leaf, as Python would reach it, in the order of `nest.flatten`."""
    if isinstance(structure, Mapping):
        return [path for key in sorted(structure) for path in _paths(structure[key], f"{prefix}[{key!r}]")]
    if isinstance(structure, (list, tuple)):
        return [path for k, item in enumerate(structure) for path in _paths(item, f"{prefix}[{k}]")]
    return [prefix]


def trainable(result: Any) -> list[Any]:
    """The tensors of a structure that can have a gradient; gathered rows become whole tensors."""
    tensors = [convert.convert_to_tensor(y) for y in nest.flatten(result) if y is not None]
    return [y for y in tensors if y.dtype.is_trainable]


def check_problem(problem: Problem, order: int, modes: Sequence[str], tolerance: Tolerance, level: int = 1) -> None:
    """Checks one order of derivatives, then the gradient's own."""
    random = finite_differences.generator()
    outputs = [y._array for y in problem.function(*map(wrap, problem.point))]
    seeds = [finite_differences.random_like(y, random) for y in outputs]
    directions = [finite_differences.direction(x, random) for x in problem.point]
    slopes = [_slopes(problem, k, directions[k], tolerance.eps) for k in range(len(problem.point))]
    if "rev" in modes:
        _check_reverse(problem, outputs, seeds, directions, slopes, tolerance, level)
    if "fwd" in modes:
        _check_forward(problem, outputs, directions, slopes, tolerance, level)
    if order > 1:
        check_problem(gradient_problem(problem, seeds), order - 1, modes, tolerance, level + 1)


def _slopes(problem: Problem, k: int, along: Any, eps: float) -> list[Any]:
    """The derivatives of all outputs as argument `k` moves."""

    def moved(x: Any) -> list[Any]:
        point = [*problem.point[:k], x, *problem.point[k + 1 :]]
        return [y._array for y in problem.function(*map(wrap, point))]

    return finite_differences.differences(moved, problem.point[k], along, eps)


def _check_reverse(
    problem: Problem, outputs: Any, seeds: Any, directions: Any, slopes: Any, tolerance: Tolerance, level: int
) -> None:
    gradients = gradient(problem.function, [wrap(x) for x in problem.point], [wrap(w) for w in seeds])
    size = sum(float(np.sum(np.abs(w) * np.abs(y))) for w, y in zip(seeds, outputs, strict=True))
    for name, x, along, slope, g in zip(problem.names, problem.point, directions, slopes, gradients, strict=True):
        if np.shape(g._array) != np.shape(x):
            raise AssertionError(
                f"order {level}, {name}: the gradient has shape {g.shape}, the argument {np.shape(x)}."
            )
        got = finite_differences.inner(g._array, along)
        want = sum(finite_differences.inner(w, d) for w, d in zip(seeds, slope, strict=True))
        _compare(got, want, size, tolerance, f"order {level}, {name}: the gradient")


def _check_forward(
    problem: Problem, outputs: Any, directions: Any, slopes: Any, tolerance: Tolerance, level: int
) -> None:
    for k, name in enumerate(problem.names):
        tangents = push(problem.function, [wrap(x) for x in problem.point], k, wrap(directions[k]))
        for y, tangent, want in zip(outputs, tangents, slopes[k], strict=True):
            got = np.zeros_like(y) if tangent is None else tangent._array
            difference = np.abs(got - want)
            if np.size(difference):
                worst = np.unravel_index(np.argmax(difference), np.shape(difference))
                where = f"order {level}, {name}: the forward-mode derivative of element {[int(i) for i in worst]}"
                _compare(np.asarray(got)[worst], np.asarray(want)[worst], np.max(np.abs(y)), tolerance, where)


def _compare(got: Any, want: Any, size: Any, tolerance: Tolerance, what: str) -> None:
    """Raises unless two numbers agree. `size` is what the differences were formed from: it limits their accuracy."""
    noise = 1e-15 / tolerance.eps * size
    allowed = tolerance.atol + tolerance.rtol * max(abs(got), abs(want)) + noise
    if not abs(got - want) <= allowed:
        raise AssertionError(
            f"{what} along a random direction is {got:.10g}, expected {want:.10g} from central differences "
            f"(they differ by {abs(got - want):.2g}, allowed is {allowed:.2g})."
        )


def gradient(function: Callable[..., list[Any]], point: list[Any], seeds: list[Any]) -> list[Any]:
    """The cotangents of all arguments as tensors, zeros where there is none; recorded by outer tapes."""
    with GradientTape() as tape:
        tape.watch(point)
        outputs = function(*point)
    found = tape.gradient(outputs, point, output_gradients=seeds)
    return [
        wrap(np.zeros_like(x._array)) if d is None else convert.convert_to_tensor(d)
        for x, d in zip(point, found, strict=True)
    ]


def push(function: Callable[..., list[Any]], point: list[Any], k: int, tangent: Any) -> list[Any]:
    """The tangents of all outputs as argument `k` moves, by forward mode; None where an output does not move."""
    from gradtape.transform.forward_mode import ForwardAccumulator

    with ForwardAccumulator(primals=point[k], tangents=tangent) as accumulator:
        outputs = function(*point)
        return [accumulator.jvp(y) for y in outputs]


def gradient_problem(problem: Problem, seeds: list[Any]) -> Problem:
    """The gradient as a function of the arguments and of the cotangents of the outputs."""
    count = len(problem.point)

    def function(*tensors: Any) -> list[Any]:
        return gradient(problem.function, list(tensors[:count]), list(tensors[count:]))

    names = [f"cotangent of output {i}" for i in range(len(seeds))]
    return Problem(function, [*problem.point, *seeds], [*problem.names, *names])
