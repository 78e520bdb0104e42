"""Samples of values in other forms."""

import struct

import numpy as np

import gradtape as tf
from gradtape.errors import DTypeError, InvalidArgumentError, RangeError, ShapeError
from gradtape.ops.representation import AsString, Bitcast, Fingerprint, UnravelIndex
from gradtape.testing.sample import bad, sample


def same_bytes(x, dtype):
    wide = x.dtype.itemsize < dtype.size
    shape = x.shape[:-1] if wide else (*x.shape, *[x.dtype.itemsize // dtype.size] * (x.dtype.itemsize > dtype.size))
    return np.frombuffer(np.array(x, order="C").tobytes(), dtype.numpy).reshape(shape)


NUMBERS = np.array([[1.5, -2.0], [0.0, 3.0]])
sample(Bitcast, NUMBERS, reference=same_bytes, dtypes="float64", dtype=tf.int64)
sample(Bitcast, NUMBERS, reference=same_bytes, dtypes="float64", dtype=tf.uint8)
sample(Bitcast, np.arange(4, dtype=np.int32).reshape(2, 2), reference=same_bytes, dtypes="int32", dtype=tf.int64)
sample(Bitcast, np.float64(1.5), reference=same_bytes, dtypes="float64", dtype=tf.uint16)
sample(Bitcast, np.int64(-1), reference=same_bytes, dtypes="int64", dtype=tf.uint64)
bad(Bitcast, np.ones((2, 3), np.float32), error=ShapeError, match="the last axis must have length 2", dtype=tf.float64)
bad(Bitcast, np.float32(1.0), error=ShapeError, match="the last axis must have length 2", dtype=tf.float64)
bad(Bitcast, np.ones(2), error=DTypeError, match="the dtype must be a dtype of numbers, got bool", dtype=tf.bool)
bad(Bitcast, np.ones(2, bool), error=DTypeError, match="x is bool[2]", dtype=tf.uint8)


def formatted(x, form):
    y = np.empty(np.shape(x), object)
    for place in np.ndindex(np.shape(x)):
        value = np.asarray(x)[place]
        if np.iscomplexobj(value):
            y[place] = f"({form % value.real},{form % value.imag})".encode()
        else:
            y[place] = str(value).lower().encode() if isinstance(value, np.bool_) else (form % value).encode()
    return y


sample(AsString, np.array([[1.5, -2.25], [np.inf, 1e10]]), reference=formatted, dtypes="float64", form="%f")
sample(AsString, np.array([1.5, -2.25]), reference=formatted, dtypes="bfloat16 complex64 complex128", form="%.2e")
sample(AsString, np.array([15, -3]), reference=formatted, dtypes="int32 int8", form="%05d")
sample(AsString, np.array([True, False]), reference=formatted, form="%s")
sample(AsString, np.array(["a", "bc"]), form="%4s")
sample(AsString, np.float64(0.5), reference=formatted, form="%g")
bad(AsString, np.ones(2), error=InvalidArgumentError, match="the format must have one %, got 'f'", form="f")


def divided(indices, dims):
    y = np.zeros((len(dims), *np.shape(indices)), np.asarray(indices).dtype)
    for place in np.ndindex(np.shape(indices)):
        rest = int(np.asarray(indices)[place])
        for k in reversed(range(len(dims))):
            rest, y[(k, *place)] = divmod(rest, dims[k])
    return y


sample(UnravelIndex, np.array([22, 41, 37]), reference=divided, dtypes="int32 int64", dims=(7, 6))
sample(UnravelIndex, np.array([[1, 0]]), reference=divided, dtypes="int64", dims=(2, 1, 3))
sample(UnravelIndex, np.int64(5), reference=divided, dtypes="int64", dims=(3, 3))
bad(UnravelIndex, np.array([9]), error=RangeError, match="not in [0, 9)", dims=(3, 3))
bad(UnravelIndex, np.array([-1]), error=RangeError, match="not in [0, 9)", dims=(3, 3))
bad(UnravelIndex, np.ones(2), error=DTypeError, match="indices is f64[2]", dims=(3, 3))


def of_three_bytes(x):
    """FarmHash of rows of up to three bytes, in Python's integers."""
    found = []
    for row in x:
        s = np.array(row, order="C").tobytes()
        assert 0 < len(s) < 4
        y, z = s[0] + (s[len(s) // 2] << 8), len(s) + (s[-1] << 2)
        h = (y * 0x9AE16A3B2F90404F ^ z * 0xC3A5C85C97CB3127) % 2**64
        found.append(list(struct.pack("<Q", (h ^ h >> 47) * 0x9AE16A3B2F90404F % 2**64)))
    return np.array(found, np.uint8).reshape(-1, 8)


sample(Fingerprint, np.arange(6, dtype=np.uint8).reshape(2, 3), reference=of_three_bytes, dtypes="uint8")
sample(Fingerprint, np.array([True, False]), reference=of_three_bytes)
sample(Fingerprint, np.ones((2, 3, 9)), dtypes="float32 float64")
sample(Fingerprint, np.zeros((0, 2), np.uint8), reference=of_three_bytes, dtypes="uint8")
sample(Fingerprint, np.array([["a", "b"]]))
bad(Fingerprint, np.float64(1.0), error=ShapeError, match="x is f64[], and must not be a scalar")
