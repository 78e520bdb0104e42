"""Networks of real size, by Keras on gradtape, TensorFlow (plain and XLA), JAX and PyTorch (eager and compiled).

    python benchmarks/networks.py                             all works, all systems; writes benchmarks/results/networks.*
    python benchmarks/networks.py --works unet bert_1 --systems gradtape TensorFlow --rounds 2 --output /tmp/x

A work is a call of `train_on_batch`, or of `predict_on_batch`. Systems take turns; each runs with one thread and with as many as
there are cores, and its better time counts, the best of many. `--only cold` measures the first step of training in a fresh process and
the peak of its memory.
"""

from __future__ import annotations

import sys
from typing import Any

import cold
import compare
from compiled import SYSTEMS, rows_of
from network_works import WORKS

ROUNDS, SECONDS = 4, 2.0
PARTS = ("steady", "cold")
COLD = ("resnet50", "mobilenet_v2", "bert")
PATIENCE = 300.0  # seconds that a first step may take


def main() -> int:
    """Measure, print, write; 1 if --strict and a limit is missed."""
    parser = compare.parser(__doc__, WORKS, WORKS, SYSTEMS)
    parser.set_defaults(rounds=ROUNDS, seconds=SECONDS)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    options = parser.parse_args()
    chosen = [w for w in WORKS if w.name in options.works]
    processes = compare.start(compare.first_ours(options.systems), options.scale, "networks")
    content: dict[str, Any] = {"compiled": True, "versions": compare.versions(processes), "works": []}
    try:
        if "steady" in options.only:
            content["works"] = rows_of(chosen, processes, options)
    finally:
        for process in processes:
            process.close()
    if "cold" in options.only:
        first = [work for work in chosen if work.name in COLD]
        content |= cold.measure_networks(first, list(content["versions"]), options.scale, PATIENCE)
    content["limits"] = content.get("cold_limits", [])
    return compare.finish("networks", content, options)


if __name__ == "__main__":
    sys.exit(main())
