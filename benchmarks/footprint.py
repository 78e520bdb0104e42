"""What a user pays before the first line: import time and installed size.

    python benchmarks/footprint.py      writes benchmarks/results/footprint.json

Import time is that of a fresh interpreter, the best of several, the systems taken in turns. Size is that of the
package's files with all that it requires, without byte code.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import harness

PACKAGES = {"gradtape": "gradtape", "PyTorch": "torch", "TensorFlow": "tensorflow", "JAX": "jax"}
IMPORT_LIMIT = 0.150
_TIMED_IMPORT = "import time; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"


def import_seconds(package: str) -> float:
    """Seconds of the import statement in a fresh interpreter, NumPy's included, byte code kept as after an install."""
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", _TIMED_IMPORT.format(package)]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return float(output.split()[-1])


def requirements(name: str, found: dict[str, Any]) -> dict[str, Any]:
    """The distribution with all that it requires here, by name."""
    key = canonicalize_name(name)
    if key not in found:
        distribution = found[key] = importlib.metadata.distribution(name)
        for line in distribution.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                requirements(requirement.name, found)
    return found


def installed_bytes(package: str) -> int:
    """The size of the files of a package and of what it requires."""
    name = importlib.metadata.packages_distributions().get(package, [package])[0]
    total = 0
    for distribution in requirements(name, {}).values():
        total += sum(_size(Path(str(f.locate()))) for f in distribution.files or ())
    if package == "gradtape":  # installed in editable mode: its files are not in the list
        folder = Path(str(importlib.util.find_spec(package).origin)).parent  # type: ignore[union-attr]
        total += sum(_size(f) for f in folder.rglob("*"))
    return total


def _size(path: Path) -> int:
    return path.stat().st_size if path.suffix != ".pyc" and path.is_file() else 0


def main() -> int:
    """Measure, print, write; 1 if --strict and the limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if the limit is missed")
    options = parser.parse_args()
    present = {system: package for system, package in PACKAGES.items() if importlib.util.find_spec(package)}
    for package in present.values():
        import_seconds(package)  # the first one compiles
    seconds: dict[str, list[float]] = {system: [] for system in present}
    for _ in range(options.rounds):
        for system, package in present.items():
            seconds[system].append(import_seconds(package))
    rows = {}
    for system, package in present.items():
        size = installed_bytes(package)
        rows[system] = {"import_seconds": min(seconds[system]), "bytes": size}
        print(f"{system:<11} import {harness.duration(min(seconds[system])):>8}   installed {size / 1e6:>6.0f} MB")
    passed = rows["gradtape"]["import_seconds"] <= IMPORT_LIMIT
    print(f"{'kept' if passed else 'MISSED'}: import gradtape in at most {harness.duration(IMPORT_LIMIT)}")
    content = {"machine": harness.machine(), "systems": rows, "limit": IMPORT_LIMIT, "passed": passed}
    print(f"Written: {harness.write('footprint', content, options.output)}")
    return 1 if options.strict and not passed else 0


if __name__ == "__main__":
    sys.exit(main())
