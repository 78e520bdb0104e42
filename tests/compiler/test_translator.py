"""Machine code of two qualities: the same results, good code in the end, and nothing is lost when the other process fails."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.codegen.simd import machine
from gradtape.compiler.codegen.simd.translation import GOOD
from gradtape.compiler.runtime import kernels, translator

TEXT = "define void @f{0}(ptr %p) {{\n  %x = load i64, ptr %p\n  %y = add i64 %x, {0}\n  store i64 %y, ptr %p\n  ret void\n}}\n"


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(translator, "_can_start", lambda: True)


@pytest.fixture(autouse=True)
def workshop(monkeypatch):
    """A workshop of the test's own."""
    made = translator.Workshop()
    monkeypatch.setattr(translator, "_workshop", made)
    yield made
    made.end(10.0)
    assert made._thread is None


@pytest.fixture
def local(monkeypatch):
    """The texts that this process has made good code of."""
    texts, translate = [], machine.translate

    def noted(text, machine=None, effort=GOOD):
        if effort == GOOD:
            texts.append(text)
        return translate(text, machine, effort)

    monkeypatch.setattr(machine, "translate", noted)
    return texts


def handed_in(count, is_urgent=False):
    return [translator.hand_in(TEXT.format(i), is_urgent) for i in range(count)]


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_good_code_comes_later(local):
    with translator.together():
        jobs = handed_in(40)
        codes = [job.code() for job in jobs]
    assert [c.exports for c, _ in codes] == [(f"f{i}",) for i in range(40)]
    assert not all(is_good for _, is_good in codes)
    told = []
    for job in jobs:
        job.then(told.append)
    wait_for(lambda: len(told) == 40)
    assert not local
    assert [job.code() for job in jobs] == [(machine.translate(TEXT.format(i)), True) for i in range(40)]


def test_urgent_texts_are_good_at_once(local):
    with translator.together():
        jobs = handed_in(40, is_urgent=True)
        codes = [job.code() for job in jobs]
    assert [c.exports for c, _ in codes] == [(f"f{i}",) for i in range(40)]
    assert all(is_good for _, is_good in codes)


def test_urgent_texts_come_first(workshop):
    with translator.together():
        later = [translator.hand_in(TEXT.format(i)) for i in range(3)]
        urgent = translator.hand_in(TEXT.format(3), is_urgent=True)
        assert workshop._next(True) is urgent
        assert [workshop._next(True) for _ in later] == later
        workshop._sent.clear()


def test_few_texts_are_translated_here(local, workshop):
    with translator.together():
        codes = [job.code() for job in handed_in(3)]
    assert len(local) == len(codes) == 3
    assert all(is_good for _, is_good in codes)
    assert workshop._thread is None


def test_what_nobody_has_asked_for_is_made_when_it_is(local, workshop):
    with translator.together():
        jobs = handed_in(3)
    assert not local
    assert not workshop._later
    assert jobs[1].code()[0].exports == ("f1",)
    assert local == [TEXT.format(1)]


def test_the_other_process_goes_when_nothing_comes(monkeypatch, workshop):
    monkeypatch.setattr(translator, "_LINGER", 0.01)
    with translator.together():
        jobs = handed_in(5)
    wait_for(lambda: workshop._thread is None)
    assert all(job.good is not None for job in jobs)
    with translator.together():
        more = handed_in(5)
    wait_for(lambda: all(job.good is not None for job in more))


@pytest.mark.parametrize("is_urgent", [False, True])
@pytest.mark.parametrize("command", [["false"], ["cat"], ["sleep", "0"], ["/no/such/program"]])
def test_another_process_that_fails(monkeypatch, command, is_urgent):
    def started():
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    if command == ["cat"]:  # it answers, and not with machine code: the texts come back, so that lengths are wrong
        monkeypatch.setattr(translator.translation, "receive", lambda stream: (_ for _ in ()).throw(EOFError))
    monkeypatch.setattr(translator, "_start", started)
    with translator.together():
        jobs = handed_in(12, is_urgent)
        codes = [job.code() for job in jobs]
    assert [c.exports for c, _ in codes] == [(f"f{i}",) for i in range(12)]
    wait_for(lambda: all(job.good is not None for job in jobs))


def test_text_that_cannot_be_translated_raises_here():
    for is_urgent in (False, True):
        with translator.together():
            jobs = [translator.hand_in("no text of LLVM", is_urgent) for _ in range(6)]
            for job in jobs:
                with pytest.raises(RuntimeError):
                    job.code()


def test_blocks_inside_of_others_are_one(workshop):
    with translator.together():
        with translator.together():
            translator.hand_in(TEXT.format(0))
        assert translator.is_gathering()
        assert workshop._gathering == 1
    assert not translator.is_gathering()
    assert workshop._gathering == 0


def promised():
    return [k.task for k in kernels._KERNELS.values() if isinstance(k.task, kernels.Promised)]


def a_program():
    rng = np.random.default_rng(3)
    w = [tf.constant(rng.standard_normal(s), tf.float32) for s in ((7, 19), (19, 23), (23, 5))]

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(w)
            h = tf.tanh(tf.matmul(x, w[0]))
            h = tf.nn.softmax(tf.sin(tf.matmul(h, w[1])))
            y = tf.reduce_mean(tf.square(tf.matmul(h, w[2])), axis=0)
            for _ in tf.range(3):
                y = tf.sin(y) * tf.exp(-y) + tf.reduce_sum(y)
        return tape.gradient(y, w)

    return f, tf.constant(rng.standard_normal((11, 7)), tf.float32)


def bits(results):
    return [r.numpy().tobytes() for r in results]


def test_a_program_gets_good_code_while_it_lives(new_kernels, monkeypatch):
    started, may_start = translator._start, threading.Event()
    monkeypatch.setattr(translator, "_start", lambda: may_start.wait() and started())
    f, x = a_program()
    compiled = tf.function(f)
    first = compiled(x)
    for found, wanted in zip(first, f(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)
    waiting = promised()
    assert len(waiting) > 8
    assert all(k._quick is not None and k._good is None and k._users for k in waiting)
    users = [(k, array(), place) for k in waiting for array, place in k._users]
    assert all(array[place] == k._quick.address(k._name) for k, array, place in users)
    may_start.set()
    wait_for(lambda: all(k._good is not None for k in waiting))
    assert all(array[place] == k._good.address(k._name) for k, array, place in users)
    assert bits(compiled(x)) == bits(first)


def test_good_code_goes_to_the_folder_of_its_program(new_kernels, tmp_path, monkeypatch):
    started, may_start = translator._start, threading.Event()
    monkeypatch.setattr(translator, "_start", lambda: may_start.wait() and started())
    f, x = a_program()
    tf.function(f)(x)
    other = tmp_path / "other"
    monkeypatch.setenv("GRADTAPE_CACHE", str(other))
    may_start.set()
    wait_for(lambda: all(k._good is not None for k in promised()))
    assert not [p for p in other.rglob("*") if p.is_file()]


def test_kernels_with_much_work_begin_with_good_code(new_kernels):
    x = tf.ones([600, 600])
    tf.function(lambda x: tf.tanh(tf.matmul(x, x)))(x)
    assert [k._quick for k in promised()] == [None]


SCRIPT = """
import hashlib, os, sys, time
import gradtape as tf
from gradtape.compiler.runtime import kernels
sys.path.insert(0, sys.argv[1])
from test_translator import a_program, promised

f, x = a_program()
results = tf.function(f)(x)
print(len(promised()))
child = os.fork() if "fork" in sys.argv else -1
if child >= 0:
    results = tf.function(f)(x)
    end = time.monotonic() + 60
    while not all(k._good for k in promised()) and time.monotonic() < end:
        time.sleep(0.01)
    assert all(k._good for k in promised())
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
print(hashlib.sha256(b"".join(r.numpy().tobytes() for r in results)).hexdigest())
"""


def run_script(folder, *arguments):
    """How many kernels a process has made, and a digest of its results."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, os.path.dirname(__file__), *arguments],
        env=os.environ | {"GRADTAPE_CACHE": str(folder)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    count, digest = done.stdout.split()
    return int(count), digest


def test_good_code_is_there_for_the_next_process(tmp_path):
    """Even if a process ends before its other process is done."""
    count, first = run_script(tmp_path)
    assert count > 8
    assert run_script(tmp_path) == (0, first)


def test_fork_while_code_is_made(tmp_path):
    count, first = run_script(tmp_path, "fork")
    assert count > 8
    assert run_script(tmp_path) == (0, first)


def test_fork_while_a_listener_is_told(workshop):
    """The forked process has not heard the end of it, so it is told again."""
    may_go, told = threading.Event(), []

    def listener(code):
        told.append(code.exports)
        may_go.wait(60)

    with translator.together():
        jobs = handed_in(6)
        jobs[0].then(listener)
    wait_for(lambda: told)
    with workshop._changed:
        process, workshop._process = workshop._process, None
        heir = workshop.inherit()
        workshop._process = process
    assert jobs[0] in heir._later
    assert jobs[0].listeners == [listener]
    may_go.set()
    wait_for(lambda: workshop._thread is None)
    assert not jobs[0].listeners
    assert told == [("f0",)]


def test_only_pythons_own_program_is_started(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(translator.memory, "cores", lambda: 8)
    assert translator._can_start() == os.path.basename(sys.executable).startswith("python")
    monkeypatch.setattr(sys, "executable", "/usr/bin/blender")
    assert not translator._can_start()
    monkeypatch.setattr(sys, "executable", None)
    assert not translator._can_start()


def test_one_core(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(translator.memory, "cores", lambda: 1)
    assert not translator._can_start()


def test_variables_are_updated_in_place_meanwhile(new_kernels, monkeypatch):
    """The thread that waits for good code is none that could hold their arrays."""
    started, may_start = translator._start, threading.Event()
    monkeypatch.setattr(translator, "_start", lambda: may_start.wait() and started())
    f, x = a_program()
    v = tf.Variable(tf.ones([1000]))

    @tf.function
    def step(x):
        v.assign_add(tf.reduce_sum(f(x)[0]) * tf.ones([1000]))

    step(x)
    before = v._value._array.ctypes.data
    try:
        step(x)
        assert translator._workshop._thread is not None
        assert v._value._array.ctypes.data == before
    finally:
        may_start.set()
