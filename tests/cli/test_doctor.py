"""`gradtape doctor`."""

from __future__ import annotations

from typing import Any

from gradtape.cli import doctor
from gradtape.cli.main import main


def test_shows_what_is_there(capsys: Any) -> None:
    assert main(["doctor"]) == 0
    subjects = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]
    for subject in [
        "gradtape",
        "Python",
        "system",
        "NumPy",
        "scipy",
        "processor",
        "threads",
        "LLVM",
        "kernel",
        "Keras",
        "TensorFlow",
        "compiled",
    ]:
        assert subject in subjects


def test_gives_advice_for_what_is_missing(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(doctor, "_found", lambda package: "")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "pip install 'gradtape[keras]'" in out
    assert "pip install llvmlite" in out


def test_a_cache_that_is_off(monkeypatch: Any) -> None:
    monkeypatch.setenv("GRADTAPE_CACHE", "off")
    assert "GRADTAPE_CACHE turns the cache off" in doctor._cache().advice
