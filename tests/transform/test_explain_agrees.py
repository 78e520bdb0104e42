"""`tape.explain` and `gradient` agree about random programs, and a missing gradient always has a line."""

import random

import numpy as np
import pytest

import gradtape as tf


class Program:
    """Values, and random steps that compute more of them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0, trainable=False)]
        self.values = [*self.variables, tf.constant(1.5)]

    def pick(self):
        return self.random.choice(self.values)

    def step(self):
        a, b = self.pick(), self.pick()
        choices = (
            lambda: a * b, lambda: a + b, lambda: a * 0.5, lambda: tf.sin(a), lambda: tf.round(a),
            lambda: tf.stop_gradient(a), lambda: tf.constant(float(a)), lambda: b * np.exp(a.numpy() * 0.1),
            lambda: tf.cast(tf.cast(a, tf.int32), tf.float32), lambda: tf.Variable(tf.convert_to_tensor(a)),
            lambda: self.random.choice(self.variables).assign(tf.convert_to_tensor(a)),
        )  # fmt: skip
        self.values.append(self.random.choice(choices)())

    def run(self, tape):
        for _ in range(self.random.randrange(3)):
            self.step()
        with tape:
            for _ in range(self.random.randrange(2, 12)):
                chance = self.random.random()
                if chance < 0.1:
                    tape.watch(self.pick())
                elif chance < 0.2:
                    with tape.stop_recording():
                        self.step()
                else:
                    self.step()
        for _ in range(self.random.randrange(3)):
            self.step()


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    program = Program(seed)
    tape = tf.GradientTape(persistent=True)
    program.run(tape)
    for _ in range(5):
        target, source = program.pick(), program.pick()
        before = tape.explain(target, source)
        gradient = tape.gradient(target, source)
        after = tape.explain(target, source)
        assert before.connected == after.connected == (gradient is not None)
        assert before.cause == after.cause
        assert after.connected or after.site is not None
        assert str(after)
        assert after._repr_html_()
