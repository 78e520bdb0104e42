"""Seconds from the import of Keras to the end of the first step of `fit`, in this process, which is told the system.

python benchmarks/keras_first.py JAX
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # or keras.py beside this file would be taken for Keras

BACKENDS = {"TensorFlow": "tensorflow", "TensorFlow XLA": "tensorflow", "JAX": "jax", "PyTorch": "torch"}
JIT = {"TensorFlow": False, "PyTorch": False}


def load(system: str) -> Any:
    """Keras, by the import that users of the system write."""
    if system == "gradtape":
        import gradtape

        return gradtape.keras
    os.environ["KERAS_BACKEND"] = BACKENDS[system]
    if BACKENDS[system] == "tensorflow":
        import tensorflow

        return tensorflow.keras
    import keras

    return keras


def main() -> None:
    """Print the seconds."""
    import numpy as np

    system = sys.argv[1]
    x, y = np.ones((128, 784), np.float32), np.zeros(128, np.int32)
    start = time.perf_counter()
    keras = load(system)
    from systems import keras_models

    model = keras_models.compiled(keras, keras_models.mlp(keras, 0.2), JIT.get(system, "auto"))
    model.fit(x, y, batch_size=128, verbose=0)
    print(time.perf_counter() - start)


if __name__ == "__main__":
    os.chdir(Path(__file__).parent)
    main()
