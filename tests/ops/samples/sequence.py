"""Samples of ops on sequences."""

import numpy as np

from gradtape.errors import DTypeError, RangeError, ShapeError
from gradtape.ops.sequence import ReverseSequence
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(12)
FLOATS = "float16 bfloat16 float32 float64 complex64 complex128"


def loop(x, lengths, seq_axis, batch_axis):
    y = np.array(x)
    for i, n in enumerate(lengths):
        at = np.moveaxis(y, (batch_axis, seq_axis), (0, 1))
        at[i, :n] = at[i, :n][::-1].copy()
    return y


def normal(*shape):
    return random.normal(size=shape)


LENGTHS = np.array([2, 0, 3])

sample(ReverseSequence, normal(3, 4), LENGTHS, reference=loop, dtypes=FLOATS, seq_axis=1, batch_axis=0)
sample(ReverseSequence, normal(4, 3, 2), LENGTHS.astype(np.int32), reference=loop, seq_axis=0, batch_axis=1)
sample(ReverseSequence, normal(2, 3, 3), LENGTHS, reference=loop, seq_axis=2, batch_axis=1)
sample(ReverseSequence, np.arange(12).reshape(3, 4), LENGTHS, reference=loop, seq_axis=1, batch_axis=0)
sample(ReverseSequence, normal(0, 3), np.zeros(0, int), reference=loop, seq_axis=1, batch_axis=0)
sample(ReverseSequence, np.array([["a", "b"]]), np.array([2]), seq_axis=1, batch_axis=0)

GOOD = {"seq_axis": 1, "batch_axis": 0}
bad(ReverseSequence, normal(3, 2), LENGTHS, error=RangeError, match="lengths[2] = 3 is not in [0, 3)", **GOOD)
bad(ReverseSequence, normal(2, 3), LENGTHS, error=ShapeError, match="lengths is i64[3], but axis 0 of x", **GOOD)
bad(ReverseSequence, normal(3, 3), normal(3), error=DTypeError, match="must be integers", **GOOD)
bad(ReverseSequence, normal(3, 3), LENGTHS, error=ShapeError, match="are both 0", seq_axis=0, batch_axis=0)
bad(ReverseSequence, normal(3), LENGTHS, error=RangeError, match="seq_axis is 1", **GOOD)
