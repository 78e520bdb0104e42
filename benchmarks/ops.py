"""Speed of single ops against PyTorch and TensorFlow, eager, the systems interleaved in one run.

    python benchmarks/ops.py                        all works; writes benchmarks/results/ops.*
    python benchmarks/ops.py --works convolution sort --rounds 5

As in eager.py, each system runs with one thread and with as many as there are cores, and its better time counts.
"""

from __future__ import annotations

import sys

import compare
import op_works

if __name__ == "__main__":
    sys.exit(compare.main("ops", __doc__, op_works.WORKS, ("gradtape", "PyTorch", "TensorFlow")))
