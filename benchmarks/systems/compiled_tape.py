"""The works of compiled.py as programs for `tf.function` and `tf.GradientTape`: one text for gradtape and TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import compiled_works as constants
import works
from systems.control_tape import ControlFlowPrograms

Run = Callable[[], list[Any]]


class CompiledPrograms(ControlFlowPrograms):
    """The works, for a module with TensorFlow's names and its way to compile a function."""

    def elementwise(self, inputs: works.Inputs) -> Run:
        """The gradient of a long elementwise expression."""
        tf = self.tf

        @self.function
        def gradient(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.sin(x) * tf.exp(-tf.square(x))))
            return tape.gradient(y, x)

        x = tf.constant(inputs["x"])
        return lambda: [gradient(x)]

    def mlp(self, inputs: works.Inputs) -> Run:
        """Two dense layers."""
        tf = self.tf
        w1, b1, w2, b2 = parameters = self._variables(inputs, "w1 b1 w2 b2")

        def loss_of(x: Any, labels: Any) -> Any:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

        return self._descent(loss_of, parameters, inputs, "x labels")

    def mlp_adam(self, inputs: works.Inputs) -> Run:
        """Four dense layers, trained by Adam, written out."""
        tf = self.tf
        names = " ".join(f"w{k} b{k}" for k in (1, 2, 3, 4))
        parameters = self._variables(inputs, names)
        means = [tf.Variable(tf.zeros_like(p)) for p in parameters]
        squares = [tf.Variable(tf.zeros_like(p)) for p in parameters]
        count = tf.Variable(0.0)
        adam = constants.ADAM

        def loss_of(x: Any, y: Any) -> Any:
            for k in range(0, 8, 2):
                x = tf.matmul(x, parameters[k]) + parameters[k + 1]
                if k < 6:
                    x = tf.nn.relu(x)
            return tf.reduce_mean(tf.square(x - y))

        @self.function
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(x, y)
            gradients = tape.gradient(loss, parameters)
            count.assign_add(1.0)
            scale1, scale2 = 1.0 - adam.beta1**count, 1.0 - adam.beta2**count
            for p, m, v, g in zip(parameters, means, squares, gradients):  # noqa: B905 - AutoGraph's zip has no `strict`
                m.assign(adam.beta1 * m + (1.0 - adam.beta1) * g)
                v.assign(adam.beta2 * v + (1.0 - adam.beta2) * tf.square(g))
                p.assign_sub(adam.rate * (m / scale1) / (tf.sqrt(v / scale2) + adam.epsilon))
            return loss

        x, y = tf.constant(inputs["x"]), tf.constant(inputs["y"])
        return lambda: [step(x, y)]

    def convnet(self, inputs: works.Inputs) -> Run:
        """Two convolutions, each with a maximum of four neighbours, and a dense layer."""
        tf = self.tf
        k1, b1, k2, b2, w3, b3 = parameters = self._variables(inputs, "k1 b1 k2 b2 w3 b3")

        def loss_of(x: Any, labels: Any) -> Any:
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k1, 1, "SAME") + b1), 2, 2, "VALID")
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k2, 1, "SAME") + b2), 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(x, [-1, 7 * 7 * 64]), w3) + b3
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

        return self._descent(loss_of, parameters, inputs, "x labels")

    def lstm(self, inputs: works.Inputs) -> Run:
        """A cell, called in a Python loop; its last state is classified."""
        tf = self.tf
        w, u, b, w_out, b_out = parameters = self._variables(inputs, "w u b w_out b_out")

        def loss_of(x: Any, labels: Any) -> Any:
            h = c = tf.zeros([x.shape[0], constants.UNITS])
            for t in range(constants.STEPS):
                h, c = self._lstm_cell(x[:, t], h, c, w, u, b)
            logits = tf.matmul(h, w_out) + b_out
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

        return self._descent(loss_of, parameters, inputs, "x labels")

    def transformer(self, inputs: works.Inputs) -> Run:
        """Attention and two dense layers, each on normalised inputs and added to them."""
        tf = self.tf
        n, length, d = inputs["x"].shape
        names = "gain1 offset1 w_qkv b_qkv w_out b_out gain2 offset2 w_up b_up w_down b_down"
        parameters = self._variables(inputs, names)
        gain1, offset1, w_qkv, b_qkv, w_out, b_out, gain2, offset2, w_up, b_up, w_down, b_down = parameters

        def normalized(x: Any, gain: Any, offset: Any) -> Any:
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            return tf.nn.batch_normalization(x, mean, variance, offset, gain, 1e-5)

        def heads(x: Any) -> Any:
            return tf.transpose(tf.reshape(x, [n, length, constants.HEADS, -1]), [0, 2, 1, 3])

        def attention(x: Any) -> Any:
            q, k, v = (heads(part) for part in tf.split(tf.matmul(x, w_qkv) + b_qkv, 3, axis=-1))
            scores = tf.matmul(q, k, transpose_b=True) * (d // constants.HEADS) ** -0.5
            mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), v), [0, 2, 1, 3])
            return tf.matmul(tf.reshape(mixed, [-1, d]), w_out) + b_out

        def loss_of(x: Any, y: Any) -> Any:
            x = tf.reshape(x, [-1, d])
            x = x + attention(normalized(x, gain1, offset1))
            hidden = tf.nn.gelu(tf.matmul(normalized(x, gain2, offset2), w_up) + b_up)
            x = x + tf.matmul(hidden, w_down) + b_down
            return tf.reduce_mean(tf.square(x - tf.reshape(y, [-1, d])))

        return self._descent(loss_of, parameters, inputs, "x y")

    def pinn(self, inputs: works.Inputs) -> Run:
        """The residual of u_t + u u_x = v u_xx, with derivatives by nested tapes."""
        tf = self.tf
        parameters = self._variables(inputs, "w1 b1 w2 b2 w3 b3 w4 b4")

        def network(t: Any, x: Any) -> Any:
            h = tf.concat([t, x], axis=1)
            for k in range(0, 6, 2):
                h = tf.tanh(tf.matmul(h, parameters[k]) + parameters[k + 1])
            return tf.matmul(h, parameters[6]) + parameters[7]

        def loss_of(t: Any, x: Any) -> Any:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch([t, x])
                    u = network(t, x)
                u_t, u_x = first.gradient(u, [t, x])
            u_xx = second.gradient(u_x, x)
            return tf.reduce_mean(tf.square(u_t + u * u_x - constants.VISCOSITY * u_xx))

        return self._descent(loss_of, parameters, inputs, "t x")

    def jacobian(self, inputs: works.Inputs) -> Run:
        """The derivative of every output of a network with respect to every input."""
        tf = self.tf
        w1, b1, w2, b2 = self._variables(inputs, "w1 b1 w2 b2")

        @self.function
        def derivative(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2) + b2
            return tape.jacobian(y, x)

        x = tf.constant(inputs["x"])
        return lambda: [derivative(x)]

    def hessian(self, inputs: works.Inputs) -> Run:
        """All second derivatives of the squared error of a fit."""
        tf = self.tf
        n = constants.HIDDEN_OF_FIT

        @self.function
        def second(p: Any, x: Any, y: Any) -> Any:
            with tf.GradientTape() as outer:
                outer.watch(p)
                with tf.GradientTape() as inner:
                    inner.watch(p)
                    bumps = tf.tanh(x[:, None] * p[:n] + p[n : 2 * n])
                    curve = tf.linalg.matvec(bumps, p[2 * n : 3 * n]) + p[3 * n] * x + p[3 * n + 1]
                    loss = tf.reduce_mean(tf.square(curve - y))
                gradient = inner.gradient(loss, p)
            return outer.jacobian(gradient, p)

        p, x, y = (tf.constant(inputs[name]) for name in ("p", "x", "y"))
        return lambda: [second(p, x, y)]

    def scalar(self, inputs: works.Inputs) -> Run:
        """A function of a number."""
        tf = self.tf

        @self.function
        def function(x: Any) -> Any:
            return x * x + tf.sin(x)

        x = tf.constant(inputs["x"])
        return lambda: [function(x)]
