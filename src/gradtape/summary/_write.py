"""Summaries: `tf.summary.scalar` and the others.

Each is one op with an effect. What is shown is made when it is written: a histogram of values, the PNG file of an image.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.host_op import hosted, known
from gradtape.arrays.joining import stack
from gradtape.core import convert, dtypes, errors, state
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.core.variable_creation import names
from gradtape.math._conversion import cast
from gradtape.protos import wire_format
from gradtape.summary import _event_file as event_file
from gradtape.summary import _plugin_data as plugin_data
from gradtape.summary._writer import SummaryWriter, current, told
from gradtape.toplevel.module import name_scope

# How an array that is given, with some numbers, becomes the one that is written.
Content = Callable[[Any, list[int]], Any]

_BUCKETS = 30
_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write a number, for TensorBoard's curves.

    Args:
      name: of the curve; names of scopes around it are put in front.
      data: a real number or a scalar tensor.
      step: where on the curve; by default that of `tf.summary.experimental.set_step`.
      description: a text in Markdown.

    Returns:
      A bool tensor: whether it was written. It is not where there is no writer.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.scalar("loss", 0.5, step=1))
    True
    """
    x = tensor(data)
    if x.get_shape().rank not in (0, None):
        raise errors.build(
            errors.ShapeError,
            f"summary.scalar: data must be a scalar, it has shape {x.get_shape()}.",
            "use tf.reduce_mean, or tf.summary.histogram.",
        )
    return _written(name, x, step, plugin_data.number, event_file.metadata_of("scalars", description))


def histogram(name: str, data: Any, step: Any = None, buckets: Any = None, description: str | None = None) -> Tensor:
    """Write a histogram of the elements of a tensor.

    Args:
      name: of the series; names of scopes around it are put in front.
      data: real numbers in any shape.
      step: by default that of `tf.summary.experimental.set_step`.
      buckets: how many intervals between the least and the largest element; 30 by default.
      description: a text in Markdown.

    Returns:
      A bool tensor: whether it was written.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
    ...     bool(tf.summary.histogram("weights", tf.random.normal([100])))
    True
    """
    count = _BUCKETS if buckets is None else buckets
    return _written(
        name, tensor(data), step, plugin_data.buckets, event_file.metadata_of("histograms", description), [count]
    )


def image(name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None) -> Tensor:
    """Write images.

    Args:
      name: of the series; names of scopes around it are put in front.
      data: `[images, height, width, channels]` with 1 to 4 channels; floats from 0 to 1, or integers.
      step: by default that of `tf.summary.experimental.set_step`.
      max_outputs: how many images are written at most.
      description: a text in Markdown.

    Returns:
      A bool tensor: whether they were written.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.image("digits", tf.zeros([1, 8, 8, 1]), step=1))
    True
    """
    from gradtape.image._adjust import convert_image_dtype

    x = tensor(data)
    if x.get_shape().rank not in (4, None):
        raise errors.build(
            errors.ShapeError,
            f"summary.image: data must be [images, height, width, channels], it has shape {x.get_shape()}.",
            "use tf.expand_dims(image, 0) for a single image.",
        )
    if current.writer is None:
        return _nothing()
    pixels = convert_image_dtype(x, dtypes.uint8, saturate=True)
    return _written(
        name, pixels, step, plugin_data.images, event_file.metadata_of("images", description), [max_outputs]
    )


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write text, which TensorBoard shows as Markdown; a vector or matrix of texts as a table.

    Args:
      name: of the series; names of scopes around it are put in front.
      data: a string tensor or text.
      step: by default that of `tf.summary.experimental.set_step`.
      description: a text in Markdown.

    Returns:
      A bool tensor: whether it was written.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.text("note", "*hello*", step=1))
    True
    """
    x = convert.convert_to_tensor(data, dtypes.string)
    return _written(name, x, step, plugin_data.whole, event_file.metadata_of("text", description))


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Write sounds.

    Args:
      name: of the series; names of scopes around it are put in front.
      data: float32 `[sounds, samples, channels]`, from -1 to 1.
      sample_rate: samples per second.
      step: by default that of `tf.summary.experimental.set_step`.
      max_outputs: how many sounds are written at most.
      encoding: "wav".
      description: a text in Markdown.

    Returns:
      A bool tensor: whether they were written.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.audio("noise", tf.random.uniform([1, 100, 1], -1.0), 8000, step=1))
    True
    """
    if encoding not in (None, "wav"):
        raise errors.build(ValueError, f"summary.audio: Unknown encoding: {encoding!r}", 'use "wav".')
    x = tensor(data)
    if x.get_shape().rank not in (3, None):
        raise errors.build(
            errors.ShapeError,
            f"summary.audio: data must be [sounds, samples, channels], it has shape {x.get_shape()}.",
            "use tf.reshape.",
        )
    metadata = event_file.metadata_of("audio", description, plugin_data.WAV)
    return _written(name, x, step, plugin_data.sounds, metadata, [max_outputs, sample_rate])


def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Tensor:
    """Write a tensor, with metadata that describe it.

    Args:
      tag: of the series.
      tensor: the tensor, or a function that gives it and is called only where it is written.
      step: by default that of `tf.summary.experimental.set_step`.
      metadata: a message `SummaryMetadata`, of TensorBoard's own package for instance, or its bytes.

    Returns:
      A bool tensor: whether it was written.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.write("embedding", tf.ones([2, 3]), step=1))
    True
    """
    if current.writer is None:
        return _nothing()
    condition = _condition()
    if condition is None:
        return _nothing()
    data = np.asarray(metadata)[()] if isinstance(metadata, Tensor) else b"" if metadata is None else metadata
    data = data if isinstance(data, bytes) else data.SerializeToString()
    value = tensor() if callable(tensor) else tensor
    return _put(tag, convert.convert_to_tensor(value), step, condition, plugin_data.whole, data)


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Write a serialized message `Summary`.

    Args:
      tensor: a string tensor; several messages are one with the values of all.
      step: by default that of `tf.summary.experimental.set_step`.

    Returns:
      A bool tensor: whether it was written.

    >>> bool(tf.summary.experimental.write_raw_pb(b"", step=1))
    False
    """
    if current.writer is None:
        return _nothing()
    x = convert.convert_to_tensor(tensor, dtypes.string)
    return _write_raw_pb(x, _step(step), told(), writer=current.writer)[0]


@contextmanager
def summary_scope(name: str, default_name: str = "summary", values: Any = None) -> Iterator[tuple[str, str]]:
    """For functions that write custom summaries: returns the tag, with the scopes around it, and the name of a scope.

    Args:
      name: of the summary.
      default_name: what stands for an empty name.
      values: ignored.

    >>> with tf.name_scope("train"), tf.summary.experimental.summary_scope("loss") as (tag, _):
    ...     print(tag)
    train/loss
    """
    # What is not allowed in the name of a scope is left out of it.
    scope = _NOT_IN_SCOPES.sub("", name) or default_name
    with name_scope(scope) as whole:
        yield "/".join([*names.scopes[:-1], name or default_name]), whole


def tag_of(name: str) -> str:
    """A name with those of the scopes around it."""
    return "/".join([*names.scopes, name])


def _condition() -> Any:
    """Whether a summary is written, as a bool tensor; None if it is known now that it is not."""
    if current.writer is None or current.condition is False:
        return None
    condition = told()
    return None if state.current.trace is None and not bool(condition) else condition


def _written(
    name: str, x: Tensor, step: Any, content: Content, metadata: bytes, numbers: list[Any] | None = None
) -> Tensor:
    condition = _condition()
    if condition is None:
        return _nothing()
    return _put(tag_of(name), x, step, condition, content, metadata, numbers or [])


def _nothing() -> Tensor:
    return convert.convert_to_tensor(False)


def _put(
    tag: str, x: Any, step: Any, condition: Any, content: Content, metadata: bytes, numbers: list[Any] | None = None
) -> Tensor:
    given = [cast(tensor(n), dtypes.int64) for n in numbers or []]
    others = stack(given) if given else np.zeros(0, np.int64)
    found = _write_summary(
        x, others, _step(step), condition, writer=current.writer, tag=tag, content=content, metadata=metadata
    )
    return found[0]


def _step(step: Any) -> Any:
    """The step as an int64 tensor; an error if there is none."""
    chosen = current.step if step is None else step
    if chosen is None:
        raise errors.build(
            ValueError,
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()",
            "give step=...",
        )
    chosen = chosen._read() if isinstance(chosen, Variable) else convert.convert_to_tensor(chosen)
    return cast(chosen, dtypes.int64)


@hosted(known(((), dtypes.bool_)), effect=True)
def _write_summary(
    array: Any,
    numbers: Any,
    step: Any,
    condition: Any,
    *,
    writer: SummaryWriter,
    tag: str,
    content: Content,
    metadata: bytes,
) -> tuple[Any, ...]:
    if not condition:
        return (np.False_,)
    made = content(array, [int(n) for n in numbers])
    writer.put(event_file.event(int(step), summary=event_file.value(tag, made, metadata)))
    return (np.True_,)


@hosted(known(((), dtypes.bool_)), effect=True)
def _write_raw_pb(data: Any, step: Any, condition: Any, *, writer: SummaryWriter) -> tuple[Any, ...]:
    if not condition:
        return (np.False_,)
    whole = b"".join(np.ravel(data).tolist())
    try:
        for _ in wire_format.fields(whole):
            pass
    except ValueError:
        what = f"Bad tf.compat.v1.Summary binary proto tensor string: {whole[:40]!r}."
        raise errors.build(errors.DataLossError, what, "give what SerializeToString of a Summary returns.") from None
    writer.put(event_file.event(int(step), summary=whole))
    return (np.True_,)
