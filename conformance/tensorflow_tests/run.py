"""Runs TensorFlow's own tests on TensorFlow and on gradtape, and compares.

    python conformance/tensorflow_tests/run.py SOURCE                     all folders of FOLDERS
    python conformance/tensorflow_tests/run.py SOURCE eager kernel_tests/math_ops    files whose path has one of these
    ... --tensorflow PYTHON    the interpreter that has TensorFlow (default: .venv-bench/bin/python)
    ... --again                run gradtape again where there are results
    ... --failures             list what TensorFlow passes and gradtape does not

SOURCE is the folder that has the source of TensorFlow, whose wheel has no tests (`apt-get source tensorflow` brings one). Results are kept in
.tensorflow-tests/, so a run can be broken off; TensorFlow runs a file once. What counts are tests that TensorFlow passes and that can be asked
through the public API: tests that use an internal name without a public one are set aside.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent.parent / ".tensorflow-tests"
FOLDERS = """
autograph/impl autograph/operators checkpoint data/experimental/kernel_tests data/kernel_tests data/ops data/util eager
eager/polymorphic_function framework kernel_tests kernel_tests/* lib/io module ops ops/distributions ops/linalg ops/losses ops/numpy_ops
ops/parallel_for ops/ragged ops/signal ops/structured saved_model summary trackable training training/experimental util
"""
# They need devices, servers or sessions, ask TensorFlow's optimiser of graphs, or are about protocol buffers of graphs.
LEFT_OUT = """
basic_session benchmark convert_to_constants coordinator_test cudnn custom_device dtensor function_def_to_graph gpu graph_util grappler
importer_test meta_graph monitored_session multi_worker profiler py_context_manager queue_runner remote server_lib session_debug
session_manager sync_replicas tpu v1_compat_tests
"""
TEST_SECONDS, FILE_SECONDS = 20, 300


def test_files(source: Path, filters: list[str]) -> list[Path]:
    """The test files that are asked for."""
    python = source / "tensorflow/python"
    files = [file for folder in FOLDERS.split() for file in sorted(python.glob(f"{folder}/*_test.py"))]
    paths = {str(file.relative_to(python)): file for file in files}
    return [
        file
        for path, file in paths.items()
        if not any(part in path for part in LEFT_OUT.split()) and (not filters or any(part in path for part in filters))
    ]


def run_file(system: str, python: str, source: Path, file: Path) -> dict[str, list[str]]:
    """The outcomes of a file's tests. A process that dies or hangs leaves what it has written."""
    result = result_file(system, source, file)
    result.parent.mkdir(parents=True, exist_ok=True)
    command = [python, HERE / "run_file.py", system, source, file, result, TEST_SECONDS, KEPT / "names.json"]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            list(map(str, command)),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=FILE_SECONDS,
        )
    if not result.exists():
        result.write_text(json.dumps({"<import>": ["crash", ""]}))
    return json.loads(result.read_text())


def result_file(system: str, source: Path, file: Path) -> Path:
    name = str(file.relative_to(source / "tensorflow/python").with_suffix("")).replace("/", ".")
    return KEPT / system / f"{name}.json"


def judged(theirs: dict[str, list[str]], ours: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Name, outcome and message on gradtape of the tests that TensorFlow passes."""
    for name, (outcome, *_) in theirs.items():
        if outcome == "pass":
            found = ours.get(name) or ours.get("<import>") or ["absent", ""]
            yield name, found[0], found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description="TensorFlow's own tests on gradtape.")
    parser.add_argument("source", type=Path)
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--tensorflow", default=str(HERE.parent.parent / ".venv-bench/bin/python"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    source = options.source.resolve()
    KEPT.mkdir(exist_ok=True)
    if not (KEPT / "names.json").exists():
        names = [options.tensorflow, HERE / "public_names.py", source / "tensorflow/python", KEPT / "names.json"]
        subprocess.run(list(map(str, names)), env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, check=True)
    total: Counter[str] = Counter()
    for file in test_files(source, options.filters):
        results = {}
        for system, python, again in (
            ("tensorflow", options.tensorflow, False),
            ("gradtape", sys.executable, options.again),
        ):
            kept = result_file(system, source, file)
            is_known = kept.exists() and not again
            results[system] = json.loads(kept.read_text()) if is_known else run_file(system, python, source, file)
        found = list(judged(results["tensorflow"], results["gradtape"]))
        counts = Counter(outcome for _, outcome, _ in found)
        total += counts
        print(f"{file.relative_to(source / 'tensorflow/python')}: {_text(counts)}", flush=True)
        if options.failures:
            for name, outcome, message in found:
                if outcome not in ("pass", "skip", "not public"):
                    print(f"  {name} [{outcome}] {message[:300]!r}")
    asked = total.total() - total["not public"] - total["skip"]
    print(f"{_text(total)}; of {asked} that can be asked, {100 * total['pass'] / max(asked, 1):.1f} % pass")


def _text(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "TensorFlow passes none"


if __name__ == "__main__":
    main()
