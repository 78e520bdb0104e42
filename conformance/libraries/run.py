"""Runs libraries that are built on TensorFlow on gradtape: the tests in their packages, and the programs in examples/libraries.

    python conformance/libraries/run.py                     all of it; writes docs/libraries.md
    python conformance/libraries/run.py sonnet              the tests of one library; the page keeps the results of the others
    python conformance/libraries/run.py sonnet -k linear    the rest goes to pytest
    python conformance/libraries/run.py examples            the programs

TensorFlow must not be installed beside them. What is left out, and why, is in left_out.txt.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXAMPLES = ROOT / "examples" / "libraries"
TABLE = ROOT / "docs" / "libraries.md"
STORED = HERE / "results.json"
# The package on the index, what to import, and the folders of its tests: in the wheel, or below `sources` of the environment, where
# the target unpacks source packages, or beside this file, where those are that we wrote for a package without tests.
AGENTS = [
    f"agents/{name}_test.py"
    for name in [
        "dqn/dqn_agent",
        "ppo/ppo_actor_network",
        "ppo/ppo_agent",
        "ppo/ppo_policy",
        "ppo/ppo_utils",
        "sac/sac_agent",
        "sac/tanh_normal_projection_network",
    ]
]
GPFLOW = "optimizers models/test_gpr.py models/test_gpr_posterior.py models/test_svgp.py models/test_svgp_posterior.py kernels"
LIBRARIES = [
    ("dm-sonnet", "sonnet", ["src"]),
    ("tensorflow-probability", "tensorflow_probability.python.distributions", ["own/probability"]),
    ("gpflow", "gpflow", [f"sources/tests/gpflow/{part}" for part in GPFLOW.split()]),
    ("DeepXDE", "deepxde", ["own/deepxde_examples"]),
    ("tf_keras", "tf_keras", None),
    ("spektral", "spektral", None),
    ("tf2rl", "tf2rl", None),
    ("tf-agents", "tf_agents", AGENTS),
    ("keras-tuner", "keras_tuner", None),
    ("keras-rs", "keras_rs", None),
    ("scikeras", "scikeras.wrappers", None),
    ("segmentation-models", "segmentation_models", None),
    ("tensorflow-datasets", "tensorflow_datasets", None),
]
# Libraries that are written for Keras 2, and fail with Keras 3 on TensorFlow, too.
FOR_KERAS_2 = {"tf_agents"}


def environment(library: str = "") -> dict[str, str]:
    """That of the programs, or of a library's tests."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH") or str(ROOT / "src")])
    fixed = {"PYTHONPATH": path, "DDE_BACKEND": "tensorflow", "SM_FRAMEWORK": "tf.keras", "KERAS_BACKEND": "gradtape"}
    legacy = {"TF_USE_LEGACY_KERAS": "1"} if library in FOR_KERAS_2 else {}
    return {**os.environ, **fixed, **legacy}


def left_out() -> dict[str, str]:
    """Tests that are not counted, by the end of their name, with the reason."""
    lines = [line for line in (HERE / "left_out.txt").read_text().splitlines() if line and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, _, reason in (line.partition("  ") for line in lines)}


def imports(module: str) -> bool:
    """Whether a library can be imported."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(f"import {module}\n")
        script.flush()
        command = [sys.executable, "-m", "gradtape", "run", script.name]
        own = environment(module.partition(".")[0])
        return subprocess.run(command, env=own, capture_output=True, check=False).returncode == 0


def tested(module: str, folders: list[str], options: list[str]) -> dict[str, list[str]]:
    """The outcomes of the tests in a library's package, by name."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return {}
    in_sources, are_own = folders[0].startswith("sources/"), folders[0].startswith("own/")
    source = HERE if are_own else Path(sys.prefix) / "sources" if in_sources else Path(spec.origin).parent
    chosen = [str(source / folder.removeprefix("sources/").removeprefix("own/")) for folder in folders]
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch) / "results.json"
        command = [sys.executable, "-m", "gradtape", "run", "-m", "pytest", "-q", "-p", "library_results"]
        command += [
            "-p",
            "no:cacheprovider",
            f"--rootdir={source}",
            "--import-mode=importlib" if in_sources else "--import-mode=prepend",
            f"--results={results}",
            *(["--noconftest", "-c", os.devnull] if are_own else []),  # those beside them are for other suites
            *chosen,
            *options,
        ]
        # The tests of a source package import each other from its root, without the package beside them.
        paths = {"PYTHONPATH": os.pathsep.join([str(source), environment()["PYTHONPATH"]])} if in_sources else {}
        subprocess.run(command, env={**environment(module), **paths}, cwd=scratch, check=False)
        found: dict[str, list[str]] = json.loads(results.read_text()) if results.exists() else {}
        return found


def examples() -> list[tuple[str, bool, str]]:
    """The programs: name, whether it ran to its end, and its last line."""
    found = []
    for program in sorted(EXAMPLES.glob("*.py")):
        command = [sys.executable, "-m", "gradtape", "run", str(program)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
        found.append((program.name, done.returncode == 0, lines[-1] if lines else ""))
        print(
            f"{program.name:32}{'ok' if done.returncode == 0 else 'FAILED'}  {lines[-1] if lines else ''}", flush=True
        )
    return found


def summary(outcomes: dict[str, list[str]], reasons: dict[str, str]) -> tuple[Counter[str], list[str], Counter[str]]:
    """How many tests had which outcome, which failed, and for which reasons others are left out."""
    counts: Counter[str] = Counter()
    failed: list[str] = []
    without: Counter[str] = Counter()
    for name, (outcome, _) in outcomes.items():
        reason = next((why for end, why in reasons.items() if end in name), None)
        if reason is not None and outcome in ("failed", "error"):
            without[reason] += 1
            continue
        counts[outcome] += 1
        failed += [name] if outcome in ("failed", "error") else []
    return counts, failed, without


def shown_time(program: str, engine: str) -> str:
    """The seconds that were measured for a program; empty if there are none."""
    stored = json.loads((HERE / "seconds.json").read_text()) if (HERE / "seconds.json").exists() else {}
    seconds = stored.get(program, {}).get(engine)
    return "" if seconds is None else f"{seconds:.1f}"


def version(package: str) -> str:
    """The version of a package that is installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def written(stored: dict[str, Any]) -> str:
    """The page of the results: what ran now, and what the last runs of the others gave."""
    known = [stored["libraries"][package] for package, _, _ in LIBRARIES if package in stored["libraries"]]
    rows, reasons = [entry["row"] for entry in known], Counter[str]()
    for entry in known:
        reasons.update(entry["left out"])
    programs = [(name, *stored["programs"][name]) for name in sorted(stored["programs"])]
    lines = [
        "# Libraries on gradtape",
        "",
        "Libraries that are built on TensorFlow, unchanged, under `gradtape run`. Written by `make conformance-libraries`.",
        "",
        "| package | version | imports | tests | passed | failed | skipped by itself | left out |",
        "|---|---|---|---|---|---|---|---|",
        *["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows],
        "",
        "Tests are those in the packages that carry them; of GPflow those of kernels, GPR, SVGP and optimizers, of TF-Agents those of DQN, PPO and SAC. TensorFlow Probability's wheel has none: counted are ours in conformance/libraries/probability, "
        "which compare densities, gradients, statistics, bijectors, functions and inference with what TensorFlow 2.21 gave. DeepXDE's are its examples of forward problems. Left out, since they "
        "fail on TensorFlow 2.21 too, with the reason (the names are in conformance/libraries/left_out.txt):",
        "",
        *[f"- {count}: {reason}" for reason, count in reasons.most_common()],
        "",
        "## Programs",
        "",
        "In examples/libraries, run by the target:",
        "",
        "| program | runs | seconds | TensorFlow's | its last line |",
        "|---|---|---|---|---|",
        *[
            f"| {name} | {'yes' if ok else 'no'} | {shown_time(name, 'gradtape')} | {shown_time(name, 'tensorflow')} | `{last[:100]}` |"
            for name, ok, last in programs
        ],
        "",
        "Seconds are processor time of the whole process, imports included, of one run each on a busy machine, measured in turn by "
        "conformance/libraries/measure.py and stored in seconds.json. A program without a time of TensorFlow's does not run there.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Run what the command line names; the exit status says whether everything passed."""
    chosen = [a for a in sys.argv[1:2] if not a.startswith("-")]
    options = sys.argv[1 + len(chosen) :]
    reasons = left_out()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"libraries": {}, "programs": {}}
    failures: list[str] = []
    for package, module, folders in LIBRARIES:
        if chosen and module.partition(".")[0] != chosen[0]:
            continue
        row, failed, without = library(package, module, folders, options, reasons)
        failures += failed
        if not [o for o in options if not o.startswith("--tb")]:  # a part of the tests says little about all
            stored["libraries"][package] = {"row": row, "left out": without}
        print(*row, sep="  ", flush=True)
    if not chosen or chosen == ["examples"]:
        for name, ok, last in examples():
            stored["programs"][name] = [ok, last]
            failures += [] if ok else [name]
    STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    TABLE.write_text(written(stored))
    print("\nfailed:", *(failures or ["nothing"]), sep="\n  ")
    return bool(failures)


def library(
    package: str, module: str, folders: list[str] | None, options: list[str], reasons: dict[str, str]
) -> tuple[list[Any], list[str], dict[str, int]]:
    """The row of a library in the table, what failed, and how many of its tests are left out for which reason."""
    can = imports(module)
    numbers: list[Any] = [""] * 5
    failures, own = [] if can else [f"import {module}"], Counter[str]()
    if folders is not None:
        counts, failed, own = summary(tested(module.partition(".")[0], folders, options), reasons)
        failures += failed
        total = counts["passed"] + counts["failed"] + counts["error"]
        numbers = [total, counts["passed"], total - counts["passed"], counts["skipped"], sum(own.values())]
    return [package, version(package), "yes" if can else "no", *numbers], failures, dict(own)


if __name__ == "__main__":
    sys.exit(main())
