"""Writes tensorflow_refusals.json: the classes of errors that TensorFlow raises for the calls of test_wrong_arguments.py.

    python tests/messages/record_refusals.py docstrings > docstrings.json      with gradtape
    python tests/messages/record_refusals.py record docstrings.json            with TensorFlow; again after a crash
    python tests/messages/record_refusals.py write                             the table

TensorFlow ends the process for some arguments, and hangs for others. So outcomes are written to a journal as they come, and a call that
was begun but has no outcome is skipped the next time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from messages import calls

_HERE = Path(__file__).parent
_JOURNAL = Path(tempfile.gettempdir()) / "refusals.jsonl"
_LETTERS = {"TypeError": "T", "ValueError": "V", "InvalidArgumentError": "I"}
_OK, _CRASH, _OTHER = ".", "-", "x"


def docstrings() -> None:
    """Print the docstrings of the functions, which hold the calls, as JSON."""
    from messages import test_wrong_arguments

    print(json.dumps(test_wrong_arguments.EXAMPLES))


def _letter(problem: BaseException) -> str:
    names = [kind.__name__ for kind in type(problem).__mro__]
    return next((letter for name, letter in _LETTERS.items() if name in names), _OTHER)


def record(source: Path) -> None:
    """Run the calls that the journal does not have."""
    import tensorflow as tf

    examples = json.loads(source.read_text(encoding="utf-8"))
    begun = {tuple(json.loads(line)[:3]) for line in _JOURNAL.open()} if _JOURNAL.exists() else set()
    os.chdir(tempfile.mkdtemp())

    def late(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    with _JOURNAL.open("a", encoding="utf-8") as journal:
        for name, example in examples.items():
            own = [c for c in calls.collect(tf, example) if c.name == name]
            for place, kind, args, kwargs in calls.variants(own[0], calls.WRONG, tf) if own else ():
                if (name, place, kind) in begun:
                    continue
                journal.write(json.dumps([name, place, kind]) + "\n")
                journal.flush()
                signal.alarm(10)
                try:
                    own[0].function(*args, **kwargs)
                    letter = _OK
                except TimeoutError:
                    letter = _CRASH
                except Exception as problem:
                    letter = _letter(problem)
                finally:
                    signal.alarm(0)
                journal.write(json.dumps([name, place, kind, letter]) + "\n")


def write() -> None:
    """The table from the journal: by function and argument, a letter for each wrong thing."""
    table: dict[str, dict[str, list[str]]] = {}
    order = list(calls.WRONG)
    for line in _JOURNAL.open(encoding="utf-8"):
        name, place, kind, *letter = json.loads(line)
        row = table.setdefault(name, {}).setdefault(place, [_CRASH] * len(order))
        row[order.index(kind)] = letter[0] if letter else row[order.index(kind)]
    lines = [
        f"{json.dumps(name)}: {json.dumps({p: ''.join(letters) for p, letters in places.items()})}"
        for name, places in sorted(table.items())
    ]
    (_HERE / "tensorflow_refusals.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    {"docstrings": docstrings, "record": record, "write": write}[command](*[Path(p) for p in rest])
