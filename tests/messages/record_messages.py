"""Writes tensorflow_messages.json: what TensorFlow says to the mistakes of mistakes.py. Run it with TensorFlow.

    python tests/messages/record_messages.py

Some of the mistakes end TensorFlow's process: then what is known so far has been written, and a new process goes on behind it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from messages import mistakes_in_programs, run_mistakes

_FILE = Path(__file__).parent / "tensorflow_messages.json"
_DIED = ["(the process ended)", ""]


def _known() -> dict[str, list[str]]:
    return json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.exists() else {}  # type: ignore[no-any-return]


def _plain(text: str) -> str:
    """A message without addresses and folders, and without the end of a long one."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    text = re.sub(r"(?<=[\"' ])/[\w./-]*/(?=[\w.-]+)", "", text)
    return text if len(text) <= 600 else text[:597] + "..."


def _write(found: dict[str, list[str]]) -> None:
    _FILE.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


def record() -> None:
    """Run the mistakes that are not known."""
    import tensorflow as tf

    os.chdir(tempfile.mkdtemp())
    found = _known()
    for number, mistake in enumerate(mistakes_in_programs.MISTAKES):
        if mistake.code not in found:
            found[mistake.code] = _DIED
            _write(found)
            kind, text = run_mistakes.message(tf, mistake.code, number)
            found[mistake.code] = [kind, _plain(text)]
    _write(found)


def main() -> None:
    """Start processes until all is known, and forget mistakes that are not in the table any more."""
    while any(mistake.code not in _known() for mistake in mistakes_in_programs.MISTAKES):
        subprocess.run([sys.executable, __file__, "record"], check=False)
    found = _known()
    _write({mistake.code: found[mistake.code] for mistake in mistakes_in_programs.MISTAKES})


if __name__ == "__main__":
    if sys.argv[1:] == ["record"]:
        record()
    else:
        main()
