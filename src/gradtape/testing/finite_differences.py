"""Central differences, random directions and comparisons: the arithmetic of the checkers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Arrays = list[Any]


def generator() -> np.random.Generator:
    """A random generator that gives the same numbers in every run."""
    return np.random.default_rng(20200229)


def random_like(x: Any, random: np.random.Generator) -> Any:
    """Random numbers of a value's shape and dtype, with magnitudes from 0.5 to 1 and both signs."""
    shape = np.shape(x)
    values = random.uniform(0.5, 1.0, shape) * random.choice([-1.0, 1.0], shape)
    if x.dtype.kind == "c":
        values = values + 1j * random.uniform(0.5, 1.0, shape)
    return np.asarray(values).astype(x.dtype)[()]


def direction(x: Any, random: np.random.Generator) -> Any:
    """A random direction to walk from `x`: steps relative to each element, so that small ones keep their sign."""
    return random_like(x, random) * np.maximum(np.abs(x), 0.1)


def differences(f: Callable[[Any], Arrays], x: Any, along: Any, eps: float) -> Arrays:
    """The derivatives of the arrays `f(x)` along a direction, from four central points: the error is O(eps**4)."""
    near = zip(f(x + eps * along), f(x - eps * along), strict=True)
    far = zip(f(x + 2 * eps * along), f(x - 2 * eps * along), strict=True)
    return [
        (8 * (np.subtract(a, b)) - np.subtract(c, d)) / (12 * eps) for (a, b), (c, d) in zip(near, far, strict=True)
    ]


def inner(a: Any, b: Any) -> float:
    """The real inner product. For complex values this is what TensorFlow's gradients are gradients in."""
    return float(np.sum(np.real(np.conj(a) * b)))


def mismatch(got: Any, want: Any, rtol: float, elementwise: bool = False, atol: float = 0.0) -> str:
    """Empty if two arrays agree, else where they do not and by how much.

    NaN agrees with NaN and inf with inf. Small elements beside large ones may be off by `rtol` of the largest, unless
    `elementwise` asks for an accuracy of their own.
    """
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"the shape is {list(got.shape)} instead of {list(want.shape)}"
    if got.dtype.kind in "biuO" and want.dtype.kind in "biuO":
        wrong = got != want
    else:
        wrong = _far(_wide(got), _wide(want), rtol, 0.01 if elementwise else 1.0, atol)
    if not np.any(wrong):
        return ""
    where = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong))) if got.ndim else ()
    first = f"{got[where]} instead of {want[where]} at {list(where)}"
    return f"{int(np.sum(wrong))} of {got.size} elements differ: {first} (relative tolerance {rtol:.1e})"


def _far(got: Any, want: Any, rtol: float, floor: float, atol: float) -> Any:
    finite = np.isfinite(want)
    scale = floor * np.max(np.abs(want[finite]), initial=0.0)
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= atol + rtol * np.maximum(np.abs(want), scale)
    return ~np.where(finite, near, (got == want) | (np.isnan(got) & np.isnan(want)))


def _wide(x: Any) -> Any:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def same_bits(a: Any, b: Any) -> bool:
    """True if two arrays have the same dtype, shape and bytes."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind == "O":
        return bool(a.shape == b.shape and np.all(a == b))
    return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())


def leaves(result: Any) -> tuple[Any, ...]:
    """The results of an op as a tuple, whether there is one or several."""
    return result if isinstance(result, tuple) else (result,)


def as_arrays(values: Sequence[Any]) -> Arrays:
    """NumPy copies of values, with NumPy scalars for rank 0, as tensors hold them."""
    return [np.array(v)[()] for v in values]
