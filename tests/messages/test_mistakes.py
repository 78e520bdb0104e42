"""What gradtape says to the mistakes of mistakes.py: the words that each message must have, and its form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gradtape as tf
from messages import run_mistakes
from messages.mistakes_in_programs import MISTAKES, Mistake

_RECORDED = Path(__file__).parent / "tensorflow_messages.json"


def _has(text: str, words: str) -> list[str]:
    """The words that a text does not have; `[a/b]` stands for either."""
    missing = []
    for word in filter(None, words.split("|")):
        choice = re.fullmatch(r"(.*?)\[(\w[^\]]*/[^\]]*)\](.*)", word)
        wanted = [choice[1] + one + choice[3] for one in choice[2].split("/")] if choice else [word]
        if not any(one.lower() in text.lower() for one in wanted):
            missing.append(word)
    return missing


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_message(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mistake = MISTAKES[number]
    kind, text = run_mistakes.message(tf, mistake.code, number)
    assert kind, f"nothing was said about: {mistake.code}"
    first, fix = run_mistakes.parts(text)
    assert not _has(first, mistake.first), f"{mistake.code}\nfirst line: {first}"
    assert not _has(fix, mistake.fix), f"{mistake.code}\nfix: {fix}"
    assert fix or _is_pythons(mistake), f"{mistake.code}\nno fix: {text}"
    assert not kind.startswith("_"), f"{kind} is not a name for users"


def _is_pythons(mistake: Mistake) -> bool:
    """Checks of the user's own, whose message is the user's."""
    return mistake.code.startswith("tf.debugging.")


def test_there_are_enough() -> None:
    assert len({m.code for m in MISTAKES}) >= 1000
    assert len({m.subject for m in MISTAKES}) >= 10


def test_tensorflows_messages_are_recorded_for_all() -> None:
    recorded = json.loads(_RECORDED.read_text(encoding="utf-8"))
    assert sorted(recorded) == sorted({m.code for m in MISTAKES})
