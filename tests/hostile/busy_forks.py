"""Forks at random times while four threads are busy: first calls, products, pipelines, training. Usage: busy_forks.py ROUNDS SEED

Ends with an error if the parent or a child hangs, or if a child gets a wrong result.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import sys
import threading
import time
import traceback
from typing import Any

import numpy as np

import gradtape as tf

faulthandler.register(signal.SIGALRM, chain=True)
PATIENCE = 60  # seconds; a child takes less than one on a machine that does nothing else


def call_new_functions() -> None:
    """The first call of a function with other constants."""
    c = random.random()
    tf.function(lambda x: tf.sin(x * c) + tf.reduce_sum(tf.tanh(x) * c))(tf.constant([1.0, 2.0, 3.0]))


def multiply(a: Any = tf.random.uniform([600, 600])) -> None:  # noqa: B008 - one matrix for all rounds
    """A product that BLAS computes with several threads."""
    a @ a


def iterate() -> None:
    """A pipeline with threads of its own."""
    for _ in tf.data.Dataset.range(200).map(lambda x: x + 1, num_parallel_calls=2).batch(10).prefetch(2):
        pass


W, X = tf.Variable(tf.zeros([50, 50])), tf.random.normal([64, 50])


@tf.function
def train() -> None:
    """A compiled step."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((X @ W - X) ** 2)
    W.assign_sub(0.01 * tape.gradient(loss, W))


def work_in_child() -> None:
    """What a child does first of all kinds of work."""
    a, c = tf.random.uniform([300, 300]), random.random()
    np.testing.assert_allclose((a @ a).numpy(), a.numpy() @ a.numpy(), rtol=1e-4)
    y = tf.function(lambda x: tf.cos(x * c) + c * tf.reduce_mean(x))(tf.constant([1.0, 2.0]))
    np.testing.assert_allclose(y.numpy(), np.cos(np.array([1.0, 2.0]) * c) + c * 1.5, rtol=1e-4)
    before = W.numpy()
    train()
    assert np.isfinite(W.numpy()).all()
    assert before.shape == W.numpy().shape
    assert sum(int(x) for x in tf.data.Dataset.range(5).map(lambda x: x * 2).prefetch(1)) == 20
    tf.linalg.svd(a)


def main(rounds: int, seed: int) -> None:
    """Fork again and again."""
    random.seed(seed)

    def repeat(work: Any) -> None:
        while True:
            work()

    for work in (call_new_functions, multiply, iterate, train):
        threading.Thread(target=repeat, args=(work,), daemon=True).start()
    for _ in range(rounds):
        signal.alarm(2 * PATIENCE)
        time.sleep(random.random() * 0.03)
        child = os.fork()
        if not child:
            signal.alarm(PATIENCE)
            try:
                work_in_child()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(f"a child ended with status {status}", file=sys.stderr)
            os._exit(1)
    os._exit(0)  # without waiting for the threads


main(int(sys.argv[1]), int(sys.argv[2]))
