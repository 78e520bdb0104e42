"""`tf.compat.v1.train`: the optimizers of version 1, steps, and savers; and what version 2 has."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.compat._graph_keys import GraphKeys
from gradtape.compat.v1 import _collections, _rooms, _variables
from gradtape.compat.v1._saver import Saver as Saver
from gradtape.core.variable import Variable

__getattr__, __dir__ = _rooms.from_room("train")


class Optimizer:
    """Base of the optimizers: in a graph `minimize` gives an operation, eagerly it takes a function and does the step.

    Args:
      use_locking: ignored.
      name: a name.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool = False, name: str = "Optimizer") -> None:
        self._name, self._use_locking = name, use_locking
        self._slots: dict[str, dict[int, Any]] = {}

    def get_name(self) -> str:
        """The name."""
        return self._name

    def get_slot_names(self) -> list[str]:
        """The names of the state kept for each variable."""
        return sorted(self._slots)

    def get_slot(self, var: Any, name: str) -> Any:
        """The state of a variable under a name."""
        return self._slots.get(name, {}).get(id(var))

    def variables(self) -> list[Any]:
        """All state variables."""
        return [slot for slots in self._slots.values() for slot in slots.values()]

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """A step down the gradient of a loss."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError(f"No gradients provided for any variable: {[v.name for _, v in pairs]}.")
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of a loss with the variables that they belong to."""
        if _graphs.current_graph() is not None and not callable(loss):
            variables = list(_collections.trainable_variables() if var_list is None else var_list)
            return list(zip(tf.gradients(loss, variables, grad_loss), variables, strict=True))
        with tf.GradientTape() as tape:
            value = loss() if callable(loss) else loss
        variables = list(tape.watched_variables() if var_list is None else var_list)
        return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """A step along gradients."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        self._prepare()
        done = [
            self._step_of_rows(g, v) if isinstance(g, tf.IndexedSlices) else self._step(tf.convert_to_tensor(g), v)
            for g, v in pairs
        ]
        done += self._finish()
        graph = _graphs.current_graph()
        if graph is None:
            if global_step is not None:
                global_step.assign_add(1)
            return None
        flat = [x for d in done for x in (d if isinstance(d, list) else [d])]
        if global_step is not None:
            with graph.control_dependencies(flat):
                flat.append(global_step.assign_add(tf.constant(1, global_step.dtype)))
        return graph.group(flat, name or self._name)

    def _prepare(self) -> None:
        """Prepare values that all variables share."""

    def _finish(self) -> list[Any]:
        """Finish after the updates of all variables."""
        return []

    def _step(self, gradient: Any, variable: Any) -> Any:
        raise NotImplementedError

    def _step_of_rows(self, gradient: tf.IndexedSlices, variable: Any) -> Any:
        """A step along a gradient that is zero but in some rows."""
        return self._step(tf.convert_to_tensor(gradient), variable)

    def _slot(self, variable: Any, name: str, initial: Any = None) -> Any:
        slots = self._slots.setdefault(name, {})
        if id(variable) not in slots:
            value = tf.zeros(variable.shape, variable.dtype) if initial is None else initial
            label = f"{variable._name}/{self._name}"
            slots[id(variable)] = self._variable(value, label)
        return slots[id(variable)]

    def _variable(self, value: Any, name: str) -> Any:
        return _variables.make_variable(value, trainable=False, name=name)

    def _number(self, value: Any, like: Any) -> Any:
        return tf.cast(value() if callable(value) and not isinstance(value, Variable) else value, like.dtype)


class _ByRows(Optimizer):
    """Base of optimizers that leave rows alone, with their state, which a sparse gradient does not have."""

    _rows: Any = None  # the rows that are changed; None for all

    def _step_of_rows(self, gradient: tf.IndexedSlices, variable: Any) -> Any:
        ones = tf.ones(tf.shape(gradient.indices), tf.float32)
        counts = tf.math.unsorted_segment_sum(ones, gradient.indices, tf.shape(variable)[0])
        self._rows = tf.reshape(counts > 0, [-1, *[1] * (variable.shape.rank - 1)])
        try:
            return self._step(tf.convert_to_tensor(gradient), variable)
        finally:
            self._rows = None

    def _put(self, variable: Any, value: Any) -> Any:
        """Give a variable new values, in the rows that are changed."""
        return variable.assign(
            value if self._rows is None else tf.where(self._rows, value, tf.convert_to_tensor(variable))
        )


class GradientDescentOptimizer(Optimizer):
    """Gradient descent."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _step(self, gradient: Any, variable: Any) -> Any:
        return variable.assign_sub(self._number(self._learning_rate, variable) * gradient)


class MomentumOptimizer(_ByRows):
    """Gradient descent with momentum."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._nesterov = learning_rate, momentum, use_nesterov

    def _step(self, gradient: Any, variable: Any) -> Any:
        slot = self._slot(variable, "momentum")
        rate, momentum = self._number(self._learning_rate, variable), self._number(self._momentum, variable)
        moved = tf.convert_to_tensor(slot) * momentum + gradient
        change = rate * (gradient + momentum * moved if self._nesterov else moved)
        return [self._put(slot, moved), self._put(variable, tf.convert_to_tensor(variable) - change)]


class AdamOptimizer(Optimizer):
    """Adam."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._powers: tuple[Any, Any] | None = None

    def variables(self) -> list[Any]:
        """All state variables, with the powers of the rates of decay."""
        return [*(self._powers or ()), *super().variables()]

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        """The powers of the two rates of decay, as variables."""
        self._prepare()
        assert self._powers is not None
        return self._powers

    def _prepare(self) -> None:
        if self._powers is None:
            self._powers = (
                self._variable(tf.constant(float(self._beta1)), "beta1_power"),
                self._variable(tf.constant(float(self._beta2)), "beta2_power"),
            )

    def _step(self, gradient: Any, variable: Any) -> Any:
        assert self._powers is not None
        m, v = self._slot(variable, "m"), self._slot(variable, "v")
        beta1, beta2 = self._number(self._beta1, variable), self._number(self._beta2, variable)
        first, second = (tf.cast(tf.convert_to_tensor(p), variable.dtype) for p in self._powers)
        rate = self._number(self._lr, variable) * tf.sqrt(1 - second) / (1 - first)
        new_m = tf.convert_to_tensor(m) * beta1 + (1 - beta1) * gradient
        new_v = tf.convert_to_tensor(v) * beta2 + (1 - beta2) * gradient * gradient
        change = rate * new_m / (tf.sqrt(new_v) + self._number(self._epsilon, variable))
        return [m.assign(new_m), v.assign(new_v), variable.assign_sub(change)]

    def _finish(self) -> list[Any]:
        assert self._powers is not None
        first, second = self._powers
        return [
            first.assign(tf.convert_to_tensor(first) * self._beta1),
            second.assign(tf.convert_to_tensor(second) * self._beta2),
        ]


class AdagradOptimizer(Optimizer):
    """Adagrad."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._initial = learning_rate, initial_accumulator_value

    def _step(self, gradient: Any, variable: Any) -> Any:
        slot = self._slot(variable, "accumulator", tf.fill(variable.shape, tf.cast(self._initial, variable.dtype)))
        total = tf.convert_to_tensor(slot) + gradient * gradient
        return [
            slot.assign(total),
            variable.assign_sub(self._number(self._learning_rate, variable) * gradient / tf.sqrt(total)),
        ]


class RMSPropOptimizer(_ByRows):
    """RMSProp."""

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _step(self, gradient: Any, variable: Any) -> Any:
        squares = self._slot(variable, "rms", tf.ones(variable.shape, variable.dtype))
        moved = self._slot(variable, "momentum")
        decay = self._number(self._decay, variable)
        total = tf.convert_to_tensor(squares) * decay + (1 - decay) * gradient * gradient
        done, divisor = [self._put(squares, total)], total
        if self._centered:
            means = self._slot(variable, "mg")
            mean = tf.convert_to_tensor(means) * decay + (1 - decay) * gradient
            done.append(self._put(means, mean))
            divisor = total - mean * mean
        scaled = gradient / tf.sqrt(divisor + self._number(self._epsilon, variable))
        change = tf.convert_to_tensor(moved) * self._number(self._momentum, variable)
        change += self._number(self._learning_rate, variable) * scaled
        return [*done, self._put(moved, change), self._put(variable, tf.convert_to_tensor(variable) - change)]


class FtrlOptimizer(_ByRows):
    """Follow the regularised leader: an optimizer that makes weights exactly zero."""

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        least = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for what, value in least.items():
            if value < 0.0:
                raise ValueError(f"{what} {value} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        self._learning_rate, self._power, self._initial = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2, self._shrinkage = (
            l1_regularization_strength,
            l2_regularization_strength,
            l2_shrinkage_regularization_strength,
        )
        self._beta = beta or 0.0

    def _step(self, gradient: Any, variable: Any) -> Any:
        squares = self._slot(variable, "accum", tf.fill(variable.shape, tf.cast(self._initial, variable.dtype)))
        linear = self._slot(variable, "linear")
        rate, weights = self._number(self._learning_rate, variable), tf.convert_to_tensor(variable)
        before = tf.convert_to_tensor(squares)
        total = before + gradient * gradient
        root, earlier = (x ** tf.cast(-self._power, x.dtype) for x in (total, before))
        shrunk = gradient + 2 * tf.cast(self._shrinkage, weights.dtype) * weights
        sums = tf.convert_to_tensor(linear) + shrunk - (root - earlier) / rate * weights
        l1 = tf.cast(self._l1, weights.dtype)
        l2 = tf.cast(self._l2, weights.dtype) + tf.cast(self._beta, weights.dtype) / (2 * rate)
        found = (l1 * tf.sign(sums) - sums) / (root / rate + 2 * l2)
        new = tf.where(tf.abs(sums) > l1, found, tf.zeros_like(found))
        return [self._put(squares, total), self._put(linear, sums), self._put(variable, new)]


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts steps; None if there is none."""
    found = (graph or _graphs.current_graph() or _graphs.default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def create_global_step(graph: Any = None) -> Any:
    """A variable that counts steps."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    made = _variables.make_variable(tf.constant(0, tf.int64), trainable=False, name="global_step")
    (graph or _graphs.current_graph() or _graphs.default_graph()).add_to_collection(GraphKeys.GLOBAL_STEP, made)
    return made


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts steps."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """A rate that decays by a factor every `decay_steps` steps; eagerly a function of no arguments."""

    def rate() -> Any:
        power = tf.cast(global_step, tf.float32) / tf.cast(decay_steps, tf.float32)
        return learning_rate * decay_rate ** (tf.floor(power) if staircase else power)

    return rate() if _graphs.current_graph() is not None else rate


def NewCheckpointReader(filepattern: str) -> Any:  # noqa: N802
    """A reader of a checkpoint."""
    return tf.train.load_checkpoint(filepattern)


class SessionRunHook:
    """Base of objects that are called around each run of a session."""


class ChiefSessionCreator:
    """Makes the session of the process that leads; there is one process."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


class WorkerSessionCreator(ChiefSessionCreator):
    """Creates the session of a worker; not supported."""
