"""Grey-scale morphology of NumPy arrays, tap by tap."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.array_protocol import overridable
from gradtape.ops.pooling_kernels import contest, first_taps, in_blocks, lowest, where
from gradtape.ops.summation import total, wide
from gradtape.ops.windows import Pairs, Scan, Sizes, scan, taps
from gradtape.ops.workspace import room


def whole(strides: Sizes, padding: Pairs, dilations: Sizes) -> dict[str, Any]:
    """The parameters of the two axes of images for all four."""
    return {
        "strides": (1, *strides, 1), "padding": ((0, 0), *padding, (0, 0)), "dilations": (1, *dilations, 1),
    }  # fmt: skip


@overridable
def dilate(x: Any, w: Any, *, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The maximum over each window of x + w."""
    way = scan(x.shape, (1, *w.shape[:-1], 1), **whole(strides, padding, dilations))
    weights = w.reshape(-1, w.shape[-1])
    y = room(way.out, x.dtype)
    y.fill(lowest(x.dtype))

    def block(rows: slice, part: Scan) -> None:
        for weight, tap in zip(weights, taps(x[rows].shape, part), strict=True):
            here = y[rows][tap.places]
            np.maximum(here, x[rows][tap.positions] + weight, out=here)

    in_blocks(block, x, way)
    return y


@overridable
def winners(x: Any, w: Any, *, strides: Sizes, padding: Pairs, dilations: Sizes) -> Any:
    """The number of the first tap of each window that attains the maximum of x + w."""
    way = scan(x.shape, (1, *w.shape[:-1], 1), **whole(strides, padding, dilations))
    weights = w.reshape(-1, w.shape[-1])
    y = np.empty(way.out, np.int32)

    def block(rows: slice, part: Scan) -> None:
        here = x[rows]
        pairs = zip(weights, taps(here.shape, part), strict=True)
        contest(y[rows], ((tap.places, here[tap.positions] + weight) for weight, tap in pairs), x.dtype)

    if y.size:
        first_taps(x.shape, way, y)
    in_blocks(block, x, way)
    return y


@overridable
def tap_sums(g: Any, winner: Any, *, taps: int) -> Any:
    """`[taps, channels]`: the sum of g where a tap won."""
    p = wide(g)
    axes = tuple(range(g.ndim - 1))
    sums = [total(where(winner == number, p), axes) for number in range(taps)]
    return np.stack(sums).astype(g.dtype)


@overridable
def tap_values(w: Any, winner: Any) -> Any:
    """The values `w[taps, channels]` of the taps that won."""
    return w[winner, np.arange(w.shape[-1])]
