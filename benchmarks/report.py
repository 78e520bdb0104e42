"""Tables from the files in benchmarks/results/, and the one in README.md, so that no number is copied by hand.

python benchmarks/report.py            rewrites the part of README.md between the markers
python benchmarks/report.py --check    fails if that part is not what the results say
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import harness

README = harness.HERE.parent / "README.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
COMPILED = {
    "gradtape": "gradtape",
    "TensorFlow": "TensorFlow",
    "TensorFlow XLA": "TensorFlow XLA",
    "JAX": "JAX",
    "PyTorch": "PyTorch eager",
    "torch.compile": "PyTorch compiled",
}
SYSTEMS = ("gradtape", "PyTorch", "TensorFlow", "JAX", "TensorFlow XLA", "torch.compile")


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def limits_table(content: dict[str, Any]) -> str:
    """Best and median of every system, with the limits and whether they are kept."""
    systems = [s for s in SYSTEMS if s in content["versions"]]
    rows = []
    for row in content["works"]:
        cells = [row["title"]]
        for system in systems:
            found = row["systems"].get(system)
            cells.append(f"{harness.duration(found['best'])} ({harness.duration(found['median'])})" if found else "-")
        rows.append([*cells, "; ".join(_judged(limit) for limit in row["limits"])])
    header = ["best (median)", *[f"{s} {content['versions'][s]}".strip() for s in systems], "limit"]
    return markdown(header, rows)


def limit_text(limit: dict[str, Any]) -> str:
    """A limit beside what was measured."""
    return limit.get("text") or f"{limit['ratio']:.3f} x {limit['against']}, at most {limit['limit']:.2f}"


def _judged(limit: dict[str, Any]) -> str:
    return f"{limit_text(limit)}: {'kept' if limit['passed'] else 'missed'}"


def write_table(name: str, content: dict[str, Any], folder: Path) -> Path:
    """Write a table of times and limits, `<name>.md`; its path."""
    parts = [limits_table(content), conditions(content)]
    if "cold" in content:
        parts.insert(1, cold_table(content))
    if content.get("limits"):
        parts.append("\n".join(f"- {_judged(limit)}" for limit in content["limits"]))
    path = folder / f"{name}.md"
    path.write_text("\n\n".join(parts) + "\n")
    return path


def cold_table(content: dict[str, Any]) -> str:
    """First results: seconds, and how far memory grows."""
    systems = [s for s in SYSTEMS if s in content["versions"]]
    rows = []
    for work, by_system in content["cold"].items():
        answers = [by_system.get(s, {}) for s in systems]
        rows.append([work, *[_first(a) if "seconds" in a else "-" for a in answers]])
    return markdown(["first result (peak memory)", *systems], rows)


def _first(answer: dict[str, Any]) -> str:
    return f"{harness.duration(answer['seconds'])} ({answer['whole'] / 2**20:.0f} MiB)"


def conditions(content: dict[str, Any]) -> str:
    """What the numbers were measured on, in a sentence."""
    machine = content["machine"]
    if content.get("compiled"):
        how, more = "every system by its own compiler, PyTorch also eager", ""
    elif content.get("family") == "data":
        how, more = "the training step as a `tf.function`", ""
    else:
        how, more = "every system eager", " JAX is made for `jit`, which is not used here."
    return (
        f"Measured on {machine['date']} on {machine['processor']}, {machine['cores']} cores, Python {machine['python']}, "
        f"NumPy {machine['numpy']}; {how}, with one thread and with {machine['cores']}, the better one counted; "
        f"the best of many interleaved samples.{more}"
    )


def compiled_comparison(content: dict[str, Any], title: str = "compiled") -> str:
    """A table of README.md: compiled functions, or models of Keras, and first results together where there are some."""
    systems = [s for s in COMPILED if s in content["versions"]]
    rows = [
        [row["title"], *_cells([row["systems"].get(s, {}).get("best") for s in systems])] for row in content["works"]
    ]
    first = [[work.get(s, {}).get("seconds") for work in content.get("cold", {}).values()] for s in systems]
    if any(first):
        rows.append(["first results of all of these together", *_cells([None if None in f else sum(f) for f in first])])
    return markdown([title, *[f"{COMPILED[s]} {content['versions'][s]}".strip() for s in systems]], rows)


def comparison(eager: dict[str, Any], footprint: dict[str, Any]) -> str:
    """The table of README.md: times with their ratio to gradtape's, import and size."""
    systems = [s for s in SYSTEMS if s in eager["versions"]]
    weights = footprint["systems"]
    rows = [[row["title"], *_cells([row["systems"][s]["best"] for s in systems])] for row in eager["works"]]
    rows.append(["`import`, fresh interpreter", *_cells([weights[s]["import_seconds"] for s in systems])])
    rows.append(
        [
            "installed files with all requirements, without byte code",
            *[f"{weights[s]['bytes'] / 1e6:.0f} MB" for s in systems],
        ]
    )
    names = {"JAX": "JAX {} without jit"}
    header = ["", *[names.get(s, s + " {}").format(eager["versions"][s]).strip() for s in systems]]
    return markdown(header, rows)


def _cells(seconds: Sequence[float | None]) -> list[str]:
    """Times, the best in bold; behind the others' times, how many times gradtape's, which is the first, that is."""
    cells = []
    for k, value in enumerate(seconds):
        if value is None:
            cells.append("-")
            continue
        text = harness.duration(value)
        if value == min(s for s in seconds if s is not None):
            text = f"**{text}**"
        ratio = value / (seconds[0] or value)
        cells.append(f"{text} ({ratio:.0f}x)" if ratio >= 10 else f"{text} ({ratio:.2g}x)" if k else text)
    return cells


def longevity(memory: dict[str, Any], scaling: dict[str, Any]) -> str:
    """Memory and scaling, in a list."""
    last = scaling["rows"][-1]
    return (
        f"- {memory['steps']:,} training steps, with exceptions inside tapes and persistent tapes: resident memory stays within "
        f"{100 * memory['change']:.2f} % after warm-up.\n"
        f"- A tape of {last['ops']:,} ops is differentiated in {harness.duration(last['backward'])}, "
        f"{harness.duration(last['backward'] / last['ops'])} for each op; nothing recurses."
    )


def section() -> str:
    """The measured part of README.md."""
    eager, footprint, memory, scaling = (_load(n) for n in ("eager", "footprint", "memory", "scaling"))
    legend = "Best in bold; in parentheses, the ratio to gradtape's time."
    parts = [comparison(eager, footprint), f"{legend} {conditions(eager)}"]
    for name, title in (("compiled", "compiled"), ("keras", "Keras on"), ("data", "`tf.data`")):
        if (harness.RESULTS / f"{name}.json").exists():
            content = _load(name)
            parts += [compiled_comparison(content, title), conditions(content)]
    parts.append(longevity(memory, scaling))
    return "\n\n".join([BEGIN, *parts, END])


def _load(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((harness.RESULTS / f"{name}.json").read_text())
    return content


def renewed(text: str) -> str:
    """The text of README.md with its measured part from the results."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + section() + after


def main() -> int:
    """Rewrite README.md, or say that it is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if README.md is out of date")
    options = parser.parse_args()
    text = README.read_text()
    new = renewed(text)
    if options.check:
        print("README.md says what benchmarks/results say." if new == text else "README.md is out of date: make bench.")
        return int(new != text)
    README.write_text(new)
    print(f"Written: {README}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
