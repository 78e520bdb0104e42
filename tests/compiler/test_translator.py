"""Machine code made by two processes: the same code, whoever makes it, and nothing is lost when the other process fails."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler import kernels, translator
from gradtape.compiler.simd import machine

TEXT = "define void @f{0}(ptr %p) {{\n  %x = load i64, ptr %p\n  %y = add i64 %x, {0}\n  store i64 %y, ptr %p\n  ret void\n}}\n"


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(translator, "_can_start", lambda: True)


@pytest.fixture
def local(monkeypatch):
    """The texts that this process has translated."""
    texts, translate = [], machine.translate

    def noted(text, *more):
        texts.append(text)
        return translate(text, *more)

    monkeypatch.setattr(machine, "translate", noted)
    return texts


def handed_in(count):
    batch = translator.current()
    return [batch.add(TEXT.format(i)) for i in range(count)]


def no_threads():
    end = time.monotonic() + 30
    while any(t.name == "gradtape translator" for t in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(t.name == "gradtape translator" for t in threading.enumerate())


def test_two_processes_make_what_one_makes(local):
    with translator.together():
        jobs = handed_in(40)
        end = time.monotonic() + 60
        while not jobs[0]._done.is_set() and time.monotonic() < end:
            time.sleep(0.01)
        codes = [job.code() for job in jobs]
    assert len(local) < 40
    assert [c.exports for c in codes] == [(f"f{i}",) for i in range(40)]
    for i, code in enumerate(codes):
        assert code == machine.translate(TEXT.format(i))
    assert no_threads()


def test_few_texts_are_translated_here(local):
    with translator.together():
        codes = [job.code() for job in handed_in(3)]
    assert len(local) == len(codes) == 3


def test_what_nobody_has_asked_for_is_made_when_it_is(local):
    with translator.together():
        jobs = handed_in(3)
    assert not local
    assert jobs[1].code().exports == ("f1",)
    assert local == [TEXT.format(1)]


@pytest.mark.parametrize("command", [["false"], ["cat"], ["sleep", "0"], ["/no/such/program"]])
def test_another_process_that_fails(monkeypatch, command, local):
    def started():
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    if command == ["cat"]:  # it answers, and not with machine code: the texts come back, so that lengths are wrong
        monkeypatch.setattr(translator.translation, "receive", lambda stream: (_ for _ in ()).throw(EOFError))
    monkeypatch.setattr(translator, "_started", started)
    with translator.together():
        codes = [job.code() for job in handed_in(12)]
    assert [c.exports for c in codes] == [(f"f{i}",) for i in range(12)]
    assert no_threads()


def test_text_that_cannot_be_translated_raises_here():
    with translator.together():
        jobs = [translator.current().add("no text of LLVM") for _ in range(6)]
        for job in jobs:
            with pytest.raises(RuntimeError):
                job.code()


def test_blocks_inside_of_others_are_one():
    with translator.together():
        outer = translator.current()
        with translator.together():
            assert translator.current() is outer
        assert translator.current() is outer
    assert translator.current() is None


def test_functions_are_the_same(tmp_path, monkeypatch):
    """A program of many kernels, none of them on disk."""
    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path))
    monkeypatch.setattr(kernels, "_KERNELS", type(kernels._KERNELS)())
    rng = np.random.default_rng(3)
    w = [tf.constant(rng.standard_normal(s), tf.float32) for s in ((7, 19), (19, 23), (23, 5))]

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(w)
            h = tf.tanh(tf.matmul(x, w[0]))
            h = tf.nn.softmax(tf.sin(tf.matmul(h, w[1])))
            y = tf.reduce_mean(tf.square(tf.matmul(h, w[2])), axis=0)
        return tape.gradient(y, w)

    x = tf.constant(rng.standard_normal((11, 7)), tf.float32)
    for found, wanted in zip(tf.function(f)(x), f(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_only_pythons_own_program_is_started(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(translator.large, "cores", lambda: 8)
    assert translator._can_start() == os.path.basename(sys.executable).startswith("python")
    monkeypatch.setattr(sys, "executable", "/usr/bin/blender")
    assert not translator._can_start()
    monkeypatch.setattr(sys, "executable", None)
    assert not translator._can_start()


def test_one_core(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(translator.large, "cores", lambda: 1)
    assert not translator._can_start()
