"""`tf.nn`: softmax, losses on logits, and small parts of layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import axes as normalized_axes
from gradtape.api.arguments import tensor
from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors, hints, provenance
from gradtape.core.shape import broadcast, normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.math._clipping import clip_by_norm
from gradtape.ops import cross_entropy
from gradtape.ops.activation import Softplus
from gradtape.ops.arithmetic import Square, SquaredDifference
from gradtape.ops.cast import Cast
from gradtape.ops.exponential import Rsqrt
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.joining import Concat
from gradtape.ops.movement import BroadcastTo, Reshape, Transpose
from gradtape.ops.reduction import ReduceMean, ReduceSum
from gradtape.ops.softmax import LogSoftmax, Softmax


@family(
    "Probabilities, in the shape of the logits.", logits="floating numbers.", axis="an int; the last axis by default."
)
def _along_axis(who: str, op: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
        x = tensor(logits)
        return op(x, axis=normalize_axis(-1 if axis is None else axis, x.ndim, who))

    return function


softmax = _along_axis(
    "softmax",
    "exp(logits) over its sum along an axis.",
    "tf.nn.softmax([0.0, 0.0]).numpy() -> array([0.5, 0.5], dtype=float32)",
    Softmax,
)
log_softmax = _along_axis(
    "log_softmax",
    "The logarithm of softmax along an axis, without its overflow.",
    "tf.nn.log_softmax([0.0, 0.0]).numpy() -> array([-0.6931472, -0.6931472], dtype=float32)",
    LogSoftmax,
    returns="Logarithms of probabilities, in the shape of the logits.",
)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: Any = -1, name: str | None = None) -> Tensor:
    """-sum(labels * log_softmax(logits)) along an axis.

    The derivative is exact for any labels, also where they do not sum to 1.

    Args:
      labels: a probability for each class, converted to the dtype of the logits.
      logits: floating numbers; their shape and that of the labels broadcast.
      axis: the axis of the classes.

    Returns:
      A loss for each example: the shape of the logits without the axis.

    >>> tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    logits = tensor(logits)
    labels = _like(labels, logits)
    if labels.dtype is not logits.dtype and logits.dtype.is_floating:
        labels = Cast(labels, dtype=logits.dtype)
    if dims(labels) != dims(logits):
        common = broadcast(dims(labels), dims(logits))
        if dims(labels) == dims(logits)[:-1]:
            hints.say(
                provenance.user_place(2),
                f"softmax_cross_entropy_with_logits: labels of shape {labels.shape} are broadcast to {logits.shape}, as if they were "
                "probabilities.",
                "class numbers need tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits), or tf.one_hot(labels, classes).",
            )
        if common is not None:
            labels, logits = BroadcastTo(labels, shape=common), BroadcastTo(logits, shape=common)
    rank = logits.ndim
    if rank:
        axis = normalize_axis(axis, rank, "softmax_cross_entropy_with_logits")
        if axis != rank - 1 and labels.ndim == rank:
            perm = (*[i for i in range(rank) if i != axis], axis)
            labels, logits = Transpose(labels, perm=perm), Transpose(logits, perm=perm)
    return cross_entropy.SoftmaxCrossEntropy(labels, logits)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log_softmax(logits) of the class that each label names.

    Args:
      labels: class numbers, in the shape of the logits without the last axis. A number out of range is an error.
      logits: floating numbers; the last axis holds the classes.

    Returns:
      A loss for each label.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    return cross_entropy.SparseSoftmaxCrossEntropy(tensor(labels), tensor(logits))[0]


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), elementwise, without overflow.

    Args:
      labels: probabilities.
      logits: floating numbers, of the same shape and dtype.

    Returns:
      A loss for each element.

    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = _alike("sigmoid_cross_entropy_with_logits", labels, logits)
    return cross_entropy.SigmoidCrossEntropy(labels, logits)


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """The cross-entropy of sigmoid(logits), with a weight for the positive class.

    Args:
      labels: probabilities.
      logits: floating numbers, of the same shape and dtype.
      pos_weight: more than 1 to miss fewer positives, less than 1 to raise fewer false alarms.

    Returns:
      A loss for each element.

    >>> tf.nn.weighted_cross_entropy_with_logits(labels=[1.0], logits=[0.0], pos_weight=2.0).numpy()
    array([1.3862944], dtype=float32)
    """
    labels, logits = _alike("weighted_cross_entropy_with_logits", labels, logits)
    weight = 1.0 + (convert.like(pos_weight, logits.dtype) - 1.0) * labels
    result: Tensor = (1.0 - labels) * logits + weight * Softplus(-logits)
    return result


def _alike(who: str, labels: Any, logits: Any) -> tuple[Any, Any]:
    """Labels and logits as tensors of one shape; the labels take the dtype of the logits if they are no tensor."""
    logits = tensor(logits)
    labels = _like(labels, logits)
    if dims(labels) != dims(logits):
        raise errors.build(
            errors.ShapeError,
            f"{who}: `logits` and `labels` must have the same shape, received {list(dims(logits))} and "
            f"{list(dims(labels))}.",
            "reshape one of them, or use tf.broadcast_to.",
        )
    return labels, logits


def _like(value: Any, other: Tensor) -> Any:
    """A tensor or the value of a variable as it is; anything else in the dtype of another tensor."""
    return value._read() if isinstance(value, Variable) else convert.like(value, other.dtype)


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of the squares of all elements.

    Args:
      t: floating numbers.

    Returns:
      A scalar.

    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)
    """
    t = tensor(t)
    return 0.5 * ReduceSum(Square(t), axis=normalized_axes(None, t.ndim, "l2_loss"))


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """A bias for each channel, added to a tensor.

    Args:
      value: a tensor of rank 2 or more.
      bias: a vector, as long as the axis of the channels.
      data_format: `"N...C"` (the default): channels last; `"NC..."`: channels second. `"NHWC"`, `"NCHW"` and the like too.

    Returns:
      A tensor like the value.

    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    first = data_format is not None and data_format.startswith("NC")
    if data_format is not None and not first and not (data_format.startswith("N") and data_format.endswith("C")):
        raise ValueError(
            errors.compose(
                f"bias_add: `data_format` is {data_format!r}, and must be of the form `N...C` or `NC...`.",
                "use 'N...C' for channels last, 'NC...' for channels second.",
            )
        )
    value = tensor(value)
    bias = _like(bias, value)
    channels = dims(value)[1 if first else -1] if value.ndim > 1 else None
    if channels is None or dims(bias) != (channels,):
        raise errors.build(
            errors.ShapeError,
            f"bias_add: the number of channels differs: value has shape {list(dims(value))}, bias has shape {list(dims(bias))}.",
            "value needs rank 2 or more, bias one element per channel.",
        )
    if first and value.ndim > 2:
        bias = Reshape(bias, shape=(channels,) + (1,) * (value.ndim - 2))
    result: Tensor = value + bias
    return result


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    """Rows of a table of embeddings.

    The gradient is `tf.IndexedSlices`: only the rows that were used.

    Args:
      params: the table `[n, ...]`, a variable or tensor; or a list of tables, which are one behind the other.
      ids: integers of any shape.
      max_norm: scale down each embedding whose Euclidean norm is larger.

    Returns:
      The embeddings, of shape `ids.shape + params.shape[1:]`.

    >>> tf.nn.embedding_lookup(tf.Variable([[1.0, 2.0], [3.0, 4.0]]), [1, 1, 0]).numpy()
    array([[3., 4.],
           [3., 4.],
           [1., 2.]], dtype=float32)
    """
    if params is None:
        raise ValueError(errors.compose("embedding_lookup: params must be specified.", "give a variable or tensor."))
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError(errors.compose("embedding_lookup: params should not be empty.", "give a variable or tensor."))
    if isinstance(params, (list, tuple)):
        tables = [tensor(p) for p in params]
        if not all(table.ndim for table in tables):
            raise errors.build(
                errors.ShapeError,
                f"embedding_lookup: params must be a table of shape [rows, ...], got {errors.brief(params)}.",
                "tf.nn.embedding_lookup(table, ids): the table comes first, then the ids.",
            )
        params = Concat(*tables, axis=0) if len(tables) > 1 else tables[0]
    params, ids = tensor(params), tensor(ids)
    rows = Gather(params, ids, axis=0)
    if max_norm is None:
        return rows
    result: Tensor = clip_by_norm(rows, max_norm, axes=list(range(ids.ndim, rows.ndim)))
    return result


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance over axes. float16 and bfloat16 are computed in float32.

    Args:
      x: numbers; integers have 32 or 64 bits and a sign, since the squares of others would wrap.
      axes: a list of ints.
      shift: ignored.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      The pair (mean, variance).

    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))
    """
    x = tensor(x)
    over = normalized_axes(axes, x.ndim, "moments")
    if x.dtype.is_integer and x.dtype not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            errors.DTypeError,
            f"moments: x must be floating point, complex, int32 or int64, got {x.dtype.name}: its squares would wrap.",
            "tf.nn.moments(tf.cast(x, tf.float32), axes).",
        )
    half = x.dtype.is_floating and x.dtype.size < 4
    wide = Cast(x, dtype=dtypes.float32) if half else x
    mean = ReduceMean(wide, axis=over, keepdims=True)
    variance = ReduceMean(SquaredDifference(wide, mean), axis=over, keepdims=True)
    results = [mean, variance]
    if not keepdims:
        shape = tuple([n for i, n in enumerate(dims(x)) if i not in over])
        results = [Reshape(y, shape=shape) for y in results]
    first, second = (Cast(y, dtype=x.dtype) if half else y for y in results)
    return first, second


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, elementwise with broadcasting.

    Args:
      x: floating numbers.
      mean: what to subtract.
      variance: what to divide by the root of.
      offset: what to add, or None.
      scale: what to multiply by, or None.
      variance_epsilon: a small number, against division by zero.

    Returns:
      A tensor like x.

    >>> tf.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, offset=None, scale=None, variance_epsilon=0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x = tensor(x)
    mean, variance = (convert.like(v, x.dtype) for v in (mean, variance))
    # The moments and parameters may have more digits than x, as those of layers of mixed precision have.
    factor = Rsqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -mean * factor if offset is None else offset - mean * factor
    result: Tensor = x * _in_dtype(factor, x) + _in_dtype(shift, x)
    return result


def _in_dtype(value: Any, x: Tensor) -> Any:
    return value if value.dtype is x.dtype else Cast(value, dtype=x.dtype)
