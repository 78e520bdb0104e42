"""Pipelines of `tf.data` against those of TensorFlow, interleaved in one run.

    python benchmarks/data.py                          all works; writes benchmarks/results/data.*
    python benchmarks/data.py --works prefetch --rounds 2 --output /tmp/x

Each system runs with one thread and with as many as there are cores; its better time counts. A time is the best of many
epochs, each of a new iterator.
"""

from __future__ import annotations

import sys

import compare
from data_works import WORKS

if __name__ == "__main__":
    sys.exit(compare.main("data", __doc__, WORKS, ("gradtape", "TensorFlow"), family="data", rounds=5))
