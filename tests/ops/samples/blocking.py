"""Samples of stop_gradient, which accepts everything."""

import numpy as np

from gradtape.ops.stop_gradient import StopGradient
from gradtape.testing.sample import sample

ALL = "float16 bfloat16 float32 float64 complex64 complex128 int32 bool"


def same(x):
    return x


sample(StopGradient, np.array([[1.5, -2.0, 0.0], [0.5, 4.0, -1.0]]), reference=same, dtypes=ALL)
sample(StopGradient, 0.5, reference=same, dtypes=ALL)
sample(StopGradient, np.zeros((0, 3)), reference=same)
sample(StopGradient, np.array(["a", "bc"]), reference=same, dtypes="string")
