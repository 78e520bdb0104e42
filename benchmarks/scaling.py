"""The cost of backward against the number of ops: chains of 100 to 1,000,000 multiplications.

    python benchmarks/scaling.py [--largest 1000000]      writes benchmarks/results/scaling.*

Linear means: the time for one op does not grow with the length of the chain. A chain of a million ops also shows that
nothing recurses.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import chart
import gradtape as tf
import harness

# Long chains leave the processor's caches: an op then costs somewhat more. Quadratic cost would be a factor of 100.
LIMIT = 2.0


def chain(length: int) -> tuple[float, float]:
    """Seconds of the forward and of the backward pass of a chain, of this thread alone: a million ops take a while."""
    x = tf.constant(np.ones(4, np.float32))
    factor = tf.constant(np.ones(4, np.float32))
    start = time.thread_time()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(length):
            y = y * factor
    middle = time.thread_time()
    gradient = tape.gradient(y, x)
    end = time.thread_time()
    assert np.array_equal(gradient.numpy(), np.ones(4))
    return middle - start, end - middle


def measure(largest: int) -> list[dict[str, Any]]:
    """Best times for each length, a factor of ten apart."""
    rows = []
    for length in (10**k for k in range(2, round(math.log10(largest)) + 1)):
        runs = [chain(length) for _ in range(max(3, min(200, 1_000_000 // length)))]
        forward, backward = (min(times) for times in zip(*runs, strict=True))
        rows.append({"ops": length, "forward": forward, "backward": backward})
        print(
            f"{length:>9,} ops   forward {harness.duration(forward):>8}   backward {harness.duration(backward):>8}"
            f"   {harness.duration(backward / length)} per op backward"
        )
    return rows


def main() -> int:
    """Measure, print, write; 1 if --strict and the limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if the limit is missed")
    options = parser.parse_args()
    rows = measure(options.largest)
    per_op = [row["backward"] / row["ops"] for row in rows]
    growth = per_op[-1] / min(per_op)
    passed = growth <= LIMIT
    print(
        f"Backward of the longest chain costs {growth:.2f} times the cheapest per op "
        f"({'kept' if passed else 'MISSED'}: at most {LIMIT}); recursion limit of Python: {sys.getrecursionlimit()}."
    )
    content = {"machine": harness.machine(), "rows": rows, "growth": growth, "limit": LIMIT, "passed": passed}
    print(f"Written: {harness.write('scaling', content, options.output)}")
    ops = [row["ops"] for row in rows]
    series = {name: (ops, [row[name] for row in rows]) for name in ("forward", "backward")}
    picture = chart.lines(series, ("ops on the tape", "seconds"), options.output / "scaling.png")
    print(f"Written: {picture}" if picture else "matplotlib is not installed: no chart.")
    return 1 if options.strict and not passed else 0


if __name__ == "__main__":
    sys.exit(main())
