"""Samples of gathers and scatters."""

import numpy as np

from gradtape.core.errors import DTypeError, RangeError, ShapeError
from gradtape.ops.indexing import Gather, ScatterRows
from gradtape.ops.scatter import (
    ClearNd,
    GatherNd,
    KeepLast,
    ScatterNd,
    TensorScatterNdAdd,
    TensorScatterNdMax,
    TensorScatterNdMin,
    TensorScatterNdUpdate,
)
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(2)
FLOATS = "float16 bfloat16 float32 float64 complex64 complex128"
REALS = "float16 bfloat16 float32 float64"


def normal(*shape):
    return random.normal(size=shape)


def gather_loop(params, indices, axis, batch_dims=0):
    """Element by element, from the definition of the shape."""
    inner = indices.ndim - batch_dims
    y = np.zeros(params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1 :], params.dtype)
    for place in np.ndindex(y.shape):
        row = indices[place[:batch_dims] + place[axis : axis + inner]]
        y[place] = params[(*place[:axis], row, *place[axis + inner :])]
    return y


def rows_loop(indices, values, rows, axis=0, batch_dims=0):
    inner = indices.ndim - batch_dims
    y = np.zeros((*values.shape[:axis], rows, *values.shape[axis + inner :]), values.dtype)
    for place in np.ndindex(values.shape):
        row = indices[place[:batch_dims] + place[axis : axis + inner]]
        y[(*place[:axis], row, *place[axis + inner :])] += values[place]
    return y


def places(indices, batch_dims):
    """Each index with where it points to."""
    for place in np.ndindex(indices.shape[:-1]):
        yield place, (*place[:batch_dims], *indices[place])


def gather_nd_loop(params, indices, batch_dims=0):
    y = np.zeros(indices.shape[:-1] + params.shape[batch_dims + indices.shape[-1] :], params.dtype)
    for place, target in places(indices, batch_dims):
        y[place] = params[target]
    return y


def scatter_nd_loop(indices, updates, shape, batch_dims=0):
    y = np.zeros(shape, updates.dtype)
    for place, target in places(indices, batch_dims):
        y[target] += updates[place]
    return y


def combine_loop(combine):
    def loop(tensor, indices, updates, batch_dims=0):
        y = np.array(tensor)
        for place, target in places(indices, batch_dims):
            y[target] = combine(y[target], updates[place])
        return y

    return loop


update_loop, add_loop = combine_loop(lambda old, new: new), combine_loop(np.add)
max_loop, min_loop = combine_loop(np.maximum), combine_loop(np.minimum)


def clear_loop(x, indices, batch_dims=0):
    return combine_loop(lambda old, new: 0 * new)(x, indices, gather_nd_loop(x, indices, batch_dims), batch_dims)


TWICE = np.array([2, 0, 2])
MATRIX = np.array([[1, 0], [0, 0], [3, 1]])

sample(Gather, normal(3, 2), TWICE, reference=gather_loop, dtypes=FLOATS, axis=0)
sample(Gather, normal(3), TWICE, reference=gather_loop, axis=0)
sample(Gather, normal(3), np.int32(1), reference=gather_loop, axis=0)
sample(Gather, normal(3, 2), np.int64(1), reference=gather_loop, axis=0)
sample(Gather, normal(4, 2), MATRIX.astype(np.int32), reference=gather_loop, axis=0)
sample(Gather, normal(4, 2), MATRIX.astype(np.uint8), reference=gather_loop, axis=0)
sample(Gather, normal(2, 4, 2), MATRIX, reference=gather_loop, dtypes=FLOATS, axis=1)
sample(Gather, normal(2, 3), np.int32(2), reference=gather_loop, axis=1)
sample(Gather, normal(3, 4), MATRIX, reference=gather_loop, dtypes=FLOATS, axis=1, batch_dims=1)
sample(Gather, normal(3, 2, 4, 2), MATRIX, reference=gather_loop, axis=2, batch_dims=1)
sample(Gather, normal(3, 2, 4), MATRIX, reference=gather_loop, axis=2, batch_dims=2)
sample(Gather, normal(3, 2), np.zeros((0, 2), int), reference=gather_loop, axis=0)
sample(Gather, np.arange(6).reshape(3, 2), TWICE, reference=gather_loop, axis=0)
sample(Gather, np.array([True, False, True]), TWICE, reference=gather_loop, axis=0)
sample(Gather, np.array(["a", "b", "c"]), TWICE, axis=0)

bad(Gather, normal(3, 2), np.array([0, 7]), error=RangeError, match="indices[1] = 7 is not in [0, 3)", axis=0)
bad(Gather, normal(3, 2), np.array([[0], [-1]]), error=RangeError, match="indices[1,0] = -1 is not in [0, 3)", axis=0)
bad(Gather, normal(3, 2), np.int32(5), error=RangeError, match="indices = 5 is not in [0, 2)", axis=1)
bad(
    Gather,
    normal(3, 2),
    np.array([0.0, 1.0]),
    error=DTypeError,
    match="indices is f64[2], and must be integers",
    axis=0,
)
bad(Gather, normal(3, 2), np.array([True]), error=DTypeError, match="indices is bool[1]", axis=0)
bad(Gather, np.float64(1.0), TWICE, error=ShapeError, match="a scalar", axis=0)
bad(Gather, normal(2, 4), MATRIX, error=ShapeError, match="the first 1 dimensions must be equal", axis=1, batch_dims=1)
bad(Gather, normal(3, 4), MATRIX, error=ShapeError, match="batch_dims is 1, axis is 0", axis=0, batch_dims=1)

sample(ScatterRows, TWICE, normal(3, 2), reference=rows_loop, dtypes=FLOATS, rows=4)
sample(ScatterRows, TWICE, normal(3), reference=rows_loop, rows=3)
sample(ScatterRows, np.int32(1), normal(2), reference=rows_loop, rows=3)
sample(ScatterRows, MATRIX, normal(3, 2, 2), reference=rows_loop, rows=4)
sample(ScatterRows, TWICE, normal(2, 3, 2), reference=rows_loop, dtypes=FLOATS, rows=4, axis=1)
sample(ScatterRows, MATRIX, normal(3, 2), reference=rows_loop, rows=4, axis=1, batch_dims=1)
sample(ScatterRows, MATRIX, normal(3, 2, 2, 2), reference=rows_loop, rows=4, axis=2, batch_dims=1)
sample(ScatterRows, np.zeros(0, int), normal(0, 2), reference=rows_loop, rows=3)
sample(ScatterRows, TWICE, np.arange(6).reshape(3, 2), reference=rows_loop, rows=3)
sample(ScatterRows, np.arange(600) % 7, normal(600, 32), reference=rows_loop, rows=7)

bad(ScatterRows, TWICE, normal(3, 2), error=RangeError, match="indices[0] = 2 is not in [0, 2)", rows=2)
bad(ScatterRows, TWICE, normal(2, 2), error=ShapeError, match="values is f64[2,2], indices is i64[3]", rows=4)
bad(ScatterRows, normal(3), normal(3, 2), error=DTypeError, match="indices is f64[3]", rows=4)
bad(ScatterRows, MATRIX, normal(2, 2), error=ShapeError, match="must be equal", rows=4, axis=1, batch_dims=1)

bad(ScatterRows, TWICE, np.array(["a", "b", "c"]), error=DTypeError, match="values is str[3]", rows=4)

PAIRS = np.array([[0, 1], [2, 0], [0, 1]])
DEEP = np.array([[[1], [0]], [[2], [2]]])

sample(GatherNd, normal(3, 2), PAIRS, reference=gather_nd_loop, dtypes=FLOATS)
sample(GatherNd, normal(3, 2, 2), PAIRS.astype(np.int32), reference=gather_nd_loop)
sample(GatherNd, normal(3, 2), DEEP, reference=gather_nd_loop)
sample(GatherNd, normal(3, 2), np.array([1, 1]), reference=gather_nd_loop)
sample(GatherNd, normal(3, 2), np.zeros((2, 0), int), reference=gather_nd_loop)
sample(GatherNd, normal(2, 3, 2), DEEP, reference=gather_nd_loop, dtypes=FLOATS, batch_dims=1)
sample(GatherNd, normal(3, 2), np.array([[1], [0], [1]]), reference=gather_nd_loop, batch_dims=1)
sample(GatherNd, np.arange(6).reshape(3, 2), PAIRS, reference=gather_nd_loop)

bad(
    GatherNd,
    normal(3, 2),
    np.array([[0, 1], [1, 2]]),
    error=RangeError,
    match="indices[1] = [1, 2] does not index into param shape [3,2]",
)
bad(GatherNd, normal(3, 2), np.array([[-1]]), error=RangeError, match="indices[0] = [-1] does not index")
bad(
    GatherNd,
    normal(3, 2),
    np.array([[0, 0, 0]]),
    error=ShapeError,
    match="indices is i64[1,3], for a tensor of shape [3, 2]",
)
bad(GatherNd, normal(3, 2), np.int64(1), error=ShapeError, match="indices is i64[]")
bad(GatherNd, normal(3, 2), normal(3, 2), error=DTypeError, match="must be integers")
bad(GatherNd, normal(3, 2, 2), DEEP, error=ShapeError, match="the first 1 dimensions must be equal", batch_dims=1)

sample(ScatterNd, PAIRS, normal(3), reference=scatter_nd_loop, dtypes=FLOATS, shape=(3, 2))
sample(ScatterNd, np.array([[1], [3], [1]]), normal(3, 2), reference=scatter_nd_loop, dtypes=FLOATS, shape=(4, 2))
sample(ScatterNd, DEEP, normal(2, 2, 3), reference=scatter_nd_loop, shape=(3, 3))
sample(ScatterNd, DEEP, normal(2, 2), reference=scatter_nd_loop, shape=(2, 3), batch_dims=1)
sample(ScatterNd, np.zeros((0, 1), int), normal(0), reference=scatter_nd_loop, shape=(3,))
sample(ScatterNd, PAIRS, np.array([1, 2, 3]), reference=scatter_nd_loop, shape=(3, 2))

bad(
    ScatterNd,
    PAIRS,
    normal(3),
    error=RangeError,
    match="indices[1] = [2, 0] does not index into shape [2,2]",
    shape=(2, 2),
)
bad(
    ScatterNd,
    PAIRS,
    normal(2),
    error=ShapeError,
    match="must match dimensions [0,1) of updates[shape=[2]]: they must have shape [3]",
    shape=(3, 2),
)
bad(ScatterNd, normal(3, 2), normal(3), error=DTypeError, match="indices is f64[3,2]", shape=(3, 2))

bad(ScatterNd, PAIRS, np.array(["a", "b", "c"]), error=DTypeError, match="updates is str[3]", shape=(3, 2))

SINGLES = np.array([[0, 1], [2, 0]])

for op, loop, dtypes in (
    (TensorScatterNdUpdate, update_loop, FLOATS),
    (TensorScatterNdAdd, add_loop, FLOATS),
    (TensorScatterNdMax, max_loop, REALS),
    (TensorScatterNdMin, min_loop, REALS),
):
    sample(op, normal(3, 2), SINGLES, normal(2), reference=loop, dtypes=dtypes)
    sample(op, normal(4, 2), np.array([[1], [3]]), normal(2, 2), reference=loop)
    sample(op, normal(2, 3), np.array([[[1], [0]], [[2], [0]]]), normal(2, 2), reference=loop, batch_dims=1)
    sample(op, np.arange(6).reshape(3, 2), PAIRS, np.array([9, 1, 3]), reference=loop)
    sample(op, normal(3, 2), PAIRS, normal(3), reference=loop)
    bad(
        op,
        normal(3, 2),
        PAIRS,
        normal(2),
        error=ShapeError,
        match="must match dimensions [0,1) of updates[shape=[2]]: they must have shape [3]",
    )
    bad(
        op,
        normal(2, 2),
        PAIRS,
        normal(3),
        error=RangeError,
        match="indices[1] = [2, 0] does not index into shape [2,2]",
    )
    bad(op, normal(3, 2), PAIRS, np.array([1, 2, 3]), error=DTypeError, match="tensor is f64[3,2], updates is i64[3]")
bad(
    TensorScatterNdMax, np.ones(2, bool), np.array([[1]]), np.ones(1, bool), error=DTypeError, match="tensor is bool[2]"
)
sample(TensorScatterNdUpdate, np.array(["a", "b"]), np.array([[1]]), np.array(["c"]))


def last_loop(updates, indices, shape, batch_dims=0):
    y, last = np.zeros_like(updates), {}
    for place, target in places(indices, batch_dims):
        last[target] = place
    for place in last.values():
        y[place] = updates[place]
    return y


sample(KeepLast, normal(3), PAIRS, reference=last_loop, dtypes=FLOATS, shape=(3, 2))
sample(KeepLast, normal(3, 2), np.array([[1], [3], [1]]), reference=last_loop, shape=(4, 2))
sample(KeepLast, normal(2, 2), DEEP, reference=last_loop, shape=(2, 3), batch_dims=1)
sample(KeepLast, normal(0), np.zeros((0, 1), int), reference=last_loop, shape=(3,))
bad(
    KeepLast,
    normal(2),
    PAIRS,
    error=ShapeError,
    match="must match dimensions [0,1) of updates[shape=[2]]: they must have shape [3]",
    shape=(3, 2),
)
bad(KeepLast, normal(3), PAIRS, error=RangeError, match="does not index into shape [2,2]", shape=(2, 2))
bad(KeepLast, np.array(["a", "b", "c"]), PAIRS, error=DTypeError, match="updates is str[3]", shape=(3, 2))

sample(ClearNd, normal(3, 2), PAIRS, reference=clear_loop, dtypes=FLOATS)
sample(ClearNd, normal(4, 2), np.array([[1], [3]]), reference=clear_loop)
bad(ClearNd, normal(2, 2), PAIRS, error=RangeError, match="does not index into shape [2,2]")
