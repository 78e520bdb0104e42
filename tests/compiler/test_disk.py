"""Kernels on disk: what is kept, what is refused, and what other processes do to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradtape.compiler.codegen.simd.machine import Code
from gradtape.compiler.fusion import pointwise as fusion
from gradtape.compiler.runtime import disk
from gradtape.core import disk_cache, dtypes, errors
from gradtape.core.op import REGISTRY

ENTRY = disk.StoredKernel(Code(b"\x7fELF" * 10, ("task",), ("sgemm",)), "task", 3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "kernels"
    monkeypatch.setenv("GRADTAPE_CACHE", str(place))
    return place


def place(text: str) -> Path:
    found = disk_cache.place_of(disk.full_text(text))
    assert found is not None
    return Path(found)


def files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


def test_what_is_stored_is_loaded(folder):
    assert disk.load("a kernel") is None
    disk.store("a kernel", ENTRY)
    assert disk.load("a kernel") == ENTRY
    assert disk.load("another") is None


def test_a_file_says_what_it_is(folder):
    text = disk.text_of(("loop", dtypes.float32, (2, 3)))
    assert text == "('loop',float32,(2,3,),)"
    disk.store(text, ENTRY)
    (path,) = files(folder)
    lines = path.read_bytes()[32:].split(b"\0")[0].decode().splitlines()
    assert lines[0].startswith("gradtape kernel")
    assert lines[-1] == text


def test_a_file_of_another_text_is_not_used(folder, monkeypatch):
    """Should two texts ever give the same name."""
    disk.store("a kernel", ENTRY)
    (path,) = files(folder)
    monkeypatch.setattr(disk_cache, "place_of", lambda _: str(path))
    assert disk.load("a kernel") == ENTRY
    assert disk.load("another") is None


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-7], lambda b: b"", lambda b: b[:60] + b"x" + b[61:], lambda b: b"#!/bin/sh\n" + b]
)
def test_a_damaged_file_is_ignored_and_removed(folder, damage):
    disk.store("a kernel", ENTRY)
    (path,) = files(folder)
    path.write_bytes(damage(path.read_bytes()))
    assert disk.load("a kernel") is None
    assert not path.exists()
    disk.store("a kernel", ENTRY)
    assert disk.load("a kernel") == ENTRY


def test_nothing_is_kept_when_it_is_off(monkeypatch):
    monkeypatch.setenv("GRADTAPE_CACHE", "off")
    disk.store("a kernel", ENTRY)
    assert disk_cache.folder() is None
    assert disk.load("a kernel") is None


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "GRADTAPE_CACHE"])
def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch, name):
    (tmp_path / "file").write_text("")
    monkeypatch.delenv("GRADTAPE_CACHE", raising=False)
    monkeypatch.setenv(name, str(tmp_path / "file" / "below"))
    disk.store("a kernel", ENTRY)
    assert disk.load("a kernel") is None


def test_a_folder_that_others_may_write_is_not_used(tmp_path, monkeypatch):
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    monkeypatch.setenv("GRADTAPE_CACHE", str(place))
    monkeypatch.setattr(disk_cache, "_has_refused", False)
    with pytest.warns(errors.CompilerWarning, match="refuses"):
        assert disk_cache.folder() is None


def test_the_oldest_files_go_when_the_folder_is_full(folder):
    for i in range(10):
        disk.store(f"kernel {i}", ENTRY)
    for i in range(10):
        path = place(f"kernel {i}")
        os.utime(path, (i, i))
    size = sum(p.stat().st_size for p in files(folder))
    disk_cache.clean(folder, size // 2)
    assert [disk.load(f"kernel {i}") is not None for i in range(10)] == [False] * 5 + [True] * 5


def test_every_part_of_the_folder_keeps_its_share(folder, monkeypatch):
    monkeypatch.setattr(disk_cache, "_written", 0)
    disk.store("first", ENTRY)
    part = place("first").parent
    share = 5 * place("first").stat().st_size
    monkeypatch.setattr(disk_cache, "LIMIT", 256 * share)
    disk.store("another", ENTRY)
    elsewhere = place("another")
    for i in range(8):
        (part / f"old {i}").write_bytes(place("first").read_bytes())
        os.utime(part / f"old {i}", (i, i))
    monkeypatch.setattr(disk_cache, "_written", 8)
    disk.store("first", ENTRY)
    assert sorted(p.name for p in files(part)) == sorted([place("first").name, *[f"old {i}" for i in range(4, 8)]])
    assert elsewhere.exists()


def test_texts_tell_numbers_apart_that_are_equal():
    texts = [disk.text_of(("loop", x)) for x in (0, 0.0, -0.0, False, 1, True, 1.0, "1", None)]
    assert len(set(texts)) == len(texts)


def test_texts_know_ops_and_dtypes_and_refuse_other_objects():
    step = fusion.Step(REGISTRY["tanh"], (0,), ())
    assert disk.text_of((step, dtypes.float32)) == disk.text_of(
        (fusion.Step(REGISTRY["tanh"], (0,), ()), dtypes.float32)
    )
    assert disk.text_of((step, dtypes.float32)) != disk.text_of((step, dtypes.float64))
    assert disk.text_of((object(),)) is None


PROGRAM = """
import sys, gradtape as tf
from gradtape.compiler.codegen.simd import machine
made = []
translate = machine.translate
def counted(*arguments):
    made.append(1)
    return translate(*arguments)
machine.translate = counted
@tf.function
def f(x):
    return tf.reduce_sum(tf.tanh(x) * 3.0)
print(len(made), float(f(tf.range(1000.0))), len(made))
"""


def test_a_second_process_compiles_nothing(folder):
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert runs[0][1] == runs[1][1]
    assert int(runs[0][2]) > 0
    assert int(runs[1][2]) == 0
