"""`python -m fuzz`: draw programs, run them, shrink and print what differs."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from threading import Thread, Timer

from fuzz import draw_program, script, worker
from fuzz.report import table
from gradtape.core.op import REGISTRY

_AT_ONCE = 100  # programs of a process
_PATIENCE = 900.0  # seconds without a word from a process: it hangs in machine code


def main() -> int:
    """Run the programs that the command line asks for; 1 if some differ."""
    options = _options()
    if options.worker:
        first, count = map(int, options.worker.split(":"))
        seeds = list(range(first, first + count))
        worker.run(seeds, options.samples, options.shrink, options.reference, options.python)
        return 0
    return _Parent(options).run()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--samples", default="", help="a module that registers samples of ops, for instance ops.samples"
    )
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds to shrink a program")
    parser.add_argument("--most", type=int, default=20, help="differences after which to stop")
    parser.add_argument(
        "--reference",
        default="",
        help="a library to compare with: one with TensorFlow's names, such as tensorflow, or jax",
    )
    parser.add_argument("--python", default="", help="the interpreter that has this library")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


class _Parent:
    """Starts processes, a slice of the seeds each, and collects what they tell."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._waiting = list(range(options.seed, options.seed + options.count))
        self._counts: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._done = self._found = self._compared = 0

    def run(self) -> int:
        """All programs; 1 if some differ."""
        worker.prepare(self._options.samples)
        start = time.monotonic()
        threads = [Thread(target=self._serve) for _ in range(self._options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(table(self._counts, sorted(REGISTRY)))
        for text, count in self._failures.most_common(10):
            print(f"{count} steps failed while they were drawn: {text}")
        if self._options.reference:
            print(f"{self._compared} programs ran with {self._options.reference} too.")
        print(f"{self._done} programs in {time.monotonic() - start:.0f} s, {self._found} differences.")
        return 1 if self._found else 0

    def _serve(self) -> None:
        while self._waiting and self._found < self._options.most:
            seeds, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            while seeds:
                seeds = self._slice(seeds)
            print(f"{self._done} programs, {self._found} differences", file=sys.stderr, flush=True)

    def _slice(self, seeds: list[int]) -> list[int]:
        """Let a process run some seeds; those that are left if it dies, after the one that it died of."""
        command = [sys.executable, "-m", "fuzz", "--worker", f"{seeds[0]}:{len(seeds)}"]
        for name in ("samples", "shrink", "reference", "python"):
            command += [f"--{name}", str(getattr(self._options, name))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        begun = None
        assert process.stdout is not None
        watch = Timer(_PATIENCE, process.kill)
        for line in process.stdout:
            watch.cancel()
            watch = Timer(_PATIENCE, process.kill)
            watch.start()
            if not line.startswith("{"):
                continue
            told = json.loads(line)
            if "begun" in told:
                begun = told["begun"]
                continue
            begun = None
            self._done += 1
            self._compared += told["compared"]
            self._counts.update(told["ops"])
            self._failures.update([text.splitlines()[0] for text in told["failures"]])
            for text in told["found"]:
                self._found += 1
                print(f"{text}\n{'-' * 80}", flush=True)
        process.wait()
        watch.cancel()
        if begun is None:
            return []
        self._found += 1
        program = script(draw_program(begun))  # drawing runs no machine code
        print(f"# seed {begun}: the process died (code {process.returncode}).\n{program}\n{'-' * 80}", flush=True)
        return seeds[seeds.index(begun) + 1 :]


if __name__ == "__main__":
    sys.exit(main())
