"""Training steps without `tf.function`, and loops over Keras's layers, against PyTorch and TensorFlow, interleaved in one run.

    python benchmarks/eager_networks.py                      all works, all systems; writes benchmarks/results/eager_networks.*
    python benchmarks/eager_networks.py --works mlp keras_lstm --systems gradtape PyTorch --rounds 5

The works are those of `compiled.py` and `adbench.py`, not compiled, and models of `keras.py` under a tape, with Keras on each system as its
backend. Each system runs with one thread and with as many as there are cores; its better time counts, the best of many samples.
"""

from __future__ import annotations

import sys

import compare
from eager_network_works import WORKS

SYSTEMS = ("gradtape", "PyTorch", "TensorFlow")

if __name__ == "__main__":
    sys.exit(compare.main("eager_networks", __doc__, WORKS, SYSTEMS, "eager_networks"))
