"""The output specs of a function for inputs with known shapes and dtypes only."""

from __future__ import annotations

from typing import Any

from keras.src import tree
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import StatelessScope
from keras.src.backend.common.symbolic_scope import SymbolicScope

import gradtape as tf
from gradtape.core import convert, errors
from gradtape.core.shape import Spec
from gradtape.keras_backend.convert import is_tensor
from gradtape.keras_backend.variable import standing_in
from gradtape.tracing.trace import Trace

# Sizes that stand for an unknown dimension: what differs between the two runs depends on it. Both are primes, so that
# no product of dimensions is taken for one.
_SIZES = (83, 89)
_NEEDS_VALUES = (NotImplementedError, errors.OperatorNotAllowedInGraphError, errors.UnimplementedError, AttributeError)


def compute_output_spec(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """The outputs of a function as KerasTensors, found by tracing it: nothing is computed."""
    given = (args, kwargs)
    is_partial = any(isinstance(x, KerasTensor) and None in x.shape for x in tree.flatten(given))
    with StatelessScope(), SymbolicScope():
        try:
            first = _specs(fn, given, _SIZES[0])
        except errors.ShapeError as problem:
            if not is_partial:
                raise
            # Only certain batches fit, for instance if a layer reshapes to fixed sizes: the size is then left open.
            return tree.map_structure(_symbolic, _open_specs(fn, given, problem))
        if not is_partial:
            return tree.map_structure(_symbolic, first)
        second = iter(tree.flatten(_specs(fn, given, _SIZES[1])))
        merged = [_merge(a, next(second)) for a in tree.flatten(first)]
        return tree.pack_sequence_as(first, merged)


# A function of tf raises Keras's error for a symbolic tensor.
convert.CONVERTERS.append((KerasTensor, lambda x, dtype: x.__tf_tensor__(dtype)))


class _Found:
    """The shape and dtype of one output."""

    def __init__(self, tensor: Any) -> None:
        self.shape, self.dtype = tuple(tensor.shape), standardize_dtype(tensor.dtype)
        self.form: dict[str, Any] = {}
        if isinstance(tensor, tf.SparseTensor):
            self.form = {"sparse": True}
        elif isinstance(tensor, tf.RaggedTensor):
            self.form = {
                "ragged": True,
                "ragged_rank": tensor.ragged_rank,
                "row_splits_dtype": tensor.row_splits.dtype.name,
            }


def _specs(fn: Any, given: Any, size: Any) -> Any:
    """The specs of the results of one run. Updates of variables are discarded with the surrounding scope."""
    try:
        with StatelessScope():
            return _traced(fn, given, size)
    except _NEEDS_VALUES as problem:
        # The user's code looks at values, with NumPy or in an `if`: it is given zeros.
        try:
            with StatelessScope():
                return _computed(fn, given, size)
        except Exception as again:
            raise again from problem


def _open_specs(fn: Any, given: Any, problem: errors.ShapeError) -> Any:
    """One run in which unknown dimensions have no size. If it fails too, its message hides the size of the first run."""
    try:
        with StatelessScope():
            return _traced(fn, given, None)
    except errors.ShapeError as again:
        raise again from None
    except Exception:
        raise problem from None


def _traced(fn: Any, given: Any, size: Any) -> Any:
    with Trace("compute_output_spec") as trace, standing_in(trace):

        def parameter(x: Any) -> Any:
            if not isinstance(x, KerasTensor):
                return x
            if x.sparse or x.ragged:
                return _composite(trace, x, size)
            return trace.parameter(Spec(_dims(x, size), tf.as_dtype(x.dtype)))

        args, kwargs = tree.map_structure(parameter, given)
        return tree.map_structure(lambda x: _Found(x) if is_tensor(x) else x, fn(*args, **kwargs))


def _composite(trace: Any, x: Any, size: Any) -> Any:
    """A sparse or ragged tensor of parameters."""
    dims, dtype = _dims(x, size), tf.as_dtype(x.dtype)
    if x.sparse:
        parts = Spec((size, len(dims)), tf.int64), Spec((size,), dtype)
        indices, values = [trace.parameter(p) for p in parts]
        return tf.SparseTensor(indices, values, tf.constant(dims, tf.int64))
    value = trace.parameter(Spec((size, *dims[1 + (x.ragged_rank or 1) :]), dtype))
    rows = [dims[0], *[size] * ((x.ragged_rank or 1) - 1)]
    for count in reversed(rows):
        splits = trace.parameter(Spec((count + 1,), tf.as_dtype(x.row_splits_dtype or "int64")))
        value = tf.RaggedTensor.from_row_splits(value, splits, validate=False)
    return value


def _computed(fn: Any, given: Any, size: Any) -> Any:
    args, kwargs = tree.map_structure(lambda x: _zeros(x, size) if isinstance(x, KerasTensor) else x, given)
    return tree.map_structure(lambda x: _Found(x) if is_tensor(x) else x, fn(*args, **kwargs))


def _zeros(x: Any, size: Any) -> Any:
    if x.ragged:
        dims = [8 if d is None else d for d in x.shape]
        return tf.RaggedTensor.from_tensor(tf.zeros(dims, x.dtype), ragged_rank=x.ragged_rank or 1)
    zeros = tf.zeros(_dims(x, size), x.dtype)
    return tf.sparse.from_dense(zeros) if x.sparse else zeros


def _dims(x: Any, size: Any) -> Any:
    return tuple([size if d is None else d for d in x.shape])


def _symbolic(x: Any) -> Any:
    return KerasTensor(x.shape, x.dtype, **x.form) if isinstance(x, _Found) else x


def _merge(a: Any, b: Any) -> Any:
    if not isinstance(a, _Found):
        return a
    return KerasTensor([m if m == n else None for m, n in zip(a.shape, b.shape, strict=True)], a.dtype, **a.form)
