"""Transposed convolutions to few channels, as of a network's images.

A matrix with so few columns is slow to multiply. Here the product comes first, of all taps at once, and its parts are
added where each tap saw the input: with the channels in front, so that neighbours in memory are neighbours in the image.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.ops.batched_products import multiply_turned
from gradtape.ops.windows import Scan, taps
from gradtape.ops.workspace import Scratch, run

FEW = 4  # channels
_TASK = 1 << 22  # multiplications that are worth a task of their own
_TASKS = 16
_BLOCK = 1 << 20  # bytes of a block of products


def spread(g: Any, w: Any, way: Scan, dx: Any) -> None:
    """Fill `dx[n, *size, c]` with what `g[n, *out, o]` sends back through `w[*window, c, o]`."""
    n, o = g.shape[0], g.shape[-1]
    size, c = dx.shape[1:-1], dx.shape[-1]
    matrix = np.ascontiguousarray(w.reshape(-1, o))
    places, found = math.prod(way.out), taps(size, way)
    per_task = -(-n // max(1, min(_TASKS, n * places * matrix.size // _TASK)))
    per_block = max(1, min(per_task, _BLOCK // max(1, g.itemsize * places * matrix.shape[0])))

    def task(i: int) -> None:
        products, image = Scratch(dx.dtype), Scratch(dx.dtype)
        stop = min((i + 1) * per_task, n)
        for first in range(i * per_task, stop, per_block):
            count = min(per_block, stop - first)
            rows = g[first : first + count].reshape(count * places, o)
            sent = multiply_turned(matrix, rows, products.take((matrix.shape[0], count * places)))
            sent = sent.reshape(len(found), c, count, *way.out)
            total = image.take((c, count, *size))
            total.fill(0)
            for part, tap in zip(sent, found, strict=True):
                total[(..., *tap.positions)] += part[(..., *tap.places)]
            dx[first : first + count] = np.moveaxis(total, 0, -1)

    run(task, -(-n // per_task))
