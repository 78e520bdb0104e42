"""`tf.raw_ops.CudnnRNN` and its like: recurrent layers whose weights are one vector, as cuDNN keeps them.

The vector has the matrices of all layers first, then their biases. A layer has for each gate a matrix for its input, `[units, size]`,
then for each gate one for its state, `[units, units]`; its biases are in the same order. Gates of an LSTM are input, forget, new and
output, those of a GRU reset, update and new. Both directions of a layer count as layers.
"""

# ruff: noqa: N802

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gradtape as tf
from gradtape.core import errors

_GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


class _Result(NamedTuple):
    """The results of a layer: all outputs, the last states, and an empty value for the gradient of cuDNN."""

    output: Any
    output_h: Any
    output_c: Any
    reserve_space: Any


class _ResultV2(NamedTuple):
    """The same with space of the host."""

    output: Any
    output_h: Any
    output_c: Any
    reserve_space: Any
    host_reserved: Any


def CudnnRNN(
    *, input: Any, input_h: Any, input_c: Any, params: Any, rnn_mode: str = "lstm", input_mode: str = "linear_input",
    direction: str = "unidirectional", dropout: float = 0, seed: int = 0, seed2: int = 0, is_training: bool = True, name: Any = None,
) -> _Result:  # fmt: skip
    """The outputs and last states of recurrent layers over sequences `[time, batch, size]`."""
    output, h, c = _run(input, input_h, input_c, params, rnn_mode, direction, dropout if is_training else 0.0, None)
    return _Result(output, h, c, tf.zeros([0], output.dtype))


def CudnnRNNV2(**arguments: Any) -> _ResultV2:
    """The same."""
    return _ResultV2(*CudnnRNN(**arguments), tf.zeros([0], tf.int8))


def CudnnRNNV3(
    *, input: Any, input_h: Any, input_c: Any, params: Any, sequence_lengths: Any, rnn_mode: str = "lstm",
    input_mode: str = "linear_input", direction: str = "unidirectional", dropout: float = 0, seed: int = 0, seed2: int = 0,
    num_proj: int = 0, is_training: bool = True, time_major: bool = True, name: Any = None,
) -> _ResultV2:  # fmt: skip
    """The same for sequences of different lengths; without `time_major` they are `[batch, time, size]`, and states `[batch, layers, units]`."""

    def turned(x: Any) -> Any:
        return x if time_major else tf.transpose(x, [1, 0, 2])

    lengths = tf.convert_to_tensor(sequence_lengths)
    x, h = turned(tf.convert_to_tensor(input)), turned(tf.convert_to_tensor(input_h))
    cell = turned(tf.convert_to_tensor(input_c)) if rnn_mode == "lstm" else None
    output, h, c = _run(x, h, cell, params, rnn_mode, direction, dropout if is_training else 0.0, lengths)
    output, h, c = turned(output), turned(h), turned(c) if rnn_mode == "lstm" else c
    return _ResultV2(output, h, c, tf.zeros([0], output.dtype), tf.zeros([0], tf.int8))


def _run(x: Any, h: Any, c: Any, params: Any, mode: str, direction: str, dropout: float, lengths: Any) -> list[Any]:
    x, h, params = tf.convert_to_tensor(x), tf.convert_to_tensor(h), tf.convert_to_tensor(params)
    ways = 1 if direction == "unidirectional" else 2
    if mode not in _GATES or h.shape[0] is None or h.shape[0] % ways or x.shape[-1] is None or h.shape[-1] is None:
        raise errors.build(
            ValueError,
            f"CudnnRNN cannot be computed for rnn_mode={mode!r}, direction={direction!r}, input {x.shape} and input_h {h.shape}.",
            "the sizes of the input and of the state must be known, input_h has [layers * directions, batch, units].",
        )
    weights = _weights(params, mode, x.shape[-1], h.shape[-1], h.shape[0] // ways, ways)
    states: list[Any] = []
    for layer in range(h.shape[0] // ways):
        if layer and dropout:
            x = tf.nn.dropout(x, dropout)
        outputs = []
        for way in range(ways):
            number = layer * ways + way
            state = (h[number], c[number]) if mode == "lstm" else (h[number],)
            y, last = _layer(_reversed(x, lengths) if way else x, state, next(weights), mode, lengths)
            outputs.append(_reversed(y, lengths) if way else y)
            states.append(last)
        x = tf.concat(outputs, -1)
    last_c = tf.stack([s[1] for s in states]) if mode == "lstm" else tf.zeros([0], x.dtype)
    return [x, tf.stack([s[0] for s in states]), last_c]


def _weights(params: Any, mode: str, size: int, units: int, layers: int, ways: int) -> Iterator[tuple[Any, ...]]:
    """For each layer and direction the matrices for input and state, with gates side by side, and the two biases."""
    gates, at, matrices = _GATES[mode], 0, []

    def taken(count: int) -> Any:
        nonlocal at
        at += count
        return params[at - count : at]

    for layer in range(layers):
        width = size if not layer else units * ways
        for _ in range(ways):
            own = [taken(gates * units * n) for n in (width, units)]
            matrices.append([tf.transpose(tf.reshape(w, [gates * units, -1])) for w in own])
    for w, u in matrices:
        yield w, u, taken(gates * units), taken(gates * units)


def _reversed(x: Any, lengths: Any) -> Any:
    return tf.reverse(x, [0]) if lengths is None else tf.reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)


def _lstm(a: Any, b: Any, state: Any) -> tuple[Any, ...]:
    i, f, g, o = tf.split(a + b, 4, axis=-1)
    c = tf.sigmoid(f) * state[1] + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def _gru(a: Any, b: Any, state: Any) -> tuple[Any, ...]:
    (r, z, n), (rr, zz, nn) = tf.split(a, 3, axis=-1), tf.split(b, 3, axis=-1)
    update = tf.sigmoid(z + zz)
    return ((1 - update) * tf.tanh(n + tf.sigmoid(r + rr) * nn) + update * state[0],)


_CELLS: dict[str, Callable[[Any, Any, Any], tuple[Any, ...]]] = {
    "lstm": _lstm,
    "gru": _gru,
    "rnn_relu": lambda a, b, state: (tf.nn.relu(a + b),),
    "rnn_tanh": lambda a, b, state: (tf.tanh(a + b),),
}


def _layer(x: Any, state: tuple[Any, ...], weights: tuple[Any, ...], mode: str, lengths: Any) -> tuple[Any, Any]:
    """The outputs of one layer in one direction, and its last states."""
    w, u, b, d = weights
    given = tf.tensordot(x, w, 1) + b
    steps = tf.range(tf.shape(x)[0])

    def step(before: tuple[Any, ...], element: tuple[Any, Any]) -> tuple[Any, ...]:
        a, t = element
        old = before[:-1]
        new = _CELLS[mode](a, tf.matmul(old[0], u) + d, old)
        if lengths is None:
            return (*new, new[0])
        is_in = (t < tf.cast(lengths, t.dtype))[:, None]
        kept = [tf.where(is_in, n, o) for n, o in zip(new, old, strict=True)]
        return (*kept, tf.where(is_in, new[0], tf.zeros_like(new[0])))

    found = tf.scan(step, (given, steps), initializer=(*state, tf.zeros_like(state[0])))
    return found[-1], tuple([s[-1] for s in found[:-1]])
