"""Samples of patches. The references walk over every pixel of every patch."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.patches import ExtractPatches, JoinPatches, Windows
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(13)
REALS = "float16 bfloat16 float32 float64"


def places(windows, height, width):
    """(patch row, patch column, pixel of the patch, row, column) for every pixel of a patch that lies on the image."""
    found, counts = [], []
    for n, k, s, r in zip((height, width), windows.sizes, windows.strides, windows.rates, strict=True):
        extent = (k - 1) * r + 1
        if windows.padding == "SAME":
            count = (n + s - 1) // s
            before = max((count - 1) * s + extent - n, 0) // 2
        else:
            count, before = max(0, (n - extent + s) // s), 0
        found.append([[i * s - before + j * r for j in range(k)] for i in range(count)])
        counts.append(count)
    pixels = [
        (p, q, i * windows.sizes[1] + j, y, x)
        for p, ys in enumerate(found[0])
        for q, xs in enumerate(found[1])
        for i, y in enumerate(ys)
        for j, x in enumerate(xs)
        if 0 <= y < height and 0 <= x < width
    ]
    return counts, pixels


def extracted(x, windows):
    (rows, columns), pixels = places(windows, *x.shape[1:3])
    size = windows.sizes[0] * windows.sizes[1]
    result = np.zeros((x.shape[0], rows, columns, size, x.shape[3]), x.dtype)
    for p, q, k, i, j in pixels:
        result[:, p, q, k] = x[:, i, j]
    return result.reshape(x.shape[0], rows, columns, size * x.shape[3])


def joined(patches, windows, shape):
    size = windows.sizes[0] * windows.sizes[1]
    parts = patches.reshape(*patches.shape[:3], size, patches.shape[3] // size)
    result = np.zeros((patches.shape[0], *shape, parts.shape[4]), patches.dtype)
    for p, q, k, i, j in places(windows, *shape)[1]:
        result[:, i, j] += parts[:, p, q, k]
    return result


def normal(*shape):
    return random.normal(size=shape)


SAME = Windows((2, 3), (1, 2), (2, 1), "SAME")
VALID = Windows((2, 2), (1, 1), (1, 1), "VALID")
APART = Windows((2, 1), (2, 3), (1, 1), "SAME")

for windows in (SAME, VALID, APART):
    sample(ExtractPatches, normal(2, 3, 4, 2), windows=windows, reference=extracted, dtypes=REALS)
    patches = extracted(normal(2, 3, 4, 2), windows)
    sample(JoinPatches, patches, windows=windows, shape=(3, 4), reference=joined, dtypes=REALS)
sample(ExtractPatches, normal(1, 2, 2, 1), windows=Windows((3, 3), (1, 1), (1, 1), "VALID"), reference=extracted)
sample(ExtractPatches, normal(0, 3, 3, 1), windows=VALID, reference=extracted)
sample(ExtractPatches, np.arange(9).reshape(1, 3, 3, 1), windows=SAME, reference=extracted, dtypes="uint8 int32")
sample(JoinPatches, normal(1, 0, 0, 4), windows=VALID, shape=(1, 1), reference=joined)
bad(
    ExtractPatches, normal(3, 3, 1), windows=VALID, error=ShapeError, match="images is f64[3,3,1], and must have rank 4"
)
bad(JoinPatches, normal(1, 1, 1, 4), windows=VALID, shape=(3, 3), error=ShapeError, match="[2, 2] patches of 4 pixels")
bad(JoinPatches, normal(1, 2, 2, 3), windows=VALID, shape=(3, 3), error=ShapeError, match="patches is f64[1,2,2,3]")
bad(JoinPatches, np.ones((1, 2, 2, 4), bool), windows=VALID, shape=(3, 3), error=DTypeError, match="patches is bool")
