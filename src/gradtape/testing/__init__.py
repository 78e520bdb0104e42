"""Checks for functions, gradients and ops; for this library's tests and for yours.

check_grads    a function's derivatives against central differences
check_op       the whole contract of an op, on some inputs
DuckArray      an array that refuses to become a NumPy array
NumpyEmitter   evaluates the `scalar` rule of an elementwise op
"""

from __future__ import annotations

from gradtape.testing.contract import check_bad, check_op, check_sample
from gradtape.testing.duck_array import DuckArray
from gradtape.testing.gradient_check import check_grads
from gradtape.testing.numpy_emitter import NumpyEmitter
from gradtape.testing.sample import BadSample, Sample, bad, sample

__all__ = [
    "BadSample",
    "DuckArray",
    "NumpyEmitter",
    "Sample",
    "bad",
    "check_bad",
    "check_grads",
    "check_op",
    "check_sample",
    "sample",
]
