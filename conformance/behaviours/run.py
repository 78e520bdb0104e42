"""Run the behaviours on gradtape and compare with what TensorFlow recorded, or record them.

python conformance/behaviours/run.py [AREA ...]             compare; exit 1 if something differs
python conformance/behaviours/run.py --record [AREA ...]    run on TensorFlow (in an environment that has it), write recorded/
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from behaviour import HERE, areas, cases, differences, known_differences


def recorded(area: str) -> dict[str, Any]:
    """What TensorFlow did, by case."""
    path = HERE / "recorded" / f"{area}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def record(area: str) -> int:
    """Run an area on TensorFlow and write what it did."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    tf.config.set_visible_devices([], "GPU")
    results = {c.name: c.run(tf) for c in cases(area)}
    lines = (f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results))
    (HERE / "recorded" / f"{area}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return len(results)


def compare(area: str) -> tuple[int, list[tuple[str, str]]]:
    """Run an area on gradtape: how many cases there are, and what differs, by case."""
    import gradtape as tf

    before, found = recorded(area), []
    own = cases(area)
    for c in own:
        if c.name not in before:
            found.append((f"{area}.{c.name}", "not recorded; run with --record"))
            continue
        # Through JSON, as the recorded one: tuples and lists are one there.
        outcome = json.loads(json.dumps(c.run(tf)))
        found.extend((f"{area}.{c.name}", text) for text in differences(before[c.name], outcome, c.tolerance))
    return len(own), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*", metavar="AREA")
    parser.add_argument("--record", action="store_true", help="run on TensorFlow and write what it does")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    total, failed, known = 0, 0, known_differences()
    for area in options.areas or areas():
        if options.record:
            total += record(area)
            continue
        count, found = compare(area)
        different = {name for name, _ in found}
        total, failed = total + count, failed + len(different - known.keys())
        for name, text in found:
            print(f"{name}: {text}", "(known)" if name in known else "")
        print(f"{area}: {count - len(different)} of {count} as in TensorFlow", flush=True)
    listed = len(known) if not options.areas else sum(name.partition(".")[0] in options.areas for name in known)
    print(
        f"{total} recorded"
        if options.record
        else f"{total - failed - listed} passed, {failed} failed, {listed} known to differ"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
