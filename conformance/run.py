"""Runs the tests that ship inside the Keras wheel on gradtape, folder by folder.

    python conformance/run.py                       everything
    python conformance/run.py ops layers/rnn        some folders or files
    python conformance/run.py ops -n 2 -k conv      the rest goes to pytest

Prints how many passed, failed and were skipped in each folder, and why. What is excluded, and why, is in excluded.txt.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = [
    "ops",
    "backend/common",
    "backend/tests",
    "random",
    "initializers",
    "activations",
    "losses",
    "metrics",
    "optimizers",
    "layers",
    "models",
    "trainers",
    "callbacks",
    "saving",
    "regularizers",
    "constraints",
    "dtype_policies",
    "quantizers",
    "legacy",
    "tree",
    "testing",
    "utils",
    "distillation",
    "datasets",
    "distribution",
    "export",
    "wrappers",
    "applications",
]
# Names of these tests hold addresses, which differ between processes.
IN_ONE_PROCESS = {"wrappers"}


def keras_source() -> Path:
    """The folder of Keras's modules and tests, found without importing it."""
    spec = importlib.util.find_spec("keras")
    if spec is None or spec.origin is None:
        raise SystemExit("Keras is not installed: pip install 'gradtape[conformance]'.")
    return Path(spec.origin).parent / "src"


def run(folders: list[str], options: list[str], source: Path, scratch: str) -> dict[str, list[str]]:
    """The outcomes of the tests of some folders or files, by name."""
    results = Path(scratch) / "results.json"
    results.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "KERAS_BACKEND": "gradtape",
        "KERAS_HOME": scratch,
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH") or str(HERE.parent / "src")]),
    }
    command = [sys.executable, "-m", "pytest", "-c", str(HERE / "pytest.ini"), f"--rootdir={source}"]
    subprocess.run(
        [*command, f"--results={results}", *[str(source / f) for f in folders], *options], env=environment, check=False
    )
    return json.loads(results.read_text()) if results.exists() else {folders[0]: ["error", "the run broke off"]}


def reason_of(text: str) -> str:
    """Why a test was skipped, from what pytest says of it."""
    return text.rpartition("Skipped: ")[2].strip("')\" ").splitlines()[0][:100]


def main() -> int:
    """Run what the command line names; the exit status says whether everything passed."""
    arguments = sys.argv[1:]
    split = next((i for i, a in enumerate(arguments) if a.startswith("-")), len(arguments))
    folders, options = arguments[:split] or FOLDERS, arguments[split:]
    source = keras_source()
    table: dict[str, Counter[str]] = {}
    failures: list[str] = []
    skipped: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            if not (source / folder).exists():
                continue
            alone = ["-n", "0"] if folder.partition("/")[0] in IN_ONE_PROCESS else []
            outcomes = run([folder], [*options, *alone], source, scratch)
            table[folder] = Counter(outcome for outcome, _ in outcomes.values())
            skipped.update(reason_of(text) for outcome, text in outcomes.values() if outcome == "skipped")
            failures += [name for name, (outcome, _) in outcomes.items() if outcome in ("failed", "error")]
    print(f"\n{'folder':28}{'passed':>8}{'failed':>8}{'errors':>8}{'skipped':>8}")
    total: Counter[str] = Counter()
    for folder, counts in [*table.items(), ("sum", total)]:
        total.update(counts if folder != "sum" else {})
        print(f"{folder:28}" + "".join(f"{counts[k]:8}" for k in ("passed", "failed", "error", "skipped")))
    print("\nskipped because:", *[f"{count:8}  {reason}" for reason, count in skipped.most_common()], sep="\n")
    if failures:
        print("\nfailed:", *failures, sep="\n  ")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
