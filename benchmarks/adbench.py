"""ADBench, compiled, against TensorFlow (plain and XLA), JAX and PyTorch (eager), interleaved in one run.

    python benchmarks/adbench.py                              all works, all systems; writes benchmarks/results/adbench.*
    python benchmarks/adbench.py --works ba_31843 --systems gradtape JAX --rounds 3 --output /tmp/x

A work is an objective with its gradient or Jacobian. Systems take turns; each runs with one thread and with as many as there are cores,
and its better time counts, the best of many.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

import compare
from adbench_works import MEAN, WORKS
from compiled import rows_of

SYSTEMS = ("gradtape", "TensorFlow", "TensorFlow XLA", "JAX", "PyTorch")
ROUNDS, SECONDS = 4, 1.0


def mean_limit(rows: list[compare.Row]) -> dict[str, Any]:
    """The geometric mean of the ratios to the best other, and whether it is small enough."""
    ratios = [limit["ratio"] for row in rows for limit in row["limits"] if "ratio" in limit]
    mean = statistics.geometric_mean(ratios) if ratios else float("nan")
    return {"text": f"geometric mean {mean:.3f} x the best other, at most {MEAN:.2f}", "passed": mean <= MEAN}


def main() -> int:
    """Measure, print, write; 1 if --strict and a limit is missed."""
    parser = compare.parser(__doc__, WORKS, WORKS, SYSTEMS)
    parser.set_defaults(rounds=ROUNDS, seconds=SECONDS)
    options = parser.parse_args()
    chosen = [w for w in WORKS if w.name in options.works]
    processes = compare.start(compare.first_ours(options.systems), options.scale, "adbench")
    try:
        rows = rows_of(chosen, processes, options)
    finally:
        for process in processes:
            process.close()
    content = {"compiled": True, "versions": compare.versions(processes), "works": rows, "limits": [mean_limit(rows)]}
    print(content["limits"][0]["text"])
    return compare.finish("adbench", content, options)


if __name__ == "__main__":
    sys.exit(main())
