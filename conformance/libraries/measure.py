"""Measures the programs in examples/libraries on gradtape and on TensorFlow, in turn, and stores the times beside this file.

    python conformance/libraries/measure.py GRADTAPE_PYTHON TENSORFLOW_PYTHON [program ...]

Each interpreter needs the libraries; the second also TensorFlow. A time is the best of `RUNS` runs of the whole process, imports included:
processor time, which other programs on the machine disturb less than wall time. `run.py` shows the file in docs/libraries.md.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples" / "libraries"
STORED = HERE / "seconds.json"
RUNS = 1


def processor_seconds(command: list[str], environment: dict[str, str]) -> float | None:
    """The processor time of a process; None if it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent if done.returncode == 0 else None


def main() -> None:
    """Measure the programs that the command line names, or all."""
    ours, theirs, *chosen = sys.argv[1:]
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    source = str(HERE.parent.parent / "src")
    environment = {**os.environ, "PYTHONPATH": source, "DDE_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    for program in sorted(EXAMPLES.glob("*.py")):
        if chosen and program.stem not in chosen:
            continue
        commands = {"gradtape": [ours, "-m", "gradtape", "run", str(program)], "tensorflow": [theirs, str(program)]}
        times: dict[str, list[float | None]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, command in commands.items():
                times[name].append(processor_seconds(command, environment))
        good = {name: [t for t in found if t is not None] for name, found in times.items()}
        stored[program.name] = {name: round(min(found), 1) if found else None for name, found in good.items()}
        print(program.name, stored[program.name], flush=True)
        STORED.write_text(json.dumps(stored, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
