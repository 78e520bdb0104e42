"""`backend.rnn`: loops over time. The inputs' part of LSTM and GRU is one product for all steps."""

from __future__ import annotations

from typing import Any

from keras.src import tree

import gradtape as tf
from gradtape.core import state
from gradtape.keras_backend.conversion import cast, convert_to_tensor, operands

# Up to so many steps a loop in a function is written out, which makes the faster program.
_UNROLLED = 64


def _swapped(x: Any) -> Any:
    """Batch and time exchanged."""
    x = convert_to_tensor(x)
    return tf.transpose(x, (1, 0, *range(2, x.ndim)))


def rnn(
    step_function: Any,
    inputs: Any,
    initial_states: Any,
    go_backwards: Any = False,
    mask: Any = None,
    constants: Any = None,
    unroll: Any = False,
    input_length: Any = None,
    time_major: Any = False,
    zero_output_for_mask: Any = False,
    return_all_outputs: Any = True,
) -> Any:
    """The last output, all outputs and the last states of a step function along time.

    Where the mask is false a step keeps its states, and repeats its output or gives zeros.
    """
    if not time_major:
        inputs = tree.map_structure(_swapped, inputs)
    columns = [tf.unstack(convert_to_tensor(x)) for x in tree.flatten(inputs)]
    steps = len(columns[0])
    if unroll and not steps:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    masks = _masks(mask, time_major)
    constants = tuple(constants or ())
    states, output, outputs = initial_states, None, []
    for time in reversed(range(steps)) if go_backwards else range(steps):
        x = tree.pack_sequence_as(inputs, [column[time] for column in columns])
        new_output, new_states = step_function(x, (*states, *constants))
        new_states = tree.pack_sequence_as(states, tree.flatten(new_states))
        if masks is not None:
            before = tf.zeros_like(new_output) if output is None or zero_output_for_mask else output
            new_output = _chosen(masks[time], new_output, before)
            new_states = tree.map_structure(lambda new, old, m=masks[time]: _chosen(m, new, old), new_states, states)
        output, states = new_output, new_states
        if return_all_outputs:
            outputs.append(output)
    stacked = tree.map_structure(lambda *ys: tf.stack(ys), *(outputs if return_all_outputs else [output]))
    return output, stacked if time_major else tree.map_structure(_swapped, stacked), states


def _masks(mask: Any, time_major: Any) -> Any:
    """One mask for each step, of shape `[batch, 1]`."""
    if mask is None:
        return None
    mask = cast(mask, "bool")
    if mask.ndim == 2:
        mask = tf.expand_dims(mask, -1)
    return tf.unstack(mask if time_major else _swapped(mask))


def _chosen(mask: Any, new: Any, old: Any) -> Any:
    shape = tuple(mask.shape) + (1,) * (new.ndim - mask.ndim)
    return tf.where(tf.reshape(mask, shape), new, cast(old, new.dtype))


def _loop(step: Any, projected: Any, states: Any, go_backwards: Any, unroll: Any) -> Any:
    """All outputs as `[batch, time, …]`, and the last states, of steps over inputs whose product with the kernel is there.

    In a function, a loop of many steps is one node, so that tracing and compiling do not take longer for more of them.
    """
    if state.current.trace is None or unroll or projected.shape[1] <= _UNROLLED:
        outputs = []
        xs = tf.unstack(projected, axis=1)
        for x in reversed(xs) if go_backwards else xs:
            states = step(x, states)
            outputs.append(states[0])
        return tf.stack(outputs, axis=1), states
    xs = _swapped(projected)
    found = tf.scan(lambda states, x: step(x, states), tf.reverse(xs, [0]) if go_backwards else xs, states)
    return _swapped(found[0]), tuple([x[-1] for x in found])


def _results(outputs: Any, states: Any, return_sequences: Any) -> Any:
    return states[0], outputs if return_sequences else outputs[:, -1:], list(states)


def _project(inputs: Any, kernel: Any, bias: Any) -> Any:
    """The product of all steps with the kernel at once."""
    batch, time, size = tuple(inputs.shape)
    rows = tf.matmul(tf.reshape(inputs, (batch * time, size)), kernel)
    rows = rows if bias is None else rows + bias
    return tf.reshape(rows, (batch, time, kernel.shape[-1]))


def _check_simple(inputs: Any, mask: Any) -> None:
    """NotImplementedError for what the general loop does: how masked steps answer is not said here."""
    if mask is not None or inputs.ndim != 3 or None in tuple(inputs.shape) or not inputs.shape[1]:
        raise NotImplementedError


def lstm(
    inputs: Any,
    initial_state_h: Any,
    initial_state_c: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: Any = False,
    go_backwards: Any = False,
    unroll: Any = False,
) -> Any:
    """An LSTM along time: the last output, the outputs, and both states."""
    inputs, kernel, recurrent = operands(inputs, kernel, recurrent_kernel)
    _check_simple(inputs, mask)
    bias = None if bias is None else convert_to_tensor(bias, inputs.dtype)

    def step(x: Any, states: Any) -> Any:
        h, c = states
        i, f, g, o = tf.split(x + tf.matmul(h, recurrent), 4, axis=-1)
        c = recurrent_activation(f) * c + recurrent_activation(i) * activation(g)
        return recurrent_activation(o) * activation(c), c

    first = tuple([convert_to_tensor(s, inputs.dtype) for s in (initial_state_h, initial_state_c)])
    outputs, states = _loop(step, _project(inputs, kernel, bias), first, go_backwards, unroll)
    return _results(outputs, states, return_sequences)


def gru(
    inputs: Any,
    initial_state: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: Any = False,
    go_backwards: Any = False,
    unroll: Any = False,
    reset_after: Any = True,
) -> Any:
    """A GRU along time: the last output, the outputs, and the state."""
    inputs, kernel, recurrent = operands(inputs, kernel, recurrent_kernel)
    _check_simple(inputs, mask)
    inner_bias = None
    if bias is not None:
        bias = convert_to_tensor(bias, inputs.dtype)
        if reset_after:
            bias, inner_bias = tf.unstack(bias)
    units = recurrent.shape[0]
    gates, candidate = recurrent[:, : 2 * units], recurrent[:, 2 * units :]

    def step(x: Any, states: Any) -> Any:
        (h,) = states
        x_z, x_r, x_h = tf.split(x, 3, axis=-1)
        if reset_after:
            inner = tf.matmul(h, recurrent)
            inner = inner if inner_bias is None else inner + inner_bias
            z, r, from_h = tf.split(inner, 3, axis=-1)
            z, r = recurrent_activation(x_z + z), recurrent_activation(x_r + r)
            new = activation(x_h + r * from_h)
        else:
            z, r = tf.split(tf.matmul(h, gates), 2, axis=-1)
            z, r = recurrent_activation(x_z + z), recurrent_activation(x_r + r)
            new = activation(x_h + tf.matmul(r * h, candidate))
        return (z * h + (1.0 - z) * new,)

    first = initial_state[0] if tree.is_nested(initial_state) else initial_state
    first = (convert_to_tensor(first, inputs.dtype),)
    outputs, states = _loop(step, _project(inputs, kernel, bias), first, go_backwards, unroll)
    return _results(outputs, states, return_sequences)


def bidirectional_lstm(*args: Any, **kwargs: Any) -> Any:
    """NotImplementedError: Keras runs both directions by themselves."""
    raise NotImplementedError


def bidirectional_gru(*args: Any, **kwargs: Any) -> Any:
    """NotImplementedError: Keras runs both directions by themselves."""
    raise NotImplementedError


def cudnn_ok(*args: Any, **kwargs: Any) -> Any:
    """False: there is no cuDNN."""
    return False
