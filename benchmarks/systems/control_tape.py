"""Works with loops over tensors, for `tf.function`, and what all compiled programs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import compiled_works as constants
import works

Run = Callable[[], list[Any]]


class ControlFlowPrograms:
    """The works, for a module with TensorFlow's names and its way to compile a function."""

    def __init__(self, tf: Any, function: Callable[..., Any]) -> None:
        self.tf, self.function = tf, function

    @staticmethod
    def to_numpy(value: Any) -> Any:
        """The array of a tensor."""
        return value.numpy()

    def _variables(self, inputs: works.Inputs, names: str) -> list[Any]:
        return [self.tf.Variable(inputs[name]) for name in names.split()]

    def _descent(self, loss_of: Callable[..., Any], parameters: Sequence[Any], inputs: works.Inputs, names: str) -> Run:
        """Steps of SGD; the parameters move from call to call."""
        tf = self.tf

        @self.function
        def step(*data: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(*data)
            for p, g in zip(parameters, tape.gradient(loss, parameters)):  # noqa: B905 - AutoGraph's zip has no `strict`
                p.assign_sub(constants.LEARNING_RATE * g)
            return loss

        data = [tf.constant(inputs[name]) for name in names.split()]
        return lambda: [step(*data)]

    def _gradient(self, loss_of: Callable[[], Any], parameters: Sequence[Any]) -> Run:
        """The loss and its gradients."""
        tf = self.tf

        @self.function
        def gradients() -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of()
            return [loss, *tape.gradient(loss, parameters)]

        return gradients

    def _lstm_cell(self, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> tuple[Any, Any]:
        tf = self.tf
        i, f, g, o = tf.split(tf.matmul(x, w) + tf.matmul(h, u) + b, 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    def lstm_loop(self, inputs: works.Inputs) -> Run:
        """A cell, called in a loop that stays a loop; its last state is classified."""
        tf = self.tf
        w, u, b, w_out, b_out = parameters = self._variables(inputs, "w u b w_out b_out")

        def loss_of(x: Any, labels: Any) -> Any:
            h = c = tf.zeros([x.shape[0], constants.UNITS])
            for t in tf.range(constants.STEPS):
                h, c = self._lstm_cell(x[:, t], h, c, w, u, b)
            logits = tf.matmul(h, w_out) + b_out
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

        return self._descent(loss_of, parameters, inputs, "x labels")

    def ode(self, inputs: works.Inputs) -> Run:
        """The state after many steps of Runge and Kutta, and its derivative with respect to the matrix."""
        tf = self.tf
        (a,) = self._variables(inputs, "a")
        start, dt = tf.constant(inputs["y"]), constants.ODE_TIME

        def slope(y: Any) -> Any:
            return tf.tanh(tf.linalg.matvec(a, y))

        def step(k: Any, y: Any) -> tuple[Any, Any]:
            k1 = slope(y)
            k2 = slope(y + 0.5 * dt * k1)
            k3 = slope(y + 0.5 * dt * k2)
            k4 = slope(y + dt * k3)
            return k + 1, y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

        def loss_of() -> Any:
            _, y = tf.while_loop(
                lambda k, y: k < constants.ODE_STEPS,
                step,
                (tf.constant(0), start),
                maximum_iterations=constants.ODE_STEPS,
            )
            return tf.reduce_sum(tf.square(y))

        return self._gradient(loss_of, [a])

    def gru_scan(self, inputs: works.Inputs) -> Run:
        """All states of a cell, by `scan`."""
        tf = self.tf
        w, u, b = parameters = self._variables(inputs, "w u b")
        x = tf.constant(inputs["x"])
        start = tf.zeros([x.shape[1], constants.UNITS])

        def cell(h: Any, x: Any) -> Any:
            xr, xz, xn = tf.split(tf.matmul(x, w) + b, 3, axis=1)
            hr, hz, hn = tf.split(tf.matmul(h, u), 3, axis=1)
            z = tf.sigmoid(xz + hz)
            return z * h + (1.0 - z) * tf.tanh(xn + tf.sigmoid(xr + hr) * hn)

        return self._gradient(lambda: tf.reduce_mean(tf.square(tf.scan(cell, x, start))), parameters)

    def map_rows(self, inputs: works.Inputs) -> Run:
        """A function of a row, for all rows."""
        tf = self.tf
        (w,) = self._variables(inputs, "w")
        x = tf.constant(inputs["x"])

        def of_row(row: Any) -> Any:
            return tf.reduce_sum(tf.nn.softmax(tf.linalg.matvec(w, row)) * tf.tanh(row))

        return self._gradient(lambda: tf.reduce_sum(tf.map_fn(of_row, x)), [w])
