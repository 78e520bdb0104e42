"""What `eager_networks.py` measures, on which numbers, and what gradtape must reach."""

from __future__ import annotations

from dataclasses import replace

import adbench_works
import compiled_works
import keras_works
from works import Inputs, Work

PYTORCH = "PyTorch"


def _of(works: tuple[Work, ...], name: str) -> Work:
    return next(work for work in works if work.name == name)


def _batch(name: str) -> Work:
    """A loop over Keras layers and an optimizer as beginners write it, for one batch."""
    work = _of(keras_works.WORKS, name)

    def inputs(scale: float) -> Inputs:
        found = work.inputs(0.0)  # two batches, the fewest
        batch = found["batch"]
        return {"x": found["x"][:batch], "y": found["y"][:batch]}

    return Work(f"keras_{name}", f"{name} of Keras, tape and `apply_gradients`, a batch", inputs, {PYTORCH: 0.8})


WORKS = (
    *[
        replace(_of(compiled_works.WORKS, name), limits={PYTORCH: 1.0})
        for name in ("mlp", "mlp_adam", "transformer", "lstm")
    ],
    replace(_of(adbench_works.WORKS, "gmm_10"), limits={PYTORCH: 1.0}),
    *[_batch(name) for name in ("mlp", "convnet", "transformer", "lstm")],
)
