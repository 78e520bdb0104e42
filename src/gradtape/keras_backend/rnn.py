"""`backend.rnn`: loops over time. The inputs' part of LSTM and GRU is one product for all steps."""

from __future__ import annotations

from typing import Any

from keras.src import tree

import gradtape as tf
from gradtape.keras_backend.convert import cast, convert_to_tensor, operands
from gradtape.keras_backend.ops.control_flow import is_long
from gradtape.tracing.control.staged_functions import over_rows


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
    columns = [convert_to_tensor(x) for x in tree.flatten(inputs)]
    count, steps = len(columns), columns[0].shape[0]
    if unroll and not steps:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    if mask is not None:
        columns.append(_over_time(mask, time_major))
    constants = tuple(constants or ())

    def step(row: Any, states: Any, before: Any) -> Any:
        """The output and the states after a row of the inputs, at whose end the mask is."""
        x = tree.pack_sequence_as(inputs, list(row[:count]))
        output, new = step_function(x, (*states, *constants))
        new = tree.pack_sequence_as(states, tree.flatten(new))
        if mask is None:
            return output, new
        before = tf.zeros_like(output) if before is None or zero_output_for_mask else before
        return _chosen(row[-1], output, before), tree.map_structure(lambda a, b: _chosen(row[-1], a, b), new, states)

    run = _looped if is_long(steps) and not unroll else _written_out
    output, outputs, states = run(step, columns, initial_states, go_backwards)
    outputs = outputs if return_all_outputs else tf.expand_dims(output, 0)
    return output, outputs if time_major else tree.map_structure(_swapped, outputs), states


def _written_out(step: Any, columns: Any, states: Any, go_backwards: Any) -> Any:
    """The last output, all outputs and the states, step by step."""
    rows = list(zip(*[tf.unstack(column) for column in columns], strict=True))
    output, outputs = None, []
    for row in reversed(rows) if go_backwards else rows:
        output, states = step(row, states, output)
        outputs.append(output)
    return output, tree.map_structure(lambda *ys: tf.stack(ys), *outputs), states


def _looped(step: Any, columns: Any, states: Any, go_backwards: Any) -> Any:
    """The same by one loop of the graph. The first step determines the form of the outputs."""
    first, rest = (-1, slice(None, -1)) if go_backwards else (0, slice(1, None))
    output, states = step([column[first] for column in columns], states, None)

    def body(values: Any, row: Any) -> Any:
        before, states = values
        after, states = step(row, states, before)
        return (after, states), after

    (last, states), outputs = over_rows("rnn", body, (output, states), [c[rest] for c in columns], bool(go_backwards))
    outputs = tf.reverse(outputs, [0]) if go_backwards else outputs
    return last, tf.concat([tf.expand_dims(output, 0), outputs], 0), states


def _over_time(mask: Any, time_major: Any) -> Any:
    """The mask as `[time, batch, 1]`."""
    mask = cast(mask, "bool")
    if mask.ndim == 2:
        mask = tf.expand_dims(mask, -1)
    return mask if time_major else _swapped(mask)


def _chosen(mask: Any, new: Any, old: Any) -> Any:
    for _ in range(new.ndim - mask.ndim):
        mask = tf.expand_dims(mask, -1)
    return tf.where(mask, new, cast(old, new.dtype))


def _loop(step: Any, projected: Any, states: Any, go_backwards: Any, unroll: Any) -> Any:
    """All outputs as `[batch, time, …]`, and the last states, of steps over inputs whose product with the kernel is there.

    In a function, a loop of many steps is one node, so that tracing and compiling do not take longer for more of them.
    """
    if unroll or not is_long(projected.shape[1]):
        outputs = []
        xs = tf.unstack(projected, axis=1)
        for x in reversed(xs) if go_backwards else xs:
            states = step(x, states)
            outputs.append(states[0])
        return tf.stack(outputs, axis=1), states

    def body(states: Any, x: Any) -> Any:
        states = step(x, states)
        return states, states[0]

    states, outputs = over_rows("rnn", body, states, _swapped(projected), bool(go_backwards))
    return _swapped(tf.reverse(outputs, [0]) if go_backwards else outputs), states


def _results(outputs: Any, states: Any, return_sequences: Any) -> Any:
    return states[0], outputs if return_sequences else outputs[:, -1:], list(states)


def _project(inputs: Any, kernel: Any, bias: Any) -> Any:
    """The product of all steps with the kernel at once."""
    batch, time, size = tuple(inputs.shape)
    rows = tf.matmul(tf.reshape(inputs, (batch * time, size)), kernel)
    rows = rows if bias is None else rows + bias
    return tf.reshape(rows, (batch, time, kernel.shape[-1]))


def _check_simple(inputs: Any, mask: Any) -> None:
    """NotImplementedError for cases left to the general loop, such as the output of masked steps."""
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
