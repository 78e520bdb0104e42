"""Keras on gradtape against Keras on TensorFlow (plain and XLA), JAX and PyTorch (eager and compiled), interleaved in one run.

    python benchmarks/keras.py                       all works, all systems; writes benchmarks/results/keras.*
    python benchmarks/keras.py --works mlp --systems gradtape JAX --rounds 2 --only steady --output /tmp/x

Each system runs with one thread and with as many as there are cores; its better time counts. A time is the best of many
samples. Two things are measured:

steady  epochs of `fit` after the first, a loop with a GradientTape (where there is one), and `predict` of one sample;
first   in a fresh process, the time from the import of Keras to the end of the first step, with empty caches.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import compare
import harness
from compiled import rows_of
from keras_works import BEST, FIRST_STEP, WORKS
from works import Work

SYSTEMS = ("gradtape", "TensorFlow", "TensorFlow XLA", "JAX", "PyTorch", "torch.compile")
PARTS = ("steady", "first")
ROUNDS, SECONDS = 5, 1.0
FIRST = Work("first_step", "from `import` to the end of the first step of `fit`", lambda scale: {}, {BEST: FIRST_STEP})


def first_steps(systems: Sequence[str], rounds: int) -> compare.Row:
    """The row of the first step. `torch.compile` needs minutes: PyTorch takes part without."""
    samples: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds):
        for system in [s for s in systems if s != "torch.compile"]:
            samples.setdefault((system, os.cpu_count() or 1), []).append(first_step(system))
    row = compare.row_of(FIRST, samples)
    print(compare.describe(row), flush=True)
    return row


def first_step(system: str) -> float:
    """Seconds of one fresh process."""
    with tempfile.TemporaryDirectory() as empty:
        caches = {"GRADTAPE_CACHE": f"{empty}/kernels", "XDG_CACHE_HOME": empty, "TORCHINDUCTOR_CACHE_DIR": empty}
        environment = os.environ | caches | {"TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, str(harness.HERE / "keras_first.py"), system]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return float(done.stdout.split()[-1])


def main() -> int:
    """Measure, print, write; 1 if --strict and a limit is missed."""
    parser = compare.parser(__doc__, WORKS, WORKS, SYSTEMS)
    parser.set_defaults(rounds=ROUNDS, seconds=SECONDS)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    options = parser.parse_args()
    systems = compare.first_ours(options.systems)
    chosen = [w for w in WORKS if w.name in options.works]
    processes = compare.start(systems, options.scale, "keras")
    versions = compare.versions(processes)
    content: dict[str, Any] = {"compiled": True, "versions": versions, "works": []}
    try:
        if "steady" in options.only:
            content["works"] = rows_of(chosen, processes, options)
    finally:
        for process in processes:
            process.close()
    if "first" in options.only:
        content["works"].append(first_steps(list(versions), options.rounds))
    return compare.finish("keras", content, options)


if __name__ == "__main__":
    sys.exit(main())
