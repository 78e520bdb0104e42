"""Saved models whose description was changed at random: they are refused, or compute; the process lives, and nothing else is raised."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_PROGRAM = """
import resource, shutil, signal, sys
from pathlib import Path
import gradtape as tf
from hostile import mutations
from saved_model.programs import Network, branches, normal, recurrence

folder, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
network = Network()
network.recurrence = tf.function(recurrence, input_signature=[tf.TensorSpec([2, 4])])
network.branches = tf.function(branches, input_signature=[tf.TensorSpec([None, None])])
network.words = tf.function(lambda w: tf.strings.length(tf.strings.split(w).to_tensor("")), input_signature=[tf.TensorSpec([None], tf.string)])
tf.saved_model.save(network, folder)
file = folder / "saved_model.json"
text = file.read_text()
arguments = {
    "__call__": normal([3, 3], 1), "recurrence": normal([2, 4], 1), "branches": normal([2, 2], 1), "words": tf.constant(["a b", "c"]),
}
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
loaded = refused = 0
for seed in range(first, last):
    signal.alarm(60)
    file.write_text(mutations.of_json(text, seed))
    print("seed", seed, flush=True)
    try:
        model = tf.saved_model.load(folder)
    except (tf.errors.OpError, ValueError) as problem:
        assert isinstance(problem, tf.errors.OpError) or "tags" in str(problem), problem
        refused += 1
        continue
    loaded += 1
    for name, x in arguments.items():
        try:
            vars(model)[name](x)
        except Exception as problem:  # parameters of functions are looked at when these run
            assert not isinstance(problem, (MemoryError, RecursionError, SystemError)), repr(problem)
print("done", loaded, refused, flush=True)
"""


def run(folder: Path, first: int, last: int) -> str:
    command = [sys.executable, "-c", _PROGRAM, str(folder), str(first), str(last)]
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1800, check=False, env={**os.environ, "PYTHONPATH": tests}
    )
    seeds = [line for line in done.stdout.splitlines() if line.startswith("seed")]
    assert done.returncode == 0, f"{seeds[-1:]} {done.stderr[-3000:]}"
    return done.stdout.splitlines()[-1]


def test_changed_descriptions(rounds: Any, tmp_path: Path) -> None:
    _, loaded, refused = run(tmp_path / "model", 0, rounds(60, 3000)).split()
    assert int(refused) > int(loaded) // 4
