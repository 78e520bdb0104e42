"""Tapes and threads."""

import threading

import numpy as np

import gradtape as tf
from gradtape.core import state


def value(t):
    return np.asarray(t).tolist()


class TestThreads:
    def run(self, function):
        box = []

        def body():
            try:
                box.append(function())
            except Exception as problem:
                box.append(problem)

        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
        return box[0]

    def test_other_threads_are_not_recorded(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.run(lambda: x * x)
            z = y * 3.0
        assert tape.gradient(z, x) is None

    def test_watch_from_another_thread_is_a_no_op(self):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            assert self.run(lambda: tape.watch(x)) is None
            y = x * x
        assert tape.gradient(y, x) is None

    def test_record_here_differentiate_there(self):
        x = tf.Variable(2.0)

        def record():
            with tf.GradientTape() as tape:
                y = x * x
            return tape, y

        tape, y = self.run(record)
        assert value(tape.gradient(y, x)) == 4.0
        tape, y = record()
        assert value(self.run(lambda: tape.gradient(y, x))) == 4.0

    def test_sequential_re_entry(self):
        x, tape = tf.Variable(2.0), tf.GradientTape()

        def first():
            with tape:
                return x * x

        y = self.run(first)
        with tape:
            z = y * 3.0
        assert value(tape.gradient(z, x)) == 12.0

    def test_entering_elsewhere_while_recording(self):
        with tf.GradientTape() as tape:
            assert isinstance(self.run(tape.__enter__), ValueError)

    def test_leaving_in_another_thread(self):
        x, tape = tf.Variable(2.0), tf.GradientTape()
        tape.__enter__()
        y = x * x
        problem = self.run(lambda: tape.__exit__(None, None, None))
        assert isinstance(problem, RuntimeError)
        x * 5.0
        assert value(tape.gradient(y, x)) == 4.0
        assert state.current.recorders == ()

    def test_many_threads_at_once(self):
        def work():
            v = tf.Variable(1.5)
            for _ in range(200):
                with tf.GradientTape() as tape:
                    y = v * v * v
                g = tape.gradient(y, v)
            return float(g)

        results = []
        threads = [threading.Thread(target=lambda: results.append(work())) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert results == [6.75] * 8
