"""Whether two runs agree: exactly in what is discrete, within what rounding may do in what is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fuzz.noise import epsilon
from gradtape.core import dtypes
from gradtape.testing import finite_differences

_UNITS = 60.0  # units in the last place of the largest element that are always allowed: a fused kernel rounds otherwise
_FACTOR = 20.0  # how much farther than a run with noise a result may be


def mismatch(got: Sequence[Any], want: Sequence[Any], moved: Sequence[Sequence[Any]], atol: float = 0.0) -> str:
    """Empty if arrays agree, else the first that does not, in words.

    Args:
      got: arrays.
      want: what they should be.
      moved: the same from runs with noise.
      atol: how far floats may be from each other in any case.
    """
    if len(got) != len(want):
        return f"{len(got)} results instead of {len(want)}"
    for k, (a, b) in enumerate(zip(got, want, strict=True)):
        found = _one(a, b, [m[k] for m in moved], atol)
        if found:
            return f"result {k}: {found}"
    return ""


def _one(got: Any, want: Any, moved: list[Any], atol: float) -> str:
    if got.dtype != want.dtype:
        return f"the dtype is {got.dtype} instead of {want.dtype}"
    if got.shape != want.shape:
        return f"the shape is {list(got.shape)} instead of {list(want.shape)}"
    if any(m.shape != want.shape for m in moved):
        return ""
    own = dtypes.from_numpy(want.dtype)
    if not (own.is_floating or own.is_complex):
        steady = np.all([m == want for m in moved], axis=0) if moved else True
        wrong = (got != want) & steady
        return _told(got, want, wrong, "")
    wide = np.complex128 if own.is_complex else np.float64
    a, b, near = got.astype(wide), want.astype(wide), [m.astype(wide) for m in moved]
    with np.errstate(all="ignore"):
        finite = np.isfinite(b) & np.all([np.isfinite(m) for m in near], axis=0)
        scale = float(np.max(np.abs(b[finite]), initial=0.0))
        spread = max([float(np.max(np.abs(m - b)[finite], initial=0.0)) for m in near], default=0.0)
        allowed = _UNITS * epsilon(own) * scale + _FACTOR * spread + _tiny(own) + atol
        wrong = finite & ~(np.abs(a - b) <= allowed) & ~(_is_singular(b, near, epsilon(own)) & ~np.isfinite(a))
        steady = np.all([(m == b) | (np.isnan(m) & np.isnan(b)) for m in near], axis=0)
        wrong |= ~np.isfinite(b) & steady & ~((a == b) | (np.isnan(a) & np.isnan(b)))
    return _told(got, want, wrong, f" (allowed is {allowed:.2g})")


def _is_singular(b: Any, near: list[Any], unit: float) -> Any:
    """Which elements lose half of their digits to noise: those near a point without a derivative, such as that of the deviation
    of equal numbers. Whether such a point is hit, where results are not finite, is a matter of rounding."""
    if not near:
        return np.zeros(b.shape, bool)
    moves = np.max([np.abs(m - b) for m in near], axis=0)
    largest = np.max([np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in (b, *near)])
    return moves > np.sqrt(unit) * largest


def _tiny(dtype: Any) -> float:
    """What is lost where small numbers lose their digits."""
    return {"float16": 1e-6, "bfloat16": 1e-36, "float32": 1e-36, "complex64": 1e-36}.get(dtype.name, 1e-290)


def _told(got: Any, want: Any, wrong: Any, more: str) -> str:
    wrong = np.asarray(wrong)
    if not np.any(wrong):
        return ""
    where = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong))) if got.ndim else ()
    return f"{int(np.sum(wrong))} of {got.size} elements differ: {got[where]} instead of {want[where]} at {list(where)}{more}"


def different_bits(got: Sequence[Any], want: Sequence[Any]) -> str:
    """Empty if arrays are the same in every bit, except for the payload of what is no number."""
    for k, (a, b) in enumerate(zip(got, want, strict=True)):
        if not finite_differences.same_bits(a, b) and not _same_numbers(a, b):
            return f"result {k}: {_told(a, b, a != b, '') or 'other bits'}"
    return ""


def _same_numbers(a: Any, b: Any) -> bool:
    same = a.shape == b.shape and a.dtype == b.dtype
    return bool(same and np.all((a == b) & (np.signbit(np.real(a)) == np.signbit(np.real(b))) | ((a != a) & (b != b))))
