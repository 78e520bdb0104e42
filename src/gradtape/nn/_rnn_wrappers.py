"""`tf.nn`: wrappers around recurrent cells.

A cell is any object that is called with (inputs, state), gives (output, new state), and has `state_size` and
`output_size`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

from gradtape.api.arguments import tensor
from gradtape.config._devices import device
from gradtape.core import dtypes, errors, nest
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.nn._dropout import dropout
from gradtape.ops.selection import Keep
from gradtape.random import _functions as functions


class RNNCellWrapper:
    """A cell that wraps a cell. Attributes that it lacks, such as `trainable_variables`, are those of the wrapped cell."""

    def __init__(self, cell: Any) -> None:
        if not callable(cell):
            raise TypeError(
                errors.compose(
                    f"The argument 'cell' ({cell!r}) is not a cell: it cannot be called.",
                    "give an object that is called with (inputs, state) and has state_size and output_size.",
                )
            )
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The wrapped cell."""
        return self.cell

    def __call__(self, inputs: Any, state: Any, scope: Any = None, **options: Any) -> tuple[Any, Any]:
        return self.call(inputs, state, **options)

    def call(self, inputs: Any, state: Any, **options: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        output, new_state = self.cell(inputs, state, **options)
        return output, new_state

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "cell":
            raise AttributeError(name)
        return getattr(self.cell, name)


class RNNCellDeviceWrapper(RNNCellWrapper):
    """A cell that runs on a device.

    Args:
      cell: a cell.
      device: the name of the device.

    >>> cell = lambda inputs, state: (inputs + state, 2.0 * state)
    >>> output, state = tf.nn.RNNCellDeviceWrapper(cell, "/CPU:0")(tf.constant([1.0]), tf.constant([2.0]))
    >>> output.numpy(), state.numpy()
    (array([3.], dtype=float32), array([4.], dtype=float32))
    """

    def __init__(self, cell: Any, device: str) -> None:
        super().__init__(cell)
        self._device = device

    def call(self, inputs: Any, state: Any, **options: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        with device(self._device):
            return super().call(inputs, state, **options)


class RNNCellResidualWrapper(RNNCellWrapper):
    """A cell whose inputs are added to its outputs.

    Args:
      cell: a cell.
      residual_fn: a function of (inputs, outputs), in place of the sum.

    >>> cell = lambda inputs, state: (10.0 * inputs, state)
    >>> output, _ = tf.nn.RNNCellResidualWrapper(cell)(tf.constant([1.0]), tf.constant([2.0]))
    >>> output.numpy()
    array([11.], dtype=float32)
    """

    def __init__(self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None) -> None:
        super().__init__(cell)
        self._residual_fn = residual_fn

    def call(self, inputs: Any, state: Any, **options: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        outputs, new_state = super().call(inputs, state, **options)
        return (self._residual_fn or _summed)(inputs, outputs), new_state


def _summed(inputs: Any, outputs: Any) -> Any:
    """The sum of two structures of tensors of the same shapes."""

    def add(x: Any, y: Any) -> Any:
        x, y = tensor(x), tensor(y)
        if tuple(x.shape) != tuple(y.shape):
            raise errors.build(
                errors.ShapeError,
                f"RNNCellResidualWrapper: shapes differ: an input is {x.shape}, the output is {y.shape}.",
                "let the cell have as many units as inputs, or pass a residual_fn.",
            )
        return x + y

    return nest.map_structure(add, inputs, outputs)


class RNNCellDropoutWrapper(RNNCellWrapper):
    """A cell with dropout on its inputs, states and outputs.

    Args:
      cell: a cell.
      input_keep_prob: the part of the inputs to keep, a number or scalar tensor. 1 keeps all.
      output_keep_prob: the part of the outputs to keep.
      state_keep_prob: the part of the new state to keep.
      variational_recurrent: drop the same elements at every step and of every example (Gal and Ghahramani, 2016).
      input_size: the shape of the inputs without the batch axis; needed for `variational_recurrent` with dropped inputs.
      dtype: of inputs, states and outputs; needed for `variational_recurrent`.
      seed: an integer.
      dropout_state_filter_visitor: a function of the state that says, by a structure of bools, which parts of it may be
        dropped. By default all but the memory `c` of states with fields `c` and `h`.

    >>> cell = lambda inputs, state: (inputs, state)
    >>> wrapped = tf.nn.RNNCellDropoutWrapper(cell, output_keep_prob=0.5)
    >>> sorted(set(wrapped(tf.ones([1, 100]), tf.zeros([1, 1]))[0].numpy().ravel().tolist()))
    [0.0, 2.0]
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(cell)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError(
                errors.compose("dropout_state_filter_visitor must be callable.", "pass a function of the state.")
            )
        self._keep = {
            "input": _probability("input_keep_prob", input_keep_prob),
            "state": _probability("state_keep_prob", state_keep_prob),
            "output": _probability("output_keep_prob", output_keep_prob),
        }
        self._seed, self._visitor = seed, dropout_state_filter_visitor or _droppable
        self._masks: dict[str, list[Any]] | None = None
        if variational_recurrent:
            self._masks = self._draw_masks(input_size, dtype)

    def _draw_masks(self, input_size: Any, dtype: Any) -> dict[str, list[Any]]:
        if dtype is None:
            raise ValueError(
                errors.compose("When variational_recurrent=True, dtype must be provided", "pass dtype=tf.float32.")
            )
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if self._drops("input"):
            if input_size is None:
                raise ValueError(
                    errors.compose(
                        "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be "
                        "provided",
                        "pass the shape of the inputs without the batch axis.",
                    )
                )
            sizes["input"] = input_size
        return {
            part: [
                functions.uniform([1, *_shape(size)], seed=self._seed_of(part, i), dtype=_drawn(dtype))
                < self._keep[part]
                for i, size in enumerate(_sizes(structure))
            ]
            for part, structure in sizes.items()
            if self._drops(part)
        }

    def _drops(self, part: str) -> bool:
        keep = self._keep[part]
        return not isinstance(keep, float) or keep < 1.0

    def _seed_of(self, part: str, number: int) -> int | None:
        return None if self._seed is None else crc32(f"{self._seed} {part} {number}".encode())

    def call(self, inputs: Any, state: Any, **options: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        if self._drops("input"):
            inputs = self._dropped("input", inputs)
        output, new_state = super().call(inputs, state, **options)
        if self._drops("state"):
            new_state = self._dropped("state", new_state, self._visitor(new_state))
        if self._drops("output"):
            output = self._dropped("output", output)
        return output, new_state

    def _dropped(self, part: str, values: Any, chosen: Any = True) -> Any:
        """A structure with dropout on its tensors, as far as they are chosen."""
        flat = nest.flatten(values)
        flags = [chosen] * len(flat) if isinstance(chosen, bool) else nest.flatten(chosen)
        keep = self._keep[part]
        results = []
        for i, (x, flag) in enumerate(zip(flat, flags, strict=True)):
            if not flag:
                results.append(x)
            elif self._masks is not None:
                results.append(Keep(tensor(x) / keep, self._masks[part][i]))
            else:
                results.append(dropout(x, 1.0 - keep, seed=self._seed_of(part, i)))
        return nest.pack_sequence_as(values, results)


def _probability(name: str, value: Any) -> Any:
    """A probability as a float, or the tensor that it is."""
    if isinstance(value, Tensor):
        return value
    if not 0.0 < float(value) <= 1.0:
        raise ValueError(
            errors.compose(f"Parameter {name} must be above 0 and at most 1: {value}", "it is the part that is kept.")
        )
    return float(value)


def _droppable(state: Any) -> Any:
    """Which parts of a state may be dropped."""
    if set(getattr(state, "_fields", ())) == {"c", "h"}:
        return type(state)(c=False, h=True)
    if isinstance(state, (list, tuple)):
        return [_droppable(s) for s in state]
    return nest.map_structure(lambda _: True, state)


def _sizes(structure: Any) -> list[Any]:
    """The sizes in a structure of them. A TensorShape is one size."""
    if isinstance(structure, (list, tuple)):
        return [size for item in structure for size in _sizes(item)]
    return [structure]


def _shape(size: Any) -> list[Any]:
    return size.as_list() if isinstance(size, TensorShape) else [int(size)]


def _drawn(dtype: Any) -> dtypes.DType:
    own = dtypes.as_dtype(dtype)
    return own if own is dtypes.float64 else dtypes.float32
