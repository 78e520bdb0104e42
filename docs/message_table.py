"""Writes docs/messages.md: the error messages of gradtape and TensorFlow for common mistakes.

    python docs/message_table.py

The mistakes are those of tests/messages/mistakes.py; TensorFlow's messages were recorded by tests/messages/record_messages.py.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gradtape as tf

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent / "tests"))
from messages import run_mistakes  # noqa: E402
from messages.mistakes_in_programs import MISTAKES, Mistake  # noqa: E402

_FILE = _HERE / "messages.md"
_RECORDED = _HERE.parent / "tests" / "messages" / "tensorflow_messages.json"

_HEAD = """# Messages

The error messages of gradtape and TensorFlow 2.21 for {count} common mistakes. gradtape's messages have three lines: what is wrong, where
in your program (omitted here), and the fix. `docs/message_table.py` generates this page; the tests check the content of each message.
"""


def page() -> str:
    """The text of docs/messages.md."""
    recorded = json.loads(_RECORDED.read_text(encoding="utf-8"))
    lines = [_HEAD.format(count=len(MISTAKES))]
    subject = ""
    for number, mistake in enumerate(MISTAKES):
        if mistake.subject != subject:
            subject = mistake.subject
            lines += [f"## {subject}", ""]
        lines += _entry(number, mistake, *recorded[mistake.code])
    return "\n".join(lines)


def _entry(number: int, mistake: Mistake, kind: str, text: str) -> Iterator[str]:
    yield from ("```text", mistake.code, "```", "")
    yield from ("gradtape:", "```text", *_shown(*run_mistakes.message(tf, mistake.code, number)), "```")
    yield from ("TensorFlow:", "```text", *_shown(kind, text), "```", "")


def _shown(kind: str, text: str) -> list[str]:
    """A message as Python shows it, without the place, and cut where it is long."""
    if not kind:
        return ["(nothing)"]
    lines = [line[:300] for line in text.split("\n") if not line.startswith("  at:  ") and line.strip()]
    kept = lines if len(lines) <= 8 else [*lines[:7], "..."]
    return [f"{kind}: {kept[0] if kept else ''}", *kept[1:]]


def main() -> int:
    """Write the file, or say whether it is up to date."""
    os.chdir(tempfile.mkdtemp())
    if "--check" in sys.argv[1:]:
        current = _FILE.read_text(encoding="utf-8") == page()
        print("docs/messages.md is up to date." if current else "docs/messages.md is out of date.")
        return int(not current)
    _FILE.write_text(page(), encoding="utf-8")
    print(f"Written: {_FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
