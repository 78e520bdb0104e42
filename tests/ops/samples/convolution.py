"""Samples of convolutions and their transposes."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.convolution import Convolution, ConvolutionFilterGradient, ConvolutionInputGradient
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(5)
FLOATS = "float16 bfloat16 float32 float64"


def meetings(size, window, strides, padding, dilations):
    """(place, tap, position) of all that meet, one axis after the other, written out."""
    axes = []
    for n, k, s, (low, high), d in zip(size, window, strides, padding, dilations, strict=True):
        places = range((n + low + high - (k - 1) * d - 1) // s + 1)
        axes.append([(o, t, o * s + t * d - low) for o in places for t in range(k) if 0 <= o * s + t * d - low < n])
    for combination in np.ndindex(*map(len, axes)):
        yield tuple(zip(*[axis[i] for axis, i in zip(axes, combination, strict=True)], strict=True))


def places(size, window, strides, padding, dilations):
    return [
        (n + low + high - (k - 1) * d - 1) // s + 1
        for n, k, s, (low, high), d in zip(size, window, strides, padding, dilations, strict=True)
    ]


def loops(x, w, *, strides, padding, dilations, groups):
    """Every product of the convolution, added one by one."""
    way = (x.shape[1:-1], w.shape[:-2], strides, padding, dilations)
    c, o = w.shape[-2], w.shape[-1] // groups
    y = np.zeros((x.shape[0], *places(*way), w.shape[-1]), np.result_type(x, w))
    for place, tap, position in meetings(*way):
        for g in range(groups):
            inputs, outputs = slice(g * c, (g + 1) * c), slice(g * o, (g + 1) * o)
            y[(slice(None), *place, outputs)] += x[(slice(None), *position, inputs)] @ w[(*tap, slice(None), outputs)]
    return y


def loops_input(g, w, *, size, groups, **way):
    """What every position gets back."""
    c, o = w.shape[-2], w.shape[-1] // groups
    dx = np.zeros((g.shape[0], *size, c * groups), np.result_type(g, w))
    for place, tap, position in meetings(size, w.shape[:-2], way["strides"], way["padding"], way["dilations"]):
        for k in range(groups):
            inputs, outputs = slice(k * c, (k + 1) * c), slice(k * o, (k + 1) * o)
            back = g[(slice(None), *place, outputs)] @ w[(*tap, slice(None), outputs)].T
            dx[(slice(None), *position, inputs)] += back
    return dx


def loops_filter(x, g, *, window, groups, **way):
    """What every tap saw, times g."""
    c, o = x.shape[-1] // groups, g.shape[-1] // groups
    dw = np.zeros((*window, c, g.shape[-1]), np.result_type(x, g))
    for place, tap, position in meetings(x.shape[1:-1], window, way["strides"], way["padding"], way["dilations"]):
        for k in range(groups):
            inputs, outputs = slice(k * c, (k + 1) * c), slice(k * o, (k + 1) * o)
            dw[(*tap, slice(None), outputs)] += (
                x[(slice(None), *position, inputs)].T @ g[(slice(None), *place, outputs)]
            )
    return dw


def situation(size, window, c, o, n=2, strides=None, padding=None, dilations=None, groups=1, dtypes="float32 float64"):
    """A sample of each of the three ops."""
    count = len(size)
    way = {
        "strides": strides or (1,) * count,
        "padding": padding or ((0, 0),) * count,
        "dilations": dilations or (1,) * count,
        "groups": groups,
    }
    out = places(size, window, way["strides"], way["padding"], way["dilations"])
    x = random.normal(size=(n, *size, c * groups))
    w = random.normal(size=(*window, c, o * groups))
    g = random.normal(size=(n, *out, o * groups))
    sample(Convolution, x, w, reference=loops, dtypes=dtypes, **way)
    sample(ConvolutionInputGradient, g, w, reference=loops_input, dtypes=dtypes, size=size, **way)
    sample(ConvolutionFilterGradient, x, g, reference=loops_filter, dtypes=dtypes, window=window, **way)


situation((4,), (3,), 2, 3, padding=((1, 1),), dtypes=f"{FLOATS} complex64 complex128")
situation((5, 4), (3, 2), 2, 3, strides=(2, 1), padding=((0, 1), (1, 0)))
situation((4, 5), (2, 2), 1, 2, strides=(3, 2), padding=((2, 3), (0, 1)), dilations=(2, 3))
situation((3, 3), (1, 1), 2, 2)
situation((4, 3), (2, 2), 2, 1, groups=2, padding=((1, 0), (0, 1)))
situation((3, 3), (2, 2), 1, 1, groups=3, dtypes=FLOATS)
situation((5,), (2,), 1, 2, groups=2, strides=(2,), dilations=(2,))
situation((2, 3, 2), (2, 1, 2), 1, 2, n=1, padding=((1, 0), (0, 0), (0, 1)))
situation((1, 2), (2, 3), 1, 1, n=1, padding=((1, 0), (0, 0)))
situation((3,), (2,), 1, 2, n=0)
sample(
    Convolution,
    random.integers(-9, 9, (1, 4, 2)),
    random.integers(-9, 9, (2, 2, 3)),
    reference=loops,
    dtypes="int32 int64",
    strides=(1,),
    padding=((0, 0),),
    dilations=(1,),
    groups=1,
)

WAY = {"strides": (1, 1), "padding": ((0, 0), (0, 0)), "dilations": (1, 1), "groups": 1}
X, W, G = np.ones((1, 4, 4, 2)), np.ones((3, 3, 2, 5)), np.ones((1, 2, 2, 5))
bad(Convolution, X[0], W, error=ShapeError, match="x is f64[4,4,2], w is f64[3,3,2,5], and both need rank 4", **WAY)
bad(Convolution, X, np.ones((3, 3, 3, 5)), error=ShapeError, match="the input has 2 channels, in 1 groups", **WAY)
bad(Convolution, X, np.ones((6, 3, 2, 5)), error=ShapeError, match="does not fit into an input of size [4, 4]", **WAY)
bad(Convolution, X, np.ones((0, 3, 2, 5)), error=ShapeError, match="its window is [0, 3]", **WAY)
bad(Convolution, X, W, error=ShapeError, match="in 2 groups, but the filter is f64[3,3,2,5]", **{**WAY, "groups": 2})
bad(Convolution, X, W.astype(np.float32), error=DTypeError, match="dtypes differ: x is f64[1,4,4,2]", **WAY)
bad(Convolution, X > 0, W > 0, error=DTypeError, match="x is bool[1,4,4,2]", **WAY)
bad(
    ConvolutionInputGradient, G, W, error=ShapeError, match="a convolution of [5, 4] gives [3, 2], the input is f64[1,2,2,5]",
    size=(5, 4), **WAY,
)  # fmt: skip
bad(
    ConvolutionInputGradient, G, np.ones((3, 3, 2, 4)), error=ShapeError, match="g is f64[1,2,2,5] with 5 channels",
    size=(4, 4), **WAY,
)  # fmt: skip
bad(
    ConvolutionFilterGradient, X, G, error=ShapeError, match="a window of [2, 2] has [3, 3] places", window=(2, 2), **WAY
)  # fmt: skip
bad(
    ConvolutionFilterGradient, X, np.ones((2, 2, 2, 5)), error=ShapeError, match="x is f64[1,4,4,2], g is f64[2,2,2,5]",
    window=(3, 3), **WAY,
)  # fmt: skip
