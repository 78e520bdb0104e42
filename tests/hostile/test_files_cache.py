"""The disk cache: code that another user may have put there is never run, and kernels of other sources are never used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from gradtape.core import disk_cache

BODY = b"machine code"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of something that is kept."""
    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(disk_cache, "_has_refused", False)
    before = os.umask(0)  # whatever the user's is
    disk_cache.write("text", BODY)
    place = disk_cache.place_of("text")
    assert place is not None
    yield Path(place)
    os.umask(before)


def test_nobody_else_may_read_or_write_what_is_kept(kept: Path) -> None:
    assert disk_cache.read("text") == BODY
    assert kept.stat().st_mode & 0o777 == 0o600
    for folder in (kept.parent, kept.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700


def other_owner(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give files away")
    os.chown(path, 12345, 12345)


def writable(path: Path) -> None:
    path.chmod(0o666)


def writable_by_the_group(path: Path) -> None:
    path.chmod(0o620)


def link(path: Path) -> None:
    moved = path.rename(path.with_name("moved"))
    path.symlink_to(moved)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir(0o700)


@pytest.mark.parametrize("change", [other_owner, writable, writable_by_the_group, link, pipe, folder])
def test_what_another_may_have_planted_is_refused_with_one_warning(kept: Path, change: Callable[[Path], None]) -> None:
    change(kept)
    with pytest.warns(tf.errors.CompilerWarning, match="kernel cache refuses"):
        assert disk_cache.read("text") is None
    assert disk_cache.read("text") is None  # and no second warning


def test_a_part_that_others_may_write_takes_nothing(kept: Path) -> None:
    kept.unlink()
    kept.parent.chmod(0o777)
    with pytest.warns(tf.errors.CompilerWarning, match="kernel cache refuses"):
        disk_cache.write("text", BODY)
    assert not kept.exists()


def test_a_file_in_the_place_of_another_is_not_used(kept: Path) -> None:
    disk_cache.write("other", b"other code")
    other = disk_cache.place_of("other")
    assert other is not None
    shutil.copy2(kept, other)
    assert disk_cache.read("other") is None


def test_sources_count_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path / "cache"))
    package = tmp_path / "package"
    package.mkdir()
    source = package / "rules.py"

    def made(text: str) -> str:
        source.write_text(text)
        os.utime(source, (1, 1))  # as in Nix, Bazel and layers of containers
        return disk_cache.fingerprint([str(package)])

    first, second = made("x = 1\n"), made("x = 2\n")
    assert first != second
    assert made("x = 1\n") == first
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "more.py").write_text("")
    assert disk_cache.fingerprint([str(package)]) == first
    assert disk_cache.fingerprint([str(tmp_path / "nothing")]) != disk_cache.fingerprint([str(tmp_path / "nothing")])


_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import gradtape as tf
assert tf.__file__.startswith(sys.argv[1]), tf.__file__
f = tf.function(lambda x: tf.tanh(x) * 3.0)
print(float(tf.reduce_sum(f(tf.ones([1000])))))
"""


def test_kernels_of_other_rules_are_not_used(tmp_path: Path) -> None:
    """A copy of gradtape whose rule of tanh is another one, with the same times of all files, gives its own numbers."""
    library = tmp_path / "library"
    shutil.copytree(Path(tf.__file__).parent, library / "gradtape", ignore=shutil.ignore_patterns("__pycache__"))
    settings: Any = os.environ | {"GRADTAPE_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run() -> float:
        for path in library.rglob("*.py"):
            os.utime(path, (1, 1))
        command = [sys.executable, "-c", _PROGRAM, str(library)]
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return float(done.stdout)

    before = run()
    rules = library / "gradtape" / "ops" / "hyperbolic.py"
    text = rules.read_text()
    assert "return cg.tanh(x)" in text
    rules.write_text(text.replace("return cg.tanh(x)", "return cg.mul(x, x)"))
    assert before == pytest.approx(3000 * 0.76159, rel=1e-4)
    assert run() == pytest.approx(3000.0)
