"""Functions of TensorFlow 1 whose arguments, or whose meaning, differ from those of version 2."""

from __future__ import annotations

import functools
from typing import Any

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.control_flow.functions import alone
from gradtape.core import errors
from gradtape.core.array_values import SparseTensorValue
from gradtape.ragged import _construct as construct
from gradtape.toplevel.module import name_scope as _name_scope


def _axis(axis: Any, old: Any, name: str) -> Any:
    if axis is not None and old is not None:
        raise ValueError(f"Cannot specify both 'axis' and '{name}'.")
    return old if axis is None else axis


def _reduction(name: str) -> Any:
    actual = getattr(tf, name)

    @functools.wraps(actual)
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        axis = _axis(axis, reduction_indices, "reduction_indices")
        return actual(input_tensor, axis, bool(keep_dims if keepdims is None else keepdims), name)

    return reduce


reduce_all = _reduction("reduce_all")
reduce_any = _reduction("reduce_any")
reduce_logsumexp = _reduction("reduce_logsumexp")
reduce_max = _reduction("reduce_max")
reduce_mean = _reduction("reduce_mean")
reduce_min = _reduction("reduce_min")
reduce_prod = _reduction("reduce_prod")
reduce_sum = _reduction("reduce_sum")


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = tf.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input: Any = None,
) -> Any:
    """The number of elements that are not zero."""
    given = input if input_tensor is None else input_tensor
    axis = _axis(axis, reduction_indices, "reduction_indices")
    return tf.math.count_nonzero(given, axis, bool(keep_dims if keepdims is None else keepdims), dtype)


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = tf.int64
) -> Any:
    """The index of the largest element."""
    axis = _axis(axis, dimension, "dimension")
    return tf.argmax(input, 0 if axis is None else axis, output_type)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = tf.int64
) -> Any:
    """The index of the smallest element."""
    axis = _axis(axis, dimension, "dimension")
    return tf.argmin(input, 0 if axis is None else axis, output_type)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """A tensor with one more dimension."""
    return tf.expand_dims(input, _axis(axis, dim, "dim"))


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """A tensor without dimensions of size 1."""
    return tf.squeeze(input, _axis(axis, squeeze_dims, "squeeze_dims"))


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """A tensor with its dimensions in another order."""
    return tf.transpose(a, perm, conjugate)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
) -> Any:
    """The norm of vectors or matrices."""
    return tf.norm(tensor, ord, axis, bool(keep_dims if keepdims is None else keepdims))


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Zeros of the shape of a tensor."""
    return tf.zeros_like(tensor, dtype)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Ones of the shape of a tensor."""
    return tf.ones_like(tensor, dtype)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Elements of `x` where a condition holds, of `y` elsewhere; a condition that is a vector chooses whole rows.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)
    """
    if x is None or y is None:
        return tf.where(condition, x, y)
    # A number takes the dtype of the tensor beside it.
    dtype = next((v.dtype for v in (x, y) if tf.is_tensor(v) and not isinstance(v, tf.RaggedTensor)), None)
    x, y = [tf.convert_to_tensor(v, dtype) if isinstance(v, (bool, int, float, complex)) else v for v in (x, y)]
    condition, x, y = [construct.tensor(v) for v in (condition, x, y)]
    if any(isinstance(v, tf.RaggedTensor) for v in (condition, x, y)):
        return _ragged_where(condition, x, y)
    if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
        condition = tf.reshape(condition, [-1] + [1] * (x.shape.rank - 1))
    return tf.where(condition, x, y)


def _ragged_where(condition: Any, x: Any, y: Any) -> Any:
    """The same of ragged tensors: by elements if the condition is ragged, otherwise by rows, which need not be equally long."""
    if isinstance(condition, tf.RaggedTensor):
        return tf.where(condition, x, y)
    rows = tf.range(tf.shape(condition, tf.int64)[0])
    count = x.nrows() if isinstance(x, tf.RaggedTensor) else tf.shape(x, tf.int64)[0]
    return tf.gather(tf.concat([x, y], 0), tf.where(condition, rows, rows + tf.cast(count, tf.int64)))


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """Slices of a tensor by their indices."""
    return tf.gather(params, indices, axis=axis, batch_dims=batch_dims)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Any:
    """Slices of a tensor by their indices in several dimensions."""
    return tf.gather_nd(params, indices, batch_dims)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Slices by indices, in each element of a batch."""
    return tf.gather(params, construct.tensor(indices), batch_dims=-1)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Any:
    """The elements where a mask is true."""
    return tf.boolean_mask(tensor, mask, axis)


def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Any = None,
    fn2: Any = None,
) -> Any:
    """The result of one of two functions; outside of functions a list of one tensor becomes the tensor, unless `strict`."""
    for first, old, names in ((true_fn, fn1, ("true_fn", "fn1")), (false_fn, fn2, ("false_fn", "fn2"))):
        if first is not None and old is not None:
            raise TypeError(f"cond(): '{names[0]}' and '{names[1]}' may not be set simultaneously.")
    found = tf.cond(pred, fn1 if true_fn is None else true_fn, fn2 if false_fn is None else false_fn)
    return found if strict or not tf.executing_eagerly() else alone(found)


def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first function whose condition holds; with `strict`, a list of one tensor stays a list."""
    if not (strict and tf.executing_eagerly()):
        return tf.case(pred_fn_pairs, default, exclusive)
    pairs = pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    kept = [(condition, lambda fn=fn: [fn()]) for condition, fn in pairs]
    return tf.case(kept, None if default is None else lambda: [default()], exclusive)


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """A loop. One variable is returned by itself unless the structure is to be kept, or the body returns a list."""
    in_list = False

    def step(*values: Any) -> Any:
        nonlocal in_list
        result = body(*values)
        in_list = isinstance(result, (list, tuple))
        return result

    is_eager = tf.executing_eagerly()
    found = tf.while_loop(
        cond, step if is_eager else body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory,
        maximum_iterations,
    )  # fmt: skip
    return found if return_same_structure or (is_eager and in_list) else alone(found)


class name_scope:  # noqa: N801
    """A scope of names: `name`, or `default_name` if there is none."""

    def __init__(
        self, name: str | None, default_name: str | None = None, values: Any = None, skip_on_eager: bool = True
    ) -> None:
        self._name = default_name if name is None else name
        if self._name is None and values is not None:
            raise ValueError("At least one of name and default_name is required.")
        self._scope = _name_scope(self._name or "")

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    def __enter__(self) -> str:
        return self._scope.__enter__()

    def __exit__(self, *problem: Any) -> None:
        self._scope.__exit__(*problem)


def _check(name: str, operands: int = 2) -> Any:
    """A check of version 1: data, a summary and the message in another order."""
    actual = getattr(tf.debugging, name)

    if operands == 2:

        def check(
            x: Any,
            y: Any,
            data: Any = None,
            summarize: Any = None,
            message: str | None = None,
            name: str | None = None,
            **options: Any,
        ) -> Any:
            return actual(x, y, message=message, summarize=summarize, name=name, **options)

    else:

        def check(  # type: ignore[misc]
            x: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
        ) -> Any:
            return actual(x, message=message, summarize=summarize, name=name)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = actual.__doc__
    return check


assert_equal = _check("assert_equal")
assert_none_equal = _check("assert_none_equal")
assert_less = _check("assert_less")
assert_less_equal = _check("assert_less_equal")
assert_greater = _check("assert_greater")
assert_greater_equal = _check("assert_greater_equal")
assert_positive = _check("assert_positive", 1)
assert_negative = _check("assert_negative", 1)
assert_non_negative = _check("assert_non_negative", 1)
assert_non_positive = _check("assert_non_positive", 1)


def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None, summarize: Any = None, message: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A check that two tensors are nearly equal."""
    return tf.debugging.assert_near(x, y, rtol, atol, message, summarize, name)


def assert_rank(
    x: Any, rank: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
) -> Any:
    """A check of the number of dimensions."""
    return tf.debugging.assert_rank(x, rank, message, name)


def assert_rank_at_least(
    x: Any, rank: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
) -> Any:
    """A check of the least number of dimensions."""
    return tf.debugging.assert_rank_at_least(x, rank, message, name)


def assert_rank_in(
    x: Any, ranks: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
) -> Any:
    """Check that the rank is one of several."""
    return tf.debugging.assert_rank_in(x, ranks, message, name)


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """A check that a tensor holds integers."""
    return tf.debugging.assert_integer(x, message, name)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """A check that a tensor has no dimensions."""
    return tf.debugging.assert_scalar(tensor, message, name)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Any:
    """A check of the dtype."""
    return tf.debugging.assert_type(tensor, tf_type, message, name)


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None
) -> Any:
    """Samples of categories."""
    return tf.random.categorical(logits, num_samples, output_dtype or tf.int64, seed)


def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:  # noqa: N803
    """A Python function of NumPy arrays as an op."""
    return tf.numpy_function(func, inp, Tout)


def set_random_seed(seed: Any) -> None:
    """The seed of random numbers."""
    tf.random.set_seed(seed)


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None, dtype_hint: Any = None
) -> Any:
    """A tensor of a value; `preferred_dtype` is version 1's name of `dtype_hint`."""
    return tf.convert_to_tensor(value, dtype, dtype_hint if preferred_dtype is None else preferred_dtype)


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A sparse tensor as it is, anything else as a tensor."""
    if isinstance(value, SparseTensorValue):
        return tf.SparseTensor.from_value(value)
    return value if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor(value, dtype)


def sparse_to_dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0, validate_indices: bool = True,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A dense tensor of values at some indices."""
    indices = tf.cast(tf.convert_to_tensor(sparse_indices), tf.int64)
    if indices.shape.rank == 0:
        indices = tf.reshape(indices, [1, 1])
    elif indices.shape.rank == 1:
        indices = tf.expand_dims(indices, 1)
    values, default = tf.convert_to_tensor(sparse_values), tf.convert_to_tensor(default_value)
    count = indices.shape[0]
    if not any(values.shape.is_compatible_with(shape) for shape in ([], [count])):
        raise errors.build(
            errors.ShapeError,
            f"sparse_to_dense: sparse_values has incorrect shape {_listed(values)}, should be [] or [{count}].",
            "give one value, or one for each index.",
        )
    if not default.shape.is_compatible_with([]):
        raise errors.build(
            errors.ShapeError,
            f"sparse_to_dense: default_value should be a scalar, got shape {_listed(default)}.",
            "give one value.",
        )
    values = tf.broadcast_to(values, tf.shape(indices)[:1])
    sparse = tf.SparseTensor(indices, values, tf.cast(output_shape, tf.int64))
    return tf.sparse.to_dense(sparse, tf.cast(default, values.dtype), validate_indices)


def _listed(x: Any) -> str:
    return "[" + ",".join(map(str, x.shape)) + "]"


def to_float(x: Any, name: str = "ToFloat") -> Any:
    """A tensor as float32."""
    return tf.cast(x, tf.float32)


def to_double(x: Any, name: str = "ToDouble") -> Any:
    """A tensor as float64."""
    return tf.cast(x, tf.float64)


def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """A tensor as int32."""
    return tf.cast(x, tf.int32)


def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """A tensor as int64."""
    return tf.cast(x, tf.int64)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """A tensor as bfloat16."""
    return tf.cast(x, tf.bfloat16)


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """The quotient with Python 2's rules: integers are rounded down."""
    x = construct.tensor(x)
    return tf.math.floordiv(x, y) if x.dtype.is_integer else tf.divide(x, y)


def self_adjoint_eig(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues and eigenvectors of self-adjoint matrices."""
    return tf.linalg.eigh(tensor)


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """Parts of strings."""
    return tf.strings.substr(input, pos, len, unit)


def xla_dynamic_slice(x: Any, start_indices: Any, size_indices: Any) -> Any:
    """A part of a tensor, which begins at a computed place inside it."""
    x = tf.convert_to_tensor(x)
    sizes = tf.cast(size_indices, tf.int32)
    start = tf.clip_by_value(tf.cast(start_indices, tf.int32), 0, tf.shape(x) - sizes)
    return tf.slice(x, start, sizes)


def _blocks(block_size: Any, block_shape: Any) -> Any:
    return [block_size, block_size] if block_shape is None else block_shape


def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None
) -> Any:
    """Blocks of space as entries of the batch."""
    return tf.space_to_batch(input, _blocks(block_size, block_shape), paddings)


def batch_to_space(
    input: Any, crops: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None
) -> Any:
    """Entries of the batch as blocks of space."""
    return tf.batch_to_space(input, _blocks(block_size, block_shape), crops)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False) -> Any:
    """A tensor of a value, perhaps repeated to fill a shape."""
    if verify_shape and shape is not None and tf.convert_to_tensor(value).shape != tf.TensorShape(shape):
        own = tf.convert_to_tensor(value).shape
        raise TypeError(
            f"Expected Tensor's shape: {tf.TensorShape(shape)}, got {own}.\n"
            "  fix: leave out verify_shape, and the value is repeated."
        )
    if shape is not None and _graphs.current_graph() is not None:
        value = _filled_up(tf.convert_to_tensor(value, dtype), tf.TensorShape(shape).num_elements())
    return tf.constant(value, dtype, shape, name)


def _filled_up(value: Any, count: Any) -> Any:
    """The elements as a vector, of which the last one is repeated up to a number, as in graphs of version 1."""
    given = value.shape.num_elements()
    if None in (given, count) or given in (0, 1, count):
        return value
    if given > count:
        raise ValueError(
            errors.compose(
                f"constant: Too many elements provided. Takes at most {count}, but received {given}.",
                "give a larger shape.",
            )
        )
    flat = tf.reshape(value, [-1])
    return tf.concat([flat, tf.repeat(flat[-1:], count - given)], 0)
