"""Samples of where, maximum, minimum and clipping."""

import numpy as np

from gradtape.core import errors
from gradtape.ops.selection import ClipByValue, Connected, Keep, Maximum, Minimum, Where, WhereIndices
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
INTEGER = "int8 int32 int64 uint8"

A = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
B = np.array([[0.75], [-1.5]])
MASK = np.array([[True, False, True], [False, False, True]])
ROW = np.array([True, False, True])
Z = np.array([1.0 + 2.0j, -0.5 + 0.25j, 3.0 - 1.0j])
WHOLE = np.array([[3, 5, 7], [1, 4, 2]])


def choose(condition, a, b):
    """The selection by a loop over the elements."""
    picked = [x if c else y for c, x, y in np.broadcast(condition, a, b)]
    return np.array(picked, np.asarray(a).dtype).reshape(np.broadcast(condition, a, b).shape)


sample(Where, MASK, A, -A, reference=choose, dtypes=REAL)
sample(Where, ROW, A, B, reference=choose, dtypes=REAL)
sample(Where, MASK, 1.5, B, reference=choose)
sample(Where, True, A, 0.0, reference=choose)
sample(Where, True, 1.5, 2.5, reference=choose)
sample(Where, ROW, Z, Z[:1], reference=choose, dtypes="complex64 complex128")
sample(Where, MASK, WHOLE, WHOLE[:, :1], reference=choose)
sample(Where, ROW, np.array([True]), np.array([False]), reference=choose)
sample(Where, ROW, np.array([b"yes"], object), np.array([b"no"], object), reference=choose)
sample(
    Where,
    ROW,
    np.array([1.0, np.nan, 2.0]),
    np.array([np.inf, 3.0, np.nan]),
    reference=choose,
    dtypes=REAL,
    smooth=False,
)
bad(Where, A, A, A, error=errors.DTypeError, match="must be bool")
bad(Where, MASK, A, WHOLE, error=errors.DTypeError, match="dtypes differ")
bad(Where, MASK, A, A.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(Where, np.array([True, False]), A, A, error=errors.ShapeError, match="condition is bool")


def keep(x, mask):
    return choose(mask, x, np.zeros((), x.dtype))


def first(x, source):
    return x + np.zeros_like(source)


sample(Connected, A, -A, reference=first, dtypes=REAL)
sample(Connected, A, B, reference=first)
sample(Connected, B, A, reference=first)
sample(Connected, Z, Z[:1], reference=first, dtypes="complex64 complex128")
sample(Connected, WHOLE, WHOLE, reference=first, dtypes=INTEGER)
bad(Connected, A, A.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(Connected, A, WHOLE, error=errors.DTypeError, match="dtypes differ")

LARGE = np.linspace(-3.0, 3.0, 1200)
sample(Keep, A, MASK, reference=keep, dtypes=REAL)
sample(Keep, A, ROW, reference=keep)
sample(Keep, 1.5, False, reference=keep)
sample(Keep, Z, ROW, reference=keep, dtypes="complex64 complex128")
sample(Keep, LARGE, np.sin(9 * LARGE) > 0, reference=keep, dtypes=REAL)
sample(Keep, LARGE, np.array([False]), reference=keep)
sample(Keep, np.where(np.abs(LARGE) > 1, LARGE, -np.inf), np.abs(LARGE) > 2, reference=keep, smooth=False)
bad(Keep, A, A, error=errors.DTypeError, match="must be bool")
bad(Keep, A, np.array([True, False]), error=errors.ShapeError, match="do not broadcast")


def indices(x):
    return np.array([i for i in np.ndindex(x.shape) if x[i]], np.int64).reshape(-1, x.ndim)


sample(WhereIndices, MASK, reference=indices)
sample(WhereIndices, np.array([[0.0, 2.5], [np.nan, -0.0]]), reference=indices)
sample(WhereIndices, np.zeros((2, 3), np.int32), reference=indices)
bad(WhereIndices, np.array([b"a"], object), error=errors.DTypeError, match="str")

for op, better in ((Maximum, np.greater), (Minimum, np.less)):

    def select(a, b, better=better):
        return choose(better(a, b), a, b)

    sample(op, A, B, reference=select, dtypes=REAL)
    sample(op, A, A[:, ::-1] + 0.125, reference=select, dtypes=REAL)
    sample(op, 0.125, A, reference=select)
    sample(op, A, 0.125, reference=select)
    sample(op, 0.5, -0.5, reference=select)
    sample(op, WHOLE, WHOLE[:, :1], reference=select, dtypes=INTEGER)
    sample(op, np.array([np.nan, 1.0]), np.array([1.0, np.nan]), reference=np.add, dtypes=REAL, smooth=False)
    sample(op, np.array([2.0, 0.0]), np.array([2.0, 0.0]), reference=lambda a, b: a, dtypes=REAL, smooth=False)
    bad(op, A, A.T.copy(), error=errors.ShapeError, match="do not broadcast")
    bad(op, Z, Z, error=errors.DTypeError, match="c128")
    bad(op, MASK, MASK, error=errors.DTypeError, match="bool")


def clip(x, low, high):
    """The middle one of three, if the limits are in order."""
    return np.median(np.stack(np.broadcast_arrays(x, low, high)), axis=0)


sample(ClipByValue, A, -1.0, 1.0, reference=clip, dtypes=REAL)
sample(ClipByValue, A, np.array([[-1.0], [0.125]]), np.array([1.0, 0.375, 2.0]), reference=clip, dtypes=REAL)
sample(ClipByValue, 2.5, -1.0, 1.0, reference=clip)
sample(ClipByValue, WHOLE, 2, 4, reference=clip, dtypes="int32 int64")
sample(ClipByValue, np.array([1.0, -1.0]), -1.0, 1.0, reference=clip, dtypes=REAL, smooth=False)
sample(
    ClipByValue, np.array([3.0, np.nan]), 5.0, 1.0, reference=lambda x, low, high: np.array([5.0, np.nan]), smooth=False
)
bad(ClipByValue, A, A.T.copy(), 1.0, error=errors.ShapeError, match="clip_value_min must broadcast")
bad(ClipByValue, A[0], 0.0, A, error=errors.ShapeError, match="clip_value_max must broadcast")
bad(ClipByValue, A, np.float32(0), np.float32(1), error=errors.DTypeError, match="dtypes differ")
bad(ClipByValue, Z, Z, Z, error=errors.DTypeError, match="c128")
