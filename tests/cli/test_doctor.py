"""`gradtape doctor`."""

from __future__ import annotations

import os
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


def test_a_cache_that_another_process_writes_to(monkeypatch: Any, tmp_path: Any) -> None:
    """Files that are renamed before anybody asks for their size, and right after."""
    folder = tmp_path / "kernels"
    folder.mkdir(0o700)
    for name in ("kept", ".new-before", ".new-after"):
        (folder / name).write_bytes(b"12345")
    monkeypatch.setenv("GRADTAPE_CACHE", str(folder))
    stat = os.stat

    def disturbed(path: Any, *args: Any, **kwargs: Any) -> os.stat_result:
        if str(path).endswith(".new-before"):
            os.rename(path, tmp_path / "before")
        found = stat(path, *args, **kwargs)
        if str(path).endswith(".new-after"):
            os.rename(path, tmp_path / "after")
        return found

    monkeypatch.setattr(os, "stat", disturbed)
    assert ": 2 files, 0.0 MB" in doctor._cache().state
