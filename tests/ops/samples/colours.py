"""Samples of colour coordinates, against the standard library's `colorsys`."""

import colorsys

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.hsv import HsvToRgb, RgbToHsv
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(12)
REALS = "float16 bfloat16 float32 float64"
# One colour in each of the six sectors, away from their borders.
SECTORS = np.array(
    [[0.9, 0.5, 0.2], [0.6, 0.8, 0.1], [0.2, 0.7, 0.4], [0.1, 0.5, 0.9], [0.5, 0.3, 0.8], [0.9, 0.2, 0.6]]
)


def pixelwise(function):
    def reference(x):
        rows = [function(*pixel) for pixel in np.reshape(x, (-1, 3)).tolist()]
        return np.reshape(np.array(rows, float), x.shape)

    return reference


to_hsv, to_rgb = pixelwise(colorsys.rgb_to_hsv), pixelwise(colorsys.hsv_to_rgb)

sample(RgbToHsv, SECTORS, reference=to_hsv, dtypes=REALS, tolerance=1e-11)
sample(RgbToHsv, SECTORS.reshape(1, 2, 3, 3), reference=to_hsv)
sample(RgbToHsv, SECTORS[0], reference=to_hsv)
sample(RgbToHsv, np.zeros((0, 3)), reference=to_hsv)
# Greys, black, and ties of the largest and of the smallest channels.
GREYS = np.array([[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.4, 0.2, 0.2]])
sample(RgbToHsv, GREYS, reference=to_hsv, smooth=False)
bad(RgbToHsv, np.ones((2, 4)), error=ShapeError, match="x is f64[2,4], and its last dimension must be 3")
bad(RgbToHsv, np.float64(1.0), error=ShapeError, match="x is f64[]")
bad(RgbToHsv, np.ones((2, 3), np.uint8), error=DTypeError, match="x is u8[2,3]")

HSV = to_hsv(SECTORS)
sample(HsvToRgb, HSV, reference=to_rgb, dtypes=REALS, tolerance=1e-11)
sample(HsvToRgb, HSV.reshape(3, 2, 3), reference=to_rgb)
sample(HsvToRgb, HSV[1], reference=to_rgb)
sample(HsvToRgb, np.zeros((0, 3)), reference=to_rgb)
sample(HsvToRgb, np.array([[0.0, 0.5, 0.5], [1.0, 1.0, 0.5], [0.5, 0.0, 0.25]]), reference=to_rgb, smooth=False)
bad(HsvToRgb, np.ones((3, 1)), error=ShapeError, match="its last dimension must be 3")
bad(HsvToRgb, np.ones(3, np.int32), error=DTypeError, match="x is i32[3]")
