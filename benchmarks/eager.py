"""Eager speed against PyTorch, TensorFlow and JAX, the systems interleaved in one run.

    python benchmarks/eager.py                      all works, all systems; writes benchmarks/results/eager.*
    python benchmarks/eager.py --works square jacobian --systems gradtape PyTorch --rounds 5

Each system runs with one thread and with as many as there are cores; its better time counts. A time is the best of many
samples. JAX runs without jit.
"""

from __future__ import annotations

import sys

import compare
import works

if __name__ == "__main__":
    sys.exit(compare.main("eager", __doc__, works.WORKS))
