"""`tf.nn`: connectionist temporal classification, the loss and its decoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, device, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.sparse_tensor import SparseTensor, dense_dims
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.nn import _ctc_decoders as ctc_decoders
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.comparison import NotEqual
from gradtape.ops.ctc import CtcAlphas
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.joining import Concat, Stack
from gradtape.ops.logsumexp import ReduceLogSumExp
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceMax, ReduceSum
from gradtape.ops.selection import Maximum, Where
from gradtape.ops.slicing import StridedSlice
from gradtape.ops.softmax import LogSoftmax


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Tensor:
    """-log of the probability that the frames spell the labels: the loss of unaligned sequences.

    A path names a class for each frame; repeated classes are merged, then blanks are taken out. The probability of a
    sequence of labels is that of all paths that spell it. A sequence that no path can spell has an infinite loss and a
    gradient of zero.

    Args:
      labels: class numbers, `[batch, max_label_length]`, or a `tf.SparseTensor` of them.
      logits: `[frames, batch, classes]`.
      label_length: how many labels each sequence has, `[batch]`; not used for a SparseTensor.
      logit_length: how many frames each sequence has, `[batch]`.
      logits_time_major: if false, logits are `[batch, frames, classes]`.
      unique: ignored: the gradient of repeated labels is quick without it.
      blank_index: the class that means nothing; 0 by default, and to be given for a SparseTensor. Negative numbers
        count from the end.

    Returns:
      A loss for each sequence.

    >>> tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 2]), label_length=[1], logit_length=[2]).numpy().round(4)
    array([0.2877], dtype=float32)
    """
    logits = tensor(logits)
    if logits.ndim != 3:
        raise errors.build(
            errors.ShapeError,
            f"ctc_loss: logits must have rank 3, got {spec_of(logits)}.",
            "give logits of rank 3, [frames, batch, classes].",
        )
    if not logits_time_major:
        logits = Transpose(logits, perm=(1, 0, 2))
    frames, batch, classes = dims(logits)
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                errors.compose(
                    "ctc_loss: Argument `blank_index` must be provided when `labels` is a `SparseTensor`.",
                    "pass blank_index=0, or -1 for the last class.",
                )
            )
        labels, label_length = _from_sparse(labels)
    blank = _blank("ctc_loss", 0 if blank_index is None else blank_index, classes)
    labels, label_length, logit_length = (
        _integers(v, n) for v, n in ((labels, "labels"), (label_length, "label_length"), (logit_length, "logit_length"))
    )
    _check(labels, label_length, logit_length, frames, batch, classes)
    if not frames:
        logits = _made(np.zeros((1, batch, classes), logits.dtype.numpy))
    # As in TensorFlow, half-precision logits are computed with in float32, and so is their gradient.
    work = Cast(logits, dtype=dtypes.float32) if logits.dtype.size < 4 else logits
    loss = _loss(labels, LogSoftmax(work, axis=2), label_length, logit_length, blank)
    return loss if loss.dtype is logits.dtype else Cast(loss, dtype=logits.dtype)


def _loss(labels: Any, log_probs: Any, label_length: Any, logit_length: Any, blank: int) -> Any:
    frames, batch, classes = dims(log_probs)
    length = dims(labels)[1]
    present = _row(length) < label_length[:, None]
    # Where the numbers are not known yet, the gather refuses those of no class; below they would be classes of the next sequence.
    labels = Gather(_row(classes), Where(present, labels, np.int64(blank)), axis=0, batch_dims=0)
    states, skips = _states(labels, blank)
    count = dims(states)[1]
    # One column for each sequence and class, so that one gather along the columns serves all frames.
    columns = Reshape(states + _row(batch)[:, None] * classes, shape=(batch * count,))
    emissions = Gather(Reshape(log_probs, shape=(frames, batch * classes)), columns, axis=1, batch_dims=0)
    emissions = Reshape(emissions, shape=(frames, batch, count))
    # The sums over hundreds of frames are large, and their differences count.
    emissions = emissions if emissions.dtype is dtypes.float64 else Cast(emissions, dtype=dtypes.float64)
    zero, impossible = (convert.convert_to_tensor(v, dtypes.float64) for v in (0.0, -np.inf))
    emissions = Where((_row(frames)[:, None] < logit_length)[:, :, None], emissions, zero)
    alphas = CtcAlphas(emissions, skips)
    last = Maximum(logit_length - 1, np.int64(0))
    start = (last * batch + _row(batch)) * count
    flat = Reshape(alphas, shape=(1, frames * batch * count))
    ends = [Gather(flat, start + Maximum(2 * label_length - k, np.int64(0)), axis=1, batch_dims=0)[0] for k in (0, 1)]
    ends[1] = Where(label_length > 0, ends[1], impossible)
    is_possible = (Maximum(*ends) > impossible) & ((logit_length > 0) | (label_length < 1))
    ends = [Where(is_possible, e, zero) for e in ends]
    return Where(is_possible, -ReduceLogSumExp(Stack(*ends, axis=0), axis=(0,)), -impossible)


def _states(labels: Any, blank: int) -> tuple[Any, Any]:
    """The classes of a path's states, which are the labels with blanks around them; and which states may be reached from
    the label before without a blank: those of a label that differs from it."""
    batch, length = dims(labels)
    blanks = np.full((batch, length), blank, np.int64)
    states = _interleaved(blanks, labels)
    states = Concat(states, _made(np.full((batch, 1), blank, np.int64)), axis=1)
    if length < 2:
        return states, _made(np.zeros((batch, 2 * length + 1), bool))
    changes = NotEqual(_columns(labels, 1, length), _columns(labels, 0, length - 1))
    edge = _made(np.zeros((batch, 1), bool))
    skips = _interleaved(np.zeros((batch, length), bool), Concat(edge, changes, axis=1))
    return states, Concat(skips, edge, axis=1)


def _interleaved(first: Any, second: Any) -> Any:
    batch, length = dims(second)
    return Reshape(Stack(_made(first), second, axis=2), shape=(batch, 2 * length))


def _columns(x: Any, start: int, stop: int) -> Any:
    return StridedSlice(x, index=((0, dims(x)[0], 1), (start, stop, 1)))


def _row(n: int) -> Any:
    return _made(np.arange(int(n)))  # NumPy would take a size that is not known for an object


def _made(array: Any) -> Tensor:
    """A constant where the user's tensors are."""
    return wrap(device.place(array))


def _from_sparse(labels: SparseTensor) -> tuple[Any, Any]:
    """A sparse matrix of labels as a dense one, and the number of labels in each row.

    The values of a row are its labels, in order; the columns that they are in say nothing more.
    """
    rows, length = dense_dims(labels)
    row, values = host(labels.indices._array)[:, 0], host(labels.values._array)
    counts = np.bincount(row, minlength=rows)
    dense = np.zeros((rows, length), np.int64)
    dense[row, np.arange(len(row)) - (np.cumsum(counts) - counts)[row]] = values
    return dense, counts


def _integers(value: Any, name: str) -> Any:
    found = tensor(value)
    if not found.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            f"ctc_loss: {name} must be integers, got {spec_of(found)}.",
            "use tf.cast(x, tf.int32).",
        )
    return found if found.dtype is dtypes.int64 else CastToDiscrete(found, dtype=dtypes.int64)


def _blank(who: str, blank_index: Any, classes: int) -> int:
    blank = integer(blank_index, who, "blank_index")
    if not -classes <= blank < classes:
        raise errors.build(
            errors.RangeError,
            f"{who}: blank_index expected to be between {-classes} and {classes - 1} but was {blank}.",
            "it names one of the classes; negative numbers count from the end.",
        )
    return blank % classes


def _check(labels: Any, label_length: Any, logit_length: Any, frames: int, batch: int, classes: int) -> None:
    """Raises unless shapes fit, and as far as values can be looked at, unless lengths and labels are in range."""
    if labels.ndim != 2 or dims(labels)[0] != batch or not dims(label_length) == dims(logit_length) == (batch,):
        raise errors.build(
            errors.ShapeError,
            f"ctc_loss: labels is {spec_of(labels)}, label_length {spec_of(label_length)}, logit_length "
            f"{spec_of(logit_length)}, but the logits have {frames} frames of {batch} sequences.",
            "labels is [batch, max_label_length], the lengths are vectors, one element for each sequence.",
        )
    limits = (("label_length", label_length, dims(labels)[1]), ("logit_length", logit_length, frames))
    if any(type(v) is not Tensor for v in (labels, label_length, logit_length)):
        return
    for name, value, most in limits:
        array = value._array
        if array.size and (array.min() < 0 or array.max() > most):
            raise errors.build(
                errors.InvalidArgumentError,
                f"ctc_loss: {name} is {array.tolist()}, and must be from 0 to {most}.",
                "lengths count existing elements.",
            )
    used = np.arange(dims(labels)[1]) < label_length._array[:, None]
    wrong = used & ((labels._array < 0) | (labels._array >= classes))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise errors.build(
            errors.RangeError,
            f"ctc_loss: labels[{i},{j}] = {labels._array[i, j]} is not in [0, {classes}).",
            "labels are class numbers, counted from 0.",
        )


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The distinct labels of each sequence, in order of appearance, and the index of each label among them.

    `tf.nn.ctc_loss` takes the result as `unique`, and does not need it.

    Args:
      labels: integers, `[batch, max_label_length]`.

    Returns:
      A pair of tensors of the shape of the labels: the different labels, filled up with 0, and their positions.

    >>> unique, positions = tf.nn.ctc_unique_labels([[3, 1, 3]])
    >>> unique.numpy(), positions.numpy()
    (array([[3, 1, 0]]), array([[0, 1, 0]], dtype=int32))
    """
    given = host(_integers(labels, "labels")._array)
    unique, positions = np.zeros_like(given), np.zeros(given.shape, np.int32)
    for i, row in enumerate(given):
        values, first, places = np.unique(row, return_index=True, return_inverse=True)
        order = np.argsort(first)
        unique[i, : len(values)] = values[order]
        positions[i] = np.argsort(order)[places]
    return wrap(unique), wrap(positions)


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Labels with runs of equal labels collapsed to one.

    Args:
      labels: integers, `[batch, max_length]`.
      seq_length: how many labels each sequence has, `[batch]`.

    Returns:
      The pair (labels, filled up with 0, and how many there are in each sequence).

    >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])
    >>> labels.numpy(), lengths.numpy()
    (array([[1, 2, 1]], dtype=int32), array([3], dtype=int32))
    """
    found, lengths = tensor(labels), tensor(seq_length)
    given = host(found._array)
    keep = np.arange(given.shape[1]) < host(lengths._array)[:, None]
    keep[:, 1:] &= given[:, 1:] != given[:, :-1]
    counts = keep.sum(axis=1)
    result = np.zeros((len(given), counts.max(initial=0)), given.dtype)
    result[np.arange(result.shape[1]) < counts[:, None]] = given[keep]
    return wrap(result), wrap(counts.astype(lengths.dtype.numpy))


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[list[SparseTensor], Tensor]:
    """The sequence of the most likely class of each frame.

    Args:
      inputs: logits, `[frames, batch, classes]`.
      sequence_length: how many frames each sequence has, `[batch]`.
      merge_repeated: make runs of equal classes one.
      blank_index: the class that means nothing; the last by default. Negative numbers count from the end.

    Returns:
      The pair (a list with one SparseTensor of int64, the labels; and, `[batch, 1]`, minus the sum of the largest
      logits).

    >>> decoded, _ = tf.nn.ctc_greedy_decoder([[[9.0, 0.0, 1.0]], [[0.0, 1.0, 9.0]], [[0.0, 5.0, 0.0]]], [3])
    >>> decoded[0].values.numpy()
    array([0, 1])
    """
    logits, lengths = _frames("ctc_greedy_decoder", inputs, sequence_length)
    frames, batch, classes = dims(logits)
    blank = _blank("ctc_greedy_decoder", classes - 1 if blank_index is None else blank_index, classes)
    is_used = np.arange(frames)[:, None] < lengths
    best = ReduceMax(logits, axis=(2,))
    score = -ReduceSum(Where(_made(is_used), best, np.zeros((), best.dtype.numpy)[()]), axis=(0,))
    paths = ctc_decoders.greedy(host(logits._array), lengths, blank, merge_repeated)
    return [_sparse(paths)], Reshape(score, shape=(batch, 1))


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The most probable sequences of labels, by a beam search over prefixes. The last class is the blank.

    Args:
      inputs: logits, `[frames, batch, classes]`.
      sequence_length: how many frames each sequence has, `[batch]`.
      beam_width: how many beginnings are kept after each frame.
      top_paths: how many sequences to return, at most the width.

    Returns:
      The pair (a list with a SparseTensor of int64 for each path, from the most probable; and, `[batch, top_paths]`, the
      logarithms of their probabilities).

    >>> decoded, scores = tf.nn.ctc_beam_search_decoder(tf.zeros([1, 1, 2]), [1], top_paths=2)
    >>> scores.numpy()
    array([[-0.6931472, -0.6931472]], dtype=float32)
    """
    logits, lengths = _frames("ctc_beam_search_decoder", inputs, sequence_length)
    if not 1 <= top_paths <= beam_width:
        raise errors.build(
            errors.InvalidArgumentError,
            f"ctc_beam_search_decoder: requested {top_paths} paths, but the beam width is {beam_width}.",
            "ask for at least one path, and at most as many as the beam is wide.",
        )
    log_probs = host(LogSoftmax(logits, axis=2)._array).astype(np.float64)
    found = [ctc_decoders.beam_search(log_probs[:n, i], beam_width, top_paths) for i, n in enumerate(lengths)]
    if any(len(paths) < top_paths for paths, _ in found):
        raise errors.build(
            errors.InvalidArgumentError,
            f"ctc_beam_search_decoder: there are fewer than {top_paths} sequences of labels.",
            "ask for fewer paths.",
        )
    scores = np.array([s for _, s in found]).reshape(len(lengths), top_paths)
    decoded = [_sparse([paths[k] for paths, _ in found]) for k in range(top_paths)]
    return decoded, wrap(scores.astype(logits.dtype.numpy))


def _frames(who: str, inputs: Any, sequence_length: Any) -> tuple[Any, Any]:
    """The logits as a tensor and the lengths as an array; raises unless they fit."""
    logits = tensor(inputs)
    lengths = np.asarray(host(convert.convert_to_tensor(sequence_length)._array))
    shape = dims(logits)
    if len(shape) != 3 or lengths.shape != shape[1:2] or not logits.dtype.is_floating:
        raise errors.build(
            errors.ShapeError,
            f"{who}: inputs is {spec_of(logits)}, sequence_length has shape {list(lengths.shape)}: these do not match.",
            "inputs is [frames, batch, classes], sequence_length has one element for each sequence.",
        )
    if lengths.size and (lengths.min() < 0 or lengths.max() > shape[0]):
        raise errors.build(
            errors.FailedPreconditionError,
            f"{who}: sequence_length is {lengths.tolist()}, but there are {shape[0]} frames.",
            "a sequence has at most as many frames as the inputs.",
        )
    return logits, lengths


def _sparse(paths: list[Any]) -> SparseTensor:
    """Sequences of labels as the rows of a sparse matrix."""
    lengths = [len(p) for p in paths]
    places = [(i, j) for i, n in enumerate(lengths) for j in range(n)]
    values = np.array([label for p in paths for label in p], np.int64)
    shape = [len(paths), max(lengths, default=0)]
    return SparseTensor(np.array(places, np.int64).reshape(-1, 2), values, shape)
