"""Memory of a long training: 50,000 steps, with exceptions inside tapes and persistent tapes among them.

    python benchmarks/memory.py [--steps 50000]      writes benchmarks/results/memory.json

The resident memory of the process is read 100 times. After a warm-up of a fifth of the steps, in which bounded logs and
caches fill, it must stay within 1 %, up and down.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import gradtape as tf
import harness

LIMIT = 0.01


class Network(tf.Module):
    """Two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(0)
        self.w1 = tf.Variable(rng.standard_normal((16, 32)).astype(np.float32) * 0.2, name="w1")
        self.b1 = tf.Variable(np.zeros(32, np.float32), name="b1")
        self.w2 = tf.Variable(rng.standard_normal((32, 4)).astype(np.float32) * 0.2, name="w2")

    def __call__(self, x: Any) -> Any:
        return tf.matmul(tf.tanh(tf.matmul(x, self.w1) + self.b1), self.w2)


def loss_of(network: Network, x: Any, y: Any) -> Any:
    """The mean squared error."""
    return tf.reduce_mean(tf.square(network(x) - y))


def ordinary_step(network: Network, x: Any, y: Any) -> None:
    """One step of SGD."""
    with tf.GradientTape() as tape:
        loss = loss_of(network, x, y)
    variables = network.trainable_variables
    for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
        v.assign_sub(0.01 * g)


def persistent_step(network: Network, x: Any, y: Any) -> None:
    """Two gradients from one tape."""
    with tf.GradientTape(persistent=True) as tape:
        loss = loss_of(network, x, y)
        penalty = tf.reduce_sum(tf.square(network.w1))
    variables = network.trainable_variables
    first, second = tape.gradient(loss, variables), tape.gradient(penalty, network.w1)
    for v, g in zip(variables, first, strict=True):
        v.assign_sub(0.01 * g)
    network.w1.assign_sub(1e-4 * second)


def failing_step(network: Network, x: Any, y: Any) -> None:
    """An exception in the middle of a recording: once the user's own, once a message of an op."""
    try:
        with tf.GradientTape() as tape:
            loss = loss_of(network, x, y)
            raise KeyError("a user's exception")
    except KeyError:
        tape.gradient(loss, network.trainable_variables)
    try:
        with tf.GradientTape(), tf.GradientTape(persistent=True):
            tf.matmul(network(x), x)
    except tf.errors.InvalidArgumentError:
        pass


def abandoned_step(network: Network, x: Any, y: Any) -> None:
    """A tape that nobody asks, and a gradient of a gradient."""
    with tf.GradientTape():
        loss_of(network, x, y)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of(network, x, y)
        slope = tf.reduce_sum(tf.square(inner.gradient(loss, network.w1)))
    outer.gradient(slope, network.w1)


def resident_bytes() -> int:
    """The memory that the process occupies now."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(os.getpid())])) * 1024


def train(steps: int) -> tuple[list[int], list[int], list[int]]:
    """Step numbers, resident bytes and numbers of Python objects, read 100 times on the way."""
    rng = np.random.default_rng(1)
    network = Network()
    x = tf.constant(rng.standard_normal((8, 16)).astype(np.float32))
    y = tf.constant(rng.standard_normal((8, 4)).astype(np.float32))
    at, resident, objects = [], [], []
    every = max(1, steps // 100)
    for step in range(1, steps + 1):
        ordinary_step(network, x, y)
        if step % 5 == 0:
            failing_step(network, x, y)
        if step % 7 == 0:
            persistent_step(network, x, y)
        if step % 11 == 0:
            abandoned_step(network, x, y)
        if step % every == 0:
            at.append(step)
            resident.append(resident_bytes())
            gc.collect()  # what waits to be collected is no leak, and how long it waits is the interpreter's choice
            objects.append(len(gc.get_objects()))
    return at, resident, objects


def main() -> int:
    """Train, print, write; 1 if --strict and the limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if the limit is missed")
    options = parser.parse_args()
    start = time.perf_counter()
    at, resident, objects = train(options.steps)
    seconds = time.perf_counter() - start
    warm = len(at) // 5
    base = resident[warm]
    change = max(abs(r - base) for r in resident[warm:]) / base
    passed = change <= LIMIT
    print(
        f"{options.steps} steps in {seconds:.1f} s: {base / 2**20:.1f} MiB after {at[warm]} steps, "
        f"{resident[-1] / 2**20:.1f} MiB at the end; at most {100 * change:.2f} % away "
        f"({'kept' if passed else 'MISSED'}: at most {100 * LIMIT:.0f} %). "
        f"Python objects: {objects[warm]} and {objects[-1]}."
    )
    content = {
        "machine": harness.machine(),
        "steps": options.steps,
        "seconds": seconds,
        "warm_up": at[warm],
        "change": change,
        "limit": LIMIT,
        "passed": passed,
        "resident": dict(zip(at, resident, strict=True)),
        "objects": dict(zip(at, objects, strict=True)),
    }
    print(f"Written: {harness.write('memory', content, options.output)}")
    return 1 if options.strict and not passed else 0


if __name__ == "__main__":
    sys.exit(main())
