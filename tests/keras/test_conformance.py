"""A slice of Keras's own tests, which `make conformance` runs in full."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

CONFORMANCE = Path(__file__).resolve().parents[2] / "conformance"
SLICE = [
    "activations/activations_test.py",
    "backend/tests/compute_output_spec_test.py",
    "callbacks/early_stopping_test.py",
    "constraints/constraints_test.py",
    "initializers/random_initializers_test.py",
    "layers/core/dense_test.py",
    "layers/layer_test.py",
    "layers/normalization/batch_normalization_test.py",
    "layers/rnn/lstm_test.py",
    "losses/loss_test.py",
    "metrics/accuracy_metrics_test.py",
    "models/functional_test.py",
    "models/sequential_test.py",
    "ops/core_test.py",
    "optimizers/adam_test.py",
    "optimizers/loss_scale_optimizer_test.py",
    "optimizers/optimizer_test.py",
    "optimizers/sgd_test.py",
    "random/random_test.py",
    "regularizers/regularizers_test.py",
    "saving/saving_lib_test.py",
]


def test_slice(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(str(CONFORMANCE))
    import run

    try:
        outcomes = run.run(SLICE, ["-n", "0"], run.keras_source(), str(tmp_path))
    finally:
        del sys.modules["run"]
    assert {name: why for name, (outcome, why) in outcomes.items() if outcome in ("failed", "error")} == {}
    assert Counter(outcome for outcome, _ in outcomes.values())["passed"] > 600
