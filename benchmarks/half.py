"""Half precision against float32: matrix products in functions, and Keras training steps under mixed precision.

    python benchmarks/half.py              prints each work's time, and the ratio to float32
    python benchmarks/half.py --strict     fails above the limits

The dtypes take turns, and the best of many runs counts. bfloat16 may take 0.8 of float32's time where the processor multiplies it
(AVX512-BF16); elsewhere, and in float16, 1.15: values are converted while they are copied.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "gradtape")

sys.path.append(sys.path.pop(0))  # keras.py beside this file must not be taken for Keras

import numpy as np

import gradtape as tf
import keras
from gradtape.compiler.codegen.simd.machine import host

DTYPES = ("float32", "bfloat16", "float16")
# m, n, k, and whether a and b are transposed.
PRODUCTS = {
    "product 256x1024x1024": (256, 1024, 1024, False, False),
    "its gradient of weights": (1024, 1024, 256, True, False),
    "its gradient of inputs": (256, 1024, 1024, False, True),
    "product 512x64x512": (512, 64, 512, False, False),
}
LAYERS = {"MLP 256-1024-1024": (256, 1024, 1024), "MLP 64-256-256": (64, 256, 256)}


def limit(dtype: str) -> float:
    """The share of float32's time that a dtype may take on this machine."""
    return 0.8 if dtype == "bfloat16" and host().multiplies_bfloat16 else 1.15


def product(dtype: str, m: int, n: int, k: int, transpose_a: bool, transpose_b: bool) -> Callable[[], Any]:
    """A compiled product."""
    shapes = ([k, m] if transpose_a else [m, k]), ([n, k] if transpose_b else [k, n])
    a, b = (tf.cast(tf.random.stateless_normal(shape, [0, i]), dtype) for i, shape in enumerate(shapes))
    multiply = tf.function(lambda a, b: tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b))
    return lambda: multiply(a, b)


def training(dtype: str, *sizes: int) -> Callable[[], Any]:
    """A training step of Keras with Adam, batches of 256."""
    keras.config.set_dtype_policy(dtype if dtype == "float32" else f"mixed_{dtype}")
    layers = [keras.layers.Dense(size, activation="relu") for size in sizes[1:]]
    model = keras.Sequential([keras.Input((sizes[0],)), *layers, keras.layers.Dense(10, dtype="float32")])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    keras.config.set_dtype_policy("float32")
    random = np.random.default_rng(0)
    x, y = random.normal(size=(256, sizes[0])).astype("float32"), random.integers(0, 10, 256)
    return lambda: model.train_on_batch(x, y)


def best(ways: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """The shortest time of each way, in seconds."""
    for way in ways:
        for _ in range(5):
            way()
    time.sleep(2)  # until optimised code has replaced the first
    found = [float("inf")] * len(ways)
    for _ in range(rounds):
        for i, way in enumerate(ways):
            start = time.perf_counter()
            way()
            found[i] = min(found[i], time.perf_counter() - start)
    return found


def main() -> int:
    """Measure all works; 1 if a limit is missed and `--strict` asks for them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    works = {name: [product(d, *sizes) for d in DTYPES] for name, sizes in PRODUCTS.items()}
    works |= {name: [training(d, *sizes) for d in DTYPES] for name, sizes in LAYERS.items()}
    missed = []
    print(f"{'':26}" + "".join(f"{d:>18}" for d in DTYPES))
    for name, ways in works.items():
        times = best(ways, options.rounds)
        print(f"{name:26}" + "".join(f"{t * 1e3:9.3f} ms {t / times[0]:5.2f}" for t in times), flush=True)
        missed += [f"{name} {d}" for d, t in zip(DTYPES, times, strict=True) if t > limit(d) * times[0]]
    print(f"Limits missed: {', '.join(missed) or 'none'}")
    return int(options.strict and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
