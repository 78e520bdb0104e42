"""Functions of tensors that have no public name: sparse and ragged ones, control flow, XLA's functions."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import gradtape as tf
from gradtape.core import errors
from gradtape.core.array_values import RaggedTensorValue

ENABLE_CONTROL_FLOW_V2 = True


def EnableControlFlowV2(graph: Any) -> bool:  # noqa: N802
    """True: there is no other control flow."""
    return True


def GraphOrParentsInXlaContext(graph: Any) -> bool:  # noqa: N802
    """False: XLA is not used."""
    return False


def IsInXLAContext(op: Any) -> bool:  # noqa: N802
    """False: XLA is not used."""
    return False


def get_positive_axis(axis: int, ndims: Any, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """An axis counted from the front."""
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
    return int(axis % ndims)


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """A tensor through which no gradient may flow: LookupError if one is asked for."""

    @tf.custom_gradient
    def guarded(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return tf.identity(x), gradient

    return guarded(tf.convert_to_tensor(input))


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = tf.int32) -> Any:
    """The shape as a tensor."""
    return tf.shape(input, out_type)


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = tf.int32) -> Any:
    """The number of elements as a tensor."""
    return tf.size(input, out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Any:
    """The number of dimensions as a tensor."""
    return tf.rank(input)


def tensor_scatter_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """A tensor with other elements at some indices."""
    return tf.tensor_scatter_nd_update(tensor, indices, updates)


tensor_scatter_update_by_name = tensor_scatter_update


def mod(x: Any, y: Any, name: str | None = None) -> Any:
    """The remainder, with the sign of the divisor."""
    return tf.math.floormod(x, y)


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> Any:
    """Labels and predictions of the same rank, where one has a dimension of size 1 too many."""
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    difference = (predictions.shape.rank or 0) - (labels.shape.rank or 0)
    if difference == expected_rank_diff + 1 and predictions.shape[-1] in (1, None):
        predictions = tf.squeeze(predictions, [-1])
    elif difference == expected_rank_diff - 1 and labels.shape[-1] in (1, None):
        labels = tf.squeeze(labels, [-1])
    return labels, predictions


def case_helper(
    cond_fn: Callable[..., Any], pred_fn_pairs: Any, default: Any, exclusive: bool, name: Any, allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:  # fmt: skip
    """The first function whose condition holds, by a function that chooses between two."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if not pairs and default is None:
        raise ValueError("pred_fn_pairs must be a non-empty list when there is no default.")
    if default is None:
        *pairs, (_, default) = pairs
    chosen = default
    for pred, function in reversed(pairs):
        chosen = _either(cond_fn, pred, function, chosen, cond_kwargs)
    return chosen()


def _either(cond_fn: Callable[..., Any], pred: Any, function: Any, other: Any, kwargs: Any) -> Callable[[], Any]:
    return lambda: cond_fn(pred, true_fn=function, false_fn=other, **kwargs)


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """A tensor that is available after some operations."""
    listed = list(dependencies) if isinstance(dependencies, (list, tuple)) else [dependencies]
    with tf.control_dependencies(listed):
        return tf.identity(output_tensor)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: str | None = None,
    return_same_structure: bool = True,
    back_prop: bool = True,
) -> Any:
    """`tf.while_loop`, which can return a single variable alone."""
    found = tf.while_loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, maximum_iterations=maximum_iterations
    )
    return found if return_same_structure or len(found) > 1 else found[0]


def gen_new_seed(seed: Any, salt: Any) -> int | None:
    """A seed made of another one and a text."""
    if seed is None:
        return None
    return int(hashlib.md5((str(seed) + salt).encode("utf-8"), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF


def pfor(
    loop_fn: Callable[[Any], Any], iters: Any, fallback_to_while_loop: bool = True, parallel_iterations: Any = None
) -> Any:
    """The stacked results of a function for 0, 1, … below a number."""
    return tf.vectorized_map(loop_fn, tf.range(iters))


def jacobian_of(output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: Any = None) -> Any:
    """The Jacobian inside a function."""
    flat = tf.reshape(output, [-1])
    rows = [tf.gradients(flat[i], inputs)[0] for i in range(flat.shape[0])]
    return tf.reshape(tf.stack(rows), tf.concat([tf.shape(output), tf.shape(inputs)], 0))


def batch_jacobian_of(output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: Any = None) -> Any:
    """The Jacobian of each row inside a function."""
    flat = tf.reshape(output, [output.shape[0], -1])
    rows = [tf.gradients(flat[:, i], inp)[0] for i in range(flat.shape[1])]
    stacked = tf.stack(rows, 1)
    return tf.reshape(stacked, tf.concat([tf.shape(output), tf.shape(inp)[1:]], 0))


def parameterized_truncated_normal(
    shape: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0, maxvals: Any = 2.0, dtype: Any = tf.float32,
    seed: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Normal numbers, each between its own bounds."""
    fixed = tf.random.uniform([2], maxval=2**31 - 1, dtype=tf.int32, seed=seed)
    means, stddevs = tf.cast(means, dtype), tf.cast(stddevs, dtype)
    minvals, maxvals = tf.cast(minvals, dtype), tf.cast(maxvals, dtype)
    return tf.random.stateless_parameterized_truncated_normal(shape, fixed, means, stddevs, minvals, maxvals)


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """A check that weights can be spread over values."""
    weights, values = tf.convert_to_tensor(weights), tf.convert_to_tensor(values)
    if weights.shape.rank in (0, None) or values.shape.rank is None:
        return tf.no_op()
    fits = weights.shape.rank == values.shape.rank and all(
        m in (1, None) or n is None or m == n
        for m, n in zip(weights.shape.as_list(), values.shape.as_list(), strict=True)
    )
    if not fits:
        raise errors.build(
            ValueError,
            f"weights can not be broadcast to values. weights.shape={weights.shape}, values.shape={values.shape}.",
            "weights need the rank of the values, with sizes of 1 where they are the same.",
        )
    return tf.no_op()


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Weights, spread over values."""
    assert_broadcastable(weights, values)
    values = tf.convert_to_tensor(values)
    return tf.broadcast_to(tf.convert_to_tensor(weights, values.dtype), tf.shape(values))


class Convolution:
    """A convolution whose shapes are known before it is called."""

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: str,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:
        self._options = {
            "strides": strides, "padding": padding, "data_format": data_format, "dilations": dilation_rate,
        }  # fmt: skip

    def __call__(self, inp: Any, filter: Any) -> Any:
        return tf.nn.convolution(inp, filter, **self._options)


class _Parts(NamedTuple):
    """The indices and values of a sparse tensor."""

    output_indices: Any
    output_values: Any


def sparse_reorder(input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None) -> _Parts:
    """The parts of a sparse tensor in the order of its rows."""
    ordered = tf.sparse.reorder(tf.SparseTensor(input_indices, input_values, input_shape))
    return _Parts(ordered.indices, ordered.values)


def sparse_tensor_dense_mat_mul(
    a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The product of a sparse matrix, by its parts, and a dense one."""
    return tf.sparse.sparse_dense_matmul(tf.SparseTensor(a_indices, a_values, a_shape), b, adjoint_a, adjoint_b)


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        if not isinstance(value, tf.SparseTensor):
            value = tf.sparse.from_dense(value)
        self._sparse = value

    shape = property(lambda self: self._sparse.shape, doc="The shape.")
    dtype = property(lambda self: self._sparse.dtype, doc="The type of the elements.")

    def to_sparse_tensor(self) -> Any:
        """The same as a sparse tensor."""
        return self._sparse

    def to_dense(self) -> Any:
        """The same as a dense tensor."""
        return tf.sparse.to_dense(self._sparse)


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The product of two matrices, either of which may be sparse; the product of two sparse matrices is sparse."""
    sparse_a, sparse_b = isinstance(a, CSRSparseMatrix), isinstance(b, CSRSparseMatrix)
    if sparse_a and not sparse_b and len(a.shape) == 2 and not transpose_b:
        left = tf.sparse.transpose(a._sparse) if transpose_a else a._sparse
        return tf.sparse.sparse_dense_matmul(left, b, adjoint_a, adjoint_b)
    left = a.to_dense() if sparse_a else tf.convert_to_tensor(a)
    right = b.to_dense() if sparse_b else tf.convert_to_tensor(b)
    found = tf.matmul(left, right, transpose_a, transpose_b, adjoint_a, adjoint_b)
    return CSRSparseMatrix(found) if sparse_a and sparse_b else found


def is_ragged(value: Any) -> bool:
    """True for a ragged tensor, and for the arrays of one."""
    return isinstance(value, (tf.RaggedTensor, RaggedTensorValue))


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor as it is, its arrays as a ragged tensor, anything else as a tensor."""
    if not is_ragged(value):
        return tf.convert_to_tensor(value, dtype, preferred_dtype)
    if isinstance(value, RaggedTensorValue):
        flat = tf.convert_to_tensor(value.flat_values, dtype, preferred_dtype)
        return tf.RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
    if dtype is not None and tf.as_dtype(dtype) != value.dtype:
        wanted, own = tf.as_dtype(dtype).name, tf.as_dtype(value.dtype).name
        raise ValueError(
            errors.compose(
                f"Tensor conversion requested dtype {wanted} for RaggedTensor with dtype {own}: {value!r}.",
                "use tf.cast(x, dtype).",
            )
        )
    return value


def assert_splits_match(nested_splits_lists: Any) -> list[Any]:
    """Checks that ragged tensors have the same rows."""
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        raise ValueError("Inputs must have identical ragged splits.")
    message = "Inputs must have identical ragged splits"
    check: Any = tf.debugging.assert_equal
    return [check(a, b, message=message) for splits in others for a, b in zip(first, splits, strict=True)]


def dynamic_update_slice(x: Any, update: Any, start: Any) -> Any:
    """A tensor with another one in the place that begins at computed indices."""
    x, update = tf.convert_to_tensor(x), tf.convert_to_tensor(update)
    start = tf.clip_by_value(tf.cast(start, tf.int32), 0, tf.shape(x) - tf.shape(update))
    grids = tf.meshgrid(*[tf.range(n) for n in update.shape.as_list()], indexing="ij")
    indices = tf.stack([g + start[i] for i, g in enumerate(grids)], -1)
    return tf.tensor_scatter_nd_update(x, indices, update)


def replica_id() -> Any:
    """The number of the replica: there is one."""
    return tf.constant(0)


def variadic_reduce(
    operands: Sequence[Any], init_values: Sequence[Any], axis: Any, reducer: Callable[..., Any], name: str | None = None
) -> list[Any]:
    """Several tensors reduced together along an axis by a function of two rows of numbers."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    operands = [tf.convert_to_tensor(x) for x in operands]
    rank = operands[0].shape.rank
    axes = [a % rank for a in axes]
    order = [*axes, *[i for i in range(rank) if i not in axes]]
    flat = []
    for x in operands:
        moved = tf.transpose(x, order)
        flat.append(tf.reshape(moved, tf.concat([[-1], tf.shape(moved)[len(axes) :]], 0)))
    shape = tf.shape(flat[0])[1:]
    start = [tf.broadcast_to(tf.cast(v, x.dtype), shape) for v, x in zip(init_values, flat, strict=True)]
    return list(tf.foldl(lambda held, row: tuple(reducer(tuple(held), tuple(row))), tuple(flat), tuple(start)))


def compile_computation(computation: Callable[..., Any], inputs: Any = None) -> Any:
    """The results of a compiled function; a single tensor is in a tuple."""
    found = tf.function(computation, autograph=False)(*(inputs or ()))
    return (found,) if tf.is_tensor(found) else found


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A block whose ops XLA may compile: as any other."""
    yield
