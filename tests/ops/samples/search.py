"""Samples of searches."""

import numpy as np

from gradtape.core import dtypes
from gradtape.core.errors import DTypeError, RangeError, ShapeError
from gradtape.ops.argmax import ArgMax, ArgMin, InTopK, SearchSorted
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(3)
REALS = "float16 bfloat16 float32 float64"


def position_of(better):
    """The first position whose value no other beats."""

    def loop(x, axis, output_type):
        x = np.moveaxis(x, axis, -1)
        y = np.zeros(x.shape[:-1], output_type.numpy)
        for place in np.ndindex(y.shape):
            row = x[place].tolist()
            y[place] = next(i for i, v in enumerate(row) if not any(better(w, v) for w in row))
        return y

    return loop


largest, smallest = position_of(lambda a, b: a > b), position_of(lambda a, b: a < b)

for op, loop in ((ArgMax, largest), (ArgMin, smallest)):
    sample(op, random.normal(size=5), reference=loop, dtypes=REALS, axis=0, output_type=dtypes.int64)
    sample(op, random.normal(size=(3, 4)), reference=loop, axis=1, output_type=dtypes.int32)
    sample(op, random.normal(size=(2, 3, 4)), reference=loop, axis=1, output_type=dtypes.int64)
    sample(op, np.array([[1.0, 3.0, 3.0], [2.0, 1.0, 1.0]]), reference=loop, axis=1, output_type=dtypes.int64)
    sample(op, np.array([3, 1, 3, 1]), reference=loop, dtypes="int32 uint8", axis=0, output_type=dtypes.uint16)
    sample(op, np.array([[False, True], [True, True]]), reference=loop, axis=0, output_type=dtypes.int64)
    bad(
        op,
        np.zeros((2, 0)),
        error=ShapeError,
        match="axis 1 is empty in shape [2, 0]: x is f64[2,0]",
        axis=1,
        output_type=dtypes.int64,
    )
    bad(
        op, np.zeros(2), error=RangeError, match="axis is 1, but the input has rank 1", axis=1, output_type=dtypes.int64
    )
    bad(op, np.zeros(2, complex), error=DTypeError, match="x is c128[2]", axis=0, output_type=dtypes.int64)


def count_below(sequence, values, side, output_type):
    """How many elements of the row come before each value."""
    y = np.zeros(values.shape, output_type.numpy)
    for place in np.ndindex(y.shape):
        row = sequence[place[:-1]]
        y[place] = np.sum(row < values[place] if side == "left" else row <= values[place])
    return y


ROW = np.array([1.0, 2.0, 2.0, 5.0])
for side in ("left", "right"):
    sample(
        SearchSorted, ROW, np.array([0.0, 2.0, 3.0, 9.0]), reference=count_below, side=side, output_type=dtypes.int32
    )
    sample(
        SearchSorted, np.stack([ROW, ROW + 1]), np.array([[2.0], [3.0]]), reference=count_below, side=side,
        output_type=dtypes.int64,
    )  # fmt: skip
sample(
    SearchSorted,
    np.arange(4),
    np.array([2, 9]),
    reference=count_below,
    dtypes="int32 int64",
    side="left",
    output_type=dtypes.int32,
)
sample(SearchSorted, np.zeros((0, 3)), np.zeros((0, 2)), reference=count_below, side="left", output_type=dtypes.int32)
bad(
    SearchSorted,
    np.zeros((2, 3)),
    np.zeros((3, 3)),
    error=ShapeError,
    match="sequence is f64[2,3], values is f64[3,3]",
    side="left",
    output_type=dtypes.int32,
)
bad(
    SearchSorted,
    np.zeros(2),
    np.float64(1.0),
    error=ShapeError,
    match="values is f64[]",
    side="left",
    output_type=dtypes.int32,
)


def ranks(targets, predictions, k):
    """By sorting each row."""
    found = []
    for target, row in zip(targets, predictions, strict=True):
        place = sorted(row, reverse=True).index(row[target]) if 0 <= target < row.size else k
        found.append(place < k and bool(np.isfinite(row).all()))
    return np.array(found, bool)


PREDICTIONS = np.array([[0.1, 0.25, 0.5], [0.5, 0.5, 0.1], [1.0, np.inf, 0.5], [0.5, 0.25, 0.1]])
for k in (1, 2, 3):
    sample(InTopK, np.array([0, 1, 0, 7]), PREDICTIONS, reference=ranks, dtypes="float32 float64", k=k)
sample(InTopK, np.zeros(0, int), np.zeros((0, 3)), reference=ranks, k=1)
bad(InTopK, np.array([0, 1]), PREDICTIONS, error=ShapeError, match="got i64[2] and f64[4,3]", k=1)
bad(InTopK, np.zeros(4), PREDICTIONS, error=DTypeError, match="targets is f64[4]", k=1)
bad(InTopK, np.array([0]), np.array([[1, 2]]), error=DTypeError, match="got i64[1] and i64[1,2]", k=1)
