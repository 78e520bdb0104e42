"""Conversion to tensors by Keras's rules for TensorFlow: arrays keep their dtype, `result_type` promotes operands."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend import config
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common import dtypes as keras_dtypes
from keras.src.backend.common.dtypes import result_type

import gradtape as tf
from gradtape.core import dtypes, state
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable as TapeVariable
from gradtape.numpy_functions.policy import Policy

# Keras halves 64 bits wherever the backend is not called "tensorflow"; gradtape computes in them, as TensorFlow does.
keras_dtypes.BIT64_TO_BIT32_DTYPE.update(int64="int64", float64="float64")
keras_dtypes.PYTHON_DTYPES_MAP.update({int: "int64", "int": "int64", complex: "complex128"})

_PYTHON = (bool, int, float, complex)


def convert_to_tensor(x: Any, dtype: Any = None) -> Any:
    """A tensor of anything that Keras may be given, of the dtype if one is said. Sparse tensors become whole ones, ragged
    tensors stay ragged."""
    if isinstance(x, KerasVariable):
        x = x.value
    if isinstance(x, Tensor):
        return x if dtype is None else cast_tensor(x, dtype)
    if isinstance(x, (IndexedSlices, Composite)):
        x = _whole(x)
        return x if dtype is None else cast_tensor(x, dtype)
    if isinstance(x, TapeVariable):
        return convert_to_tensor(x._read(), dtype)
    name = None if dtype is None else standardize_dtype(dtype)
    return _from_values(x, name)


def convert_keeping_form(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """As `convert_to_tensor`, but sparse and ragged tensors keep their form unless `sparse` or `ragged` is False."""
    if isinstance(x, Tensor) or not isinstance(x, (IndexedSlices, Composite)):
        return convert_to_tensor(x, dtype)
    if isinstance(x, (IndexedSlices, SparseTensor)) and sparse is False:
        return convert_to_tensor(x, dtype)
    if isinstance(x, tf.RaggedTensor) and ragged is False:
        return convert_to_tensor(x.to_tensor(), dtype)
    own: Any = x
    if dtype is None or standardize_dtype(own.dtype) == standardize_dtype(dtype):
        return x
    if isinstance(x, SparseTensor):
        return x.with_values(cast_tensor(x.values, dtype))
    if isinstance(x, IndexedSlices):
        return type(x)(cast_tensor(x.values, dtype), x.indices, x.dense_shape)
    return tf.cast(x, dtypes.as_dtype(standardize_dtype(dtype)))


def cast_keeping_form(x: Any, dtype: Any) -> Any:
    """A tensor of the dtype; sparse and ragged tensors keep their form."""
    return convert_keeping_form(x, dtype)


def _whole(x: Any) -> Any:
    if isinstance(x, SparseTensor):
        return tf.sparse.to_dense(x if state.current.trace is not None else tf.sparse.reorder(x))
    return tf.convert_to_tensor(x) if isinstance(x, IndexedSlices) else x


def _from_values(x: Any, name: Any) -> Any:
    if isinstance(x, _PYTHON):
        return tf.constant(x if name is None else np.asarray(x).astype(_numpy_type(name)))
    if isinstance(x, (np.ndarray, np.generic)):
        return _from_array(x, name)
    if isinstance(x, (str, bytes)):
        return tf.constant(x)
    if isinstance(x, (list, tuple)):
        leaves = tree.flatten(x)
        if any(isinstance(leaf, (Tensor, KerasVariable, TapeVariable)) for leaf in leaves):
            return _packed(x, name or _common_name(leaves))
        if any(isinstance(leaf, (str, bytes)) for leaf in leaves):
            return tf.constant(np.asarray(x, dtype=object))
        return tf.constant(x if name is None else np.asarray(x).astype(_numpy_type(name)))
    return _from_array(np.asarray(x), name)


def _from_array(x: Any, name: Any) -> Any:
    if x.dtype.kind in "OSU":
        return tf.constant(x)
    wanted = _numpy_type(name or x.dtype.name)
    if x.dtype.kind == "c" and wanted.kind != "c":
        x = x.real
    return tf.constant(x if x.dtype == wanted else x.astype(wanted))


def _packed(x: Any, name: Any) -> Any:
    """The stack of a nested list that holds tensors."""
    if isinstance(x, (list, tuple)):
        return tf.stack([_packed(item, name) for item in x])
    return convert_to_tensor(x, name)


def _common_name(leaves: Any) -> Any:
    """The dtype of a list that holds tensors, which its other items take."""
    return result_type(*[leaf.dtype for leaf in leaves if isinstance(leaf, (Tensor, KerasVariable, TapeVariable))])


@functools.lru_cache(maxsize=128)
def _numpy_type(name: Any) -> Any:
    return dtypes.as_dtype(name).numpy


def cast_tensor(x: Any, dtype: Any) -> Any:
    """A tensor in another dtype."""
    wanted = dtype if isinstance(dtype, dtypes.DType) else dtypes.as_dtype(standardize_dtype(dtype))
    own = x.dtype
    if own is wanted:
        return x
    if own.is_complex and not wanted.is_complex:
        x = tf.math.real(x)
    return tf.cast(x, wanted)


def cast(x: Any, dtype: Any) -> Any:
    """A tensor of the dtype."""
    return convert_to_tensor(x, dtype)


def convert_to_numpy(x: Any) -> Any:
    """A NumPy array of a tensor, variable or anything else."""
    if isinstance(x, KerasVariable):
        x = x.value
    if isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    elif isinstance(x, (IndexedSlices, Composite)):
        x = _whole(x)
    return np.array(x)


def is_tensor(x: Any) -> Any:
    """True for tensors of gradtape."""
    return isinstance(x, (Tensor, IndexedSlices)) or (isinstance(x, Composite) and x._counts_as_tensor)


def shape(x: Any) -> Any:
    """The shape as a tuple, with scalar tensors for dimensions that are known only when a function runs."""
    if isinstance(x, Tensor):
        static = tuple(x.shape)
        if None in static:
            sizes = tf.shape(x)
            return tuple([sizes[i] if d is None else d for i, d in enumerate(static)])
        return static
    if isinstance(x, SparseTensor):
        return tuple([x.dense_shape[i] if d is None else d for i, d in enumerate(x.shape)])
    return tuple(x.shape) if hasattr(x, "shape") else np.shape(x)


def common_dtype(*xs: Any) -> Any:
    """The name of the dtype that operands are promoted to. Tensors of one dtype keep it, 64 bits too."""
    strong = {standardize_dtype(x.dtype) for x in xs if hasattr(x, "dtype")}
    weak = [type(x) for x in xs if not hasattr(x, "dtype")]
    return _promoted(frozenset(strong), tuple(weak), config.floatx())


@functools.lru_cache(maxsize=4096)
def _promoted(strong: Any, weak: Any, floatx: Any) -> Any:
    found = result_type(*sorted(strong), *weak)
    if len(strong) == 1:
        (only,) = strong
        if only in ("float64", "complex128") and not any(kind is complex for kind in weak):
            return only
        if only in ("int64", "uint64") and all(kind in (int, bool) for kind in weak):
            return only
    return found


def operands(*xs: Any) -> Any:
    """Operands as tensors of one dtype."""
    first = xs[0]
    if all(isinstance(x, Tensor) and x.dtype is first.dtype for x in xs):
        return xs
    xs = tuple([x if isinstance(x, _PYTHON) else convert_to_tensor(x) for x in xs])
    name = common_dtype(*xs)
    return tuple([convert_to_tensor(x, name) for x in xs])


def float_operands(*xs: Any, wide: bool = False) -> Any:
    """Operands as tensors of one floating (or complex) dtype; `wide`: int64 becomes float64."""
    xs = operands(*xs)
    return tuple([as_float(x, wide) for x in xs]) if xs[0].dtype.kind in "iub" else xs


def as_float(x: Any, wide: bool = False) -> Any:
    """A tensor of a floating or complex dtype: integers and booleans become `floatx`; int64 float64 if `wide`."""
    x = convert_to_tensor(x)
    if x.dtype.kind not in "iub":
        return x
    return tf.cast(x, "float64" if wide and x.dtype is dtypes.int64 else config.floatx())


def widened(x: Any, narrow: Any = "float32") -> Any:
    """A float16 or bfloat16 tensor as float32, for functions that compute in that; and the way back."""
    if x.dtype.name in ("float16", "bfloat16"):
        back = x.dtype
        return tf.cast(x, narrow), lambda y: tf.cast(y, back)
    return x, lambda y: y


# Sums of narrow integers are computed in 32 bits.
WIDE = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}


class _Promotion(Policy):
    """The policy of `keras.ops.numpy`: `result_type` promotes, and integers become `floatx`."""

    small = index = dtypes.int32

    def arrays(self, *values: Any) -> Any:
        """The values as tensors."""
        return [convert_to_tensor(v) for v in values]

    def promoted(self, *values: Any) -> Any:
        """The values as tensors of one dtype."""
        return operands(*values) if len(values) > 1 else self.arrays(*values)

    def inexact(self, *values: Any) -> Any:
        """The values as tensors of one floating point or complex dtype."""
        return float_operands(*values) if len(values) > 1 else [as_float(values[0])]

    def exact(self, *values: Any) -> Any:
        """As `inexact`, int64 as float64."""
        return float_operands(*values, wide=True) if len(values) > 1 else [as_float(values[0], wide=True)]

    def quotients(self, *values: Any) -> Any:
        """As `inexact`."""
        return float_operands(*values)

    def summed(self, x: Any, dtype: Any = None) -> Any:
        """The operand of a sum: in the given dtype, or narrow integers in 32 bits."""
        x = convert_to_tensor(x)
        return cast_tensor(x, WIDE.get(x.dtype.name, x.dtype) if dtype is None else standardize_dtype(dtype))

    def accumulated(self, x: Any, dtype: Any = None) -> Any:
        """The operand unchanged, or in the given dtype; bools in 32 bits."""
        x = convert_to_tensor(x)
        if dtype is not None:
            return cast_tensor(x, standardize_dtype(dtype))
        return cast_tensor(x, "int32") if x.dtype.is_bool else x

    def precise(self, x: Any) -> Any:
        """Narrow floats in 32 bits."""
        return widened(x)


POLICY = _Promotion()
